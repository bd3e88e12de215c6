package io.flexdb.flexspace;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.SpaceSettings;
import io.flexdb.flexspace.internal.check.SpaceChecker;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.LockWatch;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreLockedException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A persistent flexible address space: bytes are inserted and removed in place, and what follows shifts, at a cost that
 * grows with the logarithm of the number of extents (section 4 of the paper).
 *
 * <p><b>Threads.</b> Any thread may call any method. Changes are made one at a time. A read sees every change that
 * returned before it began, and sees it whole. It takes no lock. The first one after a change may wait for a short
 * change that is under way, never for what a change has to wait for itself, a disk or another thread, nor for {@link
 * #defragment}, {@link #sync()} and {@link #checkpoint()}.
 *
 * <p><b>Durability.</b> A change is durable once a later {@link #sync()}, {@link #checkpoint()} or {@link #close()} has
 * returned. After a crash the space is as it was after some change, the last one synced or a later one; a change is
 * never kept in part.
 *
 * <p><b>Errors.</b> Every byte that comes from a file is verified: damage gives a
 * {@link io.flexdb.storage.CorruptionException}, never other bytes. After a failed write the space takes no more
 * operations but {@link #close()} and throws {@link StoreFailedException}; {@link #health()} tells, and
 * {@link FlexSpaceOptions#withHealthListener} when it changes. A change for which there is no room, below the
 * cap or on the disk, gives a {@link io.flexdb.storage.StoreFullException} and changes nothing; reads and
 * {@link #collapseRange} go on, and with space freed changes do too. Offsets and lengths that do not fit the space
 * give an {@link IndexOutOfBoundsException} and change nothing.
 *
 * <p>Buffers may be heap, direct or read-only ones; a call uses what is between position and limit and moves the
 * position to the limit.
 */
public final class FlexSpace implements AutoCloseable {
    private static final String LOCK_NAME = "LOCK";

    private final SpaceEngine engine;
    private final VfsLock lock;
    private final LockWatch lockWatch;
    private final FlexSpaceAccess access;
    private final FlexSpaceReads reads;
    private final FlexSpaceChanges changes;
    private boolean released; // under the writer's lock

    private FlexSpace(Epochs epochs, SpaceEngine engine, VfsLock lock, LockWatch lockWatch) {
        this.engine = engine;
        this.lock = lock;
        this.lockWatch = lockWatch;
        this.access = new FlexSpaceAccess(engine, epochs);
        this.reads = new FlexSpaceReads(access, engine);
        this.changes = new FlexSpaceChanges(access, engine);
        engine.scrubber().start(access::pinPublished);
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
        return open(vfs, directory, options, System::nanoTime);
    }

    static FlexSpace open(Vfs vfs, Path directory, FlexSpaceOptions options, LongSupplier nanoClock) {
        Objects.requireNonNull(options, "options");
        Path path = directory.toAbsolutePath().normalize();
        if (vfs.exists(path) && !vfs.isDirectory(path)) {
            throw new NotAStoreException(path, "a file");
        }
        if (!SpaceEngine.exists(vfs, path)) {
            if (vfs.exists(path)) {
                requireCreatable(vfs, path);
            }
            SpaceEngine.createDirectory(vfs, path);
        }
        VfsLock lock = vfs.lock(path.resolve(LOCK_NAME));
        try {
            if (!SpaceEngine.exists(vfs, path)) {
                SpaceEngine.createWhereChecked(vfs, path, newStoreId(), options.settings(), List.of(LOCK_NAME));
            }
            SpaceEngine.endCreation(vfs, path);
            Epochs epochs = new Epochs();
            SpaceSettings settings = options.settings().copy();
            settings.mappedReads &= vfs.mapsSafely(path);
            LockWatch lockWatch = new LockWatch(lock, nanoClock);
            settings.requireOwnership = lockWatch::requireHeldNowAndThen;
            SpaceEngine engine = SpaceEngine.open(vfs, path, 0, settings, epochs);
            try {
                return new FlexSpace(epochs, engine, lock, lockWatch);
            } catch (RuntimeException | Error e) {
                engine.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private static void requireCreatable(Vfs vfs, Path directory) {
        SpaceEngine.checkCreatable(vfs, directory, List.of(LOCK_NAME));
        Path lock = directory.resolve(LOCK_NAME);
        if (vfs.exists(lock) && !SpaceEngine.exists(vfs, directory) && !SpaceEngine.isLockFile(vfs, lock)) {
            throw new NotAStoreException(directory, LOCK_NAME);
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
        changes.insertRange(logicalOffset, buffer);
    }

    /** Removes the bytes from an offset on; what is behind them closes the gap. */
    public void collapseRange(long logicalOffset, long length) {
        changes.collapseRange(logicalOffset, length);
    }

    /**
     * Moves a range to another offset, and what lies between shifts: as if it were collapsed and inserted again, but
     * for the cost, which is that of its extents and not of its bytes.
     *
     * @param logicalOffset where the range begins
     * @param length bytes of the range, at least 1
     * @param target where it goes: the offset, before the move, of the byte that it will stand before, or
     *     {@link #size()}; not inside the range, and at its ends nothing moves
     * @throws IllegalArgumentException if the target is inside the range
     */
    public void moveRange(long logicalOffset, long length, long target) {
        changes.moveRange(logicalOffset, length, target);
    }

    /**
     * Inserts bytes that read as zeros; what is at the offset and behind it shifts by their number. They take no disk,
     * but an extent of the FlexTree for each 16 MiB.
     *
     * @param logicalOffset from 0 to {@link #size()}
     * @param length from 1 to 2^46
     */
    public void insertHole(long logicalOffset, long length) {
        changes.insertHole(logicalOffset, length);
    }

    /** Makes a range read as zeros and gives its disk back; the size stays. */
    public void punchHole(long logicalOffset, long length) {
        changes.punchHole(logicalOffset, length);
    }

    /**
     * Makes the space shorter, by removing what is behind the new end, or longer, by a hole.
     *
     * @param newSize bytes of the space from now on; at most 2^46 more than now
     */
    public void truncate(long newSize) {
        changes.truncate(newSize);
    }

    /**
     * Writes bytes over those at an offset. A write beyond the end makes the space longer; a gap between the end and
     * the offset reads as zeros and takes no disk, but an extent of the FlexTree for each 16 MiB.
     *
     * @param logicalOffset at most 2^46 beyond the end
     */
    public void write(long logicalOffset, ByteBuffer buffer) {
        changes.write(logicalOffset, buffer);
    }

    /**
     * Writes a range anew, so that it lies in few extents, one behind the other in the data file; its content stays,
     * and holes stay holes. As long as there is room, garbage is left for later changes to collect: until then the
     * range may take twice its bytes.
     *
     * @throws io.flexdb.storage.CorruptionException if a part of it is damaged, which stays as it is
     */
    public void defragment(long logicalOffset, long length) {
        changes.defragment(logicalOffset, length);
    }

    // ---- reading

    /**
     * Reads bytes into a buffer, which is filled. Without a cache, direct buffers take no copy. After an exception what
     * lies between position and limit is undefined: it may be bytes that proved to be damaged. Both are as they were,
     * then.
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
        return reads.readExtent(null, logicalOffset, buffer, Extent::new);
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
        return reads.size();
    }

    /**
     * Keeps what the space holds now for reading, whatever is changed later. This takes no copy; what is removed or
     * overwritten from now on stays on disk until the snapshot is closed.
     */
    public FlexSpaceSnapshot snapshot() {
        return new FlexSpaceSnapshot(access, reads);
    }

    /**
     * The space as a file. Writing over what is there is {@link #write}, writing behind the end makes the space longer,
     * and {@link SeekableByteChannel#truncate} removes the end; nothing ever shifts. A position is an offset, so what
     * others insert or remove before it shifts the bytes under it.
     *
     * <p>Threads may share the channel: the operations that use the position are made one after the other. Interrupting
     * a thread closes nothing. Closing the channel does not close the space; once that is closed, the channel throws
     * {@link StoreClosedException}. Writes are durable as described above. Other failures are unchecked, too.
     *
     * @param writable whether the channel may change the space; else those methods throw
     *     {@link java.nio.channels.NonWritableChannelException}
     */
    public SeekableByteChannel openChannel(boolean writable) {
        access.checkReadable();
        return new FlexSpaceChannel(reads, changes, writable);
    }

    // ---- durability

    /** Makes every change so far durable. */
    public void sync() {
        changes.sync();
    }

    /**
     * Makes every change so far durable and writes the FlexTree to its file, which shortens the next recovery.
     *
     * @throws io.flexdb.storage.StoreFullException if there is no disk space for that; nothing has changed then, and
     *     {@link #sync()} still works
     */
    public void checkpoint() {
        changes.checkpoint();
    }

    /** Tells which calls the space still serves, and why not more. In any state, closed included. */
    public StoreHealth health() {
        return engine.health().current();
    }

    /** Figures of this moment. */
    public FlexSpaceStats stats() {
        access.lock();
        try {
            access.publishIfChanged(); // which makes the changes that wait in the tree
            return SpaceReports.of(engine, access.pinCount());
        } finally {
            access.unlock();
        }
    }

    /**
     * Checks everything that the space needs, while reads and changes go on: the FlexTree and its file, the logical
     * logs, and every byte of the segments in use, which are read in their order. See {@link #check(CheckProgress)}
     * for what it costs.
     *
     * @return all that is wrong, not only the first fault
     * @throws StoreClosedException if the space is closed meanwhile
     */
    public CheckReport check() {
        return check((bytes, ofBytes) -> {});
    }

    /**
     * Checks everything that the space needs now: the FlexTree and its file, the logical logs, where extents lie, and
     * every byte of the segments that hold any, by reading them in their order. Goes on behind what is damaged, and
     * finds all that can be reached: not the nodes below a damaged inner node of the FlexTree file, and not how many
     * frames of a log are damaged between two that can be told apart; the findings say so. Data in memory only, not
     * synced yet, has no checksum yet.
     *
     * <p>Reads and changes go on meanwhile; like a {@link #snapshot()} this keeps the disk that it looks at from being
     * used again. It takes some MiB, 32 MiB for extents, and a thread, which has ended when this returns: it checks
     * what is in memory while the caller's reads the files. Damage changes nothing for the space, which goes on
     * refusing what it can't verify.
     *
     * @param progress is told how far the check is; what it throws ends the check
     * @return what was found
     * @throws StoreClosedException if the space is closed meanwhile, which waits for a read of the check at most
     */
    public CheckReport check(CheckProgress progress) {
        Objects.requireNonNull(progress, "progress");
        SpaceChecker checker;
        FlexSpaceSnapshot pinned;
        access.lock();
        try {
            access.publish();
            awaitWritten();
            checker = engine.beginCheck(access.published());
            pinned = snapshot();
        } finally {
            access.unlock();
        }
        try {
            return SpaceReports.of(checker.check(progress::checked));
        } finally {
            pinned.close();
        }
    }

    /** Waits for what is written beside the writer. */
    private void awaitWritten() {
        try {
            engine.awaitWritten();
        } catch (Throwable e) {
            access.fail(e);
            throw e;
        }
    }

    /** Checks that the structures in memory fit each other; an {@link AssertionError} says what does not. */
    void checkInvariants() {
        access.lockInAnyState();
        try {
            engine.checkInvariants();
        } finally {
            access.unlock();
        }
    }

    private void closeIfLockIsHeld() {
        try {
            lockWatch.requireHeld();
        } catch (StoreLockedException e) {
            access.fail(e);
            engine.close();
            throw e;
        }
        engine.closeCleanly();
    }

    /**
     * Makes every change durable and closes the space. Reads under way finish; later calls throw
     * {@link StoreClosedException}, and so does a {@link #check()} under way. Closing again does nothing. After a
     * failure nothing is written.
     */
    @Override
    public void close() {
        access.lockInAnyState();
        try {
            if (released) {
                return;
            }
            access.end();
            released = true;
            try {
                if (access.hasFailed()) {
                    engine.close();
                } else {
                    closeIfLockIsHeld();
                }
            } finally {
                lock.close();
            }
        } finally {
            access.unlock();
            engine.health().endClose();
        }
    }
}
