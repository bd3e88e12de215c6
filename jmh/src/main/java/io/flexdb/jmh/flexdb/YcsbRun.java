package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.PageCache;
import io.flexdb.ycsb.Measurements;
import io.flexdb.ycsb.Operation;
import io.flexdb.ycsb.Phase;
import io.flexdb.ycsb.Progress;
import io.flexdb.ycsb.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * YCSB's load and its workloads on one store, one after the other, as {@code flexdb-ycsb/run.sh} does it for FlexDB.
 */
final class YcsbRun {
    private static final int FIELD_NAME_BYTES = 8; // what the record codec keeps beside a field of YCSB
    private static final int MIN_SECONDS = 3;
    private static final double STEADY_SHARE = 0.9;
    private static final int KEY_WORD_BYTES = 4; // keys are "user" and digits

    private final Subject subject;
    private final KeyValueSettings settings;
    private final Path directory;
    private final Results results;
    private final Progress progress;
    private final Object[] stripes = StoreBinding.newStripes();
    private long nextKey;

    YcsbRun(Subject subject, KeyValueSettings settings, Path directory, Results results, Progress progress) {
        this.subject = subject;
        this.settings = settings;
        this.directory = directory;
        this.results = results;
        this.progress = progress;
    }

    /** The load alone, and what the store does by itself after it. */
    void load() throws Exception {
        KeyValueStore store = loaded();
        try {
            settings.leaveAlone(subject);
        } finally {
            store.close();
        }
    }

    /** An open store; there is none if the load takes too long. */
    private KeyValueStore loaded() throws Exception {
        Files.createDirectory(directory);
        KeyValueStore store = subject.open(settings.store(directory));
        try {
            ProcessFigures before = ProcessFigures.now();
            phase(store, "load", true, settings.workloads().get(0).properties(), settings.ycsbRecords());
            ProcessFigures loaded = ProcessFigures.now();
            double pairBytes = (double) settings.ycsbRecords() * settings.space.pairBytes();
            results.add("YCSB load, written for each byte", written(before, loaded) / pairBytes, "B");
            return store;
        } catch (LimitReachedException e) {
            store.close();
            KeyValue.remove(directory);
            throw e;
        }
    }

    private KeyValueStore openCold() throws IOException {
        if (settings.cold) {
            PageCache.drop();
        }
        return subject.open(settings.store(directory));
    }

    /** The load, unless it has been done, and the workloads. */
    void run() throws Exception {
        KeyValueStore store;
        if (settings.prepared) {
            if (!Files.exists(directory)) {
                throw new LimitReachedException("left out: its store could not be loaded in time");
            }
            nextKey = settings.ycsbRecords();
            store = openCold();
        } else {
            store = loaded();
            if (settings.cold && subject.keepsPairs()) {
                store.close();
                store = openCold();
            }
        }
        try {
            for (Workloads.Named workload : settings.workloads()) {
                phase(store, workload.name(), false, workload.properties(), settings.operations);
            }
            results.add("YCSB, resident memory", ProcessFigures.now().residentBytes() / 1e6, "MB");
            System.err.println(store.figures());
        } finally {
            store.close();
        }
        if (subject.keepsPairs()) {
            double pairBytes = (double) nextKey * settings.space.pairBytes();
            results.add("YCSB, on disk for each byte", ProcessFigures.bytesOfFiles(directory) / pairBytes, "B");
        }
    }

    private static double written(ProcessFigures from, ProcessFigures to) {
        return to.writtenBytes() - from.writtenBytes();
    }

    private Properties properties(Properties ofWorkload) {
        Properties properties = new Properties();
        properties.putAll(ofWorkload);
        properties.setProperty("fieldcount", "1");
        properties.setProperty("fieldlength", Integer.toString(settings.space.valueBytes() - FIELD_NAME_BYTES));
        properties.setProperty("zeropadding", Integer.toString(settings.space.keyBytes() - KEY_WORD_BYTES));
        properties.setProperty("dataintegrity", Boolean.toString(settings.verify));
        return properties;
    }

    /** How soon the store and the compiler have warmed up: the steady rate is the median of the last third. */
    private void bySecond(String label, List<Double> rates) {
        if (rates.size() < MIN_SECONDS) {
            return;
        }
        List<Double> last = new ArrayList<>(rates.subList(rates.size() * 2 / 3, rates.size()));
        double steady = Markdown.median(last);
        int second = 0;
        while (rates.get(second) < STEADY_SHARE * steady) {
            second++;
        }
        results.add(label + ", first second", rates.get(0) / 1e3, Operations.THOUSANDS);
        results.add(label + ", steady", steady / 1e3, Operations.THOUSANDS);
        results.add(label + ", until 90 % of the steady rate", second + 1.0, "s");
        results.note(label + " by second, " + Operations.THOUSANDS + ": "
                + rates.stream().map(rate -> Markdown.number(rate / 1e3)).collect(Collectors.joining(" ")));
    }

    private void phase(KeyValueStore store, String name, boolean load, Properties ofWorkload, long operations)
            throws Exception {
        String label = "YCSB " + name;
        Properties properties = properties(ofWorkload);
        long records = load ? settings.ycsbRecords() : nextKey;
        properties.setProperty("recordcount", Long.toString(records));
        // By this YCSB guesses how many keys a workload inserts, and draws keys among those, too, again and again until
        // it has one that exists. A workload that ends by time has no number of operations to guess by.
        properties.setProperty("operationcount", Long.toString(Math.min(operations, records)));
        ProcessFigures before = ProcessFigures.now();
        // Read by YCSB's own measurements, which the core workload wants although the phases have their own.
        site.ycsb.measurements.Measurements.setProperties(properties);
        long end = System.nanoTime() + settings.limitNanos();
        Phase phase = new Phase(
                name, load, properties, operations, settings.threads, () -> new StoreBinding(store, stripes, end));
        Hiccups hiccups = new Hiccups();
        Phase.Result result;
        try (hiccups) {
            result = phase.run(progress, load ? Long.MAX_VALUE : settings.durationNanos());
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof LimitReachedException) {
                throw new LimitReachedException(label + ": " + e.getCause().getMessage());
            }
            throw e;
        }
        nextKey += result.inserts();
        Measurements measured = result.measurements();
        boolean isComplete = measured.operations() == operations || (!load && settings.endsByTime());
        if (!measured.failures().isEmpty() || !isComplete) {
            throw new IllegalStateException(
                    name + ": " + measured.operations() + " of " + operations + " operations, " + measured.failures());
        }
        results.add(label, measured.operations() * 1e6 / result.elapsedNanos(), Operations.THOUSANDS);
        if (settings.fresh) {
            bySecond(label, result.ratesBySecond());
        }
        for (Map.Entry<Operation, Histogram> each : measured.latencies().entrySet()) {
            String operation = label + ", " + each.getKey().label();
            results.add(operation + ", p99.9", each.getValue().getValueAtPercentile(99.9) / 1e3, "µs");
            results.add(operation + ", longest", each.getValue().getMaxValue() / 1e6, "ms");
        }
        results.add(label + ", longest hiccup", hiccups.longestMillis(), "ms");
        ProcessFigures now = ProcessFigures.now();
        if (settings.fresh) {
            results.add(label + ", compilation", (now.compilationMillis() - before.compilationMillis()) / 1e3, "s");
        }
        results.add(label + ", garbage collections", now.collectionMillis() - before.collectionMillis(), "ms");
        results.add(label + ", steal", (now.stealTicks() - before.stealTicks()) / 100.0, "s");
    }
}
