package io.flexdb.jmh.flexdb;

import io.flexdb.ycsb.Progress;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.HdrHistogram.Histogram;

/** Puts, gets and scans of records, by several threads; each gives a figure, and every value read is checked. */
final class Operations {
    static final String THOUSANDS = "thousand/s";
    private static final long WARM_UP_SEED = 1_000_000;

    private final Subject subject;
    private final KeyValueSettings settings;
    private final int records;
    private final Results results;
    private final Progress progress;
    private final long warmUpNanos;
    private final long readNanos; // how long reads are measured; 0 to count them
    private long nextVersion = 1;

    /** @param records numbers of records are below it */
    Operations(Subject subject, KeyValueSettings settings, int records, Results results, Progress progress) {
        this(subject, settings, records, results, progress, settings.warmUpNanos(), settings.readNanos());
    }

    private Operations(
            Subject subject,
            KeyValueSettings settings,
            int records,
            Results results,
            Progress progress,
            long warmUpNanos,
            long readNanos) {
        this.subject = subject;
        this.settings = settings;
        this.records = records;
        this.results = results;
        this.progress = progress;
        this.warmUpNanos = warmUpNanos;
        this.readNanos = readNanos;
    }

    /** The same on another number of records, each experiment as many operations as it says, and no time to warm up. */
    Operations untimed(int others, Results into) {
        return new Operations(subject, settings, others, into, progress, 0, 0);
    }

    /**
     * One experiment.
     *
     * @param name of its figure
     * @param count of operations
     * @param latencies whether the time of each operation is measured
     */
    record Experiment(String name, Distribution distribution, int count, int threads, boolean latencies) {
        Experiment(String name, Distribution distribution, int count, int threads) {
            this(name, distribution, count, threads, false);
        }

        Experiment withLatencies() {
            return new Experiment(name + ", latency", distribution, count, threads, true);
        }
    }

    int records() {
        return records;
    }

    Workers.Result put(KeyValueStore store, Experiment experiment) throws InterruptedException {
        return run(experiment, putter(store));
    }

    /** Puts that all must be done: else {@link LimitReachedException}. */
    void load(KeyValueStore store, Experiment experiment) throws InterruptedException {
        requireAll(experiment, put(store, experiment));
    }

    /** The same, without a figure. */
    void prepare(KeyValueStore store, Experiment experiment) throws InterruptedException {
        Workers.Result result = measure(experiment, putter(store));
        noteLimit(experiment, result);
        requireAll(experiment, result);
    }

    private void requireAll(Experiment experiment, Workers.Result result) {
        if (result.operations() < experiment.count) {
            throw new LimitReachedException("left out: what needs all of \"" + experiment.name + "\"");
        }
    }

    private Workers.OperationFactory putter(KeyValueStore store) {
        long version = nextVersion++;
        return thread -> {
            Records own = newRecords();
            return number -> store.put(own.key(number), own.value(number, version));
        };
    }

    /** Puts records of any number until it is interrupted, and returns how many. */
    long putUntilInterrupted(KeyValueStore store) {
        int[] numbers = Distribution.UNIFORM.choose(records, Math.min(records, 1 << 20), settings.seed);
        Workers.Operation put = putter(store).make(0);
        long done = 0;
        while (!Thread.interrupted()) {
            put.run(numbers[(int) (done++ % numbers.length)]);
        }
        return done;
    }

    /** Something else that writes a key. */
    Workers.Result write(Experiment experiment, PairOperation operation) throws InterruptedException {
        long version = nextVersion++;
        return run(experiment, thread -> {
            Records own = newRecords();
            return number -> operation.run(own.key(number), own.value(number, version));
        });
    }

    /** What is done with a key and a value, which are only the caller's own until this returns. */
    interface PairOperation {
        void run(byte[] key, byte[] value);
    }

