package io.flexdb.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBHolder;
import io.flexdb.FlexDBStats;
import io.flexdb.storage.StoreClosedException;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlexDBMetricsTest {
    /** Each figure, and where it is: a meter, and one of its tags if several meters have that name. */
    private static final Map<String, String> METERS = new TreeMap<>();

    private static void meter(String figure, String meter) {
        METERS.put(figure, meter);
    }

    static {
        meter("lastSequence", "flexdb.sequence.last");
        meter("durableSequence", "flexdb.sequence.durable");
        meter("index.intervals", "flexdb.index.intervals");
        meter("index.coarseIntervals", "flexdb.index.coarse");
        meter("index.filteredReads", "flexdb.filtered.reads");
        meter("index.memoryBytes", "flexdb.index.memory");
        meter("space.extents", "flexdb.space.extents");
        meter("space.bytes", "flexdb.space.size");
        meter("space.segments", "flexdb.space.segments");
        meter("space.freeSegments", "flexdb.space.free.segments");
        meter("space.diskBytes", "flexdb.space.disk");
        meter("space.treeMemoryBytes", "flexdb.space.tree.memory");
        meter("written.walBytes", "flexdb.written file=wal");
        meter("written.dataBytes", "flexdb.written file=data");
        meter("written.logBytes", "flexdb.written file=log");
        meter("written.treeBytes", "flexdb.written file=tree");
        meter("written.collectedBytes", "flexdb.collected");
        meter("written.defragmentedBytes", "flexdb.defragmented");
        meter("cache.hits", "flexdb.cache.gets result=hit");
        meter("cache.misses", "flexdb.cache.gets result=miss");
        meter("cache.memoryBytes", "flexdb.cache.memory");
        meter("commits.checkpoints", "flexdb.checkpoints");
        meter("commits.failedMerges", "flexdb.failed.merges");
        meter("commits.memtableBytes", "flexdb.memtable.memory");
        for (String kind : List.of("get", "put", "delete", "merge", "scan")) {
            meter("operations." + kind + "s", "flexdb.operations operation=" + kind);
        }
        meter("operations.batches", "flexdb.operations operation=batch");
        meter("operations.transactionsBegun", "flexdb.transactions event=begun");
        meter("operations.transactionsCommitted", "flexdb.transactions event=committed");
        meter("operations.transactionsConflicted", "flexdb.transactions event=conflicted");
        meter("operations.writeStalls", "flexdb.write.stalls COUNT");
        meter("operations.writeStallNanos", "flexdb.write.stalls TOTAL_TIME");
        Map<String, String> timed = Map.of("gets", "get", "writes", "write", "transactionCommits", "commit");
        timed.forEach((group, operation) -> {
            String latencies = "latencies." + group + ".";
            meter(latencies + "samples", "flexdb.latency.samples operation=" + operation);
            meter(latencies + "medianNanos", "flexdb.latency quantile=0.5 operation=" + operation);
            meter(latencies + "p99Nanos", "flexdb.latency quantile=0.99 operation=" + operation);
            meter(latencies + "p999Nanos", "flexdb.latency quantile=0.999 operation=" + operation);
            meter(latencies + "maxNanos", "flexdb.latency quantile=1 operation=" + operation);
        });
        meter("scrub.bytes", "flexdb.scrub.read");
        meter("scrub.passes", "flexdb.scrub.passes");
        meter("scrub.findings", "flexdb.scrub.findings");
        meter("memory.budgetBytes", "flexdb.memory.budget");
        meter("memory.cacheBytes", "flexdb.memory.used use=cache");
        meter("memory.activeMemtableBytes", "flexdb.memory.used use=memtables.active");
        meter("memory.spareMemtableBytes", "flexdb.memory.used use=memtables.spare");
        meter("memory.retiredMemtableBytes", "flexdb.memory.used use=memtables.retired");
        meter("memory.indexBytes", "flexdb.memory.used use=index");
        meter("memory.filterBytes", "flexdb.memory.used use=filters");
        meter("memory.treeBytes", "flexdb.memory.used use=tree");
        meter("memory.segmentBytes", "flexdb.memory.used use=segments");
        meter("memory.readBytes", "flexdb.memory.used use=reads");
        meter("memory.commitBytes", "flexdb.memory.used use=commits");
        meter("memory.heapBytes", "flexdb.memory.heap");
        meter("memory.mappedBytes", "flexdb.memory.mapped");
        meter("holders.keptBytes", "flexdb.holders.kept");
        meter("holders.keptFileBytes", "flexdb.holders.file");
    }

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private FlexDB db;

    @BeforeEach
    void open(@TempDir Path directory) {
        db = FlexDB.open(directory.resolve("store"));
        for (int i = 0; i < 1000; i++) {
            byte[] key = ("key" + i).getBytes(UTF_8);
            db.put(key, new byte[100]);
            db.get(key);
        }
        db.flush();
        db.transact(transaction -> transaction.put(new byte[1], new byte[1]));
        db.delete(new byte[1]);
        db.sync();
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void eachFigureHasAMeterWithItsValue() throws Exception {
        FlexDBMetrics metrics = new FlexDBMetrics(db, "orders", List.of(Tag.of("region", "north")));
        metrics.bindTo(registry);
        Map<String, Double> figures = new TreeMap<>();
        figures(FlexDBStats.class, db.stats(), "", figures);
        assertEquals(METERS.keySet(), figures.keySet(), "a figure without a meter, or a meter without a figure");
        Set<String> steady = figures.keySet().stream()
                .filter(figure -> !figure.startsWith("memory.") || figure.endsWith("budgetBytes"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(steady.size() > 50);
        for (String figure : METERS.keySet()) {
            double value = value(METERS.get(figure), figure.endsWith("Nanos") ? 1e9 : 1);
            if (steady.contains(figure)) { // others may change at any moment
                assertEquals(figures.get(figure), value, Math.abs(value) / 1e9, figure);
            } else {
                assertTrue(value >= 0, figure);
            }
        }
        assertEquals(1000, value("flexdb.operations operation=put", 1));
        assertEquals(1, value("flexdb.health state=usable", 1));
        for (Meter meter : registry.getMeters()) {
            assertEquals("orders", meter.getId().getTag("store"));
            assertEquals("north", meter.getId().getTag("region"));
            assertNotNull(meter.getId().getDescription());
        }
    }

    private static void figures(Class<?> type, Object group, String prefix, Map<String, Double> into)
            throws ReflectiveOperationException {
        for (Method method : type.getMethods()) {
            if (!Modifier.isAbstract(method.getModifiers())) {
                continue; // a sum of others
            }
            Object value = method.getReturnType().isPrimitive()
                            || method.getReturnType().isInterface()
                    ? type.getMethod(method.getName()).invoke(group)
                    : null;
            if (value instanceof Number number) {
                into.put(prefix + method.getName(), number.doubleValue());
            } else if (value != null && method.getReturnType().getPackage() == FlexDB.class.getPackage()) {
                figures(method.getReturnType(), value, prefix + method.getName() + ".", into);
            }
        }
    }

    /** The value of a meter with these tags, or of one of its statistics. */
    private double value(String meter, double factor) {
        String[] parts = meter.split(" ");
        List<Meter> found = new ArrayList<>(registry.find(parts[0]).meters());
        Statistic statistic = null;
        for (int i = 1; i < parts.length; i++) {
            String[] tag = parts[i].split("=");
            if (tag.length == 2) {
                found.removeIf(one -> !tag[1].equals(one.getId().getTag(tag[0])));
            } else {
                statistic = Statistic.valueOf(tag[0]);
            }
        }
        assertEquals(1, found.size(), meter);
        for (Measurement measurement : found.get(0).measure()) {
            if (statistic == null || measurement.getStatistic() == statistic) {
                return measurement.getValue() * factor;
            }
        }
        throw new AssertionError(meter);
    }

    @Test
    void whatKeepsOldVersionsIsCountedByKind() {
        try (io.flexdb.Snapshot snapshot = db.snapshot()) {
            new FlexDBMetrics(db, "orders").bindTo(registry);
            assertTrue(snapshot.sequence() > 0);
            assertEquals(1, value("flexdb.holders kind=snapshot", 1));
            assertTrue(value("flexdb.holders.oldest kind=snapshot", 1) >= 0);
            assertEquals(
                    FlexDBHolder.Kind.values().length,
                    registry.find("flexdb.holders").meters().size());
        }
    }

    @Test
    void metersOfAClosedStoreTellThatAndGoWhenTheyAreRemoved() {
        FlexDBMetrics metrics = new FlexDBMetrics(db, "orders");
        metrics.bindTo(registry);
        db.close();
        assertEquals(1, value("flexdb.health state=closed", 1));
        assertEquals(0, value("flexdb.health state=usable", 1));
        assertEquals(1000, value("flexdb.operations operation=put", 1));
        assertFalse(registry.getMeters().isEmpty());
        metrics.close();
        metrics.close();
        assertTrue(registry.getMeters().isEmpty());
        assertThrows(StoreClosedException.class, () -> new FlexDBMetrics(db, "orders"));
    }

    @Test
    void theDashboardAsksForMetersThatPrometheusGets() throws IOException {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new FlexDBMetrics(db, "orders").bindTo(prometheus);
        Set<String> names = names(prometheus.scrape(), "(?m)^(flexdb_\\w+)");
        Set<String> asked = names(
                Files.readString(Path.of("..", "docs", "grafana-dashboard.json")), "\\b(flexdb_\\w+)(?=\\{|, store)");
        assertTrue(asked.size() > 15, asked::toString);
        asked.removeAll(names);
        assertEquals(Set.of(), asked, () -> "of " + names);
    }

    @Test
    void theDocumentNamesEachMeter() throws IOException {
        new FlexDBMetrics(db, "orders").bindTo(registry);
        Set<String> meters = registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .collect(Collectors.toSet());
        Set<String> named = names(Files.readString(Path.of("..", "docs", "operations.md")), "`(flexdb(?:\\.[a-z]+)+)`");
        named.remove("flexdb.options"); // a file
        assertEquals(new TreeSet<>(meters), named);
    }

    private static Set<String> names(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
