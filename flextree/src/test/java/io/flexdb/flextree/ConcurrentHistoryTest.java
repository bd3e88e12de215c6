package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * One writer makes a long random history; readers keep versions of it for random times. Every byte says by its address
 * which stretch it is of, the flags of an extent are a function of that, and the writer notes what is in each version
 * before it publishes it.
 */
class ConcurrentHistoryTest {
    private static final long SEED =
            Long.getLong("flexdb.test.seed", ThreadLocalRandom.current().nextLong());
    private static final int READERS = 3;
    private static final int MAX_OPERATIONS_A_VERSION = 1000;
    private static final int MAX_HELD = 8;
    private static final int STRETCH_BITS = 12; // of an address: the rest is the number of the stretch
    private static final int MAX_LENGTH = 200;

    /** What a version must be. No stretch in it has a number above the last. */
    private record Facts(long size, long extentCount, long checksum, long lastStretch) {}

    private final Map<Long, Facts> history = new ConcurrentHashMap<>();
    private final AtomicLong newestSeen = new AtomicLong();
    private volatile boolean done;

    private static int flagsOf(long stretch) {
        return (int) (stretch * 0x9e3779b97f4a7c15L >>> 48);
    }

    private static long mix(long checksum, long length, long address, int flags) {
        return (checksum * 31 + length) * 0x9e3779b97f4a7c15L + address * 31 + flags;
    }

    /** The one thread that changes the tree. */
    private final class Writer {
        private final SplittableRandom random = new SplittableRandom(SEED);
        private final ExtentCursor cursor = new ExtentCursor();
        private final FlexTree tree;
        private final int targetExtents;
        private long lastStretch;
        private long nextAddress = 1 << STRETCH_BITS; // in the last stretch, so that extents are merged

        Writer(FlexTree tree, int targetExtents) {
            this.tree = tree;
            this.targetExtents = targetExtents;
        }

        void publish(int operations) {
            for (int i = 0; i < operations || tree.size() == 0; i++) {
                change();
            }
            FlexTreeView current = tree.current();
            long checksum = 0;
            cursor.reset(current);
            for (boolean more = cursor.seek(0); more; more = cursor.next()) {
                checksum = mix(checksum, cursor.length(), cursor.address(), cursor.flags());
            }
            history.put(current.version(), new Facts(current.size(), current.extentCount(), checksum, lastStretch));
            tree.publish();
        }

        private void change() {
            int kind = random.nextInt(8);
            boolean grow = random.nextInt(2 * targetExtents) >= tree.extentCount();
            int length = 1 + random.nextInt(MAX_LENGTH);
            if (tree.size() == 0 || kind < 3 && grow) {
                insert(random.nextLong(tree.size() + 1), length);
            } else if (kind == 3 && grow) {
                insert(tree.size(), length); // an append
            } else if (kind < 6) {
                long at = random.nextLong(tree.size());
                tree.collapseRange(at, Math.min(length, tree.size() - at));
            } else if (random.nextInt(20_000) == 0) {
                tree.collapseRange(0, tree.size());
            } else {
                long at = random.nextLong(tree.size());
                int least = (int) Math.min(length, tree.size() - at);
                long address = address(least);
                tree.remap(at, least, address, flags(address), null);
            }
        }

        private void insert(long at, int length) {
            long address = address(length);
            tree.insertRange(at, length, address, flags(address));
        }

        private int flags(long address) {
            return address == FlexTree.HOLE ? 0 : flagsOf(address >>> STRETCH_BITS);
        }

        private long address(int length) {
            int kind = random.nextInt(8);
            if (kind == 0) {
                return FlexTree.HOLE;
            }
            if (kind < 5 || nextAddress + length > lastStretch + 1 << STRETCH_BITS) {
                lastStretch++;
                nextAddress = lastStretch << STRETCH_BITS;
            }
            long address = nextAddress;
            nextAddress += length;
            return address;
        }
    }

    /** One of the threads that keep versions. */
    private final class Reader {
        private final SplittableRandom random;
        private final ExtentCursor cursor = new ExtentCursor();
        private final List<FlexTreeView> held = new ArrayList<>();
        private final FlexTree tree;
        private long viewsRead;

        Reader(FlexTree tree, int number) {
            this.tree = tree;
            this.random = new SplittableRandom(SEED + number);
        }

        long run() {
            do { // at least once, even if there was no processor for this thread until the writer was done
                take();
                for (int reads = random.nextInt(6); reads > 0; reads--) {
                    readSome(held.get(random.nextInt(held.size())));
                }
                if (held.size() > random.nextInt(MAX_HELD + 1)) {
                    close(random.nextInt(held.size()));
                }
            } while (!done);
            while (!held.isEmpty()) {
                close(0);
            }
            return viewsRead;
        }

        private void take() {
            long atLeast = newestSeen.get();
            FlexTreeView view = tree.view();
            held.add(view);
            assertTrue(view.version() >= atLeast, () -> "after version " + atLeast + " came " + view);
            newestSeen.accumulateAndGet(view.version(), Math::max);
            readAll(view);
        }

        private void close(int i) {
            FlexTreeView view = held.remove(i);
            readAll(view);
            view.close();
        }

