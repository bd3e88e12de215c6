package io.flexdb.internal.store;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.WalFormat;
import io.flexdb.internal.wal.WalWriter;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/** Makes memtables and their logs, and uses again what is no longer needed of them. Thread-safe. */
final class MemLogs {
    /*
     * Memory is kept for the store's life, since the JDK frees it only by garbage collection. A log file is recycled
     * when a durable commit covers it, which saves filling a new one with zeros. Both come back at different times: a
     * memtable when its last reader is gone.
     *
     * The next one is made ready by a thread of ours, so what a writer takes is there, and taking it waits for nothing
     * (L1). But the very first one is made by the first writer, and is small, so that this does not take long.
     */
    private static final int KEPT_TABLES = 2;
    private static final int KEPT_WALS = 1;
    private static final int FIRST_SHARE = 16; // of a memtable

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final int memtableBytes;
    private final boolean mapped;
    private final ConcurrentLinkedQueue<MemTable> freeTables = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<WalWriter> coveredWals = new ConcurrentLinkedQueue<>();
    private long lastNumber; // under this object's lock, which is held while files are made
    private long lastGeneration;
    private volatile MemTable model;
    private final AtomicReference<MemLog> spare = new AtomicReference<>();
    private volatile double filled; // of the log that is being made

    MemLogs(Vfs vfs, Path directory, long storeId, int memtableBytes, long lastNumber, long lastGeneration) {
        this.vfs = vfs;
        this.directory = directory;
        this.storeId = storeId;
        this.memtableBytes = memtableBytes;
        this.mapped = vfs.mapsSafely(directory);
        this.lastNumber = lastNumber;
        this.lastGeneration = lastGeneration;
    }

    /** An empty memtable with an empty log, which is durable. */
    synchronized MemLog take(long birth) {
        prepare();
        return poll(birth);
    }

    /** The same if one is ready, else null. */
    MemLog poll(long birth) {
        MemLog ready = spare.getAndSet(null);
        return ready == null ? null : new MemLog(ready.table, ready.wal, birth);
    }

    /** The first one, for a write of that size. */
    synchronized MemLog takeFirst(int payloadBytes, long bodyBytes, int entries, long birth) {
        int arenaBytes = Math.max(MemTable.MIN_ARENA_BYTES, memtableBytes / FIRST_SHARE);
        long fileBytes = walBytes(arenaBytes);
        if (isReady()
                || payloadBytes > WalFormat.maxPayloadBytes(fileBytes)
                || !MemTable.couldHold(arenaBytes, bodyBytes, entries)) {
            return take(birth);
        }
        return new MemLog(MemTable.allocate(lastNumber, arenaBytes), makeWal(fileBytes, null), birth);
    }

    /** Makes the next one ready, so that {@link #take} need not do it. */
    synchronized void prepare() {
        if (isReady()) {
            return;
        }
        MemTable table = table(memtableBytes);
        try {
            spare.set(new MemLog(table, makeWal(walBytes(memtableBytes), coveredWals.poll()), 0));
        } finally {
            if (!isReady()) {
                freeTables.add(table);
            }
        }
    }

    /** Whether the next one is ready. */
    boolean isReady() {
        return spare.get() != null;
    }

    /** How far the next one is, from 0 to 1. */
    double progress() {
        return isReady() ? 1 : filled;
    }

    private WalWriter makeWal(long bytes, WalWriter covered) {
        long number = ++lastNumber;
        long generation = ++lastGeneration;
        try {
            return covered != null
                    ? covered.recycle(number, generation)
                    : WalWriter.create(
                            vfs,
                            directory,
                            number,
                            storeId,
                            generation,
                            bytes,
                            mapped,
                            done -> filled = (double) done / bytes);
        } catch (RuntimeException e) {
            deleteUnfinished(number, e);
            throw e;
        } finally {
            filled = 0;
        }
    }

    /** Gives back the space of a log that could not be made, which would be missed most when the disk is full. */
    private void deleteUnfinished(long number, RuntimeException cause) {
        try {
            String name = WalFormat.fileName(number);
            vfs.deleteIfExists(directory.resolve(name + WalFormat.UNFINISHED_SUFFIX));
            vfs.deleteIfExists(directory.resolve(name));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** One for a write that a memtable of the usual size can't hold; an earlier opening may have had larger ones. */
    synchronized MemLog takeLarge(int arenaBytes, int payloadBytes, long birth) {
        MemTable table = MemTable.allocate(lastNumber, arenaBytes);
        long fileBytes = walBytes((long) payloadBytes + WalFormat.FRAME_HEADER_BYTES + Long.BYTES);
        return new MemLog(table, makeWal(Math.max(fileBytes, walBytes(arenaBytes)), null), birth);
    }

    private MemTable table(int bytes) {
        MemTable table = freeTables.poll();
        if (table == null) {
            return MemTable.allocate(lastNumber, bytes);
        }
        table.reset(lastNumber, model);
        return table;
    }

    private static long walBytes(long arenaBytes) {
        long units = (arenaBytes + WalFormat.FIRST_FRAME) / WalFormat.CAPACITY_UNIT + 1;
        return Math.min(WalFormat.MAX_CAPACITY, units * WalFormat.CAPACITY_UNIT);
    }

    /** Payload bytes that one log takes. */
    int maxPayloadBytes() {
        return WalFormat.maxPayloadBytes(walBytes(memtableBytes));
    }

    /** The log is no longer needed: a durable commit covers it. */
    void covered(WalWriter wal) {
        if (coveredWals.size() < KEPT_WALS && wal.capacity() == walBytes(memtableBytes)) {
            coveredWals.add(wal);
        } else {
            drop(wal);
        }
    }

    private void drop(WalWriter wal) {
        wal.release();
        vfs.delete(wal.path());
    }

    /** The memory is no longer needed: nobody can read the table any more. */
    void unread(MemTable table) {
        if (freeTables.size() < KEPT_TABLES
                && table.memoryBytes() <= MemTable.hashBytesFor(memtableBytes) + memtableBytes) {
            freeTables.add(table);
        }
    }

    /** What the keys to come are expected to look like. */
    void expectKeysLike(MemTable table) {
        model = table;
    }

    /** Deletes all logs that hold nothing. To be called when no memtable is in use any more. */
    synchronized void deleteAll() {
        MemLog ready = poll(0);
        if (ready != null) {
            drop(ready.wal);
        }
        for (WalWriter wal = coveredWals.poll(); wal != null; wal = coveredWals.poll()) {
            drop(wal);
        }
    }

    /** Releases the files of all logs that hold nothing, without a change. */
    synchronized void releaseAll() {
        MemLog ready = poll(0);
        if (ready != null) {
            ready.wal.release();
        }
        for (WalWriter wal = coveredWals.poll(); wal != null; wal = coveredWals.poll()) {
            wal.release();
        }
    }
}