    /** Something else that gets the value of a key. */
    Workers.Result read(Experiment experiment, UnaryOperator<byte[]> operation) throws InterruptedException {
        return runWarm(experiment, thread -> {
            Records own = newRecords();
            return number -> own.check(number, operation.apply(own.key(number)));
        });
    }

    Workers.Result get(KeyValueStore store, Experiment experiment) throws InterruptedException {
        return runWarm(experiment, thread -> {
            Records own = newRecords();
            return number -> own.check(number, store.get(own.key(number)));
        });
    }

    Workers.Result getAbsent(KeyValueStore store, Experiment experiment) throws InterruptedException {
        return runWarm(experiment, thread -> {
            Records own = newRecords();
            return number -> {
                if (store.get(own.absentKey(number)) != null) {
                    throw new IllegalStateException("found a record that does not exist: " + number);
                }
            };
        });
    }

    /** Looks for ranges between two neighbours, a third of what lies between them, in which there is nothing. */
    Workers.Result findEmpty(KeyValueStore store, Experiment experiment) throws InterruptedException {
        return runWarm(experiment, thread -> {
            Records own = newRecords();
            return number -> {
                byte[] from = own.absentKey(number).clone();
                byte[] to = from.clone();
                to[to.length - 1] += 3;
                if (!store.isEmpty(from, to)) {
                    throw new IllegalStateException("found something between two records: " + number);
                }
            };
        });
    }

    /**
     * Scans.
     *
     * @param pairs of a scan
     * @param values whether values are read, or keys only
     */
    Workers.Result scan(KeyValueStore store, Experiment experiment, int pairs, boolean values)
            throws InterruptedException {
        return runWarm(experiment, thread -> {
            Records own = newRecords();
            Records expected = newRecords();
            int[] next = new int[1];
            KeyValueStore.PairConsumer consumer = values
                    ? (key, value) -> expected.check(next[0]++, value)
                    : (key, value) -> expected.checkKey(next[0]++, key);
            return number -> {
                next[0] = number;
                int found = store.scan(own.key(number), pairs, values, consumer);
                if (found != Math.min(pairs, records - number)) {
                    throw new IllegalStateException(found + " records from " + number + " on");
                }
            };
        });
    }

    /** Operations with buffers of the caller, by one thread; their garbage is the figure. */
    void garbage(KeyValueStore.Buffered buffered, int count) throws InterruptedException {
        Records own = newRecords();
        Records.Buffers buffers = new Records.Buffers(settings.space);
        garbage("PUT from buffers", count, number -> {
            buffers.set(own.key(number), own.value(number, 1));
            buffered.put(buffers.key, buffers.value);
        });
        garbage("GET into a buffer", count, number -> {
            buffers.setKey(own.key(number));
            if (!buffered.get(buffers.key, buffers.value)) {
                throw new IllegalStateException("record " + number + " is absent");
            }
        });
        garbage("next into buffers", count, number -> {
            buffers.clear();
            buffered.next(buffers.key, buffers.value);
        });
    }

    private void garbage(String name, int count, Workers.Operation operation) throws InterruptedException {
        Experiment experiment = new Experiment(name, Distribution.UNIFORM, count, 1);
        double least = Double.MAX_VALUE;
        for (int round = 0; round < 3; round++) { // until compiled code does it, which leaves out what it can
            least = Math.min(least, measure(experiment, thread -> operation).allocatedBytesForEach());
        }
        results.add(name + ", garbage", least < 0.5 ? 0 : least, "B"); // a thread itself asks for some hundred bytes
    }

    /** Reads all pairs and checks them. Returns how many there are. */
    int verifyAll(KeyValueStore store) {
        Records own = newRecords();
        return store.scan(
                own.key(0), Integer.MAX_VALUE, true, (key, value) -> own.check(Records.numberIn(value), value));
    }

    private Records newRecords() {
        return new Records(settings.space, records);
    }

    // ---- one experiment

