package io.flexdb.internal.log;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Makes memtables and their write-ahead logs, and uses those again that are no longer needed. Thread-safe. */
public final class MemLogs {
    /*
     * Memory is kept for the store's life, since the JDK frees it only by garbage collection. A log file is recycled
     * when a durable commit covers it, which saves writing zeros to a new one. The two come back at different times: a
     * memtable when its last reader is gone.
     *
     * A thread of ours makes the next one ready, so a writer takes it without waiting (L1). The first writer makes the
     * very first one, which is small, so that this does not take long.
     *
     * A store that is hardly written to should take little memory and disk. Where memtables may grow, each is therefore
     * larger than the one before until they have their usual size. Once nobody has written for a while, ready and kept
     * ones are given back, and growth begins anew.
     *
     * One more log is made as soon as there are others, and kept for the day when the disk is full: deletes get it
     * then, and nobody else. It is a log like the others, of a number of its own, and empty; so whatever happens to it,
     * recovery finds an empty log, or one with writes like any other. When it was used, the first log that is covered
     * takes its place.
     *
     * M1 Logs that are covered lose their names in their order, the oldest first, be it that they are used again or
     *    deleted: a follower (WalFollower) takes one that has its name for the last, if none comes after it.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int KEPT_TABLES = 2;
    private static final int KEPT_WALS = 1;
    private static final int FIRST_SHARE = 16; // of a memtable
    private static final int SMALL_LEVEL = 3; // up to which there is nothing worth to be given back
    private static final int LITTLE_BYTES = 16 << 20; // of the next memtable while they grow; a segment has a quarter

    static {
        try {
            MemTable.useOnce(); // when the heap is full it would be too late
        } catch (OutOfMemoryError | StoreMemoryException e) {
            // It is full already: the opening will see.
        }
    }

    private final Vfs vfs;
    private final Path directory;
    private final int memtableBytes;
    private final int[] sizes; // of one memtable after the other; the last is the usual one
    private volatile int level; // of the next one to be made; written under this object's lock
    private int leastLevel; // that the write fits which waits for it; likewise
    private volatile boolean grown; // there is more than a small store takes
    private volatile boolean giveBackWanted;
    private final int mostTables;
    private final OffHeap memory;
    private final WalMode mode;
    private final ConcurrentLinkedQueue<MemTable> freeTables = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<WalWriter> coveredWals = new ConcurrentLinkedQueue<>();
    private final List<WalWriter> held = new ArrayList<>(); // covered, but to be copied still; locked by itself
    private int holds; // likewise
    private final List<WalWriter> adopted = new ArrayList<>(); // once for each memtable; likewise
    private boolean oneLosesItsName; // its covered log is out of the queue, but may still have its name; likewise
    private WalId last; // under this object's lock, which is held while files are made
    private volatile MemTable model;
    private final Object modelLock = new Object(); // while it is looked at
    private final AtomicInteger tables = new AtomicInteger(); // of the usual size
    private volatile boolean lacksMemory;
    private final AtomicReference<MemLog> spare = new AtomicReference<>();
    private volatile WalWriter reserve; // written under this object's lock
    private volatile boolean reserveUsed; // at least once
    private volatile double filled; // of the log that is being made
    private volatile boolean closing;
    private final LongConsumer whileFilled = this::noteFilled; // made at opening, when the heap is not full
    private long bytesToFill; // of the log that is made, by its maker
    private BooleanSupplier makeRoom = () -> false; // under this object's lock

    /**
     * @param last the log with the highest number and generation that there may have been
     * @param zeroedLogs whether zeros are written to where logs grow, so that each force takes less time */
    public MemLogs(Vfs vfs, Path directory, WalId last, MemtableSizes tables, OffHeap memory, boolean zeroedLogs) {
        this.vfs = vfs;
        this.directory = directory;
        this.memtableBytes = tables.bytes();
        this.sizes = tables.steps();
        this.mostTables = tables.most();
        this.memory = memory;
        this.mode = new WalMode(vfs.mapsSafely(directory), zeroedLogs);
        this.last = last;
    }

    /** Begins with a size that so many bytes of writes fit, roughly. Before the first memtable is made. */
    public synchronized void beginWith(long bytes) {
        while (level < sizes.length - 1 && sizes[level] / 2 < bytes) {
            level++;
        }
    }

    /** Says who can make room on a full disk: whether he did. */
    public synchronized void whenFull(BooleanSupplier newMakeRoom) {
        makeRoom = newMakeRoom;
    }

