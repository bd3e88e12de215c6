package io.flexdb.jmh.flexdb;

import io.flexdb.FlexDBOptions;
import io.flexdb.jmh.flexdb.Operations.Experiment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

/** Measures what only some stores have, beside the rivals that have it. */
final class FeatureRun {
    private static final int LONG_SCAN = 50;
    private static final int KEYS_AT_ONCE = 100;
    private static final int RANGES = 1000;
    private static final int PAIRS_OF_A_RANGE = 100;
    private static final int ESTIMATES = 10_000;
    private static final int CHANGED_SHARE = 100; // between two backups
    private static final int PAGE_BYTES = 4096;

    private final Subject subject;
    private final KeyValueSettings settings;
    private final Callable<Path> directories;
    private final Results results;
    private final Operations all;
    private final Records records;

    /**
     * @param directories makes one
     * @param all operations on all records
     */
    FeatureRun(
            Subject subject, KeyValueSettings settings, Callable<Path> directories, Results results, Operations all) {
        this.subject = subject;
        this.settings = settings;
        this.directories = directories;
        this.results = results;
        this.all = all;
        this.records = new Records(settings.space, settings.records());
    }

    /** On a store that has all records. */
    void run(KeyValueStore store) throws Exception {
        manyKeysAtOnce(store);
        estimates(store);
        if (subject.keepsPairs()) {
            copies(store);
        }
        deletedRanges();
        if (subject.keepsPairs()) {
            writesOfOtherKinds();
        }
    }

    /** In a store of its own: what a put or a get costs with a time to live, a counter, a transaction, a snapshot. */
    private void writesOfOtherKinds() throws Exception {
        Path directory = directories.call();
        try (KeyValueStore store = subject.open(settings.store(directory).with(Use.FEATURES))) {
            all.prepare(store, new Experiment("load", Distribution.SHUFFLED, settings.records(), settings.threads));
            byte[] some = records.key(0).clone();
            all.put(store, experiment("PUT uniform"));
            if (store.putForAnHour(some, records.value(0, 0))) {
                all.write(experiment("PUT uniform, time to live"), store::putForAnHour);
            }
            if (store.update(some, records.value(0, 0))) {
                all.write(experiment("GET and PUT uniform in a transaction"), store::update);
            }
            all.get(store, experiment("GET uniform"));
            if (store.getFromSnapshot(some) != null) {
                all.read(experiment("GET uniform, a snapshot for each"), store::getFromSnapshot);
            }
            counters(store);
        }
        KeyValue.remove(directory);
    }

    private void counters(KeyValueStore store) throws InterruptedException {
        if (!store.addOne(counterKey(records.key(0)))) {
            return;
        }
        Workers.Result result =
                all.write(experiment("one added to a counter, uniform"), (key, value) -> store.addOne(counterKey(key)));
        long sum = -1;
        for (int i = 0; i < settings.records(); i++) {
            sum += store.counter(counterKey(records.key(i)));
        }
        if (sum != result.operations()) {
            throw new IllegalStateException(sum + " was added to counters instead of " + result.operations());
        }
    }

    private static byte[] counterKey(byte[] key) {
        byte[] counter = Arrays.copyOf(key, key.length + 1);
        counter[key.length] = 'c';
        return counter;
    }

    private void manyKeysAtOnce(KeyValueStore store) {
        int[] numbers = Distribution.UNIFORM.choose(settings.records(), settings.operations, settings.seed);
        results.add(
                "GET, keys one by one, 1 thread",
                thousands(numbers.length, nanos(() -> oneByOne(store, numbers))),
                Operations.THOUSANDS);
        if (store.multiGet(List.of(records.key(0).clone())) != null) {
            atOnce(store, numbers); // warms up
            long nanos = nanos(() -> atOnce(store, numbers));
            results.add(
                    "GET, " + KEYS_AT_ONCE + " keys at once, 1 thread",
                    thousands(numbers.length, nanos),
                    Operations.THOUSANDS);
        }
    }

    private void oneByOne(KeyValueStore store, int[] numbers) {
        for (int number : numbers) {
            records.check(number, store.get(records.key(number)));
        }
    }

