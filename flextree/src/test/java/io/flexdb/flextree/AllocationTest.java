package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Operations on extents make no garbage. */
class AllocationTest {
    private static final int ROUNDS = 20_000;

    // A FlexTreeView on the JDKs that there are: its header, three ints, three longs, two references and a flag
    private static final int VIEW_BYTES = 64;

    private static void assertNoGarbage(Runnable operation) {
        assertGarbage(operation, 0);
    }

    /** The operation makes these bytes of garbage at most. */
    private static void assertGarbage(Runnable operation, int bytes) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        // Measuring itself, or a table that doubled, allocates far less than a byte each.
        long most = (long) bytes * ROUNDS + ROUNDS / 4;
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 300 && least >= most; attempt++) {
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < ROUNDS; i++) {
                operation.run();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        assertTrue(least < most, least + " bytes for " + ROUNDS + " operations");
    }

    @Test
    void operationsMakeNoGarbage() {
        FlexTree tree = new FlexTree();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 50_000; i++) {
            tree.insertRange(random.nextLong(tree.size() + 1), 100, random.nextLong(1L << 40));
        }
        ExtentCursor cursor = tree.current().cursor();
        long[] sum = new long[1];
        ExtentConsumer consumer = (logicalOffset, length, address, flags) -> sum[0] += address;
        assertNoGarbage(() -> sum[0] += tree.lookup(random.nextLong(tree.size())));
        assertNoGarbage(() -> tree.query(random.nextLong(tree.size() - 1000), 1000, consumer));
        assertNoGarbage(() -> {
            cursor.seek(random.nextLong(tree.size()));
            sum[0] += cursor.next() ? cursor.address() : 0;
        });
        assertNoGarbage(() -> {
            long at = random.nextLong(tree.size() - 100);
            tree.collapseRange(at, 100, consumer);
            tree.insertRange(at, 100, random.nextLong(1L << 40));
        });
        assertNoGarbage(() -> tree.remap(random.nextLong(tree.size() - 9), 9, random.nextLong(1L << 40), 0, null));
    }

    @Test
    void growingAndShrinkingMakesNoGarbage() {
        FlexTree tree = new FlexTree();
        SplittableRandom random = new SplittableRandom(2);
        assertNoGarbage(() -> {
            tree.append(100, random.nextLong(1L << 40));
            tree.append(100, random.nextLong(1L << 40), 7);
            tree.insertHole(random.nextLong(tree.size()), 10);
            if (tree.size() > 1_000_000) {
                tree.collapseRange(random.nextLong(1000), 900_000);
            }
        });
    }

    @Test
    void aCursorMakesNoGarbage() {
        FlexTree tree = new FlexTree();
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 50_000; i++) {
            tree.append(100, random.nextLong(1L << 40));
        }
        FlexTreeView first = tree.publish();
        FlexTreeView second = tree.publish();
        ExtentCursor cursor = new ExtentCursor();
        long[] sum = new long[1];
        assertNoGarbage(() -> {
            cursor.reset(random.nextBoolean() ? first : second);
            cursor.seek(random.nextLong(tree.size()));
            while (cursor.isPositioned() && random.nextInt(20) > 0) {
                boolean there = random.nextInt(3) > 0 ? cursor.next() : cursor.previous();
                sum[0] += there && !cursor.isHole() ? cursor.logicalOffset() + cursor.length() + cursor.flags() : 0;
            }
        });
        assertNoGarbage(() -> sum[0] += first.lookup(random.nextLong(first.size())));
    }

    @Test
    void aVersionIsOneObjectAndSoIsAView() {
        FlexTree tree = new FlexTree();
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 50_000; i++) {
            tree.append(100, random.nextLong(1L << 40));
        }
        assertGarbage(tree::publish, VIEW_BYTES);
        assertGarbage(() -> tree.view().close(), VIEW_BYTES);
        assertGarbage(
                () -> {
                    tree.remap(random.nextLong(tree.size() - 9), 9, random.nextLong(1L << 40), 0, null);
                    long at = random.nextLong(tree.size() - 200);
                    tree.collapseRange(at, 100);
                    tree.insertRange(at, 100, random.nextLong(1L << 40));
                    tree.publish();
                    tree.view().close();
                },
                2 * VIEW_BYTES);
    }
}