    /** An empty memtable with an empty log, which is durable. */
    public MemLog take(long birth) {
        MemLog ready = poll(birth); // without the lock, which whoever makes another one holds for long
        if (ready != null) {
            return ready;
        }
        synchronized (this) {
            prepare();
            return poll(birth);
        }
    }

    /** A memtable with a log for a write. If the write does not fit the ready one, another one is made. */
    public MemLog takeFor(Payload write, long birth) {
        MemLog ready = poll(birth);
        if (ready != null && isEnough(ready, write)) {
            return ready;
        }
        synchronized (this) {
            while (ready != null && !isEnough(ready, write)) {
                giveUp(ready);
                ready = poll(birth); // made meanwhile
            }
            if (ready != null) {
                return ready;
            }
            giveBackWanted = false; // somebody writes
            raiseTo(write);
            return take(birth);
        }
    }

    private static boolean isEnough(MemLog log, Payload write) {
        return write.length() <= WalFormat.maxPayloadBytes(log.wal.capacity())
                && MemTable.couldHold(log.table().arenaBytes(), write.bodyBytes(), write.entries());
    }

    private void raiseTo(Payload write) {
        while (leastLevel < sizes.length - 1 && !isEnough(sizes[leastLevel], write)) {
            leastLevel++;
        }
        while (level < sizes.length - 1 && !isEnough(sizes[level], write)) {
            level++;
        }
    }

    private void giveUp(MemLog ready) {
        giveUp(ready.table());
        drop(ready.wal);
    }

    /** Takes back a table in which nothing was written. */
    private void giveUp(MemTable table) {
        if (isUsual(table)) {
            freeTables.add(table);
        } else {
            letGo(table);
        }
    }

    private boolean isUsual(MemTable table) {
        return table.memoryBytes() == MemTable.tableBytes(memtableBytes);
    }

    /** The memtable and log that are ready, or null. */
    MemLog poll(long birth) {
        MemLog ready = spare.getAndSet(null);
        return ready == null ? null : new MemLog(ready.table(), ready.wal, birth);
    }

    /** A memtable with the log in reserve, which there must be; for deletes that would find no place else. */
    public synchronized MemLog takeReserve(long birth) {
        MemLog taken = new MemLog(table(memtableBytes), reserve, birth);
        reserve = null;
        reserveUsed = true;
        return taken;
    }

    /** Whether there is a log in reserve. */
    public boolean hasReserve() {
        return reserve != null;
    }

    /** Sees that there is a log in reserve, but for want of space. To be called when others are ready. */
    public synchronized void keepReserve() {
        if (reserve != null || level < sizes.length - 1) {
            return; // in the second case it will be when memtables have grown
        }
        try {
            reserve = makeWal(memtableBytes);
        } catch (StoreFullException e) {
            // Without it deletes are sure of an eighth of the active memtable. It is tried again with the next one.
        }
    }

    /** The first one, for a write of that size, or one where there is no space for more. */
    public synchronized MemLog takeFirst(Payload write, long birth) {
        int usual = Math.max(MemTable.MIN_ARENA_BYTES, memtableBytes / FIRST_SHARE);
        if (sizes.length > 1) {
            return takeFor(write, birth);
        }
        if (isReady() || !isEnough(usual, write)) {
            return take(birth);
        }
        try {
            return takeSmall(usual, birth);
        } catch (StoreFullException e) {
            if (lacksMemory || !isEnough(MemTable.MIN_ARENA_BYTES, write)) {
                throw e;
            }
            return takeSmall(MemTable.MIN_ARENA_BYTES, birth);
        }
    }

    /**
     * A memtable for a log that was replayed and serves on. There may be several for one log; it is free with the last
     * one.
     */
    public synchronized MemLog takeAdopted(WalWriter wal, Payload write, long birth) {
        boolean usual = wal.capacity() <= walBytes(memtableBytes)
                && MemTable.couldHold(memtableBytes, write.bodyBytes(), write.entries());
        long asLog = Math.min(wal.capacity(), StoreSettings.MAX_MEMTABLE_BYTES);
        MemTable table = usual
                ? table(memtableBytes)
                : newTable((int) Math.max(asLog, MemTable.arenaBytesFor(write.bodyBytes(), write.entries())));
        synchronized (held) {
            adopted.add(wal);
        }
        return new MemLog(table, wal, birth);
    }

    /** Has the log serve on that a recovery is replaying. */
    public WalWriter adopt(WalRecovery recovery) {
        return recovery.adopt(mode);
    }

    /** Whether a log that was replayed is needed still. */
    public boolean hasAdopted() {
        synchronized (held) {
            return !adopted.isEmpty();
        }
    }

