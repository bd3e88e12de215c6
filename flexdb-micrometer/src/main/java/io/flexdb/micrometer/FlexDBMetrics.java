package io.flexdb.micrometer;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBHolder;
import io.flexdb.FlexDBHolders;
import io.flexdb.FlexDBMemory;
import io.flexdb.FlexDBStats;
import io.flexdb.Reads;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreHealth;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The figures of a store, {@link FlexDB#stats()}, as meters of Micrometer. All names begin with {@code flexdb}, and each
 * meter has the tag {@code store}.
 *
 * <pre>{@code
 * FlexDBMetrics metrics = new FlexDBMetrics(db, "orders");
 * metrics.bindTo(registry);
 * }</pre>
 *
 * <p>Meters read the figures when they are asked, at most once in half a second for all meters together. When the store
 * is closed or has failed they keep their last values, and {@code flexdb.health} has the state. {@link #close} removes
 * them: call it when the store is closed, as they would keep it in memory.
 *
 * <p>Thread-safe.
 */
public final class FlexDBMetrics implements MeterBinder, AutoCloseable {
    private static final long FRESH_NANOS = 500_000_000;

    private final FlexDB db;
    private final Tags tags;
    private final ReentrantLock lock = new ReentrantLock();
    // Under the lock.
    private final List<Meter> meters = new ArrayList<>();
    private final List<MeterRegistry> registries = new ArrayList<>(); // of the meters
    private FlexDBStats last; // null before the first
    private long lastNanos;

    /**
     * The figures of a store.
     *
     * @param db is open; its figures are read here for the first time
     * @param store tells it from the other stores of the process: the value of the tag {@code store}
     * @throws io.flexdb.storage.StoreClosedException if the store is closed
     */
    public FlexDBMetrics(FlexDB db, String store) {
        this(db, store, List.of());
    }

    /**
     * The figures of a store, with tags of the application.
     *
     * @param db is open; its figures are read here for the first time
     * @param store tells it from the other stores of the process: the value of the tag {@code store}
     * @param more tags that each meter has besides
     * @throws io.flexdb.storage.StoreClosedException if the store is closed
     */
    public FlexDBMetrics(FlexDB db, String store, Iterable<Tag> more) {
        this.db = Objects.requireNonNull(db, "db");
        this.tags = Tags.of(Objects.requireNonNull(more, "more")).and("store", Objects.requireNonNull(store, "store"));
        this.last = db.stats();
        this.lastNanos = System.nanoTime();
    }

    /** Adds the meters to a registry. */
    @Override
    public void bindTo(MeterRegistry registry) {
        Registration to = new Registration(Objects.requireNonNull(registry, "registry"));
        to.health();
        to.writes();
        to.operations();
        to.latencies();
        to.index();
        to.space();
        to.cacheAndCommits();
        to.scrub();
        to.memory();
        to.holders();
    }

    /** Removes the meters from all registries. Calling it again does nothing. */
    @Override
    public void close() {
        lock.lock();
        try {
            for (int i = 0; i < meters.size(); i++) {
                registries.get(i).remove(meters.get(i));
            }
            meters.clear();
            registries.clear();
        } finally {
            lock.unlock();
        }
    }

    private FlexDBStats stats() {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (now - lastNanos >= FRESH_NANOS) {
                last = db.stats();
                lastNanos = now;
            }
        } catch (StorageException e) {
            lastNanos = System.nanoTime(); // closed or failed, which the meter of the health tells
        } finally {
            lock.unlock();
        }
        return last;
    }

    /** Makes the meters in one registry. */
    private final class Registration {
        private final MeterRegistry registry;

        Registration(MeterRegistry registry) {
            this.registry = registry;
        }

        void health() {
            for (StoreHealth.State state : StoreHealth.State.values()) {
                String name = state.name().toLowerCase(Locale.ROOT);
                add(Gauge.builder(
                                "flexdb.health",
                                FlexDBMetrics.this,
                                self -> db.health().state() == state ? 1 : 0)
                        .description("1 for the state that the store is in")
                        .tags(tags.and("state", name))
                        .register(registry));
            }
        }

        void writes() {
            gauge("flexdb.sequence.last", "", "The sequence number of the last write", FlexDBStats::lastSequence);
            gauge(
                    "flexdb.sequence.durable",
                    "",
                    "The sequence number up to which all writes are durable",
                    FlexDBStats::durableSequence);
            gauge(
                    "flexdb.reads.mapped",
                    "",
                    "1 if the data file is read by a mapping",
                    stats -> stats.reads() == Reads.MAPPED ? 1 : 0);
            written("wal", stats -> stats.written().walBytes());
            written("data", stats -> stats.written().dataBytes());
            written("log", stats -> stats.written().logBytes());
            written("tree", stats -> stats.written().treeBytes());
            counter(
                    "flexdb.collected",
                    BaseUnits.BYTES,
                    "Bytes that garbage collection moved",
                    stats -> stats.written().collectedBytes());
            counter(
                    "flexdb.defragmented",
                    BaseUnits.BYTES,
                    "Bytes that defragmentation wrote",
                    stats -> stats.written().defragmentedBytes());
        }

        private void written(String file, ToDoubleFunction<FlexDBStats> figure) {
            counter("flexdb.written", BaseUnits.BYTES, "Bytes written to files", figure, "file", file);
        }

        void operations() {
            operation("get", FlexDBStats.Operations::gets);
            operation("put", FlexDBStats.Operations::puts);
            operation("delete", FlexDBStats.Operations::deletes);
            operation("merge", FlexDBStats.Operations::merges);
            operation("batch", FlexDBStats.Operations::batches);
            operation("scan", FlexDBStats.Operations::scans);
            transactions("begun", FlexDBStats.Operations::transactionsBegun);
            transactions("committed", FlexDBStats.Operations::transactionsCommitted);
            transactions("conflicted", FlexDBStats.Operations::transactionsConflicted);
            add(FunctionTimer.builder(
                            "flexdb.write.stalls",
                            FlexDBMetrics.this,
                            self -> stats().operations().writeStalls(),
                            self -> stats().operations().writeStallNanos(),
                            TimeUnit.NANOSECONDS)
                    .description("Writes that were held back since commits are slower")
                    .tags(tags)
                    .register(registry));
        }

        private void operation(String name, ToDoubleFunction<FlexDBStats.Operations> figure) {
            counter(
                    "flexdb.operations",
                    "",
                    "Operations that have succeeded",
                    stats -> figure.applyAsDouble(stats.operations()),
                    "operation",
                    name);
        }

        private void transactions(String event, ToDoubleFunction<FlexDBStats.Operations> figure) {
            counter(
                    "flexdb.transactions",
                    "",
                    "Transactions that have begun, were committed or met a conflict",
                    stats -> figure.applyAsDouble(stats.operations()),
                    "event",
                    event);
        }

        void latencies() {
            latency("get", stats -> stats.latencies().gets());
            latency("write", stats -> stats.latencies().writes());
            latency("commit", stats -> stats.latencies().transactionCommits());
        }

        private void latency(String operation, Function<FlexDBStats, FlexDBStats.Latency> of) {
            counter(
                    "flexdb.latency.samples",
                    "",
                    "Operations that were timed",
                    stats -> of.apply(stats).samples(),
                    "operation",
                    operation);
            quantile(operation, "0.5", stats -> of.apply(stats).medianNanos());
            quantile(operation, "0.99", stats -> of.apply(stats).p99Nanos());
            quantile(operation, "0.999", stats -> of.apply(stats).p999Nanos());
            quantile(operation, "1", stats -> of.apply(stats).maxNanos());
        }

        private void quantile(String operation, String quantile, ToDoubleFunction<FlexDBStats> figure) {
            add(TimeGauge.builder(
                            "flexdb.latency",
                            FlexDBMetrics.this,
                            TimeUnit.NANOSECONDS,
                            self -> figure.applyAsDouble(stats()))
                    .description("What a share of the timed operations since the opening did not exceed")
                    .tags(tags.and("operation", operation, "quantile", quantile))
                    .register(registry));
        }

        void index() {
            gauge(
                    "flexdb.index.intervals",
                    "",
                    "Intervals in the sparse index",
                    stats -> stats.index().intervals());
            gauge(
                    "flexdb.index.coarse",
                    "",
                    "Intervals that wait to be divided",
                    stats -> stats.index().coarseIntervals());
            counter(
                    "flexdb.filtered.reads",
                    "",
                    "Lookups and seeks that a range filter answered",
                    stats -> stats.index().filteredReads());
            gauge(
                    "flexdb.index.memory",
                    BaseUnits.BYTES,
                    "Off-heap memory of the sparse index",
                    stats -> stats.index().memoryBytes());
        }

        void space() {
            gauge(
                    "flexdb.space.extents",
                    "",
                    "Extents in the FlexTree",
                    stats -> stats.space().extents());
            gauge(
                    "flexdb.space.size",
                    BaseUnits.BYTES,
                    "Bytes of all pairs in the address space",
                    stats -> stats.space().bytes());
            gauge(
                    "flexdb.space.segments",
                    "",
                    "Segments in the data file",
                    stats -> stats.space().segments());
            gauge(
                    "flexdb.space.free.segments",
                    "",
                    "Free segments in the data file",
                    stats -> stats.space().freeSegments());
            gauge(
                    "flexdb.space.disk",
                    BaseUnits.BYTES,
                    "Bytes of the data file",
                    stats -> stats.space().diskBytes());
            gauge(
                    "flexdb.space.tree.memory",
                    BaseUnits.BYTES,
                    "Off-heap memory of the FlexTree",
                    stats -> stats.space().treeMemoryBytes());
        }

        void cacheAndCommits() {
            String cacheGets = "Lookups by whether the directory of their interval was cached";
            counter("flexdb.cache.gets", "", cacheGets, stats -> stats.cache().hits(), "result", "hit");
            counter("flexdb.cache.gets", "", cacheGets, stats -> stats.cache().misses(), "result", "miss");
            gauge(
                    "flexdb.cache.memory",
                    BaseUnits.BYTES,
                    "Off-heap memory of the interval cache",
                    stats -> stats.cache().memoryBytes());
            counter(
                    "flexdb.checkpoints",
                    "",
                    "Checkpoints of the FlexTree",
                    stats -> stats.commits().checkpoints());
            counter(
                    "flexdb.failed.merges",
                    "",
                    "Merges that a commit put off",
                    stats -> stats.commits().failedMerges());
            gauge(
                    "flexdb.memtable.memory",
                    BaseUnits.BYTES,
                    "Off-heap memory of the memtables that take writes or wait for their commit",
                    stats -> stats.commits().memtableBytes());
        }

        void scrub() {
            counter(
                    "flexdb.scrub.read",
                    BaseUnits.BYTES,
                    "Bytes that the scrub read",
                    stats -> stats.scrub().bytes());
            counter(
                    "flexdb.scrub.passes",
                    "",
                    "How often the scrub read everything",
                    stats -> stats.scrub().passes());
            counter(
                    "flexdb.scrub.findings",
                    "",
                    "Damaged places that the scrub found",
                    stats -> stats.scrub().findings());
        }

        void memory() {
            gauge(
                    "flexdb.memory.budget",
                    BaseUnits.BYTES,
                    "Memory that all uses but the indexes share",
                    stats -> stats.memory().budgetBytes());
            memory("cache", FlexDBMemory::cacheBytes);
            memory("memtables.active", FlexDBMemory::activeMemtableBytes);
            memory("memtables.spare", FlexDBMemory::spareMemtableBytes);
            memory("memtables.retired", FlexDBMemory::retiredMemtableBytes);
            memory("index", FlexDBMemory::indexBytes);
            memory("filters", FlexDBMemory::filterBytes);
            memory("tree", FlexDBMemory::treeBytes);
            memory("segments", FlexDBMemory::segmentBytes);
            memory("reads", FlexDBMemory::readBytes);
            memory("commits", FlexDBMemory::commitBytes);
            gauge(
                    "flexdb.memory.heap",
                    BaseUnits.BYTES,
                    "Checksums of frames, on the heap",
                    stats -> stats.memory().heapBytes());
            gauge(
                    "flexdb.memory.mapped",
                    BaseUnits.BYTES,
                    "Files that are mapped, in memory or not",
                    stats -> stats.memory().mappedBytes());
        }

        private void memory(String use, ToLongFunction<FlexDBMemory> figure) {
            gauge(
                    "flexdb.memory.used",
                    BaseUnits.BYTES,
                    "Off-heap memory by use",
                    stats -> figure.applyAsLong(stats.memory()),
                    "use",
                    use);
        }

        void holders() {
            for (FlexDBHolder.Kind kind : FlexDBHolder.Kind.values()) {
                String name = kind.name().toLowerCase(Locale.ROOT);
                gauge(
                        "flexdb.holders",
                        "",
                        "Open snapshots, cursors and others that keep old versions",
                        stats -> stats.holders().count(kind),
                        "kind",
                        name);
                add(TimeGauge.builder(
                                "flexdb.holders.oldest",
                                FlexDBMetrics.this,
                                TimeUnit.NANOSECONDS,
                                self -> oldestNanos(stats().holders(), kind))
                        .description("The age of the oldest of them")
                        .tags(tags.and("kind", name))
                        .register(registry));
            }
            gauge(
                    "flexdb.holders.kept",
                    BaseUnits.BYTES,
                    "Memory of the old versions that they keep",
                    stats -> stats.holders().keptBytes());
            gauge(
                    "flexdb.holders.file",
                    BaseUnits.BYTES,
                    "Old versions that are in a file",
                    stats -> stats.holders().keptFileBytes());
        }

        private static double oldestNanos(FlexDBHolders holders, FlexDBHolder.Kind kind) {
            return holders.oldest(kind).orElse(Duration.ZERO).toNanos();
        }

        private void gauge(
                String name, String unit, String description, ToDoubleFunction<FlexDBStats> figure, String... more) {
            add(Gauge.builder(name, FlexDBMetrics.this, self -> figure.applyAsDouble(stats()))
                    .description(description)
                    .baseUnit(unit.isEmpty() ? null : unit)
                    .tags(tags.and(more))
                    .register(registry));
        }

        private void counter(
                String name, String unit, String description, ToDoubleFunction<FlexDBStats> figure, String... more) {
            add(FunctionCounter.builder(name, FlexDBMetrics.this, self -> figure.applyAsDouble(stats()))
                    .description(description)
                    .baseUnit(unit.isEmpty() ? null : unit)
                    .tags(tags.and(more))
                    .register(registry));
        }

        /** Notes a meter; its functions refer to the metrics, so that these live as long as it does. */
        private void add(Meter meter) {
            lock.lock();
            try {
                meters.add(meter);
                registries.add(registry);
            } finally {
                lock.unlock();
            }
        }
    }
}
