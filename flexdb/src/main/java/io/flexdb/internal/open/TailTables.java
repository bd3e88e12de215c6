package io.flexdb.internal.open;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.log.FoundWrites;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.WalFollower;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.NewerEntries;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The memtables of a reader: the writes of the logs, in their order. For one thread at a time. */
final class TailTables implements WalFollower.Target {
    /*
     * A table is made when there is something to put into it, the first ones small and each larger than the one before:
     * most openings find little, and zeros for a large table take longer than all else.
     *
     * A bulk load has no entries: it is in the space, and the first write behind it tells of it. So
     *
     * T1  Published tables have no write that the space covers: a later load may hide such a write. And the writer may
     *     have reused the place that a large value had before its commit.
     * T2  Writes behind a load are not visible in a state whose space may lack the load.
     *
     * A log counts as long as recovery would take it to be: up to the first write of which a large value is not there.
     * The writer puts them there before the log has the write, so each write is checked once, when it is found.
     */
    private static final int FIRST_BYTES = 1 << 18;
    private static final int GROWTH = 4;

    /** Knows of the large values of a write. */
    interface References {
        /** Whether the references in a payload are possible. */
        boolean areSound(Payload payload);

        /** Whether all that a payload refers to is in the data file. */
        boolean areThere(Payload payload);
    }

    private record Referring(long first, long last, Payload payload) {}

    private static final class Table {
        final MemLog log;
        long last;
        List<Referring> unchecked = new ArrayList<>();

        Table(MemLog log) {
            this.log = log;
        }
    }

    private final Path walDirectory;
    private final OffHeap memory;
    private final int mostBytes; // of a table, unless a single write needs more
    private final FoundKeyspaces keyspaces;
    private List<List<Table>> runs = new ArrayList<>();
    private List<Table> tables = new ArrayList<>(); // of the run that is being read
    private int nextBytes;
    private long forced; // up to this number
    private StoreVersions versions; // once they are published, as the next
    private References references;
    private boolean heldBack; // T2
    private boolean metLoad; // since a space was read
    private long bytes;

    /**
     * @param mostBytes of one table
     * @param keyspaces is told what the writes tell of them
     */
    TailTables(Path walDirectory, OffHeap memory, int mostBytes, FoundKeyspaces keyspaces) {
        this.walDirectory = walDirectory;
        this.memory = memory;
        this.mostBytes = mostBytes;
        this.keyspaces = keyspaces;
        this.nextBytes = Math.min(FIRST_BYTES, mostBytes);
    }

    @Override
    public void beginRun() {
        tables = new ArrayList<>();
        runs.add(tables);
    }

    @Override
    public void forced(long lastSequence) {
        forced = lastSequence;
    }

    @Override
    public void accept(long first, Payload payload) {
        FoundWrites.requireSound(walDirectory, payload, keyspaces);
        if (versions != null) {
            keyspaces.requireFunctions();
        }
        int count = payload.entries();
        boolean refers = LargeValues.refers(payload);
        if (refers) {
            requireSound(payload, first);
        }
        Table table = tables.isEmpty() ? null : tables.get(tables.size() - 1);
        int reserved = table == null ? MemTable.NONE : reserve(table, payload, first);
        if (reserved == MemTable.NONE) {
            table = add(payload.bodyBytes(), count, first);
            reserved = reserve(table, payload, first);
        }
        table.log.table().insertAll(payload.bytes(), 0, payload.length(), first, reserved);
        table.last = first + count - 1;
        if (refers && versions == null) {
            table.unchecked.add(new Referring(first, table.last, references(payload)));
        }
        if (versions != null && !heldBack) {
            versions.setVisible(first + count - 1);
        }
    }

    @Override
    public void behindLoad() {
        heldBack = true;
        metLoad = true;
    }

    /** Notes that a space is read now, which has all loads that were met before. */
    void readsSpace() {
        metLoad = false;
    }

    /** Whether a load was met that the space read last may lack. */
    boolean hasMetLoad() {
        return metLoad;
    }

    /** Whether writes behind a load wait for a space that has the load. */
    boolean isHeldBack() {
        return heldBack;
    }