    private static boolean isEnough(int arenaBytes, Payload write) {
        return write.length() <= WalFormat.maxPayloadBytes(walBytes(arenaBytes))
                && MemTable.couldHold(arenaBytes, write.bodyBytes(), write.entries());
    }

    private MemLog takeSmall(int arenaBytes, long birth) {
        return new MemLog(newTable(arenaBytes), newWal(walBytes(arenaBytes), null), birth);
    }

    /** Makes the next one ready, so that {@link #take} need not do it. */
    public synchronized void prepare() {
        if (giveBackWanted) {
            giveBackWanted = false;
            giveBack();
        }
        if (isReady()) {
            return;
        }
        if (reserveUsed && reserve == null && !coveredWals.isEmpty()) {
            keepReserve(); // before others: that may be the only space there is
        }
        fitBudget();
        int bytes = sizes[level];
        MemTable table = table(bytes);
        WalWriter wal;
        try {
            wal = makeWal(bytes);
        } catch (Throwable e) {
            giveUp(table);
            throw e;
        }
        leastLevel = 0;
        level = Math.min(level + 1, sizes.length - 1);
        grown = grown || level > SMALL_LEVEL;
        spare.set(new MemLog(table, wal, 0)); // from here on it may be somebody's: nothing more is done to it
    }

    /** Takes a smaller size if stores together have no room for that one, or this one has more than its share. */
    private void fitBudget() {
        boolean gives = level > leastLevel && memory.hasTooMuchForMemtables();
        MemTable kept = gives ? freeTables.poll() : null;
        if (kept != null) {
            tables.decrementAndGet();
            letGo(kept);
        }
        boolean isKept = level == sizes.length - 1 && !freeTables.isEmpty() || memory.hasRecycled(sizes[level]);
        if (level == leastLevel
                || !gives && (isKept || memory.makeRoomForMemtable(MemTable.tableBytes(sizes[level])))) {
            return;
        }
        do {
            level--;
        } while (level > leastLevel && !memory.hasRoomForMemtable(MemTable.tableBytes(sizes[level])));
        memory.pressForMemtables();
    }

    /** Whether more is ready or kept than a store takes that is hardly written to. */
    public boolean isGrown() {
        return grown;
    }

    /** How large a table is beside the usual one, at most 1, where tables grow. */
    public double shareOfUsual(MemTable table) {
        return sizes.length == 1 ? 1 : Math.min(1, (double) table.memoryBytes() / MemTable.tableBytes(memtableBytes));
    }

    /** Whether memtables grow, and have not yet. */
    public boolean isSmall() {
        return sizes.length > 1 && !grown;
    }

    /**
     * Whether memory that is not in use is better given back at once: to a store whose memtables have not grown much it
     * is more than they take, and commits are seldom, or others wait for it.
     */
    public boolean shouldKeepNothing() {
        int next = level;
        boolean isLittle = next < sizes.length - 1 && sizes[next] <= LITTLE_BYTES;
        return isSmall() || isLittle || memory.isShort();
    }

    /** Whether the memory that stores share is short, so that others may wait for some. */
    public boolean isMemoryShort() {
        return memory.isShort();
    }

    /** Has the next {@link #prepare} give back all that nobody needs, and make a small memtable. */
    public void wantGiveBack() {
        giveBackWanted = true;
    }

    private void giveBack() {
        try {
            MemLog ready = poll(0);
            if (ready != null) {
                giveUp(ready);
            }
            WalWriter reserved = reserve;
            if (reserved != null) {
                reserve = null;
                drop(reserved);
            }
            dropCovered(0);
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A log that is not needed stays in " + directory, e);
        }
        for (MemTable table = freeTables.poll(); table != null; table = freeTables.poll()) {
            tables.decrementAndGet();
            letGo(table);
        }
        level = 0;
        grown = false;
    }

    /** Whether the next one is ready. */
    public boolean isReady() {
        return spare.get() != null;
    }

    /** How far the next one is, from 0 to 1. */
    public double progress() {
        return isReady() ? 1 : filled;
    }

    private WalWriter makeWal(int arenaBytes) {
        long bytes = walBytes(arenaBytes);
        WalWriter covered = takeCovered(bytes);
        try {
            return newWal(bytes, covered);
        } finally {
            if (covered != null) {
                lostItsName();
            }
        }
    }

    /** The oldest log that is covered, to be used again; null if it is not that large, or if one goes before it. */
    private WalWriter takeCovered(long bytes) {
        synchronized (held) {
            WalWriter oldest = coveredWals.peek();
            if (oneLosesItsName || oldest == null || oldest.capacity() != bytes) {
                return null;
            }
            oneLosesItsName = true;
            return coveredWals.remove();
        }
    }