    private void atOnce(KeyValueStore store, int[] numbers) {
        List<byte[]> keys = new ArrayList<>();
        for (int from = 0; from + KEYS_AT_ONCE <= numbers.length; from += KEYS_AT_ONCE) {
            keys.clear();
            for (int i = from; i < from + KEYS_AT_ONCE; i++) {
                keys.add(records.key(numbers[i]).clone());
            }
            List<byte[]> values = store.multiGet(keys);
            for (int i = 0; i < KEYS_AT_ONCE; i++) {
                records.check(numbers[from + i], values.get(i));
            }
        }
    }

    private void estimates(KeyValueStore store) {
        int count = settings.records();
        byte[] from = records.key(count / 4).clone();
        byte[] to = records.key(count / 4 + count / 3).clone();
        long bytes = store.estimateBytes(from, to);
        if (bytes < 0) {
            return;
        }
        long nanos = nanos(() -> {
            for (int i = 0; i < ESTIMATES; i++) {
                store.estimateBytes(from, to);
            }
        });
        results.add("size of a range, for each", nanos / 1e3 / ESTIMATES, "µs");
        double exact = (double) (count / 3) * settings.space.pairBytes();
        results.add("size of a range, off by", Math.abs(bytes - exact) / exact * 100, "%");
    }

    /** A copy of the open store, and two backups with some updates between them. */
    private void copies(KeyValueStore store) throws Exception {
        Path copies = directories.call();
        long nanos = store.copyTo(copies.resolve("copy"));
        if (nanos >= 0) {
            results.add("copy of the open store", nanos / 1e6, "ms");
        }
        Path backups = copies.resolve("backups");
        for (String name : List.of("first backup", "second backup, 1 % updated")) {
            long before = ProcessFigures.bytesOfFiles(copies);
            nanos = store.backUp(backups);
            if (nanos >= 0) {
                results.add(name, nanos / 1e6, "ms");
                results.add(name + ", new bytes", (ProcessFigures.bytesOfFiles(copies) - before) / 1e6, "MB");
            }
            int updates = Math.max(1, settings.records() / CHANGED_SHARE);
            all.prepare(store, new Experiment("updates", Distribution.ZIPFIAN, updates, settings.threads));
        }
        KeyValue.remove(copies);
    }

    /** In a store of its own: short ranges all over it, then half of all that is there. */
    private void deletedRanges() throws Exception {
        Path directory = directories.call();
        long deleting;
        long start;
        try (KeyValueStore store = subject.open(settings.store(directory))) {
            all.prepare(store, new Experiment("load", Distribution.SHUFFLED, settings.records(), settings.threads));
            if (!store.deleteRange(
                    records.absentKey(0).clone(), records.absentKey(0).clone())) {
                return;
            }
            shortRanges(store);
            int half = settings.records() / 2;
            start = System.nanoTime();
            store.deleteRange(records.key(0).clone(), records.key(half).clone());
            deleting = System.nanoTime() - start;
            int[] found = {0};
            long scanning = nanos(() -> store.scan(records.key(0), LONG_SCAN, false, (key, value) -> found[0]++));
            results.add("deleteRange of half of all, the first scan behind it", scanning / 1e6, "ms");
        }
        results.add("deleteRange of half of all", deleting / 1e3, "µs");
        results.add("deleteRange of half of all, until closed", (System.nanoTime() - start) / 1e6, "ms");
        KeyValue.remove(directory);
    }

    private void shortRanges(KeyValueStore store) {
        int count = settings.records();
        int[] firsts = new SplittableRandom(settings.seed)
                .ints(RANGES, 0, Math.max(1, count - PAIRS_OF_A_RANGE))
                .toArray();
        long[] nanos = new long[RANGES];
        for (int i = 0; i < RANGES; i++) {
            byte[] from = records.key(firsts[i]).clone();
            byte[] to = records.key(firsts[i] + PAIRS_OF_A_RANGE).clone();
            nanos[i] = nanos(() -> store.deleteRange(from, to));
        }
        Arrays.sort(nanos);
        results.add("deleteRange of 100 pairs, p50", nanos[RANGES / 2] / 1e3, "µs");
        results.add("deleteRange of 100 pairs, p99", nanos[RANGES * 99 / 100] / 1e3, "µs");
        long walking = nanos(() -> all.verifyAll(store));
        results.add(
                "SCAN of all behind " + RANGES + " deleted ranges", thousands(count, walking), Operations.THOUSANDS);
    }

