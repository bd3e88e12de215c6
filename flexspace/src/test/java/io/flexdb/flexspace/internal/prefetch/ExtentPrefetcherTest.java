package io.flexdb.flexspace.internal.prefetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Prefetches of a space of four extents, of which the second continues the first in the data file. */
class ExtentPrefetcherTest {
    private final FlexTree tree = new FlexTree();
    private final ExtentCursor cursor = new ExtentCursor();
    private final List<String> told = new ArrayList<>();
    private final ExtentPrefetcher prefetcher =
            new ExtentPrefetcher((address, length) -> told.add(address + "+" + length));

    ExtentPrefetcherTest() {
        tree.append(1000, 5000);
        tree.append(1000, 6000);
        tree.append(FlexTree.MAX_EXTENT_BYTES / 2, 1 << 30);
        tree.append(1000, 9000);
        cursor.reset(tree.current());
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private void assertTold(String... ranges) {
        assertEquals(List.of(ranges), told);
        told.clear();
    }

    @Test
    void aRangeIsTheBytesThatWereAskedForAndNotAllOfTheLastExtent() {
        assertEquals(1500, prefetcher.prefetchRange(cursor, 200, 1500));
        assertTold("5200+1300");
        assertEquals(2300, prefetcher.prefetchRange(cursor, 1900, 2300));
        assertTold("6900+100", (1 << 30) + "+300");
        assertEquals(100, prefetcher.prefetchRange(cursor, 100, 100));
        assertTold();
    }

    @Test
    void aRangeMayReachBeyondTheEnd() {
        long size = tree.size();
        assertEquals(size, prefetcher.prefetchRange(cursor, size - 400, size + 5000));
        assertTold("9600+400");
        assertEquals(size, prefetcher.prefetchRange(cursor, size, size + 1));
        assertTold();
    }
}
