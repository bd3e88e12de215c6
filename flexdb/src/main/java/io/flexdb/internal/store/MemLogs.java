package io.flexdb.internal.store;

import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.wal.WalFormat;
import io.flexdb.internal.wal.WalWriter;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Makes memtables and their logs, and uses again what is no longer needed of them. Thread-safe. */
final class MemLogs {
    /*
     * Memory is kept for the store's life, since the JDK frees it only by garbage collection. A log file is recycled
     * when a durable commit covers it, which saves filling a new one with zeros. Both come back at different times: a
     * memtable when its last reader is gone.
     */
    private static final int KEPT_TABLES = 2;
    private static final int KEPT_WALS = 1;

    private final Vfs vfs;
    private final Path directory;
    private final long storeId;
    private final int memtableBytes;
    private final boolean mapped;
    private final ConcurrentLinkedQueue<MemTable> freeTables = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<WalWriter> coveredWals = new ConcurrentLinkedQueue<>();
    private long lastNumber;
    private long lastGeneration;
    private MemTable model;
    private MemLog spare;

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
        MemLog taken = new MemLog(spare.table, spare.wal, birth);
        spare = null;
        return taken;
    }

    /** Makes the next one ready, so that {@link #take} need not do it. */
    synchronized void prepare() {
        if (spare != null) {
            return;
        }
        MemTable table = table(memtableBytes);
        try {
            spare = new MemLog(table, makeWal(walBytes(memtableBytes), coveredWals.poll()), 0);
        } finally {
            if (spare == null) {
                freeTables.add(table);
            }
        }
    }

    private WalWriter makeWal(long bytes, WalWriter covered) {
        long number = ++lastNumber;
        long generation = ++lastGeneration;
        try {
            return covered != null
                    ? covered.recycle(number, generation)
                    : WalWriter.create(vfs, directory, number, storeId, generation, bytes, mapped);
        } catch (RuntimeException e) {
            deleteUnfinished(number, e);
            throw e;
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
    synchronized void expectKeysLike(MemTable table) {
        model = table;
    }

    /** Deletes all logs that hold nothing. To be called when no memtable is in use any more. */
    synchronized void deleteAll() {
        if (spare != null) {
            drop(spare.wal);
            spare = null;
        }
        for (WalWriter wal = coveredWals.poll(); wal != null; wal = coveredWals.poll()) {
            drop(wal);
        }
    }

    /** Releases the files of all logs that hold nothing, without a change. */
    synchronized void releaseAll() {
        if (spare != null) {
            spare.wal.release();
            spare = null;
        }
        for (WalWriter wal = coveredWals.poll(); wal != null; wal = coveredWals.poll()) {
            wal.release();
        }
    }
}
