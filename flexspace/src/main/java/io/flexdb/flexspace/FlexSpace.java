package io.flexdb.flexspace;

import static io.flexdb.flexspace.Arguments.MAX_SIZE;
import static io.flexdb.flexspace.Arguments.checkHole;
import static io.flexdb.flexspace.Arguments.checkLength;
import static io.flexdb.flexspace.Arguments.checkRange;
import static io.flexdb.flexspace.Arguments.checkSize;
import static io.flexdb.flexspace.Arguments.lengthOf;

import io.flexdb.flexspace.internal.SpaceChecker;
import io.flexdb.flexspace.internal.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.NativeIo;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.Epochs;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A persistent flexible address space: bytes are inserted and removed in place, and what follows shifts, at a cost that
 * grows with the logarithm of the number of extents (section 4 of the paper).
 *
 * <p><b>Threads.</b> Any thread may call any method. Changes are made one at a time. A read sees every change that
 * returned before it began, and sees it whole. It takes no lock, unless it is the first one after a change: that one
 * waits for the change under way, if any, but not for {@link #sync()} and {@link #checkpoint()}.
 *
 * <p><b>Durability.</b> A change is durable once a later {@link #sync()}, {@link #checkpoint()} or {@link #close()} has
 * returned. After a crash the space is as it was after some change, the last one synced or a later one; a change is
 * never kept in part.
 *
 * <p><b>Errors.</b> Every byte that comes from a file is verified: damage gives a
 * {@link io.flexdb.storage.CorruptionException}, never other bytes. After a failed write the space takes no more
 * operations but {@link #close()} and throws {@link StoreFailedException}. A change for which there is no room, below the
 * cap or on the disk, gives a {@link io.flexdb.storage.StoreFullException} and changes nothing; reads and
 * {@link #collapseRange} go on, and with space freed changes do too. Offsets and lengths that do not fit the space
 * give an {@link IndexOutOfBoundsException} and change nothing.
 *
 * <p>Buffers may be heap, direct or read-only ones; a call uses what is between position and limit and moves the
 * position to the limit.
 */
public final class FlexSpace implements AutoCloseable {
    private static final String LOCK_NAME = "LOCK";

    private final Epochs epochs;
    private final SpaceEngine engine;
    private final VfsLock lock;
    private final FlexSpaceReads reads;
    private final ReentrantLock writer = new ReentrantLock();
    private final AtomicInteger snapshots = new AtomicInteger();
    private volatile FlexTreeView published;
    private volatile boolean unpublished;
    private volatile boolean closed;
    private volatile Throwable failure;
    private boolean released;
    private ByteBuffer defragmentBuffer;
    private final ExtentCursor defragmentCursor = new ExtentCursor();

    private FlexSpace(Epochs epochs, SpaceEngine engine, VfsLock lock) {
        this.epochs = epochs;
        this.engine = engine;
        this.lock = lock;
        this.reads = new FlexSpaceReads(this, engine, epochs);
        publish();
        engine.scrubber().start(this::pinPublished);
    }

    private long pinPublished() {
        int ticket = enter();
        try {
            long version = published.version();
            epochs.pin(version);
            return version;
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Opens the space in a directory, or creates one if the directory is empty or missing, with default options. */
    public static FlexSpace open(Path directory) {
        return open(directory, FlexSpaceOptions.defaults());
    }

    /**
     * Opens the space in a directory, or creates one if the directory is empty or missing.
     *
     * @throws io.flexdb.storage.StoreLockedException if it is open already, here or in another process
     * @throws NotAStoreException if the path is no directory, or one with other files in it
     * @throws io.flexdb.storage.CorruptionException if a file is damaged; no file is changed
     * @throws io.flexdb.storage.UnsupportedFormatException if a newer release wrote it; no file is changed
     */
    public static FlexSpace open(Path directory, FlexSpaceOptions options) {
        return open(new RealVfs(), directory, options);
    }

    static FlexSpace open(Vfs vfs, Path directory, FlexSpaceOptions options) {
        Objects.requireNonNull(options, "options");
        Path path = directory.toAbsolutePath().normalize();
        if (vfs.exists(path) && !vfs.isDirectory(path)) {
            throw new NotAStoreException(path, "a file");
        }
        boolean existed = SpaceEngine.exists(vfs, path);
        if (!existed && vfs.exists(path)) {
            SpaceEngine.checkCreatable(vfs, path, List.of(LOCK_NAME));
        }
        if (!existed) {
            SpaceEngine.createDirectory(vfs, path);
        }
        VfsLock lock = vfs.lock(path.resolve(LOCK_NAME));
        try {
            if (!SpaceEngine.exists(vfs, path)) {
                SpaceEngine.create(vfs, path, newStoreId(), options, List.of(LOCK_NAME));
            }
            Epochs epochs = new Epochs();
            return new FlexSpace(epochs, SpaceEngine.open(vfs, path, 0, options, epochs), lock);
        } catch (RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private static long newStoreId() {
        long id = new SecureRandom().nextLong();
        return id != 0 ? id : 1;
    }

    // ---- changes

    /**
     * Inserts bytes; what is at the offset and behind it shifts by their number.
     *
     * @param logicalOffset from 0 to {@link #size()}
     */
    public void insertRange(long logicalOffset, ByteBuffer buffer) {
        int length = lengthOf(buffer);
        change(
                () -> {
                    checkOffset(logicalOffset);
                    checkSize(engine.size(), length);
                    requireRoom(length, 0, 0, 0);
                },
                () -> insertPieces(logicalOffset, buffer, buffer.position(), length));
        buffer.position(buffer.limit());
    }

    private void insertPieces(long logicalOffset, ByteBuffer buffer, int position, int length) {
        int done = 0;
        while (done < length) {
            int piece = pieceOf(length - done);
            engine.insert(logicalOffset + done, buffer, position + done, piece, 0);
            done += piece;
        }
    }

    /** Removes the bytes from an offset on; what is behind them closes the gap. */
    public void collapseRange(long logicalOffset, long length) {
        checkLength(length);
        change(
                () -> {
                    checkRange(logicalOffset, length, engine.size());
                    requireRoomForEdits(1, false);
                },
                () -> engine.collapse(logicalOffset, length));
    }

    /**
     * Moves a range to another offset, and what lies between shifts: as if it were collapsed and inserted again, but for
     * the cost, which is that of its extents and not of its bytes.
     *
     * @param logicalOffset where the range begins
     * @param length bytes of the range, at least 1
     * @param target where it goes: the offset, before the move, of the byte that it will stand before, or
     *     {@link #size()}; not inside the range, and at its ends nothing moves
     * @throws IllegalArgumentException if the target is inside the range
     */
    public void moveRange(long logicalOffset, long length, long target) {
        checkLength(length);
        change(
                () -> {
                    checkRange(logicalOffset, length, engine.size());
                    checkOffset(target);
                    if (target > logicalOffset && target < logicalOffset + length) {
                        throw new IllegalArgumentException("target must not be inside the range from " + logicalOffset
                                + ", " + length + " bytes: " + target);
                    }
                    requireRoomForEdits(2 + engine.extentsIn(logicalOffset, length), true);
                },
                () -> {
                    if (target != logicalOffset && target != logicalOffset + length) {
                        engine.move(logicalOffset, length, target);
                    }
                });
    }

    /**
     * Inserts bytes that read as zeros; what is at the offset and behind it shifts by their number. They take no disk, but
     * an extent of the FlexTree for each 16 MiB.
     *
     * @param logicalOffset from 0 to {@link #size()}
     * @param length from 1 to 2^46
     */
    public void insertHole(long logicalOffset, long length) {
        checkLength(length);
        change(
                () -> {
                    checkOffset(logicalOffset);
                    checkSize(engine.size(), length);
                    checkHole(length);
                    requireRoomForEdits(extentsOfHole(length), true);
                },
                () -> engine.insertHole(logicalOffset, length));
    }

    /** Makes a range read as zeros and gives its disk back; the size stays. */
    public void punchHole(long logicalOffset, long length) {
        checkLength(length);
        change(
                () -> {
                    checkRange(logicalOffset, length, engine.size());
                    requireRoomForEdits(extentsOfHole(length), false);
                },
                () -> engine.punchHole(logicalOffset, length));
    }

    /**
     * Makes the space shorter, by removing what is behind the new end, or longer, by a hole.
     *
     * @param newSize bytes of the space from now on; at most 2^46 more than now
     */
    public void truncate(long newSize) {
        if (newSize < 0 || newSize > MAX_SIZE) {
            throw new IllegalArgumentException("newSize must be from 0 to 2^61: " + newSize);
        }
        change(
                () -> {
                    checkHole(newSize - engine.size());
                    requireRoomForEdits(extentsOfHole(Math.max(0, newSize - engine.size())), newSize > engine.size());
                },
                () -> {
                    cut(newSize);
                    if (newSize > engine.size()) {
                        engine.insertHole(engine.size(), newSize - engine.size());
                    }
                });
    }

    /** Makes the space shorter, if it is longer. */
    void truncateIfLonger(long newSize) {
        change(() -> requireRoomForEdits(1, false), () -> cut(newSize));
    }

    private void cut(long newSize) {
        if (newSize < engine.size()) {
            engine.collapse(newSize, engine.size() - newSize);
        }
    }

    /**
     * Writes bytes over those at an offset. What is written beyond the end makes the space longer; a gap between the end
     * and the offset reads as zeros and takes no disk, but an extent of the FlexTree for each 16 MiB.
     *
     * @param logicalOffset at most 2^46 beyond the end
     */
    public void write(long logicalOffset, ByteBuffer buffer) {
        int length = lengthOf(buffer);
        if (logicalOffset < 0) {
            throw new IndexOutOfBoundsException("logicalOffset must not be negative: " + logicalOffset);
        }
        change(
                () -> {
                    checkSize(logicalOffset, length);
                    checkHole(logicalOffset - engine.size());
                    requireRoom(
                            length,
                            logicalOffset,
                            Math.min(length, engine.size() - logicalOffset),
                            Math.max(0, logicalOffset - engine.size()));
                },
                () -> overwriteOrInsert(logicalOffset, buffer, buffer.position(), length));
        buffer.position(buffer.limit());
    }

    private void overwriteOrInsert(long logicalOffset, ByteBuffer buffer, int position, int length) {
        if (logicalOffset > engine.size()) {
            engine.insertHole(engine.size(), logicalOffset - engine.size());
        }
        int over = (int) Math.min(length, engine.size() - logicalOffset);
        int done = 0;
        while (done < over) {
            int piece = pieceOf(over - done);
            engine.overwrite(logicalOffset + done, buffer, position + done, piece, 0);
            done += piece;
        }
        if (done < length) {
            insertPieces(logicalOffset + done, buffer, position + done, length - done);
        }
    }

    /**
     * Writes a range anew, so that it lies in few extents; its content stays, and holes stay holes.
     *
     * @throws io.flexdb.storage.CorruptionException if a part of it is damaged, which stays as it is
     */
    public void defragment(long logicalOffset, long length) {
        checkLength(length);
        writer.lock();
        try {
            checkUsable();
            checkRange(logicalOffset, length, engine.size());
            long end = logicalOffset + length;
            for (long at = logicalOffset; at < end; ) {
                at = defragmentPiece(at, end);
            }
        } finally {
            writer.unlock();
        }
    }

    /** Reads before the change begins, so that damage found is no reason for the space to fail. */
    private long defragmentPiece(long logicalOffset, long end) {
        ExtentCursor cursor = defragmentCursor;
        int most = pieceOf((int) Math.min(end - logicalOffset, engine.maxExtentBytes()));
        cursor.reset(engine.current());
        cursor.seek(logicalOffset);
        if (cursor.isHole()) {
            return Math.min(end, cursor.logicalOffset() + cursor.length());
        }
        long pieceEnd = logicalOffset;
        do {
            pieceEnd = Math.min(logicalOffset + most, cursor.logicalOffset() + cursor.length());
        } while (pieceEnd < logicalOffset + most && cursor.next() && !cursor.isHole());
        int piece = (int) (pieceEnd - logicalOffset);
        if (defragmentBuffer == null) {
            defragmentBuffer = ByteBuffer.allocateDirect(engine.maxExtentBytes());
        }
        engine.read(engine.current(), cursor, logicalOffset, defragmentBuffer, 0, piece);
        change(
                () -> requireRoom(piece, logicalOffset, piece, 0),
                () -> engine.overwrite(logicalOffset, defragmentBuffer, 0, piece, 0));
        return pieceEnd;
    }

    /** As much as one extent takes: what is left of the open segment is used up, if that is worth an extent. */
    private int pieceOf(int left) {
        int piece = Math.min(left, engine.maxExtentBytes());
        int room = engine.roomInOpenSegment();
        return room >= engine.maxExtentBytes() / 8 ? Math.min(piece, room) : piece;
    }

    // ---- reading

    /**
     * Reads bytes into a buffer, which is filled. Direct buffers take no copy. After an exception what lies between
     * position and limit is undefined: it may be bytes that proved to be damaged. Both are as they were, then.
     *
     * @throws IndexOutOfBoundsException if the space ends before the buffer is full
     */
    public void read(long logicalOffset, ByteBuffer buffer) {
        reads.read(null, logicalOffset, buffer);
    }

    /**
     * Reads from the beginning of the extent that holds a byte: as much of it as the buffer takes. Extents begin where
     * something was inserted or written, so this finds a beginning near an offset that is only roughly known.
     *
     * @param logicalOffset from 0 to before {@link #size()}
     * @return where the extent begins in the address space, and how long it is
     */
    public Extent readExtent(long logicalOffset, ByteBuffer buffer) {
        return reads.readExtent(null, logicalOffset, buffer);
    }

    /**
     * Where an extent is.
     *
     * @param logicalOffset of its first byte
     * @param length its bytes
     */
    public record Extent(long logicalOffset, long length) {}

    /** Bytes of the address space. */
    public long size() {
        int ticket = enterRead();
        try {
            return published.size();
        } finally {
            epochs.exit(ticket);
        }
    }

    /** What serves the reads of snapshots and channels. */
    FlexSpaceReads reads() {
        return reads;
    }

    /** Begins a read of what is there now: everything that has been changed is published. */
    int enterRead() {
        if (unpublished) {
            writer.lock();
            try {
                if (unpublished && !closed) {
                    publish();
                }
            } finally {
                writer.unlock();
            }
        }
        return enter();
    }

    /** Begins a read of a view that is pinned. */
    int enter() {
        int ticket = epochs.enter();
        if (closed || failure != null) {
            epochs.exit(ticket);
            throw notUsable();
        }
        return ticket;
    }

    /**
     * Keeps what the space holds now for reading, whatever is changed later. This takes no copy; what is removed or
     * overwritten from now on stays on disk until the snapshot is closed.
     */
    public FlexSpaceSnapshot snapshot() {
        int ticket = enterRead();
        try {
            FlexTreeView view = published;
            epochs.pin(view.version());
            snapshots.incrementAndGet();
            return new FlexSpaceSnapshot(this, view);
        } finally {
            epochs.exit(ticket);
        }
    }

    /** Takes back what {@link #snapshot()} did. */
    void unpin(FlexTreeView view) {
        epochs.unpin(view.version());
        snapshots.decrementAndGet();
    }

    /** What a read of what is there now is to use, once it has begun. */
    FlexTreeView published() {
        return published;
    }

    /** Throws if the space can't be read any more. */
    void checkReadable() {
        epochs.exit(enter());
    }

    /**
     * The space as a file. Writing over what is there is {@link #write}, writing behind the end makes the space longer, and
     * {@link SeekableByteChannel#truncate} removes the end; nothing ever shifts. A position is an offset, so what others
     * insert or remove before it shifts the bytes under it.
     *
     * <p>Threads may share the channel: the operations that use the position are made one after the other. Interrupting a
     * thread closes nothing. Closing the channel does not close the space; once that is closed, the channel throws
     * {@link StoreClosedException}. What is written is durable as described above. Other failures are unchecked, too.
     *
     * @param writable whether the channel may change the space; else those methods throw
     *     {@link java.nio.channels.NonWritableChannelException}
     */
    public SeekableByteChannel openChannel(boolean writable) {
        checkReadable();
        return new FlexSpaceChannel(this, writable);
    }

    // ---- durability

    /** Makes every change so far durable. */
    public void sync() {
        persist(() -> {}, () -> engine.commit(0));
    }

    /**
     * Makes every change so far durable and writes the FlexTree to its file, which shortens the next recovery.
     *
     * @throws io.flexdb.storage.StoreFullException if there is no disk space for that; nothing has changed then, and
     *     {@link #sync()} still works
     */
    public void checkpoint() {
        persist(this::requireRoomForCheckpoint, engine::checkpoint);
    }

    private void requireRoomForCheckpoint() {
        if (unpublished) {
            publish(); // so that reads do not wait for a checkpoint under way
        }
        require(engine::allowsCheckpoint);
    }

    private void persist(Runnable check, Runnable action) {
        writer.lock();
        try {
            checkUsable();
            check.run();
            try {
                if (unpublished) {
                    publish(); // so that reads do not wait for the files
                }
                action.run();
            } catch (Throwable e) {
                failure = e;
                throw e;
            }
        } finally {
            writer.unlock();
        }
    }

    /** Figures of this moment. */
    public FlexSpaceStats stats() {
        writer.lock();
        try {
            checkUsable();
            return new FlexSpaceStats(
                    engine.size(),
                    engine.extentCount(),
                    engine.liveBytes(),
                    engine.segmentCount(),
                    engine.freeSegmentCount(),
                    engine.segmentBytes(),
                    engine.dataBytesWritten(),
                    engine.logBytesWritten(),
                    engine.treeBytesWritten(),
                    engine.bytesMoved(),
                    engine.extentsScanned(),
                    engine.bytesFreed(),
                    engine.segmentsFreed(),
                    engine.segmentsRefilled(),
                    engine.bytesRefilled(),
                    engine.checkpoints(),
                    engine.treeMemoryBytes(),
                    snapshots.get(),
                    engine.pinnedSegmentCount(),
                    engine.scrubber().bytesRead(),
                    engine.scrubber().passes(),
                    engine.scrubber().findingCount(),
                    NativeIo.isAvailable());
        } finally {
            writer.unlock();
        }
    }

    /** Checks everything, as {@link #check(CheckProgress)} does. */
    public CheckReport check() {
        return check((bytes, ofBytes) -> {});
    }

    /**
     * Checks everything that the space needs now: the FlexTree and its file, the logical logs, where extents lie, and
     * every byte of the segments that hold any, by reading them in their order. Goes on behind what is damaged, and finds
     * all that can be reached: not the nodes below a damaged inner node of the FlexTree file, and not how many frames of
     * a log are damaged between two that can be told apart; the findings say so. What is in memory only, not being synced,
     * has no checksum yet.
     *
     * <p>Reads and changes go on meanwhile; like a {@link #snapshot()} this keeps the disk that it looks at from being
     * used again. It takes some MiB, and 32 MiB for extents. Damage changes nothing for the space, which goes on refusing
     * what it can't verify.
     *
     * @param progress is told how far the check is; what it throws ends the check
     * @return what was found
     */
    public CheckReport check(CheckProgress progress) {
        Objects.requireNonNull(progress, "progress");
        SpaceChecker checker;
        FlexSpaceSnapshot pinned;
        writer.lock();
        try {
            checkUsable();
            publish();
            checker = engine.beginCheck(published);
            pinned = snapshot();
        } finally {
            writer.unlock();
        }
        try {
            return checker.check(progress);
        } finally {
            pinned.close();
        }
    }

    /** Checks that the structures in memory fit each other; an {@link AssertionError} says what does not. */
    void checkInvariants() {
        writer.lock();
        try {
            engine.checkInvariants();
        } finally {
            writer.unlock();
        }
    }

    /**
     * Makes every change durable and closes the space. Reads under way finish; later calls throw
     * {@link StoreClosedException}. Closing again does nothing. After a failure nothing is written.
     */
    @Override
    public void close() {
        writer.lock();
        try {
            if (released) {
                return;
            }
            closed = true;
            while (epochs.hasReaders()) {
                LockSupport.parkNanos(10_000);
            }
            released = true;
            try {
                if (failure == null) {
                    engine.closeCleanly();
                } else {
                    engine.close();
                }
            } finally {
                lock.close();
            }
        } finally {
            writer.unlock();
        }
    }

    // ---- how changes are made

    /**
     * Makes a change that a crash keeps whole or not at all.
     *
     * @param checks throws if an argument is bad
     * @param changes must not throw for any other reason than that the space has failed
     */
    private void change(Runnable checks, Runnable changes) {
        writer.lock();
        try {
            checkUsable();
            checks.run();
            try {
                long checkpoints = engine.checkpointsBegun();
                engine.beginGroup();
                changes.run();
                unpublished = true;
                engine.endGroup();
                // All nodes will be copied once after a checkpoint has begun, so to publish then costs no further
                // copies.
                if (engine.collectSomeGarbage() || engine.checkpointsBegun() != checkpoints) {
                    publishForReuse();
                }
            } catch (Throwable e) {
                failure = e;
                throw e;
            }
        } finally {
            writer.unlock();
        }
    }

    /** The last check before a change that appends: whether there is room for all of it. */
    private void requireRoom(long bytes, long overwrittenOffset, long overwrittenBytes, long holeBytes) {
        require(() -> engine.ensureRoom(bytes, overwrittenOffset, overwrittenBytes, holeBytes, this::publishForReuse));
    }

    /** The last check before a change that appends nothing. */
    private void requireRoomForEdits(long extents, boolean growing) {
        require(() -> engine.ensureRoomForEdits(extents, growing, this::publishForReuse));
    }

    private static long extentsOfHole(long length) {
        return 2 + length / FlexTree.MAX_EXTENT_BYTES;
    }

    private void require(BooleanSupplier room) {
        boolean there;
        try {
            there = room.getAsBoolean();
        } catch (Throwable e) {
            failure = e; // garbage collection writes
            throw e;
        }
        if (!there) {
            throw engine.refusal();
        }
    }

    /** Readers that have come before are gone afterwards, unless they take long. */
    private void publishForReuse() {
        for (int phase = 0; phase < 3; phase++) {
            publish();
        }
    }

    private void publish() {
        published = engine.current();
        unpublished = false;
        epochs.advance();
        engine.reclaim();
    }

    private void checkUsable() {
        if (closed || failure != null) {
            throw notUsable();
        }
    }

    private StorageException notUsable() {
        return closed ? new StoreClosedException("the space") : new StoreFailedException(failure);
    }

    private void checkOffset(long logicalOffset) {
        if (logicalOffset < 0 || logicalOffset > engine.size()) {
            throw new IndexOutOfBoundsException(
                    "logicalOffset must be from 0 to the size " + engine.size() + ": " + logicalOffset);
        }
    }
}
