package io.flexdb.flexspace.internal.log;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The logical log of one version of the FlexTree file, open for appending. Writer only, but that a batch may be
 * appended and forced by another thread for which the writer waits.
 */
public final class LogicalLog implements AutoCloseable {
    public static final String NAME_WHILE_MADE = "log.new";
    /** Of what a recovery makes: beside a spare log, which must stay if the recovery fails. */
    public static final String NAME_WHILE_RECOVERED = "log.recovered";

    private static final Supplier<List<ByteBuffer>> NO_PAYLOADS = List::of;
    private static final int RUN_BYTES = 1 << 20;

    private final VfsFile file;
    private final long generation;
    private final ByteBuffer header =
            ByteBuffer.allocate(LogFormat.FRAME_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer mark = ByteBuffer.allocate(LogFormat.MARK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer padding = ByteBuffer.allocate(8);
    private long position = LogFormat.FRAMES_OFFSET; // of the next frame, for whoever appends it
    private long end = LogFormat.FRAMES_OFFSET; // of all frames, those included that will be appended
    private long claimed; // bytes of the file that have their place on the disk, or less
    private long sequence;
    private boolean markIsForced = true;

    /** The file comes last: nothing can fail then that would leave it open. */
    private LogicalLog(Vfs vfs, Path path, OpenMode mode, long generation, long claimed) {
        this.generation = generation;
        this.claimed = claimed;
        this.file = vfs.open(path, mode);
    }

    /**
     * Makes a file for the next log, so that it can be begun on a full disk. It holds no frames.
     *
     * @throws StoreFullException if there is no space; there is no file then
     */
    public static void makeSpare(Vfs vfs, Path unfinished, long bytes) {
        vfs.deleteIfExists(unfinished);
        try (VfsFile file = vfs.open(unfinished, OpenMode.CREATE)) {
            file.allocate(0, bytes);
        } catch (StoreFullException e) {
            vfs.deleteIfExists(unfinished);
            throw e;
        }
    }

    /**
     * Begins a log. It has its name only once it is whole and durable, payloads included, so that a log found by name
     * is never half made. If that fails, there is no file.
     *
     * @param treeVersion the version that the log extends
     * @param payloads gives what the log begins with, the batches that a recovery accepted, some at a time; none at the
     *     end
     */
    public static LogicalLog create(
            Vfs vfs,
            Path directory,
            long storeId,
            long generation,
            long treeVersion,
            Supplier<List<ByteBuffer>> payloads) {
        // A file under that name may hold frames of a recovery that was cut: it is not used.
        Path unfinished = directory.resolve(NAME_WHILE_RECOVERED);
        vfs.deleteIfExists(unfinished);
        try {
            LogicalLog log = new LogicalLog(vfs, unfinished, OpenMode.CREATE, generation, 0);
            return log.begin(vfs, directory, unfinished, storeId, new LogHeader(generation, treeVersion), payloads);
        } catch (RuntimeException | Error e) {
            discard(vfs, unfinished, e);
            discard(vfs, directory.resolve(LogFormat.fileName(generation)), e);
            throw e;
        }
    }

    /**
     * Begins an empty log in a new file that nobody takes for one yet: under a log's name, but in a space that is being
     * created. Nothing of it is durable; {@link #goOn} opens it when all of it is.
     *
     * @param treeVersion the version that the log extends
     */
    public static void writeEmpty(VfsFile file, long storeId, long generation, long treeVersion) {
        new LogHeader(generation, treeVersion).write(file, storeId);
        ByteBuffer mark = ByteBuffer.allocate(LogFormat.MARK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        writeMark(file, mark, generation, LogFormat.FRAMES_OFFSET);
    }

    /** Goes on with an empty log that this opening of the space has made itself, and forced. */
    public static LogicalLog goOn(Vfs vfs, Path directory, long generation) {
        Path path = directory.resolve(LogFormat.fileName(generation));
        return new LogicalLog(vfs, path, OpenMode.READ_WRITE, generation, 0);
    }

    private static void discard(Vfs vfs, Path path, Throwable cause) {
        try {
            vfs.deleteIfExists(path);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Begins the log of the next version of the FlexTree, which continues this one. This one must be durable.
     *
     * @param spareBytes of the file that {@link #makeSpare} has made; 0 if it has not
     */
    public LogicalLog createNext(Vfs vfs, Path directory, long storeId, long treeVersion, long spareBytes) {
        Path unfinished = directory.resolve(NAME_WHILE_MADE);
        if (spareBytes == 0) {
            vfs.deleteIfExists(unfinished);
        }
        OpenMode mode = spareBytes == 0 ? OpenMode.CREATE : OpenMode.READ_WRITE;
        LogHeader next = new LogHeader(generation + 1, treeVersion, generation, sequence);
        return new LogicalLog(vfs, unfinished, mode, next.generation(), spareBytes)
                .begin(vfs, directory, unfinished, storeId, next, NO_PAYLOADS);
    }

    private LogicalLog begin(
            Vfs vfs, Path directory, Path unfinished, long storeId, LogHeader of, Supplier<List<ByteBuffer>> payloads) {
        try {
            of.write(file, storeId);
            appendAll(payloads);
            end = position;
            writeMark(); // which counts only once the file has its name, and then it is true
            file.force();
            vfs.rename(unfinished, directory.resolve(LogFormat.fileName(generation)));
            vfs.syncDirectory(directory);
            return this;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Says, before it is appended, that there is a batch of so many bytes. */
    public void willAppend(int payloadBytes) {
        end += LogFormat.frameBytes(payloadBytes);
    }

    /** Appends a batch as one frame, which {@link #willAppend} was told of; {@link #force} makes it durable. */
    void append(ByteBuffer payload) {
        beginFrame(payload);
        int bytes = payload.remaining();
        file.write(payload.duplicate(), position + LogFormat.FRAME_HEADER_BYTES);
        if (padding.hasRemaining()) {
            file.write(padding, position + LogFormat.FRAME_HEADER_BYTES + bytes);
        }
        file.write(header, position);
        position += LogFormat.frameBytes(bytes);
    }

    /** Makes the header and the padding of the next frame ready to be written. */
    private void beginFrame(ByteBuffer payload) {
        int bytes = payload.remaining();
        header.clear();
        header.putInt(bytes).putInt(0).putLong(generation).putLong(++sequence);
        header.putInt(FilePreamble.crc(payload, payload.position(), bytes));
        header.putInt(FilePreamble.crc(header, 0, LogFormat.FRAME_HEADER_CRC_OFFSET));
        header.flip();
        padding.clear().limit((int) (LogFormat.frameBytes(bytes) - LogFormat.FRAME_HEADER_BYTES - bytes));
    }

    /** Appends batches, which may be short and many, from front to back: as long as nobody looks for frames here. */
    private void appendAll(Supplier<List<ByteBuffer>> payloads) {
        List<ByteBuffer> some = payloads.get();
        if (some.isEmpty()) {
            return;
        }
        long bytes = 0; // of those; if they are few, there are no others
        for (ByteBuffer payload : some) {
            bytes += LogFormat.frameBytes(payload.remaining());
        }
        ByteBuffer run = ByteBuffer.allocateDirect((int) Math.min(bytes, RUN_BYTES));
        while (!some.isEmpty()) {
            for (ByteBuffer payload : some) {
                beginFrame(payload);
                gather(header, run);
                gather(payload.duplicate(), run);
                gather(padding, run);
            }
            some = payloads.get();
        }
        writeRun(run);
    }

    private void gather(ByteBuffer bytes, ByteBuffer run) {
        while (bytes.hasRemaining()) {
            if (!run.hasRemaining()) {
                int written = writeRun(run);
                file.startWriting(position - written, written); // the disk works while the next run is made
            }
            int length = Math.min(bytes.remaining(), run.remaining());
            run.put(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
        }
    }

    /** Returns the bytes written. */
    private int writeRun(ByteBuffer run) {
        int bytes = run.flip().remaining();
        file.write(run, position);
        position += bytes;
        run.clear();
        return bytes;
    }

    /** Makes what was appended durable, and notes that it is. The note itself becomes durable with the next force. */
    void force() {
        file.force();
        markIsForced = false;
        writeMark();
    }

    /** Makes the note of the last {@link #force} durable, too, if there was one. */
    public void forceMark() {
        if (!markIsForced) {
            file.force();
            markIsForced = true;
        }
    }

    private void writeMark() {
        writeMark(file, mark, generation, position);
    }

    private static void writeMark(VfsFile file, ByteBuffer mark, long generation, long position) {
        mark.clear();
        mark.putLong(generation).putLong(position);
        mark.putInt(FilePreamble.crc(mark, 0, LogFormat.MARK_BYTES - Integer.BYTES));
        file.write(mark.flip(), LogFormat.MARK_OFFSET);
    }

    public long generation() {
        return generation;
    }

    /** Length of the log so far, with what will be appended. */
    public long bytes() {
        return end;
    }

    /** Bytes of the file, from its beginning, that can be written without finding the disk full. */
    public long claimedBytes() {
        return Math.max(claimed, end);
    }

    /**
     * Gives the log its place in the file, up to so many bytes.
     *
     * @throws StoreFullException if there is not as much space; nothing has changed then
     */
    public void claim(long bytes) {
        long from = claimedBytes();
        try {
            file.allocate(from, bytes - from);
        } catch (StoreFullException e) {
            file.truncate(from); // a part of it, of use to others
            throw e;
        }
        claimed = bytes;
    }

    /** Closes the file as it is. */
    @Override
    public void close() {
        file.close();
    }
}