    // ---- FlexDB's own choices

    /**
     * Reads of what is absent, with the range filter and without.
     *
     * @param loaded a closed store that has all records; null if the subject keeps none
     */
    void absent(Path loaded) throws Exception {
        if (!subject.keepsPairs()) {
            return;
        }
        try (KeyValueStore store = subject.open(settings.store(loaded))) {
            absent("", store);
        }
        if (subject == Subject.FLEXDB) {
            StoreSettings filtered = settings.store(loaded).with(options -> options.withRangeFilter(true));
            try (KeyValueStore store = subject.open(filtered)) {
                absent(", range filter", store);
            }
        }
    }

    private void absent(String suffix, KeyValueStore store) throws Exception {
        readFromDisk(experiment("GET absent keys" + suffix), each -> all.getAbsent(store, each));
        readFromDisk(experiment("empty short ranges" + suffix), each -> all.findEmpty(store, each));
        long memory = store.indexMemory().getOrDefault("range filter", 0L);
        if (memory > 0) {
            results.add("memory of the range filter", memory * 8.0 / all.records(), "bits a pair");
        }
    }

    private interface Reading {
        Workers.Result run(Experiment experiment) throws InterruptedException;
    }

    private void readFromDisk(Experiment experiment, Reading reading) throws InterruptedException {
        long before = ProcessFigures.now().readBytes();
        Workers.Result result = reading.run(experiment);
        double read = ProcessFigures.now().readBytes() - before;
        results.add(experiment.name() + ", read from disk for each", read / result.operations() / PAGE_BYTES, "4 KiB");
    }

    /** What each threshold makes of a store that is filled at random and updated, and of scans of it. */
    void stitching() throws Exception {
        if (subject != Subject.FLEXDB) {
            return;
        }
        stitching("default", FlexDBOptions.DERIVED);
        for (int threshold : settings.stitchingThresholds) {
            String name = threshold == 0
                    ? "in place"
                    : threshold == Integer.MAX_VALUE ? "anew" : "stitched from " + threshold + " B";
            stitching(name, threshold);
        }
    }

    private void stitching(String name, int threshold) throws Exception {
        StoreSettings store = settings.store(directories.call())
                .with(options -> options.withStitchingThresholdBytes(threshold).withDefragmentedBytesPerSecond(0));
        for (Distribution each : List.of(Distribution.SHUFFLED, Distribution.ZIPFIAN)) {
            String change = (each == Distribution.SHUFFLED ? "load " : "updates ") + each.label() + ", " + name;
            ProcessFigures before = ProcessFigures.now();
            try (KeyValueStore changed = subject.open(store)) {
                all.load(changed, new Experiment(change, each, all.records(), settings.threads));
                results.add(change + ", commit of each", changed.commitNanos() / 1e3 / all.records(), "µs");
            }
            double pairs = (double) all.records() * settings.space.pairBytes();
            double written = ProcessFigures.now().writtenBytes() - before.writtenBytes();
            results.add(change + ", written for each byte", written / pairs, "B");
            double disk = ProcessFigures.bytesOfFiles(store.directory());
            results.add(change + ", on disk for each byte", disk / pairs, "B");
            try (KeyValueStore read = subject.open(store)) {
                int scans = Math.max(1, settings.operations / LONG_SCAN);
                String scan = "SCAN 50 uniform after " + change;
                all.scan(read, new Experiment(scan, Distribution.UNIFORM, scans, settings.threads), LONG_SCAN, true);
            }
        }
        KeyValue.remove(store.directory());
    }

    private Experiment experiment(String name) {
        return new Experiment(name, Distribution.UNIFORM, settings.operations, settings.threads);
    }

    private static long nanos(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }

    private static double thousands(int operations, long nanos) {
        return operations * 1e6 / Math.max(1, nanos);
    }
}
