package io.flexdb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.WorkloadException;

/** One load or one workload: YCSB's operations, done by several client threads as fast as they can. */
public final class Phase {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SAMPLE_NANOS = SECOND_NANOS / 2;

    private final String name;
    private final boolean load;
    private final Properties properties;
    private final long operations;
    private final int threads;
    private final Supplier<DB> bindings;
    private final MeasuredWorkload workload = new MeasuredWorkload();
    private final List<MeasuredDb> clients = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch ended;
    private final CountDownLatch go = new CountDownLatch(1);

    /**
     * Prepares a phase.
     *
     * @param load whether to insert records, instead of doing the operations of the workload
     * @param properties those of YCSB and of the binding
     * @param bindings makes the binding of a thread, without properties and before its {@code init}
     */
    public Phase(
            String name, boolean load, Properties properties, long operations, int threads, Supplier<DB> bindings) {
        this.name = name;
        this.load = load;
        this.properties = properties;
        this.operations = operations;
        this.threads = (int) Math.min(threads, operations);
        this.bindings = bindings;
        this.ended = new CountDownLatch(this.threads);
    }

    /**
     * What a phase did.
     *
     * @param name of the phase
     * @param measurements of all threads
     * @param elapsedNanos from the first operation to the last
     * @param inserts attempts
     * @param successfulInserts new records
     * @param disturbances meanwhile
     * @param ratesBySecond operations a second in each whole second, one after the other
     */
    public record Result(
            String name,
            Measurements measurements,
            long elapsedNanos,
            long inserts,
            long successfulInserts,
            Disturbances disturbances,
            List<Double> ratesBySecond) {}

    /**
     * Runs all operations of the phase.
     *
     * @throws IllegalStateException if a client thread ended by an exception
     */
    public Result run(Progress progress) throws WorkloadException, DBException, InterruptedException {
        return run(progress, Long.MAX_VALUE);
    }

    /**
     * Runs the phase until its operations are done or the time is over.
     *
     * @param limitNanos how long clients begin operations
     * @throws IllegalStateException if a client thread ended by an exception
     */
    public Result run(Progress progress, long limitNanos) throws WorkloadException, DBException, InterruptedException {
        workload.init(properties);
        try {
            for (int i = 0; i < threads; i++) {
                start(i);
            }
            Disturbances before = Disturbances.soFar();
            long start = System.nanoTime();
            go.countDown();
            progress.begin(name, operations);
            Rates rates = new Rates();
            for (long next = SAMPLE_NANOS; !ended.await(start + next - System.nanoTime(), TimeUnit.NANOSECONDS); ) {
                long now = System.nanoTime() - start;
                long done = operationsDone();
                rates.sample(done, now);
                progress.show(done, now);
                if (now >= limitNanos) {
                    workload.requestStop();
                }
                next += SAMPLE_NANOS;
            }
            long elapsed = System.nanoTime() - start;
            progress.end(operationsDone(), elapsed);
            if (failure.get() != null) {
                throw new IllegalStateException("A client thread ended by " + failure.get(), failure.get());
            }
            return result(elapsed, Disturbances.soFar().since(before), rates.bySecond);
        } finally {
            workload.requestStop();
            go.countDown();
            for (MeasuredDb client : clients) {
                client.cleanup();
            }
            workload.cleanup();
        }
    }

    private void start(int threadIndex) throws DBException {
        DB binding = bindings.get();
        binding.setProperties(properties);
        binding.init();
        MeasuredDb client = new MeasuredDb(binding);
        clients.add(client);
        long share = operations / threads + (threadIndex < operations % threads ? 1 : 0);
        Thread thread = new Thread(() -> work(client, threadIndex, share), "ycsb-" + threadIndex);
        thread.setDaemon(true);
        thread.start();
    }

    private void work(MeasuredDb client, int threadIndex, long share) {
        try {
            Object state = workload.initThread(properties, threadIndex, threads);
            go.await();
            boolean goingOn = true;
            for (long i = 0; i < share && goingOn && !workload.isStopRequested(); i++) {
                goingOn = load ? workload.doInsert(client, state) : workload.doTransaction(client, state);
                client.measurements().countOperation();
            }
        } catch (Throwable e) { // reported by the thread that waits for this one
            failure.compareAndSet(null, e);
        } finally {
            ended.countDown();
        }
    }

    private long operationsDone() {
        long done = 0;
        for (MeasuredDb client : clients) {
            done += client.measurements().operations();
        }
        return done;
    }

    /** Operations in each whole second. */
    private static final class Rates {
        private final List<Double> bySecond = new ArrayList<>();
        private long done;
        private long nanos;

        void sample(long doneNow, long nanosNow) {
            if (nanosNow - nanos >= SECOND_NANOS - SAMPLE_NANOS / 2) {
                bySecond.add((doneNow - done) * 1e9 / (nanosNow - nanos));
                done = doneNow;
                nanos = nanosNow;
            }
        }
    }

    private Result result(long elapsedNanos, Disturbances disturbances, List<Double> ratesBySecond) {
        Measurements sum = new Measurements();
        long inserts = 0;
        long successfulInserts = 0;
        for (MeasuredDb client : clients) {
            sum.add(client.measurements());
            inserts += client.inserts();
            successfulInserts += client.successfulInserts();
        }
        return new Result(name, sum, elapsedNanos, inserts, successfulInserts, disturbances, ratesBySecond);
    }
}
