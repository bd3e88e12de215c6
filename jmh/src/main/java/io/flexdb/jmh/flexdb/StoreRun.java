package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.Durability;
import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.flexdb.Operations.Experiment;
import io.flexdb.ycsb.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures one store, in a process of its own: the parts that the settings name, one after the other. */
final class StoreRun {
    private static final int LONG_SCAN = 50; // as in the paper
    private static final int SYNC_SHARE = 500; // a put that waits for the disk takes as long as so many others
    private static final int AGING_SHARE = 16; // the paper updates 4 of 64 GB before it reads
    private static final int AGEING_STEPS = 4;
    private static final int AGEING_UPDATES = 2; // a step updates one of so many records
    private static final int WARM_UP_RECORDS = 50_000;
    private static final int WARM_UP_READS = 300_000;
    private static final int WARM_UP_SCANS = 10_000;
    private static final List<Distribution> UPDATES =
            List.of(Distribution.ZIPFIAN, Distribution.COMPOSITE, Distribution.UNIFORM);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Subject subject;
    private final KeyValueSettings settings;
    private final Path base;
    private final Results results;
    private final Progress progress;
    private final Operations all;
    private int directories;
    private boolean notLoaded; // though that was tried
    private Path loaded; // the store that parts have in common that want one with all records; null before
    private KeyValueStore open; // the same, while such parts are measured

    StoreRun(Subject subject, KeyValueSettings settings, Path base, Results results, Progress progress) {
        this.subject = subject;
        this.settings = settings;
        this.base = base;
        this.results = results;
        this.progress = progress;
        this.all = operations(settings.records());
    }

    private Operations operations(int records) {
        return new Operations(subject, settings, records, results, progress);
    }

    void run() throws Exception {
        if (!settings.run.quick && !settings.isFresh()) {
            warmUp();
        }
        int number = 0;
        for (Part part : settings.parts()) {
            results.begin(part);
            System.err.printf(
                    Locale.ROOT,
                    "%s: part %s, %d of %d%n",
                    subject.label(),
                    part.argument(),
                    ++number,
                    settings.parts().size());
            if (!part.isOfLoadedStore()) {
                closeLoaded();
            }
            withinLimit(() -> run(part));
        }
        closeLoaded();
    }

    private interface Step {
        void run() throws Exception;
    }

    private void withinLimit(Step step) throws Exception {
        try {
            step.run();
        } catch (LimitReachedException e) {
            results.note(e.getMessage());
        }
    }

