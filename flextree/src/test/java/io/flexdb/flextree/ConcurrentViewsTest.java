package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/**
 * Readers take views while the writer goes on. Each version says its number by the address of its first byte, and the
 * writer notes what it should contain before it is published.
 */
class ConcurrentViewsTest {
    private static final int VERSIONS = Effort.times(4000);
    private static final int READERS = 3;
    private static final FlexTreeOptions OPTIONS =
            FlexTreeOptions.defaults().withLeafCapacity(6).withInternalCapacity(5);

    private final FlexTree tree = new FlexTree(OPTIONS);
    private final AtomicLongArray contents = new AtomicLongArray(VERSIONS + 1);
    private final AtomicInteger viewsRead = new AtomicInteger();

    private static long contentOf(FlexTreeView view, ExtentCursor cursor) {
        cursor.reset(view);
        long hash = view.size() * 31 + view.extentCount();
        long expectedStart = 0;
        for (boolean more = cursor.seek(0); more; more = cursor.next()) {
            assertEquals(expectedStart, cursor.logicalOffset());
            hash = hash * 0x9e3779b97f4a7c15L + cursor.address() * 31 + cursor.length();
            expectedStart += cursor.length();
        }
        assertEquals(view.size(), expectedStart);
        return hash;
    }

    private void read(boolean holdsViews) {
        ExtentCursor cursor = new ExtentCursor();
        List<FlexTreeView> held = new ArrayList<>();
        long last = 0;
        while (last < VERSIONS) {
            FlexTreeView view = tree.view();
            long version = view.lookup(0);
            assertTrue(version >= last, "versions go forwards");
            last = version;
            assertEquals(contents.get((int) version), contentOf(view, cursor));
            viewsRead.incrementAndGet();
            if (holdsViews) {
                held.add(view);
                if (held.size() > 5) {
                    FlexTreeView old = held.remove(0);
                    assertEquals(contents.get((int) old.lookup(0)), contentOf(old, cursor));
                    old.close();
                }
            } else {
                view.close();
            }
        }
        held.forEach(FlexTreeView::close);
    }

    private void change(SplittableRandom random) {
        long at = 1 + random.nextLong(tree.size());
        int kind = random.nextInt(3);
        if (kind == 0 || tree.size() < 2000) {
            tree.insertRange(at, 1 + random.nextInt(30), random.nextLong(1L << 40));
        } else if (at < tree.size()) {
            long length = 1 + random.nextLong(Math.min(30, tree.size() - at));
            if (kind == 1) {
                tree.collapseRange(at, length);
            } else {
                tree.remap(at, length, random.nextLong(1L << 40), 0, null);
            }
        }
    }

    @Test
    void aViewNeverShowsAnythingButItsVersion() throws Exception {
        ExtentCursor cursor = new ExtentCursor();
        tree.append(1, 0);
        contents.set(0, contentOf(tree.current(), cursor));
        tree.publish();
        ExecutorService readers = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                boolean holdsViews = i > 0;
                results.add(readers.submit(() -> read(holdsViews)));
            }
            SplittableRandom random = new SplittableRandom(VERSIONS);
            for (int version = 1; version <= VERSIONS; version++) {
                for (int i = 0; i < 10; i++) {
                    change(random);
                }
                tree.remap(0, 1, version, 1, null);
                contents.set(version, contentOf(tree.current(), cursor));
                tree.publish();
            }
            for (Future<?> result : results) {
                result.get(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES);
            }
        } finally {
            readers.shutdownNow();
        }
        for (int i = 0; i < 4; i++) {
            tree.publish();
        }
        assertTrue(viewsRead.get() >= READERS);
        assertEquals(0, tree.retiredNodeCount());
        tree.checkInvariants();
    }
}
