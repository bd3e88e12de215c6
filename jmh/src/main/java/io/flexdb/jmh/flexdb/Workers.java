package io.flexdb.jmh.flexdb;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/** Runs one operation many times in several threads and tells how long that took. */
final class Workers {
    private static final int COUNTED_AT_ONCE = 1024;
    private static final long PROGRESS_MILLIS = 500;
    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private Workers() {}

    /** What a thread does with a record. */
    interface Operation {
        void run(int number);
    }

    /** Makes the operation of one thread. */
    interface OperationFactory {
        Operation make(int thread);
    }

    /**
     * How it went.
     *
     * @param latencies in nanoseconds; null if they were not measured
     */
    record Result(long operations, long nanos, Histogram latencies) {
        double perSecond() {
            return operations * 1e9 / Math.max(1, nanos);
        }
    }

    /**
     * Goes through all numbers, each thread through a part of its own.
     *
     * @param progress is told now and then how many are done
     */
    static Result run(int threads, int[] numbers, OperationFactory factory, boolean measured, LongConsumer progress)
            throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(threads);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        LongAdder done = new LongAdder();
        List<Histogram> histograms = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int from = (int) ((long) numbers.length * i / threads);
            int to = (int) ((long) numbers.length * (i + 1) / threads);
            Operation operation = factory.make(i);
            Histogram histogram = measured ? new Histogram(LONGEST_NANOS, 3) : null;
            histograms.add(histogram);
            Thread thread = new Thread(() -> {
                try {
                    go.await();
                    work(numbers, from, to, operation, histogram, done, failure);
                } catch (Throwable e) { // thrown by who waits for this thread
                    failure.compareAndSet(null, e);
                } finally {
                    ended.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        long start = System.nanoTime();
        go.countDown();
        while (!ended.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
            progress.accept(done.sum());
        }
        long nanos = System.nanoTime() - start;
        if (failure.get() != null) {
            throw new IllegalStateException("a thread ended by " + failure.get(), failure.get());
        }
        Histogram all = measured ? new Histogram(LONGEST_NANOS, 3) : null;
        if (all != null) {
            histograms.forEach(all::add);
        }
        return new Result(numbers.length, nanos, all);
    }

    private static void work(
            int[] numbers,
            int from,
            int to,
            Operation operation,
            Histogram histogram,
            LongAdder done,
            AtomicReference<Throwable> failure) {
        for (int i = from; i < to; i++) {
            if (histogram == null) {
                operation.run(numbers[i]);
            } else {
                long start = System.nanoTime();
                operation.run(numbers[i]);
                histogram.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - start));
            }
            if ((i & COUNTED_AT_ONCE - 1) == 0) {
                done.add(COUNTED_AT_ONCE);
                if (failure.get() != null) {
                    return;
                }
            }
        }
    }
}
