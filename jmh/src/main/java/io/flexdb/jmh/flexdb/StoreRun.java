package io.flexdb.jmh.flexdb;

import io.flexdb.ycsb.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Measures one store, in a process of its own: the experiments that the settings name, one after the other. */
final class StoreRun {
    private static final String THOUSANDS = "thousand/s";
    private static final int SHORT_SCAN = 10;
    private static final int LONG_SCAN = 50;
    private static final long SYNC_SHARE = 50; // a put that waits for the disk takes as long as so many others

    private final Subject subject;
    private final KeyValueSettings settings;
    private final Path base;
    private final Results results;
    private final Progress progress;
    private int directories;
    private long nextVersion = 1;

    StoreRun(Subject subject, KeyValueSettings settings, Path base, Results results, Progress progress) {
        this.subject = subject;
        this.settings = settings;
        this.base = base;
        this.results = results;
        this.progress = progress;
    }

    void run() throws Exception {
        for (Part part : Part.values()) {
            if (settings.parts.contains(part)) {
                switch (part) {
                    case MICRO -> micro();
                    case LATENCY -> latency();
                    case SYNC -> sync();
                    case YCSB -> new YcsbRun(subject, settings, newDirectory(), results, progress).run();
                }
            }
        }
    }

    // ---- the parts

    private void micro() throws Exception {
        Path directory = newDirectory();
        try (KeyValueStore store = open(directory, false)) {
            put(store, "load sequential", Distribution.SEQUENTIAL, settings.records, settings.threads, false);
        }
        KeyValue.remove(directory);
        directory = newDirectory();
        try (KeyValueStore store = subject.keepsPairs() ? loadedAndOpenedAgain(directory) : loaded(directory)) {
            ProcessFigures before = ProcessFigures.now();
            put(store, "PUT Zipfian", Distribution.ZIPFIAN, settings.operations, settings.threads, false);
            put(store, "PUT Zipfian-Composite", Distribution.COMPOSITE, settings.operations, settings.threads, false);
            put(store, "PUT uniform", Distribution.UNIFORM, settings.operations, settings.threads, false);
            report("PUT", before, 3L * settings.operations, directory);
            for (Distribution each :
                    new Distribution[] {Distribution.ZIPFIAN, Distribution.UNIFORM, Distribution.SEQUENTIAL}) {
                get(store, "GET " + each.label(), each, false, false);
            }
            get(store, "GET absent", Distribution.UNIFORM, true, false);
            scan(store, "SCAN 50 Zipfian", Distribution.ZIPFIAN, LONG_SCAN);
            scan(store, "SCAN 10 Zipfian", Distribution.ZIPFIAN, SHORT_SCAN);
            scan(store, "SCAN 50 uniform", Distribution.UNIFORM, LONG_SCAN);
            results.add("resident memory", ProcessFigures.now().residentBytes() / 1e6, "MB");
            System.err.println(store.figures());
        }
        if (subject.keepsPairs()) {
            reopen(directory);
        }
        KeyValue.remove(directory);
    }

    /** Open again, so that everything is where the store keeps it in the long run. */
    private KeyValueStore loadedAndOpenedAgain(Path directory) throws Exception {
        ProcessFigures before = ProcessFigures.now();
        long start = System.nanoTime();
        loaded(directory).close();
        double seconds = (System.nanoTime() - start) / 1e9;
        results.add("load random, until closed", settings.records / seconds / 1e3, THOUSANDS);
        report("load random", before, settings.records, directory);
        return open(directory, false);
    }

    private KeyValueStore loaded(Path directory) throws InterruptedException {
        KeyValueStore store = open(directory, false);
        put(store, "load random", Distribution.SHUFFLED, settings.records, settings.threads, false);
        return store;
    }

    private void latency() throws Exception {
        Path directory = newDirectory();
        try (KeyValueStore store = open(directory, false)) {
            put(store, "load random, latency", Distribution.SHUFFLED, settings.records, settings.threads, true);
            put(store, "PUT Zipfian, latency", Distribution.ZIPFIAN, settings.operations, settings.threads, true);
            get(store, "GET Zipfian, latency", Distribution.ZIPFIAN, false, true);
        }
        KeyValue.remove(directory);
    }

    private void sync() throws Exception {
        int operations = (int) Math.max(1, settings.operations / SYNC_SHARE / 10);
        for (int threads : settings.threads == 1 ? new int[] {1} : new int[] {1, settings.threads}) {
            Path directory = newDirectory();
            try (KeyValueStore store = open(directory, true)) {
                put(store, "PUT sync, " + threads + " threads", Distribution.UNIFORM, operations, threads, false);
            }
            KeyValue.remove(directory);
        }
    }

