package io.flexdb.internal.follow;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.memlog.MemLog;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.wal.FoundWrites;
import io.flexdb.internal.wal.WalFollower;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The memtables of a reader: the writes of the logs, in their order. For one thread at a time. */
final class TailTables implements WalFollower.Target {
    /*
     * A table is made when there is something to put into it, the first ones small and each larger than the one before:
     * most openings find little, and zeros for a large table take longer than all else.
     */
    private static final int FIRST_BYTES = 1 << 18;
    private static final int GROWTH = 4;

    private record Table(MemLog log, long[] last) {}

    private final Path walDirectory;
    private final OffHeap memory;
    private final int mostBytes; // of a table, unless a single write needs more
    private final boolean canMerge;
    private final PayloadReader entries = new PayloadReader();
    private List<List<Table>> runs = new ArrayList<>();
    private List<Table> tables = new ArrayList<>(); // of the run that is being read
    private int nextBytes;
    private StoreVersions versions; // once they are published
    private long bytes;

    /**
     * @param mostBytes of one table
     * @param canMerge whether there is a function for operands
     */
    TailTables(Path walDirectory, OffHeap memory, int mostBytes, boolean canMerge) {
        this.walDirectory = walDirectory;
        this.memory = memory;
        this.mostBytes = mostBytes;
        this.canMerge = canMerge;
        this.nextBytes = Math.min(FIRST_BYTES, mostBytes);
    }

    @Override
    public void beginRun() {
        tables = new ArrayList<>();
        runs.add(tables);
    }

    @Override
    public void accept(long first, int count, byte[] payload, int offset, int length) {
        FoundWrites.requireSound(walDirectory, payload, length, count, canMerge);
        long bodyBytes = 0;
        int ranges = 0;
        entries.reset(payload, offset, length);
        while (entries.next()) {
            bodyBytes += MemTable.bodyBytes(entries.keyLength(), entries.tailLength());
            ranges += entries.type() == WritePayload.DELETE_RANGE ? 1 : 0;
        }
        Table table = tables.isEmpty() ? null : tables.get(tables.size() - 1);
        int reserved = table == null ? MemTable.NONE : table.log.table.reserve(bodyBytes, count, ranges, first);
        if (reserved == MemTable.NONE) {
            table = add(bodyBytes, count, first);
            reserved = table.log.table.reserve(bodyBytes, count, ranges, first);
        }
        table.log.table.insertAll(payload, offset, length, first, reserved);
        table.last[0] = first + count - 1;
        if (versions != null) {
            versions.setVisible(first + count - 1);
        }
    }

    private Table add(long bodyBytes, int count, long first) {
        int arenaBytes = nextBytes;
        if (!MemTable.couldHold(arenaBytes, bodyBytes, count)) {
            arenaBytes = Math.max(arenaBytes, MemTable.arenaBytesFor(bodyBytes, count));
        }
        nextBytes = (int) Math.min(mostBytes, (long) nextBytes * GROWTH);
        MemTable memTable = MemTable.allocate(first, arenaBytes, memory);
        memTable.setFirstSequence(first);
        Table table = new Table(MemLog.ofReader(memTable), new long[1]);
        tables.add(table);
        bytes += memTable.memoryBytes();
        if (versions != null) {
            versions.addNewest(table.log);
        }
        return table;
    }

    /**
     * Chooses the run that counts; what comes now goes on with it.
     *
     * @param run its index, or -1 for none
     */
    void choose(int run) {
        tables = run < 0 ? new ArrayList<>() : runs.get(run);
        runs = List.of();
    }

    /** Publishes the tables but for those that the space covers, and what comes from now on. */
    void publish(StoreVersions newVersions) {
        long covered = newVersions.visibleSequence();
        tables.removeIf(table -> table.last[0] <= covered);
        bytes = 0;
        for (Table table : tables) {
            newVersions.addNewest(table.log);
            newVersions.setVisible(table.last[0]);
            bytes += table.log.table.memoryBytes();
        }
        versions = newVersions;
    }

    /** Off-heap bytes of the tables. */
    long memoryBytes() {
        return bytes;
    }
}
