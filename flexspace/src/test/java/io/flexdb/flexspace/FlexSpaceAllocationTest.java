package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small changes make no garbage. What they share makes some: a segment of 4 MiB has 4 KiB of checksums, a commit of
 * 40,000 log entries makes a few objects, and lists of retired nodes grow. Together that is less than a byte a change.
 * Sweeps are left out: they make a view of the tree for each piece that they move.
 */
class FlexSpaceAllocationTest {
    private static final int RECORD = 100;
    private static final int RECORDS = 100_000;
    private static final int WARM_UP = 4 * RECORDS;
    private static final int WINDOW = 1000;
    private static final int WINDOWS = 500;

    @TempDir
    Path directory;

    private final SplittableRandom random = new SplittableRandom(1);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(RECORD);
    private FlexSpace space;
    private long records;

    @BeforeEach
    void fill() {
        FlexSpaceOptions options = FlexSpaceOptions.defaults()
                .withLogBufferBytes(1 << 20)
                .withMinimumUtilization(0)
                .withCheckpointLogBytes(
                        64 << 20); // a checkpoint makes some garbage, and a test may or may not meet one
        space = FlexSpace.open(directory.resolve("space"), options);
        while (records < RECORDS) {
            insert();
        }
    }

    @AfterEach
    void close() {
        space.close();
    }

    private void insert() {
        space.insertRange(random.nextLong(records + 1) * RECORD, buffer.clear());
        records++;
    }

    private void overwrite() {
        space.write(random.nextLong(records) * RECORD, buffer.clear());
    }

    private void collapseAndInsert() {
        space.collapseRange(random.nextLong(records) * RECORD, RECORD);
        records--;
        insert();
    }

    private static void assertNoGarbage(Runnable change) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        for (int i = 0; i < WARM_UP; i++) {
            change.run(); // until what is kept for reuse has been made, and what comes seldom, as a full log, has come
        }
        long least = Long.MAX_VALUE;
        long first = threads.getThreadAllocatedBytes(thread);
        for (int window = 0; window < WINDOWS; window++) {
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < WINDOW; i++) {
                change.run();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        long all = threads.getThreadAllocatedBytes(thread) - first;
        System.out.println(all + " bytes for " + WINDOWS * WINDOW + " changes, at least " + least + " for " + WINDOW);
        assertTrue(least < WINDOW / 4, least + " bytes for " + WINDOW + " changes");
        assertTrue(all < WINDOWS * WINDOW, all + " bytes for " + WINDOWS * WINDOW + " changes");
    }

    @Test
    void insertionsMakeNoGarbage() {
        assertNoGarbage(this::insert);
    }

    @Test
    void overwritesMakeNoGarbage() {
        assertNoGarbage(this::overwrite);
    }

    @Test
    void removalsMakeNoGarbage() {
        assertNoGarbage(this::collapseAndInsert);
    }
}