    /** The entries of a payload that refer to something. */
    private Payload references(Payload payload) {
        byte[] found = new byte[payload.length()];
        int count = 0;
        int bytes = 0;
        PayloadReader entries = payload.reader();
        for (int start = 0; entries.next(); ) {
            int end = entries.keyIndex() + entries.keyLength() + entries.tailLength();
            if (entries.type() == WritePayload.PUT_LARGE) {
                System.arraycopy(payload.bytes(), start, found, bytes, end - start);
                bytes += end - start;
                count++;
            }
            start = end;
        }
        return new Payload().set(Arrays.copyOf(found, bytes), bytes, count, 0, 0);
    }

    private static int reserve(Table table, Payload payload, long first) {
        return table.log.table().reserve(payload.bodyBytes(), payload.entries(), payload.ranges(), first);
    }

    private Table add(long bodyBytes, int count, long first) {
        int arenaBytes = nextBytes;
        if (!MemTable.couldHold(arenaBytes, bodyBytes, count)) {
            arenaBytes = Math.max(arenaBytes, MemTable.arenaBytesFor(bodyBytes, count));
        }
        nextBytes = (int) Math.min(mostBytes, (long) nextBytes * GROWTH);
        MemTable memTable = MemTable.allocate(first, arenaBytes, memory);
        memTable.setFirstSequence(first);
        Table table = new Table(MemLog.ofReader(memTable));
        tables.add(table);
        bytes += memTable.memoryBytes();
        if (versions != null) {
            versions.addNewest(table.log);
        }
        return table;
    }

    /**
     * Chooses the run that counts; later writes continue it.
     *
     * @param run its index, or -1 for none
     */
    void choose(int run) {
        tables = run < 0 ? new ArrayList<>() : runs.get(run);
        runs = List.of();
    }

    /** The keyspaces that their writes tell of. */
    FoundKeyspaces keyspaces() {
        return keyspaces;
    }

    /**
     * Publishes the tables but for those that the space covers, and all later writes.
     *
     * @throws CorruptionException if something is not there that was forced
     */
    void publish(StoreVersions newVersions, References newReferences) {
        references = newReferences;
        long covered = newVersions.visibleSequence();
        List<Table> left = new ArrayList<>(); // those before stay as they are if memory does not suffice
        for (Table table : tables) {
            if (table.last > covered) {
                left.add(table.log.table().firstSequence() > covered ? table : above(covered, table)); // T1
            }
        }
        long end = requireThere(left);
        tables = left;
        heldBack = false;
        bytes = 0;
        for (Table table : tables) {
            table.unchecked = List.of();
            newVersions.addNewest(table.log);
            newVersions.setVisible(Math.max(covered, Math.min(table.last, end)));
            bytes += table.log.table().memoryBytes();
        }
        versions = newVersions;
    }

    /** Looks for large values, and returns the number of the last write that counts. */
    private long requireThere(List<Table> found) {
        for (Table table : found) {
            for (Referring write : table.unchecked) {
                if (!references.areThere(write.payload)) {
                    if (write.last <= forced) {
                        throw damage("the large values of write " + write.first + ", which was forced");
                    }
                    return write.first - 1;
                }
            }
        }
        return Long.MAX_VALUE;
    }

    /** Checks the references of a later write before anything is read by them. */
    private void requireSound(Payload payload, long first) {
        if (references != null && !references.areSound(payload)) {
            throw damage("large values of write " + first + " of as many bytes as they have places");
        }
    }

    private CorruptionException damage(String expected) {
        return new CorruptionException(walDirectory, 0, expected, "none with their checksums");
    }

    /** How many tables there are. */
    int count() {
        return tables.size();
    }

    private Table above(long covered, Table table) {
        Table newer = new Table(MemLog.ofReader(NewerEntries.copy(table.log.table(), covered, table.last, memory)));
        newer.last = table.last;
        newer.unchecked =
                table.unchecked.stream().filter(write -> write.first > covered).toList();
        return newer;
    }

    /** Off-heap bytes of the tables. */
    long memoryBytes() {
        return bytes;
    }
}