        private Facts factsOf(FlexTreeView view) {
            Facts facts = history.get(view.version());
            assertNotNull(facts, view::toString);
            assertEquals(facts.size, view.size(), view::toString);
            assertEquals(facts.extentCount, view.extentCount(), view::toString);
            return facts;
        }

        /** Walks over a view, forwards or backwards or by a query. */
        private void readAll(FlexTreeView view) {
            viewsRead++;
            Facts facts = factsOf(view);
            int kind = random.nextInt(4);
            if (kind == 0) {
                walkBackwards(view, facts);
                return;
            }
            Walk walk = new Walk(view, facts);
            if (kind == 1) {
                view.query(0, view.size(), walk);
            } else {
                cursor.reset(view);
                for (boolean more = cursor.seek(0); more; more = cursor.next()) {
                    walk.accept(cursor.logicalOffset(), cursor.length(), cursor.address(), cursor.flags());
                }
            }
            assertEquals(facts.size, walk.at, view::toString);
            assertEquals(facts.extentCount, walk.extents, view::toString);
            assertEquals(facts.checksum, walk.checksum, view::toString);
        }

        private void walkBackwards(FlexTreeView view, Facts facts) {
            cursor.reset(view);
            long end = view.size();
            long extents = 0;
            for (boolean more = cursor.seek(end - 1); more; more = cursor.previous()) {
                assertEquals(end, cursor.logicalOffset() + cursor.length(), view::toString);
                checkExtent(view, facts, cursor.length(), cursor.address(), cursor.flags());
                end = cursor.logicalOffset();
                extents++;
            }
            assertEquals(0, end, view::toString);
            assertEquals(facts.extentCount, extents, view::toString);
        }

        /** Lookups of a few bytes must agree with the cursor. */
        private void readSome(FlexTreeView view) {
            Facts facts = factsOf(view);
            cursor.reset(view);
            for (int i = 0; i < 20; i++) {
                long at = random.nextLong(view.size());
                assertTrue(cursor.seek(at));
                checkExtent(view, facts, cursor.length(), cursor.address(), cursor.flags());
                long into = at - cursor.logicalOffset();
                assertTrue(into >= 0 && into < cursor.length(), view::toString);
                long expected = cursor.isHole() ? FlexTree.HOLE : cursor.address() + into;
                assertEquals(expected, view.lookup(at), view::toString);
            }
            assertFalse(cursor.seek(view.size()));
        }
    }

    private static void checkExtent(FlexTreeView view, Facts facts, long length, long address, int flags) {
        assertTrue(length > 0, view::toString);
        if (address == FlexTree.HOLE) {
            assertEquals(0, flags, view::toString);
            return;
        }
        long stretch = address >>> STRETCH_BITS;
        assertTrue(stretch >= 1 && stretch <= facts.lastStretch, () -> "stretch " + stretch + " in " + view);
        assertEquals(stretch, address + length - 1 >>> STRETCH_BITS, view::toString);
        assertEquals(flagsOf(stretch), flags, view::toString);
    }

    /** Takes the extents of a whole view in order. */
    private static final class Walk implements ExtentConsumer {
        private final FlexTreeView view;
        private final Facts facts;
        private long at;
        private long extents;
        private long checksum;

        Walk(FlexTreeView view, Facts facts) {
            this.view = view;
            this.facts = facts;
        }

        @Override
        public void accept(long logicalOffset, long length, long address, int flags) {
            assertEquals(at, logicalOffset, view::toString);
            checkExtent(view, facts, length, address, flags);
            checksum = mix(checksum, length, address, flags);
            at += length;
            extents++;
        }
    }

    private void run(FlexTreeOptions options, int targetExtents, int operations) throws Exception {
        FlexTree tree = new FlexTree(options);
        Writer writer = new Writer(tree, targetExtents);
        writer.publish(2 * targetExtents);
        ExecutorService threads = Executors.newFixedThreadPool(READERS);
        List<Future<Long>> readers = new ArrayList<>();
        try {
            for (int i = 1; i <= READERS; i++) {
                Reader reader = new Reader(tree, i);
                readers.add(threads.submit(reader::run));
            }
            for (long left = Effort.times(operations); left > 0; ) {
                // As many short versions as long ones, by the order of magnitude.
                int some = 1 + writer.random.nextInt(1 + writer.random.nextInt(MAX_OPERATIONS_A_VERSION));
                writer.publish(some);
                left -= some;
            }
            done = true;
            for (Future<Long> reader : readers) {
                assertTrue(reader.get(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES) > 0);
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError("repeat with -Dflexdb.test.seed=" + SEED + ": " + e, e);
        } finally {
            done = true;
            threads.shutdownNow();
        }
        for (int i = 0; i < 4; i++) {
            tree.publish();
        }
        assertEquals(0, tree.retiredNodeCount());
        assertEquals(tree.nodeCount(), OwnedTrees.writer(tree).pool().liveCount());
        tree.checkInvariants();
    }

    @Test
    void versionsOfADeepTreeStayWhatTheyWere() throws Exception {
        run(FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4), 300, 100_000);
    }

    @Test
    void versionsOfAWideTreeStayWhatTheyWere() throws Exception {
        run(FlexTreeOptions.defaults(), 3000, 150_000);
    }
}
