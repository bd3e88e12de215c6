package io.flexdb.flexspace.internal.engine;

import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Where the logs ended that were replayed.
 *
 * @param directory of the space
 * @param generation of the last log
 * @param frames that it had
 * @param position behind them
 */
record LogEnd(Path directory, long generation, long frames, long position) {
    /**
     * Whether somebody has written on since. A segment is used again only when a batch is durable that lies behind this
     * (O2), so as long as nobody has, what is not as it should be is damage.
     */
    boolean isPassed(Vfs vfs) {
        try {
            for (String name : vfs.list(directory)) {
                if (LogFormat.generationOf(name) > generation) {
                    return true;
                }
            }
            try (VfsFile file = vfs.open(directory.resolve(LogFormat.fileName(generation)), OpenMode.READ)) {
                return hasFrame(file);
            }
        } catch (StorageException e) {
            return true; // the log is gone, and with it what it said
        }
    }

    private boolean hasFrame(VfsFile file) {
        long behind = file.size() - position - LogFormat.FRAME_HEADER_BYTES;
        if (behind < 0) {
            return false;
        }
        ByteBuffer header = ByteBuffer.allocate(LogFormat.FRAME_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.readFully(header, position);
        return LogFormat.isFrameHeader(header, 0, generation, behind)
                && header.getLong(LogFormat.FRAME_SEQUENCE_OFFSET) == frames + 1;
    }
}
