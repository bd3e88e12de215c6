package io.flexdb.flexspace.internal.copy;

import io.flexdb.flexspace.internal.vfs.VfsFile;

/** Where segments are copied to, one after the other. */
public interface SegmentTarget {
    /** The file that a segment is to be written to; null if it is there already. */
    VfsFile begin(CopiedSegment segment);

    /** Where in that file it begins. */
    long position(CopiedSegment segment);

    /** It has been written, and not forced. */
    void end(CopiedSegment segment);

    /** Whether every byte is to be read and verified, even if the file system can share it. */
    boolean verifies();
}
