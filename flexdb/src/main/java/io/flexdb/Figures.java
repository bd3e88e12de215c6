package io.flexdb;

import static io.flexdb.internal.base.Operations.BATCHES;
import static io.flexdb.internal.base.Operations.COMMITTED;
import static io.flexdb.internal.base.Operations.CONFLICTED;
import static io.flexdb.internal.base.Operations.DELETES;
import static io.flexdb.internal.base.Operations.GETS;
import static io.flexdb.internal.base.Operations.MERGES;
import static io.flexdb.internal.base.Operations.PUTS;
import static io.flexdb.internal.base.Operations.SCANS;
import static io.flexdb.internal.base.Operations.TRANSACTIONS;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.base.memory.OffHeap.Use;
import io.flexdb.base.memory.SharedMemory;
import io.flexdb.flexspace.internal.engine.SpaceFigures;
import io.flexdb.internal.base.StoreResources;
import io.flexdb.internal.log.RetiredTables.Kept;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.Holders.Open;
import io.flexdb.internal.read.Version;
import io.flexdb.internal.write.WriteStalls;
import io.flexdb.storage.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The figures behind the public statistics: records, which callers see as interfaces only, so that a figure more breaks
 * nobody.
 */
final class Figures {
    private Figures() {}

    /** The figures of a store, within a short read of a version. */
    static FlexDBStats of(Store store, Version now, FlexDBHolders holders) {
        SpaceFigures space = store.engine.figures();
        return new Stats(
                store.visibleSequence(),
                store.sharedForce.durableSequence(),
                store.engine.reads().areMapped() ? Reads.MAPPED : Reads.POSITIONAL,
                store.health().current(),
                new Index(
                        now.index().intervalCount(),
                        store.intervals.coarseCount(),
                        store.filters == null ? 0 : store.filters.answered(),
                        store.index.memoryBytes()),
                new Space(
                        now.space().extentCount(),
                        now.space().size(),
                        space.segmentCount(),
                        store.freeSegments(),
                        (long) space.segmentCount() * store.engine.segmentBytes(),
                        space.treeMemoryBytes()),
                new Written(
                        store.writer().walBytesWritten(),
                        space.dataBytesWritten(),
                        space.logBytesWritten(),
                        space.treeBytesWritten(),
                        space.bytesMoved(),
                        store.commits.defragmentedBytes()),
                new Cache(store.cache.hits(), store.cache.misses(), store.cache.memoryBytes() + space.cacheBytes()),
                new Commits(space.checkpoints(), store.commits.failedMerges(), now.memtableBytes()),
                operations(store.operations, store.writer().stalls()),
                new Latencies(
                        latency(store.operations.gets),
                        latency(store.operations.writes),
                        latency(store.operations.transactionCommits)),
                new Scrub(
                        store.engine.scrubber().bytesRead(),
                        store.engine.scrubber().passes(),
                        store.engine.scrubber().findingCount()),
                memory(store, now),
                holders);
    }

    private static Operations operations(io.flexdb.internal.base.Operations counted, WriteStalls stalls) {
        return new Operations(
                counted.sum(GETS),
                counted.sum(PUTS),
                counted.sum(DELETES),
                counted.sum(MERGES),
                counted.sum(BATCHES),
                counted.sum(SCANS),
                counted.sum(TRANSACTIONS),
                counted.sum(COMMITTED),
                counted.sum(CONFLICTED),
                stalls.count(),
                stalls.nanos());
    }

    private static Latency latency(io.flexdb.internal.base.Latencies of) {
        return new Latency(of.count(), of.nanosOf(0.5), of.nanosOf(0.99), of.nanosOf(0.999), of.nanosOf(1));
    }

    private static FlexDBMemory memory(Store store, Version now) {
        OffHeap memory = store.memory;
        long active = now.memtableBytes();
        long spare = store.memLogs.spareTableBytes();
        long memtables = memory.heldBytes(Use.MEMTABLES);
        return new Memory(
                store.settings().memoryBytes,
                memory.heldBytes(Use.CACHE),
                active,
                spare,
                Math.max(0, memtables - active - spare),
                memory.heldBytes(Use.INDEX),
                memory.heldBytes(Use.FILTERS),
                memory.heldBytes(Use.TREE),
                memory.heldBytes(Use.SEGMENTS),
                memory.heldBytes(Use.READS) + store.engine.figures().scratchMemoryBytes(),
                memory.heldBytes(Use.COMMITS),
                store.engine.figures().checksumMemoryBytes(),
                store.memLogs.mappedBytes()
                        + now.mappedBytes()
                        + store.engine.figures().mappedBytes());
    }

