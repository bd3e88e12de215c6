package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.copy.CopiedSegment;
import io.flexdb.flexspace.internal.copy.SegmentTarget;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.file.Path;

/** A new data file, with segments in their places. */
public final class DataFileTarget implements SegmentTarget, AutoCloseable {
    /*
     * Between segments that are copied are the places of free ones. They are holes in the file: the opening of the copy
     * gives a free segment its place before it is used (I5 of SegmentStore).
     */
    private final VfsFile file;
    private final SegmentFormat format;

    /** Makes the file. */
    public DataFileTarget(Vfs vfs, Path space, SegmentFormat format, long storeId) {
        this.format = format;
        this.file = vfs.open(space.resolve("data"), OpenMode.CREATE);
        try {
            file.write(FilePreamble.finish(FilePreamble.begin(FilePreamble.Kind.DATA, storeId)), 0);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    @Override
    public VfsFile begin(CopiedSegment segment) {
        return file;
    }

    @Override
    public long position(CopiedSegment segment) {
        return format.filePosition(segment.number(), 0);
    }

    @Override
    public void end(CopiedSegment segment) {
        // all are forced together
    }

    @Override
    public boolean verifies() {
        return false;
    }

    /** Deletes the file, in the place of which there is another. */
    static void delete(Vfs vfs, Path space) {
        vfs.delete(space.resolve("data"));
    }

    /** Makes the file durable. */
    public void force() {
        file.force();
    }

    @Override
    public void close() {
        file.close();
    }
}
