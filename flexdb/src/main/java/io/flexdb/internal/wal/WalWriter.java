package io.flexdb.internal.wal;

import io.flexdb.flexspace.internal.vfs.MappedFile;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * One file of the write-ahead log, being written. What is appended survives the death of the process at once, and a
 * power cut after {@link #force()}.
 *
 * <p>Thread-safety: {@link #append} and {@link #hasRoom} are for the holder of the write lock; everything else is for
 * any thread. After a failed append or force every call but {@link #close()} and {@link #release()} throws
 * {@link StoreFailedException}.
 */
public final class WalWriter implements AutoCloseable {
    /*
     * A file takes its place on the disk before anything is acknowledged, so that a full disk shows itself then, and is
     * used again and again. If each write is to be forced, it is filled with zeros once, so that a force has nothing
     * but data to write: half as long as for a place that was taken without being written. Where forces come now and
     * then, nobody waits for them, and the zeros would be as many bytes as several memtables have. They are written
     * where there is no other way, too. They are written a page at a time: larger writes make the page cache use larger
     * units, and as a store into a mapping dirties a whole unit, each force would write all of it.
     *
     * A write of some pages goes to a file that is mapped by a call all the same: the first store into each page faults,
     * which takes 3 µs, and a call of 64 KiB takes 0.6 µs for each. But where each write is to be forced, later small
     * ones would find the larger units that this makes, and have all of them written.
     *
     * Why no crash can replay an old frame or lose a needed one:
     * W1 A file is made, and made ready for its next use, under a name that ends in ".new", which recovery takes for
     *    holding nothing. It gets a log's name only when its header is forced, and is used only when that name is
     *    synced.
     * W2 To be recycled it first loses its old name, and that is synced before its header is touched: a log's name
     *    never stands for a header being rewritten. By then its old frames are covered by a durable commit.
     * W3 Each use has a generation of its own, of which each frame has its check, so the frames of an earlier use, which
     *    are still in the file, do not count.
     * W4 A log that was replayed is never appended to: writers only come from create and recycle.
     */
    private static final int FILL_BYTES = 1 << 12;
    private static final int FORCED_FILL_BYTES = 1 << 20; // or another file's force would wait for all of the zeros
    private static final int STAGING_BYTES = 1 << 16;
    private static final int LEAST_BY_CALLS = 1 << 14; // of a payload, where there is a choice

    private final Vfs vfs;
    private final VfsFile file;
    private final MappedFile mapping; // null if the file is written by calls
    private final ByteBuffer staging; // null if all is written through the mapping
    private final long storeId;
    private final long number;
    private final long generation;
    private final long capacity;
    private final FrameHeader frameHeader;
    private final ReentrantLock forceLock = new ReentrantLock();
    private volatile long appendedPosition = WalFormat.FIRST_FRAME;
    private volatile long lastSequence;
    private volatile long durablePosition = WalFormat.FIRST_FRAME;
    private volatile long durableSequence;
    private volatile Throwable failure;
    private volatile boolean released; // set under forceLock
    private Runnable forcedFirst = () -> {};
    private boolean markIsForced = true; // under forceLock

    private WalWriter(
            Vfs vfs,
            VfsFile file,
            MappedFile mapping,
            ByteBuffer staging,
            long storeId,
            long number,
            long generation,
            long capacity) {
        this.vfs = vfs;
        this.file = file;
        this.mapping = mapping;
        this.staging = staging;
        this.storeId = storeId;
        this.number = number;
        this.generation = generation;
        this.capacity = capacity;
        this.frameHeader = new FrameHeader(storeId, generation);
    }

    /**
     * Makes a file, which is durable, name included, when this returns.
     *
     * @param number a number that no log in the directory has, nor had since the store was opened
     * @param generation a number that no file in the directory has frames of
     * @param capacity bytes of the file, a multiple of {@link WalFormat#CAPACITY_UNIT}
     * @param mapped whether to map the file if that is safe where it lies
     * @param zeroed whether zeros are written to all of it, so that forces take less time from the first on; else its
     *     place is taken without that, where this can be done, and large writes go by calls
     * @param filled told now and then how many bytes of the file are made
     */
    public static WalWriter create(
            Vfs vfs,
            Path directory,
            long number,
            long storeId,
            long generation,
            long capacity,
            boolean mapped,
            boolean zeroed,
            LongConsumer filled) {
        if (capacity < WalFormat.MIN_CAPACITY
                || capacity > WalFormat.MAX_CAPACITY
                || capacity % WalFormat.CAPACITY_UNIT != 0) {
            throw new IllegalArgumentException("capacity must be a multiple of " + WalFormat.CAPACITY_UNIT + " from "
                    + WalFormat.MIN_CAPACITY + " to " + WalFormat.MAX_CAPACITY + ": " + capacity);
        }
        requirePositive("number", number);
        requirePositive("generation", generation);
        Path unfinished = unfinished(directory, number);
        vfs.deleteIfExists(unfinished);
        VfsFile file = vfs.open(unfinished, OpenMode.CREATE);
        try {
            if (zeroed || !file.allocateUnwritten(0, capacity)) {
                fill(file, capacity, filled);
            }
            ByteBuffer block = ByteBuffer.allocate(WalFormat.START).order(ByteOrder.LITTLE_ENDIAN);
            WalFormat.encodeHeader(block, storeId, number, generation, capacity);
            file.write(block, 0);
            publish(vfs, file, directory, number);
            MappedFile mapping = mapped ? map(file, capacity) : null;
            ByteBuffer staging = mapping == null || !zeroed ? ByteBuffer.allocateDirect(STAGING_BYTES) : null;
            return new WalWriter(vfs, file, mapping, staging, storeId, number, generation, capacity);
        } catch (Throwable e) {
            closeAfter(e, file);
            throw e;
        }
    }

    /** Does the same with zeros, and without telling how it goes. */
    public static WalWriter create(
            Vfs vfs, Path directory, long number, long storeId, long generation, long capacity, boolean mapped) {
        return create(vfs, directory, number, storeId, generation, capacity, mapped, true, filled -> {});
    }

    private static MappedFile map(VfsFile file, long capacity) {
        try {
            return file.map(capacity);
        } catch (IllegalArgumentException e) { // all of it was written, and forced
            throw new StoreIoException("mapping", file.path(), new IOException("the file was cut", e));
        }
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive: " + value);
        }
    }

    private static Path unfinished(Path directory, long number) {
        return directory.resolve(WalFormat.fileName(number) + WalFormat.UNFINISHED_SUFFIX);
    }

    private static void fill(VfsFile file, long capacity, LongConsumer filled) {
        ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(FILL_BYTES, capacity));
        for (long position = 0; position < capacity; position += zeros.capacity()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), capacity - position));
            file.write(zeros, position);
            long end = position + zeros.capacity();
            if (end % FORCED_FILL_BYTES == 0 && end < capacity) {
                file.force();
                filled.accept(end);
            }
        }
    }

    private static void publish(Vfs vfs, VfsFile file, Path directory, long number) {
        file.force();
        vfs.rename(unfinished(directory, number), directory.resolve(WalFormat.fileName(number)));
        vfs.syncDirectory(directory);
    }

    private static void closeAfter(Throwable cause, VfsFile file) {
        try {
            file.close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Makes the file ready for its next use, durably, name included, and keeps its mapping. This writer is released. To
     * be called only when a durable commit covers every frame here.
     *
     * @param newNumber as for {@link #create}
     * @param newGeneration greater than any that this file has had
     */
    public WalWriter recycle(long newNumber, long newGeneration) {
        requirePositive("newNumber", newNumber);
        if (newGeneration <= generation) {
            throw new IllegalArgumentException(
                    "newGeneration must be greater than " + generation + ": " + newGeneration);
        }
        forceLock.lock();
        try {
            requireUsable();
            if (released) {
                throw new IllegalStateException("log " + number + " is released");
            }
            released = true;
        } finally {
            forceLock.unlock();
        }
        try {
            Path directory = file.path().getParent();
            vfs.rename(file.path(), unfinished(directory, newNumber));
            vfs.syncDirectory(directory);
            ByteBuffer block = ByteBuffer.allocate(WalFormat.START).order(ByteOrder.LITTLE_ENDIAN);
            WalFormat.encodeHeader(block, storeId, newNumber, newGeneration, capacity);
            file.write(block, 0);
            publish(vfs, file, directory, newNumber);
            return new WalWriter(vfs, file, mapping, staging, storeId, newNumber, newGeneration, capacity);
        } catch (Throwable e) {
            closeAfter(e, file);
            throw e;
        }
    }

    /** Bytes of the file that are mapped. */
    public long mappedBytes() {
        return mapping == null ? 0 : capacity;
    }

    /** Whether a write of that many bytes fits. Under the write lock. */
    public boolean hasRoom(int payloadBytes) {
        return WalFormat.frameBytes(payloadBytes) <= capacity - appendedPosition;
    }

    /**
     * Appends one write, for which there must be room. Under the write lock.
     *
     * @param payload an array that holds the write
     * @param payloadChecksum its {@link WritePayload#checksum}, computed from the source and outside the lock
     * @param firstSequence the sequence number of its first entry
     * @return the position after it
     */
    public long append(
            byte[] payload, int offset, int length, int payloadChecksum, long firstSequence, int entryCount) {
        return append(payload, offset, length, payloadChecksum, firstSequence, entryCount, false);
    }

    /** The same, and says whether a bulk load came between the write before and this one: for readers who follow. */
    public long append(
            byte[] payload,
            int offset,
            int length,
            int payloadChecksum,
            long firstSequence,
            int entryCount,
            boolean behindLoad) {
        requireUsable();
        if (released) {
            throw new StoreClosedException("write-ahead log " + number);
        }
        if (length < 1 || entryCount < 1 || !hasRoom(length)) {
            throw new IllegalArgumentException("no room for a payload of " + length + " bytes and " + entryCount
                    + " entries at position " + appendedPosition + " of " + capacity);
        }
        if (lastSequence != 0 && firstSequence != lastSequence + 1) { // recovery would find damage
            throw new IllegalStateException("sequence number " + firstSequence + " follows " + lastSequence);
        }
        long position = appendedPosition;
        int lengthField = behindLoad ? length | WalFormat.BEHIND_LOAD : length;
        frameHeader.encode(position, lengthField, firstSequence, payloadChecksum);
        long payloadPosition = position + WalFormat.FRAME_HEADER_BYTES;
        try {
            if (mapping != null && (staging == null || length < LEAST_BY_CALLS)) {
                frameHeader.writeTo(mapping, (int) payloadPosition, payload, offset, length);
            } else {
                appendByCalls(payloadPosition, payload, offset, length);
            }
        } catch (RuntimeException e) {
            throw fail(e);
        }
        long end = position + WalFormat.frameBytes(length);
        appendedPosition = end; // before lastSequence, see forceLocked
        lastSequence = firstSequence + entryCount - 1;
        return end;
    }

    private void appendByCalls(long payloadPosition, byte[] payload, int offset, int length) {
        int first = Math.min(length, STAGING_BYTES - frameHeader.bytes());
        // A long payload goes first, piece by piece, and its beginning with the header last.
        for (int done = first; done < length; ) {
            int piece = Math.min(length - done, STAGING_BYTES);
            staging.clear().put(payload, offset + done, piece).flip();
            file.write(staging, payloadPosition + done);
            done += piece;
        }
        staging.clear();
        frameHeader.putTo(staging);
        staging.put(payload, offset, first).flip();
        file.write(staging, payloadPosition - frameHeader.bytes());
    }

    /** Names what is to be forced before this file each time: what its frames refer to. Before the first append. */
    public void forceFirst(Runnable first) {
        forcedFirst = first;
    }

    /** Returns once everything appended before the call is durable. Does nothing if the writer is released. */
    public void force() {
        forceLock.lock();
        try {
            requireUsable();
            if (!released) {
                forceLocked();
            }
        } finally {
            forceLock.unlock();
        }
    }

    private void forceLocked() {
        // Read in the order opposite to append's writes: the position is at or behind the frame of the number.
        long sequence = lastSequence;
        long position = appendedPosition;
        if (position == durablePosition) {
            durableSequence = sequence; // the last force may have taken a frame whose number it did not see yet
            return;
        }
        try {
            forcedFirst.run(); // what frames up to the position refer to, and not the position after it
            file.force();
            durablePosition = position;
            durableSequence = sequence;
            writeMark(position);
        } catch (RuntimeException e) {
            throw fail(e);
        }
    }

    private void writeMark(long position) {
        int checksum = WalFormat.markChecksum(storeId, number, generation, position);
        markIsForced = false;
        // By a call even if the file is mapped: the page's first touch after each force would cost far more.
        ByteBuffer mark = ByteBuffer.allocate(WalFormat.MARK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        mark.putLong(generation).putLong(position).putInt(checksum).flip();
        file.write(mark, WalFormat.MARK_GENERATION);
    }

    private void forceMark() {
        if (markIsForced) {
            return;
        }
        try {
            file.force();
            markIsForced = true;
        } catch (RuntimeException e) {
            throw fail(e);
        }
    }

    private RuntimeException fail(RuntimeException cause) {
        failure = cause;
        return cause;
    }

    private void requireUsable() {
        Throwable cause = failure;
        if (cause != null) {
            throw new StoreFailedException(cause);
        }
    }

    /** The number of the file. */
    public long number() {
        return number;
    }

    /** The generation of this use of the file. */
    public long generation() {
        return generation;
    }

    /** Bytes of the file. */
    public long capacity() {
        return capacity;
    }

    /** Where the next frame goes. */
    public long appendedPosition() {
        return appendedPosition;
    }

    /** The sequence number of the last entry appended, 0 if there is none. */
    public long lastSequence() {
        return lastSequence;
    }

    /** Up to where the file is known to be durable. */
    public long durablePosition() {
        return durablePosition;
    }

    /** The sequence number of the last entry known to be durable, 0 if there is none. */
    public long durableSequence() {
        return durableSequence;
    }

    /** Whether appends go through a mapping. */
    public boolean isMapped() {
        return mapping != null;
    }

    /** The file. */
    public Path path() {
        return file.path();
    }

    /** Forces what was appended and the mark, unless something failed before, and releases the file. */
    @Override
    public void close() {
        forceLock.lock();
        try {
            if (released) {
                return;
            }
            released = true;
            try (file) {
                if (failure == null) {
                    forceLocked();
                    forceMark();
                }
            }
        } finally {
            forceLock.unlock();
        }
    }

    /** Releases the file as it is, without writing or forcing anything. */
    public void release() {
        forceLock.lock();
        try {
            if (!released) {
                released = true;
                file.close();
            }
        } finally {
            forceLock.unlock();
        }
    }

    @Override
    public String toString() {
        return "WalWriter[" + number + ", generation=" + generation + ", appended=" + appendedPosition + "/" + capacity
                + ", durable=" + durablePosition + ", last=" + lastSequence + (isMapped() ? ", mapped]" : "]");
    }
}
