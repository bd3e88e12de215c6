package io.flexdb.jmh.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {
    private static final long EXTENTS = 10_000;

    @Test
    void everyIndexIsGivenTheSameOperations() {
        for (String filled : List.of("appended", "inserted")) {
            List<Long> expected = trace("flextree", filled);
            assertEquals(expected, trace("bplustree", filled));
            assertEquals(expected, trace("array", filled));
        }
    }

    private static List<Long> trace(String index, String filled) {
        Workload workload = Workload.filled(index, EXTENTS, filled);
        List<Long> trace = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            workload.insert();
            trace.add(workload.lookup());
            workload.collapse();
            workload.append();
            workload.range((logicalOffset, length, address, flags) -> trace.add(logicalOffset ^ length ^ address));
        }
        trace.add(workload.index.size());
        trace.add(workload.index.extentCount());
        return trace;
    }

    @Test
    void aBuildByInsertionsAddsTwoExtentsAnOperation() {
        Workload workload = Workload.empty("flextree");
        long operations = workload.insertUntil(EXTENTS);
        assertEquals(operations * Workload.EXTENT_BYTES, workload.index.size());
        assertTrue(operations >= EXTENTS / 2 && operations < EXTENTS / 2 + EXTENTS / 100, () -> "took " + operations);
    }

    @Test
    void anInsertionBetweenExtentsAddsOne() {
        for (String index : Experiment.INDEXES) {
            Workload workload = Workload.insertedBetween(index, EXTENTS);
            long size = workload.index.size();
            assertEquals(EXTENTS * Workload.EXTENT_BYTES, size);
            for (int i = 1; i <= 100; i++) {
                workload.insert();
                assertEquals(EXTENTS + i, workload.index.extentCount());
                assertEquals(size + i * Workload.EXTENT_BYTES, workload.index.size());
            }
        }
    }

    @Test
    void aRangeOfAppendedExtentsHasFifty() {
        Workload workload = Workload.appended("flextree", EXTENTS);
        int[] count = new int[1];
        for (int i = 0; i < 1000; i++) {
            workload.range((logicalOffset, length, address, flags) -> count[0]++);
        }
        assertEquals(1000 * Workload.RANGE_EXTENTS, count[0]);
    }

    @Test
    void driftIsSeenAndTheSizeCanBeRestored() {
        Workload workload = Workload.inserted("flextree", EXTENTS);
        long size = workload.index.size();
        workload.collapse();
        assertFalse(workload.hasDrifted());
        workload.restoreSize();
        assertEquals(size, workload.index.size());
        workload.insertUntil(EXTENTS * 12 / 10);
        assertTrue(workload.hasDrifted());
    }
}
