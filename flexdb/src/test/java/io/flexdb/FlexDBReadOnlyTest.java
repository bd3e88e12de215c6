package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreHealth.State;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreReadOnlyException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A commit meets what it can't read: the store takes no more writes, and everything else goes on. */
class FlexDBReadOnlyTest {
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space/data");
    private static final int KEYS = 1200;
    private static final int FRAME = 512;
    private static final int STEP = Effort.step(11); // of the frames damaged
    private static final int MAX_UNREADABLE = 400; // what an interval has that was sampled after a crash
    private static final int MAX_WRITES = 20_000;
    private static final String STILL_USABLE = "still usable: ";

    private final List<StoreHealth> told = new CopyOnWriteArrayList<>();
    private final TreeMap<byte[], byte[]> model = StoreOracle.newMap();
    private SimulatedVfs vfs = new SimulatedVfs();
    private int writes;

    private FlexDB open(boolean inline, FlexDBOptions options) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, options.withHealthListener(told::add), inline);
    }

    private FlexDB open(boolean inline) {
        return open(inline, StoreDriver.SMALL);
    }

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "key%05d", i).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] value(int i) {
        return String.format(Locale.ROOT, "value %08d %0100d", i, i).getBytes(StandardCharsets.US_ASCII);
    }

    /** A write of a store without a commit thread may meet the damage itself. */
    private void put(FlexDB db, byte[] key) {
        byte[] value = value(1_000_000 + writes++);
        try {
            db.put(key, value);
            model.put(key, value);
        } catch (CorruptionException | StoreIoException e) {
            assertEquals(new StoreHealth(State.READ_ONLY, e), db.health());
        }
    }

    /** A store that was closed, all of it in the space. */
    private void fill() {
        try (FlexDB db = open(true)) {
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i), value(i));
                model.put(key(i), value(i));
            }
        }
        told.clear();
    }

    private int positionOf(byte[] wanted) {
        byte[] data = vfs.content(DATA);
        String text = new String(data, StandardCharsets.ISO_8859_1);
        int at = text.lastIndexOf(new String(wanted, StandardCharsets.ISO_8859_1)); // not one that was moved since
        assertTrue(at > 0);
        return at;
    }

    private void damage(int at) {
        byte[] data = vfs.content(DATA);
        data[at] ^= 1;
        vfs.setContent(DATA, data);
    }

    /** Writes until a commit has met the damage, and returns what is thrown then. */
    private StoreReadOnlyException writeUntilReadOnly(FlexDB db) {
        for (int i = 0; i < MAX_WRITES; i++) {
            try {
                put(db, key(KEYS + i % 100)); // behind what is damaged
            } catch (StoreReadOnlyException e) {
                return e;
            }
        }
        throw new AssertionError(STILL_USABLE + db.health());
    }

    /** Looks up everything that was acknowledged; returns the keys that can't be read. */
    private List<byte[]> assertFound(FlexDB db, String at) {
        List<byte[]> unreadable = new ArrayList<>();
        for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
            try {
                assertArrayEquals(entry.getValue(), db.get(entry.getKey()), at);
            } catch (CorruptionException e) {
                unreadable.add(entry.getKey());
            }
        }
        if (unreadable.isEmpty()) {
            assertNull(db.get(key(99_999)), at);
        }
        return unreadable;
    }

    /** A cursor gives everything before the damage from the front, and everything behind it from the end. */
    private void assertCursorsWork(FlexDB db, List<byte[]> unreadable, String at) {
        int found = 0;
        try (FlexCursor cursor = db.cursor()) {
            try {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next(), found++) {
                    assertArrayEquals(model.get(cursor.key()), cursor.value(), at);
                }
            } catch (CorruptionException e) {
                assertTrue(!unreadable.isEmpty(), at);
            }
            try {
                for (cursor.seekToLast(); cursor.isValid(); cursor.prev(), found++) {
                    assertArrayEquals(model.get(cursor.key()), cursor.value(), at);
                }
            } catch (CorruptionException e) {
                assertTrue(!unreadable.isEmpty(), at);
            }
        }
        assertTrue(found >= model.size() - unreadable.size() - 64, at + ": " + found + " of " + model.size());
    }

    private static void assertRefused(FlexDB db, Throwable cause) {
        List<Runnable> changes = List.of(
                () -> db.put(key(1), key(1)),
                () -> db.delete(key(1)),
                () -> db.write(new WriteBatch()),
                () -> db.write(new WriteBatch().put(key(1), key(1))),
                () -> db.deleteRange(key(1), key(2)));
        for (Runnable change : changes) {
            assertSame(
                    cause,
                    assertThrows(StoreReadOnlyException.class, change::run).getCause());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDamagedIntervalThatACommitNeedsMakesTheStoreReadOnlyAndNothingIsLost(boolean inline) {
        fill();
        damage(positionOf(value(600)));
        for (int life = 0; life < 4; life++) {
            String at = "life " + life;
            told.clear();
            FlexDB db = open(inline);
            if (life == 0) {
                put(db, key(600)); // later a commit may have met it by now
            }
            Throwable cause = writeUntilReadOnly(db).getCause();
            assertInstanceOf(CorruptionException.class, cause);
            assertEquals(new StoreHealth(State.READ_ONLY, cause), db.health());
            assertEquals(db.health(), db.stats().health());
            assertRefused(db, cause);
            List<byte[]> unreadable = assertFound(db, at);
            assertTrue(unreadable.size() <= MAX_UNREADABLE, at + ": " + unreadable.size() + " keys can't be read");
            assertCursorsWork(db, unreadable, at);
            try (Snapshot snapshot = db.snapshot()) {
                assertArrayEquals(model.get(key(1)), snapshot.get(key(1)));
            }
            db.sync();
            assertEquals(db.stats().lastSequence(), db.durableSequence());
            SimulatedVfs beforeClose = vfs.copy();
            db.close();
            if (life == 2) {
                vfs = beforeClose.crash(life); // everything was synced
            } else {
                assertEquals(new StoreHealth(State.CLOSED, cause), db.health());
                assertThrows(StoreClosedException.class, () -> db.get(key(1)));
                assertEquals(
                        List.of(new StoreHealth(State.READ_ONLY, cause), new StoreHealth(State.CLOSED, cause)), told);
            }
        }
    }

    /** Wherever the damage is, opening after it was met works, and what does not lie there is found. */
    @Test
    void damageAnywhereLeavesAStoreThatCanBeOpened() {
        fill();
        SimulatedVfs filled = vfs;
        TreeMap<byte[], byte[]> before = new TreeMap<>(model);
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        int readOnly = 0;
        for (int round = 0; round < 40; round++) {
            vfs = filled.copy();
            model.clear();
            model.putAll(before);
            int which = random.nextInt(KEYS - 40); // the last frame tells whether the file is the right one
            String at = "seed " + seed + ", round " + round + ", key " + which;
            damage(positionOf(value(which)));
            for (int life = 0; life < 3; life++) {
                FlexDB db = open(true);
                boolean met = false;
                try {
                    for (int i = 0; i < 10 && db.health().isUsable(); i++) {
                        put(db, key(which + random.nextInt(5)));
                    }
                    writeUntilReadOnly(db);
                    met = true;
                } catch (StoreReadOnlyException e) {
                    met = true;
                } catch (StorageException e) {
                    throw new AssertionError(at, e);
                } catch (AssertionError e) {
                    assertTrue(e.getMessage().startsWith(STILL_USABLE), e::getMessage); // an old copy was damaged
                }
                readOnly += met ? 1 : 0;
                List<byte[]> unreadable = assertFound(db, at);
                assertTrue(unreadable.size() <= MAX_UNREADABLE, at + ": " + unreadable.size() + " keys can't be read");
                db.close();
            }
        }
        assertTrue(readOnly > 20, readOnly + " times read-only");
    }

    /** After a kill the index is sampled: a sample that can't be read must not keep the rest from being served. */
    @Test
    void aKilledStoreOpensWhereverTheDamageIs() {
        FlexDB killed = open(true);
        for (int i = 0; i < 3000; i++) {
            put(killed, key(i * 37 % KEYS));
        }
        killed.sync();
        SimulatedVfs files = vfs.kill();
        byte[] data = files.content(DATA);
        int unreadable = 0;
        for (int frame = 8; frame < data.length / FRAME; frame += STEP) {
            vfs = files.copy();
            damage(frame * FRAME + 200);
            FlexDB db = open(true);
            unreadable += assertFound(db, "frame " + frame).size();
            db.sync();
        }
        assertTrue(unreadable > 100, unreadable + " reads failed");
    }

    @Test
    void aCloseThatMeetsTheDamageTellsItAndKeepsEverything() {
        fill();
        damage(positionOf(value(600)));
        FlexDB db = open(true);
        put(db, key(600));
        put(db, key(1));
        CorruptionException thrown = assertThrows(CorruptionException.class, db::close);
        assertEquals(new StoreHealth(State.CLOSED, thrown), db.health());
        vfs = vfs.crash(1);
        FlexDB again = open(true);
        assertTrue(assertFound(again, "opened again").size() <= MAX_UNREADABLE);
        assertArrayEquals(model.get(key(600)), again.get(key(600)));
        assertThrows(CorruptionException.class, again::close);
    }

    /** The error may be gone the next time; until then what a commit needs is not known. */
    @Test
    void aFailedReadOfACommitMakesTheStoreReadOnlyUntilItIsOpenedAgain() {
        fill();
        FlexDBOptions options = StoreDriver.SMALL.withCacheBytes(0);
        FlexDB db = open(true, options);
        put(db, key(600));
        vfs.failReadAt(vfs.readCount() + 1, true);
        Throwable cause = writeUntilReadOnly(db).getCause();
        assertInstanceOf(StoreIoException.class, cause);
        vfs.clearFaults();
        assertRefused(db, cause);
        assertEquals(List.of(), assertFound(db, "the error is gone"));
        db.close();
        FlexDB again = open(true, options);
        assertEquals(State.USABLE, again.health().state());
        assertEquals(List.of(), assertFound(again, "opened again"));
        put(again, key(600));
        again.close();
        assertNull(again.health().cause());
    }

    @Test
    void aStoreWithLargeMemtablesThatAreFullOpensWithSmallOnes() {
        fill();
        damage(positionOf(value(600)));
        FlexDB db = open(true, StoreDriver.SMALL.withMemtableBytes(1 << 20));
        put(db, key(600));
        writeUntilReadOnly(db);
        db.close();
        FlexDB again = open(false);
        assertTrue(assertFound(again, "with small memtables").size() <= MAX_UNREADABLE);
        Throwable cause = writeUntilReadOnly(again).getCause();
        assertNotNull(cause);
        again.close();
        FlexDB last = open(true);
        assertTrue(assertFound(last, "at last").size() <= MAX_UNREADABLE);
        assertThrows(CorruptionException.class, last::close);
    }
}
