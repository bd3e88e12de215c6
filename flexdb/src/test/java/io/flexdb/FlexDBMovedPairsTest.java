package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What reads leave to the garbage collector where the pairs are not that are read: something has moved them. */
class FlexDBMovedPairsTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int PAIRS = 6000;
    private static final int ROUNDS = 300; // at most, until compiled code does it, which leaves out what it can
    private static final int WARM_UP = 4; // in the first of them nothing is moved

    private final ByteBuffer key = ByteBuffer.allocate(8);
    private final ByteBuffer value = ByteBuffer.allocateDirect(100);

    @TempDir
    private Path directory;

    /** As collection leaves it, what the cache says of where pairs are is wrong, for each pair and each read. */
    @ParameterizedTest
    @EnumSource
    void findingPairsThatAreNotWhereTheyWereMakesNoGarbage(Place place) {
        try (FlexDB db = scattered()) {
            readAll(db);
            readAll(db);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > 0; round++) {
                assertTrue(misplace(db, place) > PAIRS / 2, "most pairs have a place");
                least = Math.min(least, readAll(db));
            }
            assertEquals(0, least, "next");
            least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > 0; round++) {
                assertTrue(misplace(db, place) > PAIRS / 2, "most pairs have a place");
                least = Math.min(least, getAll(db));
            }
            assertEquals(0, least, "get");
        }
    }

    @Test
    void collectionThatMovesWhatIsReadMakesNoGarbageForReaders() {
        int together = 100;
        Random random = new Random(1);
        try (FlexDB db = scattered()) {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > 0; round++) {
                readAll(db); // so that all intervals have directories
                long before = db.stats().written().collectedBytes();
                // Some intervals change; of the others, pairs that lie in the same segments have to be moved.
                for (int i = 0; i < PAIRS || db.stats().written().collectedBytes() == before; i++) {
                    int number = random.nextInt(PAIRS / together) * together + i % together;
                    db.put(key.clear().putLong(0, number), value.clear());
                }
                long garbage = round % 2 == 0 ? readAll(db) : getAll(db);
                least = round < WARM_UP ? least : Math.min(least, garbage);
                db.defragment();
            }
            assertEquals(0, least);
        }
    }

    /** Where a directory of the cache says that a pair is. */
    private enum Place {
        ANOTHER_PAIR,
        BEYOND_THE_FILE,
        UNKNOWN
    }

    /** A store that has pairs of many intervals in each of its segments. */
    private FlexDB scattered() {
        FlexDBOptions options = StoreDriver.SMALL.withCacheBytes(4 << 20).withDurability(Durability.NONE);
        FlexDB db = FlexDB.open(new RealVfs(), directory.resolve("store"), options, true);
        for (int i = 0; i < PAIRS; i++) {
            db.put(key.clear().putLong(0, i * 7919L % PAIRS), value.clear());
        }
        db.sync();
        return db;
    }

    /** Returns how many pairs the cache has a wrong place of. */
    private static int misplace(FlexDB db, Place place) {
        IntervalCache cache = db.access.store().cache;
        IntervalCursor interval = db.access.store().index.cursor();
        int misplaced = 0;
        interval.first(db.access.store().index.current());
        do {
            long location = cache.findDirectory(interval.contentNumber(), 0);
            ByteBuffer cached = location < 0 ? null : cache.buffer(location);
            if (cached != null) {
                misplaced += misplace(cached, cache.base(location), place);
            }
        } while (interval.next());
        return misplaced;
    }

    private static int misplace(ByteBuffer cached, int base, Place place) {
        int pairs = Directory.pairCount(cached, base);
        long first = Directory.address(cached, base, 0);
        for (int pair = 0; pair < pairs; pair++) {
            long other = pair + 1 < pairs ? Directory.address(cached, base, pair + 1) : first;
            long wrong = switch (place) {
                case ANOTHER_PAIR -> other;
                case BEYOND_THE_FILE -> 1L << 40;
                case UNKNOWN -> Directory.UNKNOWN;
            };
            Directory.setAddress(cached, base, pair, wrong);
        }
        return pairs > 1 ? pairs : 0;
    }

    /** Walks over all pairs; returns the garbage of that, but for the cursor. */
    private long readAll(FlexDB db) {
        try (FlexCursor cursor = db.cursor()) {
            long before = allocated();
            cursor.seekToFirst();
            int pairs = 0;
            for (; cursor.isValid(); cursor.next()) {
                cursor.key(key.clear());
                cursor.value(value.clear());
                pairs++;
            }
            long garbage = allocated() - before;
            assertEquals(PAIRS, pairs);
            return garbage;
        }
    }

    /** Gets all pairs; returns the garbage of that. */
    private long getAll(FlexDB db) {
        long before = allocated();
        for (int i = 0; i < PAIRS; i++) {
            db.get(key.clear().putLong(0, i), value.clear());
        }
        return allocated() - before;
    }

    private static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
