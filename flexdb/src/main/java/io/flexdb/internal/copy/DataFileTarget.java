package io.flexdb.internal.copy;

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
     * Between segments that are copied are places of free ones. Whoever opens the copy takes it that they have their
     * disk space (I5 of SegmentStore), and a store that finds out later that they have none fails: so they get it now.
     */
    private final VfsFile file;
    private final SegmentFormat format;
    private long end; // of what has its disk space

    /** Makes the file. */
    public DataFileTarget(Vfs vfs, Path space, SegmentFormat format, long storeId) {
        this.format = format;
        this.file = vfs.open(space.resolve("data"), OpenMode.CREATE);
        try {
            file.write(FilePreamble.finish(FilePreamble.begin(FilePreamble.Kind.DATA, storeId)), 0);
            end = SegmentFormat.FIRST_SEGMENT_POSITION;
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    @Override
    public VfsFile begin(CopiedSegment segment) {
        long position = position(segment);
        if (position > end) {
            file.allocate(end, position - end);
        }
        return file;
    }

    @Override
    public long position(CopiedSegment segment) {
        return format.filePosition(segment.number(), 0);
    }

    @Override
    public void end(CopiedSegment segment) {
        end = position(segment) + segment.bytes(format);
    }

    @Override
    public boolean verifies() {
        return false;
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
