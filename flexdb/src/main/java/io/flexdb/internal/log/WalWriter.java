package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.MappedFile;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.internal.vfs.Zeros;
import io.flexdb.internal.mem.Payload;
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
 * Writes one file of the write-ahead log. An appended write survives the death of the process at once, and a power cut
 * after {@link #force()}.
 *
 * <p>Thread-safety: {@link #append} and {@link #hasRoom} are for the holder of the write lock; everything else is for
 * any thread. After a failed append or force every call but {@link #close()} and {@link #release()} throws
 * {@link StoreFailedException}.
 */
public final class WalWriter implements AutoCloseable {
    /*
     * A write that is not short goes to a file that is mapped by a call all the same: the first store into each page
     * faults, which takes 3 µs, and a call of 64 KiB takes 0.6 µs for each. Values of 8 KiB are put 1.5 times as fast so,
     * those of 1 KiB 1.2 times, and those of 256 bytes neither faster nor slower. But where each write is to be forced,
     * later small ones would find the larger units that this makes, and have all of them written.
     *
     * Where memory is short, pages of a file have left the page cache before it is used again, and a store into one of
     * them, or a call that writes a part of it, waits for the disk. So the system is told of the file when it is made
     * ready. With 512 MiB for 3 GB of values of 8 KiB, writers waited half of their time for this.
     *
     * Why no crash can replay an old frame or lose a needed one:
     * W1 A file is made, and made ready for its next use, under a name that ends in ".new", which recovery takes for
     *    holding nothing. It gets a log's name only when its header is forced, and is used only when that name is
     *    synced.
     * W2 To be recycled it first loses its old name, and that is synced before its header is touched: a log's name
     *    never stands for a header being rewritten. By then its old frames are covered by a durable commit.
     * W3 Each use has a generation of its own, of which each frame has its check, so the frames of an earlier use, which
     *    are still in the file, do not count.
     * W4 A log that was replayed is appended to only after goOn: all of its frames have been forced by then, those not
     *    known to be durable after they were written once more, and zeros behind them, so that nothing of an earlier
     *    process can follow a new frame. Writers come from create and recycle else.
     * W5 Zeros go only to where zeros are read already, so it does not matter which of them a crash keeps, or whether a
     *    force meets some of them. Behind zeroedPosition nothing but zeros was ever written, in no use of the file: who
     *    appends a frame that would pass it, and nobody else, first writes zeros from there on, then moves it, and then
     *    writes the frame, all under the write lock. It never falls, not by recycling either.
     */
    private static final int LEAST_BY_CALLS = 1 << 10; // bytes of a payload, where there is a choice

    private final Vfs vfs;
    private final VfsFile file;
    private final MappedFile mapping; // null if the file is written by calls
    private final boolean longByCalls; // even if the file is mapped
    private final LogStaging staging;
    private final WalId id;
    private final long capacity;
    private boolean adopted;
    private long roomEnd; // up to where frames may go; under the write lock
    private final int zeroedAheadBytes;
    private final FrameHeader frameHeader;
    private final ByteBuffer zeros = ByteBuffer.allocate(WalFiles.FILL_BYTES);
    private final ReentrantLock forceLock = new ReentrantLock();
    private volatile long appendedPosition = WalFormat.FIRST_FRAME;
    private volatile long lastSequence;
    private volatile long durablePosition = WalFormat.FIRST_FRAME;
    private volatile long durableSequence;
    private volatile long
            zeroedPosition; // a multiple of WalFiles.FILL_BYTES, W5; the capacity if no zeros are to be written
    private volatile Throwable failure;
    private volatile boolean released; // set under forceLock
    private Runnable forcedFirst; // or null
    private boolean markIsForced = true; // under forceLock

    /** Of a file that has its header. */
    private WalWriter(Vfs vfs, VfsFile file, WalId id, long capacity, WalMode mode, long zeroedPosition) {
        this.vfs = vfs;
        this.file = file;
        this.mapping = mode.mapped() ? map(file, capacity) : null;
        this.longByCalls = !mode.zeroed();
        this.staging = mode.staging();
        if (mapping == null) {
            staging.get(); // or the first append might find no memory
        }
        this.id = id;
        this.capacity = capacity;
        this.roomEnd = capacity;
        this.zeroedAheadBytes = mode.zeroedAheadBytes();
        this.zeroedPosition = zeroedPosition;
        this.frameHeader = new FrameHeader(id.storeId(), id.generation());
    }

    /** Of the next use of a file, with what the one before it has. */
    private WalWriter(WalWriter before, WalId id) {
        this.vfs = before.vfs;
        this.file = before.file;
        this.mapping = before.mapping;
        this.longByCalls = before.longByCalls;
        this.staging = before.staging;
        this.id = id;
        this.capacity = before.capacity;
        this.roomEnd = before.capacity;
        this.zeroedAheadBytes = before.zeroedAheadBytes;
        this.zeroedPosition = before.zeroedPosition;
        this.frameHeader = new FrameHeader(id.storeId(), id.generation());
    }

    /**
     * Makes a file, which is durable, name included, when this returns.
     *
     * @param id has a number that no log in the directory has, nor had since the store was opened, and a generation that
     *     no file in the directory has frames of
     * @param capacity bytes of the file, a multiple of {@link WalFormat#CAPACITY_UNIT}
     * @param filled told now and then how many bytes of the file are made, where all of it has to be filled
     */
    public static WalWriter create(
            Vfs vfs, Path directory, WalId id, long capacity, WalMode mode, LongConsumer filled) {
        if (capacity < WalFormat.MIN_CAPACITY
                || capacity > WalFormat.MAX_CAPACITY
                || capacity % WalFormat.CAPACITY_UNIT != 0) {
            throw new IllegalArgumentException("capacity must be a multiple of " + WalFormat.CAPACITY_UNIT + " from "
                    + WalFormat.MIN_CAPACITY + " to " + WalFormat.MAX_CAPACITY + ": " + capacity);
        }
        requirePositive("number", id.number());
        requirePositive("generation", id.generation());
        VfsFile file = WalFiles.make(vfs, directory, id.number());
        try {
            long written = WalFiles.fill(file, capacity, mode, filled);
            WalFiles.name(vfs, file, id, capacity);
            return new WalWriter(vfs, file, id, capacity, mode, written);
        } catch (Throwable e) {
            closeAfter(e, file);
            throw e;
        }
    }

    /**
     * Takes over a log that an earlier process has left and that was replayed, where there is no space to copy it. It
     * takes no frames before {@link #goOn}, or until it is {@linkplain #recycle recycled}. When this returns all of its
     * frames are durable, whatever became of the writes of that process: those behind its mark are written once more
     * where they are, which takes no space, and forced. The bytes stay as they are, so a crash meanwhile changes nothing.
     *
     * @param found the log, as it was replayed
     */
    static WalWriter adopt(Vfs vfs, FoundLog found, WalMode mode) {
        VfsFile file = vfs.open(found.path(), OpenMode.READ_WRITE);
        try {
            found.rewriteTail(file);
            WalWriter writer = new WalWriter(vfs, file, found.id(), found.capacity(), mode, found.capacity());
            writer.adopted = true;
            writer.roomEnd = 0;
            writer.appendedPosition = found.end();
            writer.lastSequence = found.lastSequence();
            if (found.end() > found.mark()) {
                writer.writeMark(found.end());
                writer.forceMark();
            }
            writer.durablePosition = found.end();
            writer.durableSequence = found.lastSequence();
            return writer;
        } catch (Throwable e) {
            closeAfter(e, file);
            throw e;
        }
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
     * @param next as for {@link #create}, with a generation greater than any that this file has had
     */
    public WalWriter recycle(WalId next) {
        requirePositive("number", next.number());
        if (next.generation() <= id.generation()) {
            throw new IllegalArgumentException(
                    "the generation must be greater than " + id.generation() + ": " + next.generation());
        }
        forceLock.lock();
        try {
            requireUsable();
            if (released) {
                throw new IllegalStateException("log " + id.number() + " is released");
            }
            released = true;
        } finally {
            forceLock.unlock();
        }
        try {
            WalFiles.takeName(vfs, file, next.number());
            WalFiles.name(vfs, file, next, capacity);
            file.prefetchInPieces(0, capacity);
            return new WalWriter(this, next);
        } catch (Throwable e) {
            closeAfter(e, file);
            throw e;
        }
    }

    /** Whether this is a log that was replayed and serves on. */
    public boolean isAdopted() {
        return adopted;
    }

    /** Lets a log that was adopted take frames behind those that it has. Under the write lock. */
    public void goOn() {
        requireUsable();
        try {
            Zeros.write(file, appendedPosition, capacity - appendedPosition);
            file.force();
        } catch (RuntimeException e) {
            throw fail(e);
        }
        roomEnd = capacity;
    }

    /** Bytes of the file that are mapped. */
    public long mappedBytes() {
        return mapping == null ? 0 : capacity;
    }

    /** Whether a write of that many bytes fits. Under the write lock. */
    public boolean hasRoom(int payloadBytes) {
        return WalFormat.frameBytes(payloadBytes) <= roomEnd - appendedPosition;
    }

    /**
     * Appends one write, for which there must be room. Under the write lock.
     *
     * @param write of at least one entry
     * @param checksum its {@link Payload#checksum}, computed from the source and outside the lock
     * @param firstSequence the sequence number of its first entry
     * @param behindLoad for followers: whether a bulk load came between the write before and this one
     * @return the position after it
     */
    public long append(Payload write, int checksum, long firstSequence, boolean behindLoad) {
        byte[] payload = write.bytes();
        int length = write.length();
        int entryCount = write.entries();
        requireUsable();
        if (released) {
            throw new StoreClosedException("write-ahead log " + id.number());
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
        frameHeader.encode(position, lengthField, firstSequence, checksum);
        long payloadPosition = position + WalFormat.FRAME_HEADER_BYTES;
        long end = position + WalFormat.frameBytes(length);
        try {
            if (end > zeroedPosition) {
                zeroBeyond(end);
            }
            ByteBuffer staged = stagingFor(length);
            if (staged == null) {
                frameHeader.writeTo(mapping, (int) payloadPosition, payload, length);
            } else {
                appendByCalls(staged, payloadPosition, payload, length);
            }
        } catch (RuntimeException e) {
            throw fail(e);
        }
        appendedPosition = end; // before lastSequence, see forceLocked
        lastSequence = firstSequence + entryCount - 1;
        return end;
    }

    /** The memory for a write by calls; null if it goes through the mapping, which serves where there is none, too. */
    private ByteBuffer stagingFor(int length) {
        if (mapping == null) {
            return staging.get();
        }
        return longByCalls && length >= LEAST_BY_CALLS ? staging.getOrNull() : null;
    }

    /** W5: moves the position up to which there are zeros. */
    private void zeroBeyond(long end) {
        long wholePages = (end + WalFiles.FILL_BYTES - 1) & -WalFiles.FILL_BYTES;
        long target = Math.min(wholePages + zeroedAheadBytes, capacity);
        WalFiles.zero(file, zeros, zeroedPosition, target);
        zeroedPosition = target;
    }

    private void appendByCalls(ByteBuffer staged, long payloadPosition, byte[] payload, int length) {
        int first = Math.min(length, LogStaging.BYTES - frameHeader.bytes());
        // A long payload goes first, piece by piece, and its beginning with the header last.
        for (int done = first; done < length; ) {
            int piece = Math.min(length - done, LogStaging.BYTES);
            staged.clear().put(payload, done, piece).flip();
            file.write(staged, payloadPosition + done);
            done += piece;
        }
        staged.clear();
        frameHeader.putTo(staged);
        staged.put(payload, 0, first).flip();
        file.write(staged, payloadPosition - frameHeader.bytes());
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
            if (forcedFirst != null) {
                forcedFirst.run(); // what frames up to the position refer to, and not the position after it
            }
            file.force();
            durablePosition = position;
            durableSequence = sequence;
            writeMark(position);
        } catch (RuntimeException e) {
            throw fail(e);
        }
    }

    private void writeMark(long position) {
        int checksum = WalFormat.markChecksum(id, position);
        markIsForced = false;
        // By a call even if the file is mapped: the page's first touch after each force would cost far more.
        ByteBuffer mark = ByteBuffer.allocate(WalFormat.MARK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        mark.putLong(id.generation()).putLong(position).putInt(checksum).flip();
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
        return id.number();
    }

    /** The generation of this use of the file. */
    public long generation() {
        return id.generation();
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

    /** From where on zeros are to be written before frames are; the capacity if nowhere. */
    long zeroedPosition() {
        return zeroedPosition;
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
        return "WalWriter[" + id.number() + ", generation=" + id.generation() + ", appended=" + appendedPosition + "/"
                + capacity + ", durable=" + durablePosition + ", last=" + lastSequence
                + (isMapped() ? ", mapped]" : "]");
    }
}