    /** Has the compiler see every operation on a store of few records, so that no experiment pays for being first. */
    private void warmUp() throws Exception {
        Results nowhere = new Results(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
        Operations few = all.untimed(WARM_UP_RECORDS, nowhere);
        Path directory = newDirectory();
        try (KeyValueStore store = open(directory)) {
            few.put(store, new Experiment("warm-up", Distribution.SHUFFLED, WARM_UP_RECORDS, settings.threads));
            few.get(store, new Experiment("warm-up", Distribution.UNIFORM, WARM_UP_READS, settings.threads));
            few.getAbsent(store, new Experiment("warm-up", Distribution.UNIFORM, WARM_UP_RECORDS, settings.threads));
            Experiment scans = new Experiment("warm-up", Distribution.UNIFORM, WARM_UP_SCANS, settings.threads);
            few.scan(store, scans, LONG_SCAN, true);
            few.scan(store, scans, LONG_SCAN, false);
        }
        KeyValue.remove(directory);
    }

    private void run(Part part) throws Exception {
        switch (part) {
            case PUT -> loads();
            case INDEX -> index(openLoaded());
            case GET -> gets(openLoaded());
            case SCAN -> scans(openLoaded());
            case THREADS -> byThreads(openLoaded());
            case LATENCY -> latencies(openLoaded());
            case GARBAGE -> garbage(openLoaded());
            case COMMITS -> besideCommits(openLoaded());
            case FEATURES -> newFeatureRun().run(openLoaded());
            case ABSENT -> {
                openLoaded();
                closeLoaded();
                newFeatureRun().absent(loaded);
            }
            case UPDATES -> updates();
            case STITCHING -> newFeatureRun().stitching();
            case AGEING -> ageing();
            case SYNC -> sync();
            case GROWTH -> growth();
            case RECOVERY -> new Recovery(subject, settings, this::newDirectory, results, progress).run();
            case OPENING -> new Openings(subject, settings, this::newDirectory, results).run();
            case YCSB -> newYcsbRun().run();
        }
    }

    // ---- loads

    private void loads() throws Exception {
        for (Distribution each : List.of(Distribution.SEQUENTIAL, Distribution.ZIPFIAN, Distribution.COMPOSITE)) {
            Path directory = newDirectory();
            withinLimit(() -> load(each, directory));
            KeyValue.remove(directory);
        }
        if (settings.prepared) {
            load(Distribution.SHUFFLED, newDirectory());
        } else {
            load();
        }
    }

    /** Makes the store that parts have in common, unless it is there or has taken too long. */
    private void load() throws Exception {
        Path directory = base.resolve("loaded");
        if (loaded == null && !Files.exists(directory)) {
            if (settings.prepared || notLoaded) {
                throw new LimitReachedException("left out: its store could not be loaded in time");
            }
            Files.createDirectory(directory);
            notLoaded = true;
            try {
                load(Distribution.SHUFFLED, directory);
            } catch (LimitReachedException e) {
                KeyValue.remove(directory);
                throw e;
            }
            try (KeyValueStore store = open(directory)) {
                age(store);
            }
        }
        loaded = directory;
    }

    /** Only makes the stores that parts begin with, if that is what they do, for another process. */
    void prepare() throws Exception {
        if (settings.parts().stream().anyMatch(Part::isOfLoadedStore)) {
            withinLimit(this::load);
        }
        if (settings.parts().contains(Part.YCSB)) {
            results.begin(Part.YCSB);
            withinLimit(() -> newYcsbRun().load());
        }
    }

    private FeatureRun newFeatureRun() {
        return new FeatureRun(subject, settings, this::newDirectory, results, all);
    }

    private YcsbRun newYcsbRun() {
        return new YcsbRun(subject, settings, base.resolve("ycsb"), results, progress);
    }

    /** As the paper does before it reads, so that not all lies where the load has put it. */
    private void age(KeyValueStore store) throws InterruptedException {
        int updates = Math.max(1, all.records() / AGING_SHARE);
        all.prepare(store, new Experiment("updates", Distribution.ZIPFIAN, updates, settings.threads));
    }

    /** Fills an empty store and closes it, which brings all to its place; then reads all and checks it. */
    private void load(Distribution distribution, Path directory) throws Exception {
        String name = "load " + distribution.label();
        ProcessFigures before = ProcessFigures.now();
        long start = System.nanoTime();
        long commitNanos;
        long closing;
        try (KeyValueStore store = open(directory)) {
            all.load(store, new Experiment(name, distribution, all.records(), settings.threads));
            commitNanos = store.commitNanos();
            closing = THREADS.getCurrentThreadCpuTime();
        }
        if (commitNanos >= 0) { // the last puts are committed while the store is closed, by this thread
            commitNanos += THREADS.getCurrentThreadCpuTime() - closing;
            results.add(name + ", commit of each", commitNanos / 1e3 / all.records(), "µs");
        }
        reportUntilClosed(name, all.records(), start);
        reportCosts(name, before, all.records());
        if (subject.keepsPairs()) {
            int pairs;
            try (KeyValueStore store = open(directory)) {
                pairs = all.verifyAll(store);
            }
            reportDisk(name, pairs, directory);
        }
    }

    private void reportUntilClosed(String name, long puts, long start) {
        double seconds = (System.nanoTime() - start) / 1e9;
        results.add(name + ", until closed", puts / seconds / 1e3, Operations.THOUSANDS);
    }

    private void reportCosts(String name, ProcessFigures before, long puts) {
        ProcessFigures now = ProcessFigures.now();
        double written = now.writtenBytes() - before.writtenBytes();
        results.add(name + ", written for each byte", written / puts / settings.space.pairBytes(), "B");
        double processorNanos = now.processorNanos() - before.processorNanos();
        results.add(name + ", processor for each", processorNanos / 1e3 / puts, "µs");
        results.add(name + ", garbage collections", now.collectionMillis() - before.collectionMillis(), "ms");
        results.add(name + ", steal", (now.stealTicks() - before.stealTicks()) / 100.0, "s");
    }

    private void reportDisk(String name, int pairs, Path directory) throws IOException {
        double bytes = ProcessFigures.bytesOfFiles(directory);
        results.add(name + ", on disk for each byte", bytes / pairs / settings.space.pairBytes(), "B");
    }

    // ---- parts that have a store in common

    /** Open again since it was made, so that all is where the store keeps it in the long run. */
    private KeyValueStore openLoaded() throws Exception {
        if (open == null && subject.keepsPairs()) {
            load();
            dropPageCache();
            open = open(loaded);
        } else if (open == null) {
            open = open(newDirectory());
            all.prepare(open, new Experiment("load", Distribution.SHUFFLED, all.records(), settings.threads));
            age(open);
        } else {
            return open;
        }
        settings.leaveAlone(subject);
        return open;
    }

    private void closeLoaded() {
        if (open != null) {
            System.err.println(open.figures());
            open.close();
            open = null;
        }
    }

    private void index(KeyValueStore store) {
        if (all.verifyAll(store) != all.records()) { // which has the store bring all that leads to pairs
            throw new IllegalStateException("not " + all.records() + " records");
        }
        Map<String, Long> memory = store.indexMemory();
        long sum = 0;
        for (Map.Entry<String, Long> each : memory.entrySet()) {
            sum += each.getValue();
            results.add("memory of the " + each.getKey(), (double) each.getValue() / all.records(), "B a pair");
        }
        if (!memory.isEmpty()) {
            results.add("index memory", (double) sum / all.records(), "B a pair");
        }
        results.add("resident memory", ProcessFigures.now().residentBytes() / 1e6, "MB");
    }

    private void gets(KeyValueStore store) throws InterruptedException {
        for (Distribution each :
                List.of(Distribution.ZIPFIAN, Distribution.COMPOSITE, Distribution.UNIFORM, Distribution.SEQUENTIAL)) {
            all.get(store, experiment("GET " + each.label(), each));
        }
        all.getAbsent(store, experiment("GET absent", Distribution.UNIFORM));
    }

    private void scans(KeyValueStore store) throws InterruptedException {
        for (int pairs : settings.scanLengths) {
            int scans = Math.max(1, settings.operations / pairs);
            String name = "SCAN " + pairs + " ";
            for (Distribution each : List.of(Distribution.ZIPFIAN, Distribution.COMPOSITE, Distribution.UNIFORM)) {
                Experiment experiment = new Experiment(name + each.label(), each, scans, settings.threads);
                all.scan(store, experiment, pairs, true);
            }
            name += "Zipfian, keys only";
            all.scan(store, new Experiment(name, Distribution.ZIPFIAN, scans, settings.threads), pairs, false);
        }
    }

    private void byThreads(KeyValueStore store) throws InterruptedException {
        int scans = Math.max(1, settings.operations / LONG_SCAN);
        for (int threads : settings.threadCounts) {
            String name = " Zipfian, " + threads + " threads";
            all.put(store, new Experiment("PUT" + name, Distribution.ZIPFIAN, settings.operations, threads));
            all.get(store, new Experiment("GET" + name, Distribution.ZIPFIAN, settings.operations, threads));
            Experiment scan = new Experiment("SCAN 50" + name, Distribution.ZIPFIAN, scans, threads);
            all.scan(store, scan, LONG_SCAN, true);
        }
    }

    private void latencies(KeyValueStore store) throws InterruptedException {
        all.put(store, experiment("PUT Zipfian", Distribution.ZIPFIAN).withLatencies());
        all.get(store, experiment("GET Zipfian", Distribution.ZIPFIAN).withLatencies());
    }

    private void garbage(KeyValueStore store) throws InterruptedException {
        try (KeyValueStore.Buffered buffered = store.buffered()) {
            if (buffered != null) {
                all.garbage(buffered, settings.operations);
            }
        }
    }

    /** With as many readers as leave a processor to the thread that puts. */
    private void besideCommits(KeyValueStore store) throws Exception {
        readOnly(store, "");
        ExecutorService background = Executors.newSingleThreadExecutor();
        try {
            long start = System.nanoTime();
            Future<Long> puts = background.submit(() -> all.putUntilInterrupted(store));
            readOnly(store, " beside puts");
            background.shutdownNow();
            double seconds = (System.nanoTime() - start) / 1e9;
            results.add("PUT uniform beside reads", puts.get() / seconds / 1e3, Operations.THOUSANDS);
        } finally {
            background.shutdownNow();
        }
    }

    private void readOnly(KeyValueStore store, String beside) throws InterruptedException {
        int threads = Math.max(1, settings.threads - 1);
        int scans = Math.max(1, settings.operations / LONG_SCAN);
        String get = "GET uniform, " + threads + " threads" + beside;
        Workers.Result gets = all.get(store, new Experiment(get, Distribution.UNIFORM, settings.operations, threads));
        results.add(get + ", processor for each", gets.processorMicrosForEach(), "µs");
        String scan = "SCAN 50 uniform, " + threads + " threads" + beside;
        Workers.Result scanned =
                all.scan(store, new Experiment(scan, Distribution.UNIFORM, scans, threads), LONG_SCAN, true);
        results.add(scan + ", processor for each", scanned.processorMicrosForEach(), "µs");
    }

    private void updates() throws Exception {
        if (!subject.keepsPairs()) {
            for (Distribution each : UPDATES) {
                all.put(openLoaded(), updates("", each));
            }
            return;
        }
        closeLoaded();
        load();
        updates("", settings.store(loaded));
        if (subject == Subject.FLEXDB) {
            for (double utilization : settings.utilizations) {
                StoreSettings other = settings.store(newDirectory())
                        .with(options -> options.withSpace(options.space().withMinimumUtilization(utilization)));
                try (KeyValueStore store = subject.open(other)) {
                    int records = all.records();
                    all.prepare(store, new Experiment("load", Distribution.SHUFFLED, records, settings.threads));
                }
                updates(String.format(Locale.ROOT, ", least utilization %.2f", utilization), other);
                KeyValue.remove(other.directory());
            }
        }
    }

    /** Each until the store is closed. */
    private void updates(String suffix, StoreSettings store) throws Exception {
        for (Distribution each : UPDATES) {
            Experiment experiment = updates(suffix, each);
            ProcessFigures before = ProcessFigures.now();
            long start = System.nanoTime();
            Workers.Result result;
            try (KeyValueStore updated = subject.open(store)) {
                result = all.put(updated, experiment);
            }
            reportUntilClosed(experiment.name(), result.operations(), start);
            reportCosts(experiment.name(), before, result.operations());
            reportDisk(experiment.name(), all.records(), store.directory());
        }
    }

    private Experiment updates(String suffix, Distribution distribution) {
        String name = "updates " + distribution.label() + suffix;
        return new Experiment(name, distribution, settings.updates(), settings.threads);
    }

    private Experiment experiment(String name, Distribution distribution) {
        return new Experiment(name, distribution, settings.operations, settings.threads);
    }

    // ---- parts that have stores of their own

    /** A store in key order at first, each step then half of its records updated; each is opened again before its scans. */
    private void ageing() throws Exception {
        ageing("", settings.store(newDirectory()));
        if (subject == Subject.FLEXDB) {
            ageing(
                    ", not defragmented",
                    settings.store(newDirectory()).with(options -> options.withDefragmentedBytesPerSecond(0)));
        }
    }

    private void ageing(String suffix, StoreSettings aged) throws Exception {
        if (!subject.keepsPairs()) {
            return;
        }
        int records = all.records();
        try (KeyValueStore store = subject.open(aged)) {
            all.prepare(store, new Experiment("load", Distribution.SEQUENTIAL, records, settings.threads));
        }
        for (int step = 0; step <= AGEING_STEPS; step++) {
            String name = ", " + step * 100 / AGEING_UPDATES + " % updated" + suffix;
            int scans = Math.max(1, settings.operations / LONG_SCAN);
            try (KeyValueStore store = subject.open(aged)) {
                all.scan(
                        store,
                        new Experiment("SCAN 50 uniform" + name, Distribution.UNIFORM, scans, settings.threads),
                        LONG_SCAN,
                        true);
                all.get(
                        store,
                        new Experiment(
                                "GET uniform" + name, Distribution.UNIFORM, settings.operations, settings.threads));
            }
            reportDisk("aged" + name, records, aged.directory());
            try (KeyValueStore store = subject.open(aged)) {
                int updates = Math.max(1, records / AGEING_UPDATES);
                all.prepare(store, new Experiment("updates", Distribution.UNIFORM, updates, settings.threads));
            }
        }
        KeyValue.remove(aged.directory());
    }

    private void sync() throws Exception {
        int operations = Math.max(1, settings.operations / SYNC_SHARE);
        for (int threads : settings.threads == 1 ? new int[] {1} : new int[] {1, settings.threads}) {
            Path directory = newDirectory();
            try (KeyValueStore store = subject.open(settings.store(directory).with(Durability.SYNC))) {
                String name = "PUT sync, " + threads + " threads";
                all.put(store, new Experiment(name, Distribution.UNIFORM, operations, threads));
            }
            KeyValue.remove(directory);
        }
    }

    private void growth() throws Exception {
        for (int pairs : settings.sizes) {
            Operations some = operations(pairs);
            String name = String.format(Locale.ROOT, ", %,d pairs", pairs);
            Path directory = newDirectory();
            KeyValueStore store = open(directory);
            try {
                some.load(store, new Experiment("load random" + name, Distribution.SHUFFLED, pairs, settings.threads));
                if (subject.keepsPairs()) {
                    store.close();
                    store = open(directory);
                }
                some.put(store, experiment("PUT uniform" + name, Distribution.UNIFORM));
                settings.leaveAlone(subject);
                some.get(store, experiment("GET uniform" + name, Distribution.UNIFORM));
                int scans = Math.max(1, settings.operations / LONG_SCAN);
                Experiment scan =
                        new Experiment("SCAN 50 uniform" + name, Distribution.UNIFORM, scans, settings.threads);
                some.scan(store, scan, LONG_SCAN, true);
            } finally {
                store.close();
            }
            KeyValue.remove(directory);
        }
    }

    // ---- directories

    private KeyValueStore open(Path directory) {
        return subject.open(settings.store(directory));
    }

    private void dropPageCache() throws IOException {
        if (settings.cold) {
            PageCache.drop();
        }
    }

    private Path newDirectory() throws IOException {
        return Files.createDirectories(base.resolve("store-" + ++directories));
    }
}