    static FlexDBResourcesStats of(StoreResources resources) {
        SharedMemory memory = resources.memory;
        return new Resources(
                memory.budgetBytes(),
                memory.usedBytes(),
                memory.heldBytes(Use.CACHE),
                memory.heldBytes(Use.MEMTABLES),
                memory.heldBytes(Use.INDEX) + memory.heldBytes(Use.TREE) + memory.heldBytes(Use.FILTERS),
                memory.freeBytes(),
                memory.accountCount(),
                resources.threads.workerCount());
    }

    static FlexDBHolders holders(Store store) {
        long now = store.time();
        List<Open> found = store.holders().open();
        List<Kept> tables = store.keptTables();
        List<FlexDBHolder> open = new ArrayList<>(found.size());
        for (Open one : found) {
            open.add(new Holder(
                    FlexDBHolder.Kind.valueOf(one.kind().name()),
                    one.age(now),
                    one.thread(),
                    one.sequence(),
                    store.keptBytes(List.of(one), tables),
                    one.openedAt()));
        }
        return new Holders(List.copyOf(open), store.keptBytes(found, tables), store.keptFileBytes());
    }

    record Stats(
            long lastSequence,
            long durableSequence,
            Reads reads,
            StoreHealth health,
            Index index,
            Space space,
            Written written,
            Cache cache,
            Commits commits,
            Operations operations,
            Latencies latencies,
            Scrub scrub,
            FlexDBMemory memory,
            FlexDBHolders holders)
            implements FlexDBStats {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("FlexDBStats[lastSequence=" + lastSequence + ", durableSequence="
                    + durableSequence + ", reads=" + reads + ", health=" + health + "]");
            for (Object group :
                    List.of(index, space, written, cache, commits, operations, latencies, scrub, memory, holders)) {
                text.append("\n  ").append(group);
            }
            return text.toString();
        }
    }

    record Index(long intervals, long coarseIntervals, long filteredReads, long memoryBytes)
            implements FlexDBStats.Index {}

    record Space(long extents, long bytes, int segments, int freeSegments, long diskBytes, long treeMemoryBytes)
            implements FlexDBStats.Space {}

    record Written(
            long walBytes, long dataBytes, long logBytes, long treeBytes, long collectedBytes, long defragmentedBytes)
            implements FlexDBStats.Written {}

    record Cache(long hits, long misses, long memoryBytes) implements FlexDBStats.Cache {}

    record Commits(long checkpoints, long failedMerges, long memtableBytes) implements FlexDBStats.Commits {}

    record Operations(
            long gets,
            long puts,
            long deletes,
            long merges,
            long batches,
            long scans,
            long transactionsBegun,
            long transactionsCommitted,
            long transactionsConflicted,
            long writeStalls,
            long writeStallNanos)
            implements FlexDBStats.Operations {}

    record Latencies(Latency gets, Latency writes, Latency transactionCommits) implements FlexDBStats.Latencies {}

    record Latency(long samples, long medianNanos, long p99Nanos, long p999Nanos, long maxNanos)
            implements FlexDBStats.Latency {}

    record Scrub(long bytes, long passes, long findings) implements FlexDBStats.Scrub {}

    record Memory(
            long budgetBytes,
            long cacheBytes,
            long activeMemtableBytes,
            long spareMemtableBytes,
            long retiredMemtableBytes,
            long indexBytes,
            long filterBytes,
            long treeBytes,
            long segmentBytes,
            long readBytes,
            long commitBytes,
            long heapBytes,
            long mappedBytes)
            implements FlexDBMemory {}

    record Resources(
            long memoryBytes,
            long usedBytes,
            long cacheBytes,
            long memtableBytes,
            long indexBytes,
            long recycledBytes,
            int stores,
            int threads)
            implements FlexDBResourcesStats {}

    record Range(long bytes, long pairs) implements RangeEstimate {}

    record Holder(Kind kind, Duration age, String thread, long sequence, long keptBytes, Throwable openedAt)
            implements FlexDBHolder {}

    record Holders(List<FlexDBHolder> open, long keptBytes, long keptFileBytes) implements FlexDBHolders {}
}
