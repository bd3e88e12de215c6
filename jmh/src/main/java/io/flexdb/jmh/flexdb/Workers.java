package io.flexdb.jmh.flexdb;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
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
    private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_NANOS = 3_600_000_000_000L;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch ended;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final LongAdder shown = new LongAdder(); // operations done, now and then
    private final LongAdder done = new LongAdder(); // at the end of each thread, as the next two
    private final LongAdder processorNanos = new LongAdder();
    private final LongAdder allocatedBytes = new LongAdder();
    private volatile boolean stopped;

    private Workers(int threads) {
        this.ended = new CountDownLatch(threads);
    }

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
     * @param operations done, fewer than wanted if there was no time for more
     * @param latencies in nanoseconds; null if they were not measured
     * @param processorNanos time of the threads on processors
     * @param allocatedBytes heap that the threads have asked for
     */
    record Result(long operations, long nanos, Histogram latencies, long processorNanos, long allocatedBytes) {
        static final Result NONE = new Result(0, 0, null, 0, 0);

        /** Both, one after the other. */
        Result plus(Result other) {
            if (latencies != null && other.latencies != null) {
                other.latencies.add(latencies);
            }
            return new Result(
                    operations + other.operations,
                    nanos + other.nanos,
                    other.latencies,
                    processorNanos + other.processorNanos,
                    allocatedBytes + other.allocatedBytes);
        }

        double perSecond() {
            return operations * 1e9 / Math.max(1, nanos);
        }

        double processorMicrosForEach() {
            return processorNanos / 1e3 / Math.max(1, operations);
        }

        double allocatedBytesForEach() {
            return (double) allocatedBytes / Math.max(1, operations);
        }
    }

    /**
     * Goes through all numbers, each thread through a part of its own.
     *
     * @param limitNanos after which the threads stop
     * @param progress is told now and then how many are done
     */
    static Result run(
            int threads,
            int[] numbers,
            OperationFactory factory,
            boolean measured,
            long limitNanos,
            LongConsumer progress)
            throws InterruptedException {
        Workers workers = new Workers(threads);
        List<Histogram> histograms = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int from = (int) ((long) numbers.length * i / threads);
            int to = (int) ((long) numbers.length * (i + 1) / threads);
            Histogram histogram = measured ? new Histogram(LONGEST_NANOS, 3) : null;
            histograms.add(histogram);
            workers.start(numbers, from, to, factory.make(i), histogram);
        }
        long nanos = workers.await(limitNanos, progress);
        Histogram all = measured ? new Histogram(LONGEST_NANOS, 3) : null;
        if (all != null) {
            histograms.forEach(all::add);
        }
        return new Result(workers.done.sum(), nanos, all, workers.processorNanos.sum(), workers.allocatedBytes.sum());
    }

    private void start(int[] numbers, int from, int to, Operation operation, Histogram histogram) {
        Thread thread = new Thread(() -> {
            try {
                go.await();
                long processor = THREADS.getCurrentThreadCpuTime();
                long allocated =
                        THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
                done.add(work(numbers, from, to, operation, histogram));
                allocatedBytes.add(
                        THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - allocated);
                processorNanos.add(THREADS.getCurrentThreadCpuTime() - processor);
            } catch (Throwable e) { // thrown by who waits for this thread
                failure.compareAndSet(null, e);
                stopped = true;
            } finally {
                ended.countDown();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private long await(long limitNanos, LongConsumer progress) throws InterruptedException {
        long start = System.nanoTime();
        go.countDown();
        while (!ended.await(Math.min(PROGRESS_NANOS, limitNanos - (System.nanoTime() - start)), TimeUnit.NANOSECONDS)) {
            progress.accept(shown.sum());
            if (System.nanoTime() - start >= limitNanos) {
                stopped = true;
                ended.await();
            }
        }
        long nanos = System.nanoTime() - start;
        if (failure.get() != null) {
            throw new IllegalStateException("a thread ended by " + failure.get(), failure.get());
        }
        return nanos;
    }

    /** Returns how many were done. */
    private int work(int[] numbers, int from, int to, Operation operation, Histogram histogram) {
        int i = from;
        for (; i < to && !stopped; i++) {
            if (histogram == null) {
                operation.run(numbers[i]);
            } else {
                long start = System.nanoTime();
                operation.run(numbers[i]);
                histogram.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - start));
            }
            if ((i & COUNTED_AT_ONCE - 1) == 0) {
                shown.add(COUNTED_AT_ONCE);
            }
        }
        return i - from;
    }
}