    private void lostItsName() {
        synchronized (held) {
            oneLosesItsName = false;
        }
    }

    private WalWriter newWal(long bytes, WalWriter covered) {
        try {
            return makeWal(bytes, covered);
        } catch (StoreFullException e) {
            if (covered != null || lacksMemory || !makeRoom.getAsBoolean()) {
                throw e;
            }
            return makeWal(bytes, null);
        }
    }

    private WalWriter makeWal(long bytes, WalWriter covered) {
        last = last.next();
        bytesToFill = bytes;
        try {
            return covered != null
                    ? covered.recycle(last)
                    : WalWriter.create(vfs, directory, last, bytes, mode, whileFilled);
        } catch (RuntimeException | Error e) {
            deleteUnfinished(last.number(), e);
            if (e instanceof OutOfMemoryError) {
                lacksMemory = true;
                throw new StoreFullException("no memory for a write-ahead log (" + e.getMessage()
                        + "); allow for more by -Xmx or -XX:MaxDirectMemorySize");
            }
            throw e;
        } finally {
            filled = 0;
        }
    }

    private void noteFilled(long done) {
        if (closing) {
            throw new StoreClosedException("the store");
        }
        filled = (double) done / bytesToFill;
    }

    /** No log is needed any more: a thread that fills one with zeros gets a {@link StoreClosedException}. */
    public void beginClose() {
        closing = true;
    }