    private interface Measurement {
        Workers.Result take() throws InterruptedException;
    }

    private Workers.Result run(Experiment experiment, Workers.OperationFactory factory) throws InterruptedException {
        return report(experiment, () -> {
            Workers.Result result = measure(experiment, factory);
            noteLimit(experiment, result);
            return result;
        });
    }

    private Workers.Result report(Experiment experiment, Measurement measurement) throws InterruptedException {
        try (Hiccups hiccups = experiment.latencies ? new Hiccups() : null) {
            Workers.Result result = measurement.take();
            results.add(experiment.name, result.perSecond() / 1e3, THOUSANDS);
            if (hiccups != null) {
                addLatencies(experiment.name, result.latencies());
                results.add(experiment.name + ", longest hiccup", hiccups.longestMillis(), "ms");
            }
            return result;
        }
    }

    /** After the same with other records, for some time. */
    private Workers.Result runWarm(Experiment experiment, Workers.OperationFactory factory)
            throws InterruptedException {
        if (warmUpNanos > 0) {
            int[] numbers = choose(experiment, settings.seed + WARM_UP_SEED);
            runFor(warmUpNanos, new Experiment("", experiment.distribution, 0, experiment.threads), numbers, factory);
        }
        return readNanos == 0 ? run(experiment, factory) : report(experiment, () -> measureFor(experiment, factory));
    }

    private Workers.Result measureFor(Experiment experiment, Workers.OperationFactory factory)
            throws InterruptedException {
        progress.begin(subject.label() + ", " + experiment.name, 0);
        Workers.Result result = runFor(readNanos, experiment, choose(experiment, settings.seed + nextVersion), factory);
        progress.end(result.operations(), result.nanos());
        return result;
    }

    /** Goes through the numbers again and again until the time is over. */
    private static Workers.Result runFor(
            long nanos, Experiment experiment, int[] numbers, Workers.OperationFactory factory)
            throws InterruptedException {
        long end = System.nanoTime() + nanos;
        Workers.Result all = Workers.Result.NONE;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            all = all.plus(Workers.run(experiment.threads, numbers, factory, experiment.latencies, left, done -> {}));
        }
        return all;
    }

    private int[] choose(Experiment experiment, long seed) {
        return experiment.distribution.choose(records, experiment.count, seed);
    }

    private Workers.Result measure(Experiment experiment, Workers.OperationFactory factory)
            throws InterruptedException {
        int[] numbers = choose(experiment, settings.seed + nextVersion);
        progress.begin(subject.label() + ", " + experiment.name, experiment.count);
        long start = System.nanoTime();
        Workers.Result result = Workers.run(
                experiment.threads,
                numbers,
                factory,
                experiment.latencies,
                settings.limitNanos(),
                done -> progress.show(done, System.nanoTime() - start));
        progress.end(result.operations(), result.nanos());
        return result;
    }

    private void noteLimit(Experiment experiment, Workers.Result result) {
        if (result.operations() < experiment.count) {
            results.note(String.format(
                    Locale.ROOT,
                    "\"%s\" stopped after %,d s, when %,d of %,d operations were done",
                    experiment.name,
                    result.nanos() / 1_000_000_000,
                    result.operations(),
                    experiment.count));
        }
    }

    private void addLatencies(String name, Histogram latencies) {
        results.add(name + ", average", latencies.getMean() / 1e3, "µs");
        for (double percentile : new double[] {50, 95, 99, 99.9}) {
            String label = String.format(Locale.ROOT, "%s, p%s", name, trimmed(percentile));
            results.add(label, latencies.getValueAtPercentile(percentile) / 1e3, "µs");
        }
        results.add(name + ", longest", latencies.getMaxValue() / 1e6, "ms");
    }

    private static String trimmed(double percentile) {
        return percentile == Math.rint(percentile) ? Long.toString((long) percentile) : Double.toString(percentile);
    }
}
