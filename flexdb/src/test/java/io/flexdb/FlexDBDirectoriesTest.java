package io.flexdb;

import static io.flexdb.FlexDBOutlineTest.key;
import static io.flexdb.FlexDBOutlineTest.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Effort;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Directories of intervals that a clean close has saved, and that come back one by one. */
class FlexDBDirectoriesTest {
    private static final Path FILE = StoreDriver.DIRECTORY.resolve("directories");
    private static final Path UNFINISHED = StoreDriver.DIRECTORY.resolve("directories.new");
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");
    private static final int KEYS = 4000;

    /** A store in which each interval has been walked through. */
    private static StoreDriver store(int round) {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        change(store, round, KEYS);
        walk(store.db, store);
        return store;
    }

    private static void change(StoreDriver store, int round, int count) {
        for (int i = 0; i < count; i++) {
            int number = (int) (i * 7919L % KEYS);
            store.put(key(number), value(number, round));
        }
    }

    /** Compares all pairs by one walk, and by lookups. */
    private static void walk(FlexDB db, StoreDriver store) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seekToFirst();
            for (Map.Entry<byte[], byte[]> pair : store.oracle.now().entrySet()) {
                assertArrayEquals(pair.getKey(), cursor.key());
                assertArrayEquals(pair.getValue(), cursor.value());
                assertArrayEquals(pair.getValue(), db.get(pair.getKey()));
                cursor.next();
            }
            assertFalse(cursor.isValid());
        }
    }

    /** Intervals, and directories of them in memory. */
    private static int[] directories(FlexDB db) {
        IntervalCache cache = db.access.store().cache;
        IntervalCursor interval = db.access.store().index.cursor();
        int[] counts = new int[2];
        interval.first(db.access.store().index.current());
        do {
            counts[0]++;
            counts[1] += cache.containsDirectory(interval.contentNumber()) ? 1 : 0;
        } while (interval.next());
        return counts;
    }

    @Test
    void aWalkAfterAnOpeningReadsNoIntervalAsAWhole() {
        StoreDriver store = store(1);
        store.db.close();
        long[] bytes = {0};
        store.setHook((kind, path) -> bytes[0] += kind == HookedVfs.Kind.READ && path.equals(FILE) ? 1 : 0);
        store.open();
        int[] counts = directories(store.db);
        assertTrue(counts[0] > 50, counts[0] + " intervals");
        assertEquals(0, counts[1], "an opening reads no directories");
        long before = bytes[0];
        walk(store.db, store);
        assertEquals(2L * counts[0], bytes[0] - before, "an entry and a directory each");
        walk(store.db, store);
        assertEquals(2L * counts[0], bytes[0] - before, "once");
        assertTrue(directories(store.db)[1] > counts[0] * 9 / 10);
        store.db.close();
    }

    /** Those of intervals that nobody has read stay for the next opening, those of changed ones do not. */
    @Test
    void aLifeThatReadsLittleLosesNoDirectories() {
        StoreDriver store = store(2);
        store.db.close();
        int length = store.vfs.content(FILE).length;
        for (int life = 0; life < 4; life++) {
            store.open();
            assertTrue(store.vfs.exists(FILE), "it is in use");
            for (int i = 0; i < 3; i++) {
                store.get(key(i), "life " + life);
            }
            store.db.close();
            assertFalse(store.vfs.exists(UNFINISHED));
            assertTrue(store.vfs.content(FILE).length > length * 9 / 10);
        }
        store.open();
        change(store, 9, 600);
        store.db.close();
        store.open();
        walk(store.db, store);
        store.vfs = store.vfs.kill();
        store.open();
        assertFalse(store.vfs.exists(FILE), "after a kill it fits nothing");
        walk(store.db, store);
        store.db.close();
    }

    /** A close after nothing but reads does not write all of it again. */
    @Test
    void aLifeThatChangesNothingWritesOneBlock() {
        StoreDriver store = store(9);
        store.db.close();
        byte[] before = store.vfs.content(FILE);
        int[] writes = {0};
        store.setHook((kind, path) ->
                writes[0] += kind == HookedVfs.Kind.WRITE && (path.equals(FILE) || path.equals(UNFINISHED)) ? 1 : 0);
        for (int life = 0; life < 3; life++) {
            store.open();
            if (life == 1) {
                walk(store.db, store);
                assertTrue(directories(store.db)[1] > directories(store.db)[0] * 9 / 10);
            }
            store.db.close();
            assertEquals(1 + life, writes[0]);
        }
        byte[] after = store.vfs.content(FILE);
        assertArrayEquals(
                Arrays.copyOfRange(before, 4096, before.length), Arrays.copyOfRange(after, 4096, after.length));
        store.open();
        change(store, 5, 10);
        store.db.close();
        assertTrue(writes[0] > 4, "what has changed is written");
        store.open();
        walk(store.db, store);
        store.db.close();
    }

    @Test
    void aFileOfAnEarlierCloseIsNotBelieved() {
        StoreDriver store = store(3);
        store.db.close();
        byte[] old = store.vfs.content(FILE);
        store.open();
        change(store, 4, KEYS);
        store.db.close();
        store.vfs.setContent(FILE, old);
        store.open();
        walk(store.db, store);
        store.db.close();
    }

    @Test
    void aFileThatIsNotSoundCostsTimeAndNothingElse() {
        StoreDriver store = store(5);
        store.db.close();
        byte[] sound = store.vfs.content(FILE);
        Random random = new Random(5);
        for (int round = 0; round < Effort.times(60); round++) {
            byte[] damaged = round % 4 == 0 ? Arrays.copyOf(sound, random.nextInt(sound.length)) : sound.clone();
            for (int i = 0; round % 4 > 0 && i < (round % 4 == 1 ? 1 : 500); i++) {
                int at = round % 4 == 3 ? random.nextInt(84) : 4096 + random.nextInt(sound.length - 4096);
                damaged[at] ^= (byte) (1 << random.nextInt(8));
            }
            SimulatedVfs files = store.vfs.copy();
            files.setContent(FILE, damaged);
            try (FlexDB db = StoreDriver.open(files, store.options)) {
                walk(db, store);
            }
            try (FlexDB db = StoreDriver.open(files, store.options)) {
                walk(db, store); // with what was written of damaged ones
            }
        }
    }

    /** A damaged pair below a directory that was restored is told as any other. */
    @Test
    void aFlippedBitBelowADirectoryIsFoundOrMeetsNobody() {
        StoreDriver store = store(6);
        store.db.close();
        Random random = new Random(6);
        int failed = 0;
        for (int i = 0; i < Effort.times(25); i++) {
            SimulatedVfs files = store.vfs.copy();
            byte[] data = files.content(DATA);
            int bit = random.nextInt(8 * data.length);
            data[bit >>> 3] ^= (byte) (1 << (bit & 7));
            files.setContent(DATA, data);
            try (FlexDB db = StoreDriver.open(files, store.options)) {
                walk(db, store);
            } catch (CorruptionException e) {
                failed++;
            }
        }
        assertTrue(failed > 0, "some bits were flipped in pairs");
    }

    /** All of it, or its first block alone. */
    @ParameterizedTest
    @EnumSource
    void aFileThatCanNotBeWrittenFailsNothing(Fault fault) {
        StoreDriver store = store(7);
        store.db.close();
        Map.Entry<byte[], byte[]> any = store.oracle.now().entrySet().iterator().next();
        int met = 0;
        for (HookedVfs.Kind kind : HookedVfs.Kind.values()) {
            for (boolean changes : new boolean[] {true, false}) {
                SimulatedVfs files = store.vfs.copy();
                int[] count = {0};
                boolean[] closing = {false};
                HookedVfs hooked = new HookedVfs(files, (operation, path) -> {
                    boolean ours = path.equals(FILE) || path.equals(UNFINISHED);
                    if (closing[0] && operation == kind && ours && count[0]++ == 0) {
                        files.failAt(files.operationCount() + 1, fault);
                    }
                });
                FlexDB db = FlexDB.open(hooked, StoreDriver.DIRECTORY, store.options, true);
                if (changes) {
                    db.put(any.getKey(), any.getValue());
                }
                closing[0] = true;
                db.close();
                files.clearFaults();
                met += count[0] > 0 ? 1 : 0;
                try (FlexDB again = StoreDriver.open(files, store.options)) {
                    walk(again, store);
                }
            }
        }
        assertTrue(met > 2, met + " faults met");
    }

    /** A cache that is full keeps outlines, and restores nothing that would put others out. */
    @Test
    void aSmallCacheStaysAsSmall() {
        StoreDriver store = store(8);
        store.db.close();
        FlexDBOptions little = store.options.withCacheBytes(192 << 10);
        for (int life = 0; life < 3; life++) {
            try (FlexDB db = StoreDriver.open(store.vfs, life == 2 ? store.options : little)) {
                walk(db, store);
            }
        }
    }
}