    private void reopen(Path directory) {
        long start = System.nanoTime();
        try (KeyValueStore store = open(directory, false)) {
            results.add("open", (System.nanoTime() - start) / 1e6, "ms");
            Records records = new Records(settings.space, settings.records);
            int found = store.scan(
                    records.key(0), Integer.MAX_VALUE, (key, value) -> records.check(Records.numberIn(value), value));
            if (found != settings.records) {
                throw new IllegalStateException(found + " records instead of " + settings.records);
            }
        }
    }

    // ---- operations

    private void put(
            KeyValueStore store, String name, Distribution distribution, int operations, int threads, boolean latency)
            throws InterruptedException {
        long version = nextVersion++;
        run(name, distribution, operations, threads, latency, thread -> {
            Records records = new Records(settings.space, settings.records);
            return number -> store.put(records.key(number), records.value(number, version));
        });
    }

    private void get(KeyValueStore store, String name, Distribution distribution, boolean absent, boolean latency)
            throws InterruptedException {
        run(name, distribution, settings.operations, settings.threads, latency, thread -> {
            Records records = new Records(settings.space, settings.records);
            return absent
                    ? number -> {
                        if (store.get(records.absentKey(number)) != null) {
                            throw new IllegalStateException("found a record that does not exist: " + number);
                        }
                    }
                    : number -> records.check(number, store.get(records.key(number)));
        });
    }

    private void scan(KeyValueStore store, String name, Distribution distribution, int pairs)
            throws InterruptedException {
        int scans = Math.max(1, settings.operations / pairs);
        run(name, distribution, scans, settings.threads, false, thread -> {
            Records records = new Records(settings.space, settings.records);
            return number -> {
                int[] next = {number};
                int found = store.scan(records.key(number), pairs, (key, value) -> records.check(next[0]++, value));
                if (found != Math.min(pairs, settings.records - number)) {
                    throw new IllegalStateException(found + " records from " + number + " on");
                }
            };
        });
    }

    private void run(
            String name,
            Distribution distribution,
            int operations,
            int threads,
            boolean latency,
            Workers.OperationFactory factory)
            throws InterruptedException {
        int[] numbers = distribution.choose(settings.records, operations, settings.seed + nextVersion);
        progress.begin(subject.label() + ", " + name, operations);
        long start = System.nanoTime();
        Workers.Result result =
                Workers.run(threads, numbers, factory, latency, done -> progress.show(done, System.nanoTime() - start));
        progress.end(operations, result.nanos());
        results.add(name, result.perSecond() / 1e3, THOUSANDS);
        if (latency) {
            Histogram latencies = result.latencies();
            results.add(name + ", average", latencies.getMean() / 1e3, "µs");
            for (double percentile : new double[] {50, 95, 99, 99.9}) {
                String label = String.format(Locale.ROOT, "%s, p%s", name, trimmed(percentile));
                results.add(label, latencies.getValueAtPercentile(percentile) / 1e3, "µs");
            }
            results.add(name + ", longest", latencies.getMaxValue() / 1e6, "ms");
        }
    }

    private static String trimmed(double percentile) {
        return percentile == Math.rint(percentile) ? Long.toString((long) percentile) : Double.toString(percentile);
    }

    private void report(String name, ProcessFigures before, long puts, Path directory) throws IOException {
        ProcessFigures now = ProcessFigures.now();
        double pairBytes = (double) puts * settings.space.pairBytes();
        results.add(name + ", written for each byte", (now.writtenBytes() - before.writtenBytes()) / pairBytes, "B");
        double live = (double) settings.records * settings.space.pairBytes();
        results.add(name + ", on disk for each byte", ProcessFigures.bytesOfFiles(directory) / live, "B");
        double micros = (now.processorNanos() - before.processorNanos()) / 1e3;
        results.add(name + ", processor for each", micros / puts, "µs");
        results.add(name + ", garbage collections", now.collectionMillis() - before.collectionMillis(), "ms");
        results.add(name + ", steal", (now.stealTicks() - before.stealTicks()) / 100.0, "s");
    }

    // ---- directories

    private KeyValueStore open(Path directory, boolean sync) {
        return subject.open(new StoreSettings(directory, settings.cacheBytes, settings.memtableBytes, sync));
    }

    private Path newDirectory() throws IOException {
        return Files.createDirectories(base.resolve("store-" + ++directories));
    }
}
