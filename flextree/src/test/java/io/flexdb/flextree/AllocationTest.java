package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Operations on extents make no garbage. */
class AllocationTest {
    private static final int ROUNDS = 20_000;

    private static void assertNoGarbage(Runnable operation) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10; attempt++) {
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < ROUNDS; i++) {
                operation.run();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        // What measuring itself allocates, or a table that doubled, is far less than a byte each.
        assertTrue(least < ROUNDS / 4, least + " bytes for " + ROUNDS + " operations");
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
}