    /** Gives back the space of a log that could not be made, which would be missed most when the disk is full. */
    private void deleteUnfinished(long number, Throwable cause) {
        try {
            String name = WalFormat.fileName(number);
            vfs.deleteIfExists(directory.resolve(name + WalFormat.UNFINISHED_SUFFIX));
            vfs.deleteIfExists(directory.resolve(name));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** A memtable for a write that one of the usual size can't hold; an earlier opening may have had larger ones. */
    public synchronized MemLog takeLarge(int arenaBytes, int payloadBytes, long birth) {
        MemTable table = newTable(arenaBytes);
        long fileBytes = walBytes((long) payloadBytes + WalFormat.FRAME_HEADER_BYTES + Long.BYTES);
        return new MemLog(table, newWal(Math.max(fileBytes, walBytes(arenaBytes)), null), birth);
    }

    /** @throws StoreFullException if there is no memory for one */
    private MemTable table(int bytes) {
        MemTable table = bytes == memtableBytes ? freeTables.poll() : null;
        if (table == null) {
            MemTable made = newTable(bytes);
            if (bytes == memtableBytes) {
                tables.incrementAndGet();
            }
            return made;
        }
        lacksMemory = false;
        synchronized (modelLock) {
            table.reset(last.number(), model);
        }
        return table;
    }

    private MemTable newTable(int arenaBytes) {
        lacksMemory = false;
        try {
            return MemTable.allocate(last.number(), arenaBytes, memory);
        } catch (OutOfMemoryError e) {
            lacksMemory = true;
            StoreFullException full = new StoreFullException(
                    "no memory for a memtable of " + arenaBytes + " bytes (" + e.getMessage()
                            + "); close cursors and snapshots, allow for more by -XX:MaxDirectMemorySize, or give the store less");
            full.initCause(e);
            throw full;
        }
    }

    private static long walBytes(long arenaBytes) {
        long units = (arenaBytes + WalFormat.FIRST_FRAME) / WalFormat.CAPACITY_UNIT + 1;
        return Math.min(WalFormat.MAX_CAPACITY, units * WalFormat.CAPACITY_UNIT);
    }

    /** Bytes of a log of the usual size. */
    public long usualLogBytes() {
        return walBytes(memtableBytes);
    }

    /** Payload bytes that one log takes. */
    public int maxPayloadBytes() {
        return WalFormat.maxPayloadBytes(walBytes(memtableBytes));
    }

    /** Has logs that are no longer needed wait, each as it is, until as many calls of {@link #letGo}: they are copied. */
    public void hold() {
        synchronized (held) {
            holds++;
        }
    }

    /** Ends what {@link #hold} began. A log that can't be deleted then stays, and is passed over by recovery. */
    public void letGo() {
        synchronized (held) {
            if (--holds > 0) {
                return;
            }
            coveredWals.addAll(held);
            held.clear();
        }
        try {
            dropCovered(KEPT_WALS);
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "A log that is not needed stays in " + directory, e);
        }
    }

    private List<WalWriter> takeHeld() {
        synchronized (held) {
            List<WalWriter> taken = List.copyOf(held);
            held.clear();
            return taken;
        }
    }

    /** The log is no longer needed: a durable commit covers it, and all those before it. */
    public void covered(WalWriter wal) {
        synchronized (held) {
            adopted.remove(wal);
            if (adopted.contains(wal)) {
                return; // it holds what a younger memtable has
            }
            (holds > 0 ? held : coveredWals).add(wal);
        }
        dropCovered(KEPT_WALS);
    }

    /** Deletes logs that are more than are kept, the oldest first; nobody waits for a file meanwhile. */
    private void dropCovered(int most) {
        for (WalWriter surplus = takeSurplus(most); surplus != null; surplus = takeSurplus(most)) {
            try {
                drop(surplus);
            } finally {
                lostItsName();
            }
        }
    }

    /** The oldest if there are too many, or some that can't be used again; null if not, or if one goes before it. */
    private WalWriter takeSurplus(int most) {
        synchronized (held) {
            boolean usual = true;
            for (WalWriter covered : coveredWals) {
                usual &= covered.capacity() == walBytes(memtableBytes);
            }
            int kept = !usual || most == 0 ? 0 : reserveUsed && !hasReserve() ? most + 1 : most;
            if (oneLosesItsName || coveredWals.size() <= kept) {
                return null; // in the first case the next log that is covered has it deleted
            }
            oneLosesItsName = true;
            return coveredWals.remove();
        }
    }

    private void drop(WalWriter wal) {
        wal.release();
        vfs.delete(wal.path());
    }

    /** No version that anybody may read has it any more. */
    void unread(MemLog log) {
        unread(log.table(), !log.isMemoryKeptFromUse());
    }

    /** Nobody reads a memtable any more; or somebody may, if it may not be used again. Allocates nothing in that case. */
    void unread(MemTable table, boolean mayBeUsed) {
        if (isUsual(table)) {
            if (mayBeUsed && freeTables.size() < KEPT_TABLES && (grown || sizes.length == 1)) {
                freeTables.add(table);
                return;
            }
            tables.decrementAndGet();
        } // else one that was made for the first write, or for a large one, or while tables grow
        if (mayBeUsed) {
            letGo(table);
        }
    }

    /** Gives the memory of a table back. */
    private void letGo(MemTable table) {
        synchronized (modelLock) { // or somebody would look what keys it has
            if (table == model) {
                model = null;
            }
        }
        table.giveBack(memory);
    }

    /**
     * Whether {@link #prepare} finds a memtable that nobody needs, or may make one more.
     *
     * @param pinned how many there are that only snapshots and cursors hold back; they don't count
     */
    public boolean mayPrepare(int pinned) {
        return isReady() || !freeTables.isEmpty() || tables.get() < mostTables + pinned;
    }

    /** Whether the last try to make a memtable failed for want of memory. */
    public boolean lacksMemory() {
        return lacksMemory;
    }

    /** Takes the keys of a table as the model of keys to come. */
    public void expectKeysLike(MemTable table) {
        synchronized (modelLock) {
            model = table;
        }
    }

    /** Off-heap bytes of memtables that are ready for use. */
    public long spareTableBytes() {
        MemLog ready = spare.get();
        long bytes = ready == null ? 0 : ready.table().memoryBytes();
        for (MemTable table : freeTables) {
            bytes += table.memoryBytes();
        }
        return bytes;
    }

    /** Bytes of the logs that are mapped and not in use. */
    public long mappedBytes() {
        long bytes = 0;
        for (WalWriter wal : coveredWals) {
            bytes += wal.mappedBytes();
        }
        MemLog ready = spare.get();
        WalWriter reserved = reserve;
        return bytes + (ready == null ? 0 : ready.wal.mappedBytes()) + (reserved == null ? 0 : reserved.mappedBytes());
    }

    /** Deletes all logs that hold nothing. To be called when no memtable is in use any more. */
    public void deleteAll() {
        endAll(this::drop);
    }

    /** Releases the files of all logs that hold nothing, without a change. */
    public void releaseAll() {
        endAll(WalWriter::release);
    }

    private synchronized void endAll(Consumer<WalWriter> end) {
        for (WalWriter wal = coveredWals.poll(); wal != null; wal = coveredWals.poll()) {
            end.accept(wal); // M1
        }
        takeHeld().forEach(end);
        MemLog ready = poll(0);
        if (ready != null) {
            end.accept(ready.wal);
        }
        if (reserve != null) {
            end.accept(reserve);
            reserve = null;
        }
    }
}
