package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.Scheduler;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Builds the sparse index of a space whose anchors are not known: one key every so many bytes (section 5.4). */
public final class IndexSampler {
    /*
     * The space is sampled in ranges, by several threads, because each key costs a wait for the disk if the page cache
     * does not have it. The samples of the ranges are put together in order, as they come; only so many ranges are
     * under way at a time, which bounds the memory.
     *
     * Later the Refiner, or a commit that changes it, divides each interval between two anchors.
     */
    private static final long RANGE_BYTES = 4L << 20;
    private static final int THREADS = 16; // that wait for the disk
    private static final int RANGES_UNDER_WAY = 2 * THREADS;

    private final SpaceEngine engine;
    private final Path dataFile;
    private final Intervals into;

    // The interval that ends where the next anchor is.
    private byte[] anchor = {};
    private long start;

    private IndexSampler(SpaceEngine engine, Intervals into, Path dataFile) {
        this.engine = engine;
        this.into = into;
        this.dataFile = dataFile;
    }

    /** Fills an empty index. */
    public static void sample(SpaceEngine engine, Intervals into, Path dataFile, Scheduler scheduler) {
        new IndexSampler(engine, into, dataFile).run(scheduler);
    }

    private void run(Scheduler scheduler) {
        long size = engine.size();
        long ranges = (size + RANGE_BYTES - 1) / RANGE_BYTES;
        int helpers = ranges <= 2 ? 0 : scheduler.helpers(THREADS);
        if (helpers == 0) {
            RangeSampler sampler = new RangeSampler(engine, dataFile);
            for (long range = 0; range < ranges; range++) {
                append(sampler.sample(range * RANGE_BYTES, (range + 1) * RANGE_BYTES));
            }
        } else {
            runWithThreads(ranges, helpers);
        }
        if (size > 0) {
            end(size);
        }
    }

    private void runWithThreads(long ranges, int helpers) {
        ExecutorService threads = Executors.newFixedThreadPool(helpers, work -> {
            Thread thread = new Thread(work, "flexdb-sample " + dataFile.getParent());
            thread.setDaemon(true);
            return thread;
        });
        ArrayDeque<Future<RangeSampler>> underWay = new ArrayDeque<>();
        ArrayDeque<RangeSampler> idle = new ArrayDeque<>();
        boolean[] interrupted = {false};
        try {
            long next = 0;
            while (next < ranges || !underWay.isEmpty()) {
                while (next < ranges && underWay.size() < RANGES_UNDER_WAY) {
                    RangeSampler sampler = idle.isEmpty() ? new RangeSampler(engine, dataFile) : idle.remove();
                    long from = next++ * RANGE_BYTES;
                    underWay.add(threads.submit(() -> sampler.sample(from, from + RANGE_BYTES)));
                }
                RangeSampler sampled = get(underWay.remove(), interrupted);
                append(sampled);
                idle.add(sampled);
            }
        } finally {
            underWay.forEach(future -> future.cancel(false));
            end(threads, interrupted); // none may read when the files are closed
            if (interrupted[0]) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RangeSampler get(Future<RangeSampler> future, boolean[] interrupted) {
        while (true) {
            try {
                return future.get();
            } catch (InterruptedException e) {
                interrupted[0] = true;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) e.getCause(); // sampling throws nothing else
            }
        }
    }

    private static void end(ExecutorService threads, boolean[] interrupted) {
        threads.shutdown(); // interrupts nobody
        boolean ended = false;
        while (!ended) {
            try {
                ended = threads.awaitTermination(1, TimeUnit.HOURS);
            } catch (InterruptedException e) {
                interrupted[0] = true;
            }
        }
    }

    /** Appends the intervals that end at the anchors of a range. */
    private void append(RangeSampler sampled) {
        for (int i = 0; i < sampled.count(); i++) {
            long offset = sampled.logicalOffset(i);
            byte[] keys = sampled.keys();
            int from = sampled.keyStart(i);
            int to = sampled.keyStart(i + 1);
            if (offset == 0) {
                continue; // the first interval begins below every key
            }
            if (Arrays.compareUnsigned(keys, from, to, anchor, 0, anchor.length) <= 0) {
                throw new CorruptionException(
                        dataFile, offset, "a key above that at logical offset " + start, "one that is not");
            }
            end(offset);
            anchor = Arrays.copyOfRange(keys, from, to);
        }
    }

    private void end(long offset) {
        into.append(anchor, 0, anchor.length, offset - start, Interval.UNKNOWN_PAIRS);
        start = offset;
    }
}
