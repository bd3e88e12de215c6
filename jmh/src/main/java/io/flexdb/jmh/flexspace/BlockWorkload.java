package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.RandomNumbers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The paper's write and read phases: so many blocks of one length, in one order or another. */
final class BlockWorkload {
    /*
     * A block begins with its number. Every read phase reads each block once, so that the sum of the numbers shows
     * whether all came back, whatever order insertions have left them in.
     */

    /** The order in which blocks are written. */
    enum Pattern {
        RANDOM_INSERT("random insert"),
        RANDOM_WRITE("random write"),
        SEQUENTIAL_WRITE("sequential write");

        final String label;

        Pattern(String label) {
            this.label = label;
        }
    }

    /**
     * What a write phase has done.
     *
     * @param blocks written; fewer than wanted if there was no time for more
     * @param nanos from the first operation to the end of the barrier
     * @param firstTenthNanos for a tenth of the blocks, the first ones, without the barrier
     * @param lastTenthNanos the same for the last ones; 0, like the first, if there were too few to tell
     */
    record Written(int blocks, long nanos, long firstTenthNanos, long lastTenthNanos) {}

    private static final int STAMPED_TOGETHER = 16; // operations between two looks at the clock

    private final int blockBytes;
    private final int blocks;
    private final int[] writeOrder;
    private final int[] readOrder; // another one, or a log would be read from its beginning to its end

    BlockWorkload(int blockBytes, int blocks) {
        this.blockBytes = blockBytes;
        this.blocks = blocks;
        RandomNumbers random = new RandomNumbers();
        this.writeOrder = random.shuffled(blocks);
        this.readOrder = random.shuffled(blocks);
    }

    /** A block of random bytes: some disks and file systems make short work of zeros. */
    static ByteBuffer newBlock(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return ByteBuffer.allocateDirect(bytes).put(content).clear();
    }

    /**
     * Fills an empty space.
     *
     * @param limitNanos the write phase ends after this time, with a barrier, however many blocks there are by then
     */
    Written write(AddressSpace space, Pattern pattern, long limitNanos) throws IOException {
        RandomNumbers random = new RandomNumbers();
        ByteBuffer block = newBlock(blockBytes);
        long[] stamps = new long[blocks / STAMPED_TOGETHER + 1];
        int stampCount = 0;
        int done = 0;
        long start = System.nanoTime();
        while (done < blocks) {
            if (done % STAMPED_TOGETHER == 0) {
                long now = System.nanoTime() - start;
                if (done > 0 && now > limitNanos) {
                    break;
                }
                stamps[stampCount++] = now;
            }
            block.clear();
            switch (pattern) {
                case RANDOM_INSERT -> space.insert(random.below(done + 1) * blockBytes, block.putLong(0, done));
                case RANDOM_WRITE -> {
                    int number = writeOrder[done];
                    space.write((long) number * blockBytes, block.putLong(0, number));
                }
                case SEQUENTIAL_WRITE -> space.write((long) done * blockBytes, block.putLong(0, done));
                default -> throw new AssertionError(pattern);
            }
            done++;
        }
        space.barrier();
        long nanos = System.nanoTime() - start;
        int tenth = (stampCount - 1) / 10;
        return new Written(
                done, nanos, stamps[tenth] - stamps[0], stamps[stampCount - 1] - stamps[stampCount - 1 - tenth]);
    }

    /** Blocks in a tenth, as {@link Written} has its times for. */
    static int tenthOf(int blocks) {
        return (blocks - 1) / STAMPED_TOGETHER / 10 * STAMPED_TOGETHER;
    }

    /**
     * Reads every block once, and checks that it was.
     *
     * @param threads each reads a share of its own
     * @return the nanoseconds it took
     */
    long read(AddressSpace space, boolean sequential, int threads) throws IOException, InterruptedException {
        ThreadPoolExecutor executor = (ThreadPoolExecutor) Executors.newFixedThreadPool(threads);
        try {
            executor.prestartAllCoreThreads();
            List<Callable<Long>> shares = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int from = (int) ((long) blocks * i / threads);
                int to = (int) ((long) blocks * (i + 1) / threads);
                ByteBuffer block = ByteBuffer.allocateDirect(blockBytes);
                shares.add(() -> readShare(space, sequential, from, to, block));
            }
            long start = System.nanoTime();
            long sum = 0;
            for (Future<Long> share : executor.invokeAll(shares)) {
                sum += share.get();
            }
            long nanos = System.nanoTime() - start;
            if (sum != blocks * (blocks - 1L) / 2) {
                throw new IOException("the blocks read are not those written");
            }
            return nanos;
        } catch (ExecutionException e) {
            throw new IOException("a reading thread failed", e.getCause());
        } finally {
            executor.shutdown();
            executor.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    private long readShare(AddressSpace space, boolean sequential, int from, int to, ByteBuffer block)
            throws IOException {
        long sum = 0;
        for (int i = from; i < to; i++) {
            int number = sequential ? i : readOrder[i];
            space.read((long) number * blockBytes, block.clear());
            sum += block.getLong(0);
        }
        return sum;
    }
}
