package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;

/** The logical log of one version of the FlexTree file, open for appending. Writer only. */
final class LogicalLog implements AutoCloseable {
    static final String NAME_WHILE_MADE = "log.new";

    private final VfsFile file;
    private final long generation;
    private final ByteBuffer header =
            ByteBuffer.allocate(LogFormat.FRAME_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer mark = ByteBuffer.allocate(LogFormat.MARK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer padding = ByteBuffer.allocate(8);
    private long position = LogFormat.FRAMES_OFFSET;
    private long sequence;

    private LogicalLog(VfsFile file, long generation) {
        this.file = file;
        this.generation = generation;
    }

    /**
     * Begins a log. It has its name only once it is whole and durable, payloads included, so that a log found by name
     * is never half made.
     *
     * @param treeVersion the version that the log extends
     * @param payloads what the log begins with: the batches that a recovery accepted
     */
    static LogicalLog create(
            Vfs vfs, Path directory, long storeId, long generation, long treeVersion, Iterable<ByteBuffer> payloads) {
        return begin(vfs, directory, storeId, generation, treeVersion, 0, 0, payloads);
    }

    /** Begins the log of the next version of the FlexTree, which continues this one. This one must be durable. */
    LogicalLog createNext(Vfs vfs, Path directory, long storeId, long treeVersion) {
        return begin(vfs, directory, storeId, generation + 1, treeVersion, generation, sequence, List.of());
    }

    private static LogicalLog begin(
            Vfs vfs,
            Path directory,
            long storeId,
            long generation,
            long treeVersion,
            long continues,
            long continuesSequence,
            Iterable<ByteBuffer> payloads) {
        Path unfinished = directory.resolve(NAME_WHILE_MADE);
        vfs.deleteIfExists(unfinished);
        LogicalLog log = new LogicalLog(vfs.open(unfinished, OpenMode.CREATE), generation);
        try {
            ByteBuffer block = FilePreamble.begin(FilePreamble.Kind.LOG, storeId);
            block.putLong(generation).putLong(treeVersion).putLong(continues).putLong(continuesSequence);
            log.file.write(FilePreamble.finish(block), 0);
            for (ByteBuffer payload : payloads) {
                log.append(payload);
            }
            log.writeMark(); // which counts only once the file has its name, and then it is true
            log.file.force();
            vfs.rename(unfinished, directory.resolve(LogFormat.fileName(generation)));
            vfs.syncDirectory(directory);
            return log;
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    /** Appends a batch as one frame; {@link #force} makes it durable. */
    void append(ByteBuffer payload) {
        int bytes = payload.remaining();
        header.clear();
        header.putInt(bytes).putInt(0).putLong(generation).putLong(++sequence);
        header.putInt(FilePreamble.crc(payload, payload.position(), bytes));
        header.putInt(FilePreamble.crc(header, 0, LogFormat.FRAME_HEADER_CRC_OFFSET));
        file.write(payload.duplicate(), position + LogFormat.FRAME_HEADER_BYTES);
        long end = position + LogFormat.frameBytes(bytes);
        int pad = (int) (end - position - LogFormat.FRAME_HEADER_BYTES - bytes);
        if (pad > 0) {
            file.write(padding.clear().limit(pad), end - pad);
        }
        file.write(header.flip(), position);
        position = end;
    }

    /** Makes what was appended durable, and notes that it is. The note itself becomes durable with the next force. */
    void force() {
        file.force();
        writeMark();
    }

    private void writeMark() {
        mark.clear();
        mark.putLong(generation).putLong(position);
        mark.putInt(FilePreamble.crc(mark, 0, LogFormat.MARK_BYTES - Integer.BYTES));
        file.write(mark.flip(), LogFormat.MARK_OFFSET);
    }

    long generation() {
        return generation;
    }

    /** Length of the log so far. */
    long bytes() {
        return position;
    }

    /** Closes the file as it is. */
    @Override
    public void close() {
        file.close();
    }
}
