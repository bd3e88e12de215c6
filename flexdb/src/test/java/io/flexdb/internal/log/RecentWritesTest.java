package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What is kept of sorted runs for transactions. */
class RecentWritesTest {
    private final RecentWrites recent = new RecentWrites(0);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private boolean isInRun(long first, int key) {
        return recent.anyRunSince(
                first,
                (from, to) -> Arrays.compareUnsigned(from, key(key)) <= 0 && Arrays.compareUnsigned(key(key), to) < 0);
    }

    @Test
    void noneIsMissedHoweverManyThereAreAndTheyAreBounded() {
        long begun = recent.begin(() -> 7);
        int count = 10 * RecentWrites.MOST_RUNS + 3;
        for (int i = 0; i < count; i++) {
            recent.addRun(key(4 * i), key(4 * i + 2));
            recent.publishedRun();
            assertTrue(recent.runCount() <= RecentWrites.MOST_RUNS);
        }
        for (int i = 0; i < count; i++) {
            assertTrue(isInRun(0, 4 * i + 1), "run " + i);
            assertTrue(isInRun(i, 4 * i + 1), "run " + i + ", after those before it");
        }
        assertFalse(isInRun(count - 1, 4 * (count - 2) + 1), "the last but one was seen");
        assertFalse(isInRun(count, 4 * (count - 1) + 1));
        assertFalse(isInRun(0, 4 * count));
        recent.end(begun);
        assertEquals(0, recent.runCount());
    }
}
