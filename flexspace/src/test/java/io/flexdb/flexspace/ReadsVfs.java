package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Notes the reads of the data file of a space. For one thread. */
final class ReadsVfs extends ForwardingVfs {
    private final List<String> reads;

    /** @param reads takes each, as "position+bytes", where segments begin at 0 */
    ReadsVfs(Vfs vfs, List<String> reads) {
        super(vfs);
        this.reads = reads;
    }

    @Override
    public VfsFile open(Path file, OpenMode mode) {
        VfsFile opened = super.open(file, mode);
        if (!file.endsWith("data")) {
            return opened;
        }
        return new ForwardingVfsFile(opened) {
            @Override
            public int read(ByteBuffer dst, long position) {
                reads.add((position - SegmentFormat.FIRST_SEGMENT_POSITION) + "+" + dst.remaining());
                return super.read(dst, position);
            }
        };
    }
}
