package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.DiskReads;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.storage.CorruptionException;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read in many pieces is written in one again, and nobody sees anything but that. */
class FlexDBDefragmentTest {
    static final int PAIRS = 4000;
    static final Path DATA = StoreDriver.DIRECTORY.resolve("space").resolve("data");

    static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%07d", number).getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] value(int number, int round) {
        byte[] value = new byte[40 + number % 40];
        Arrays.fill(value, (byte) (number + round));
        return value;
    }

    /** A store of pairs that came at random and were changed at random, so that many lie alone. */
    static StoreDriver scattered(FlexDBOptions options) {
        StoreDriver store = new StoreDriver(options);
        Random random = new Random(7);
        for (int i = 0; i < PAIRS; i++) {
            int number = (int) (i * 7919L % PAIRS);
            store.put(key(number), value(number, 0));
        }
        for (int i = 0; i < PAIRS; i++) {
            int number = random.nextInt(PAIRS);
            store.put(key(number), value(number, 1 + random.nextInt(2)));
        }
        store.reopen("scattered");
        return store;
    }

    private static long extents(FlexDB db) {
        return db.stats().space().extents();
    }

    @Test
    void intervalsBecomeWholeAndStayWhatTheyWere() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        FlexDBStats before = store.db.stats();
        store.takeOrCheckSnapshot("before");
        FlexCursor old = store.db.cursor();
        old.seekToFirst();
        store.db.defragment();
        assertTrue(extents(store.db) * 2 < before.space().extents(), store.db.stats() + " after " + before);
        assertEquals(before.space().bytes(), store.db.stats().space().bytes());
        store.assertSame("whole");
        store.assertSameBackward("whole");
        for (int i = 0; i < PAIRS; i += 3) {
            store.get(key(i), "whole");
        }
        store.takeOrCheckSnapshot("a snapshot from before");
        StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(old), "a cursor from before");
        old.close();
        long written = store.db.stats().written().dataBytes();
        store.db.defragment();
        assertEquals(written, store.db.stats().written().dataBytes(), "what is whole is left alone");
        store.kill("killed");
        store.reopen("closed");
        store.db.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatReadersMeetInManyPiecesIsWrittenInOneWithoutBeingAskedFor(boolean scans) {
        becomeWhole(scans ? StoreDriver.SMALL : StoreDriver.SMALL.withCacheBytes(0), scans);
    }

    /** Reads that take long have scans ask the file, and not its mapping. */
    @Test
    void whatSlowScansMeetInManyPiecesIsWrittenInOneToo() {
        StoreSettings settings = StoreDriver.SMALL.settings().copy();
        AtomicLong nanos = new AtomicLong();
        settings.nanoClock = () -> nanos.addAndGet(10_000_000);
        settings.diskReads = () -> DiskReads.UNKNOWN; // so the clock alone tells
        becomeWhole(FlexDBOptions.of(settings), true);
    }

    private static void becomeWhole(FlexDBOptions options, boolean scans) {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        try (FlexDB db = FlexDB.open(store.vfs, StoreDriver.DIRECTORY, options, false)) {
            long before = extents(db);
            while (db.stats().written().defragmentedBytes() == 0 || extents(db) > before / 2) {
                read(db, scans);
            }
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), "whole");
        }
        store.open();
        store.assertSame("again");
        store.db.close();
    }

    private static void read(FlexDB db, boolean scans) {
        if (scans) {
            StoreDriver.all(db);
        } else {
            for (int i = 0; i < PAIRS; i++) {
                db.get(key(i));
            }
        }
    }

    @Test
    void writersMayChangeAllOfItMeanwhile() throws InterruptedException {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        int[] rounds = new int[PAIRS];
        AtomicInteger walks = new AtomicInteger();
        try (FlexDB db = FlexDB.open(store.vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            Thread writer = new Thread(() -> {
                Random random = new Random(11);
                try {
                    // At first as fast as it goes; then, until enough was written anew between two commits, once a
                    // walk,
                    // or commits would leave no time for that where processors are short.
                    for (int i = 0; i < 5 * PAIRS || db.stats().written().defragmentedBytes() < 100_000; i++) {
                        if (i >= 5 * PAIRS) {
                            int before = walks.get();
                            Waiting.whileTrue(() -> walks.get() == before);
                        }
                        int number = random.nextInt(PAIRS);
                        db.put(key(number), value(number, ++rounds[number]));
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            writer.start();
            while (writer.isAlive()) {
                assertEquals(PAIRS, StoreDriver.all(db).size());
                walks.incrementAndGet();
            }
            writer.join();
            assertEquals(null, failure.get());
            for (int i = 0; i < PAIRS; i++) {
                byte[] expected = rounds[i] == 0 ? store.oracle.now().get(key(i)) : value(i, rounds[i]);
                assertArrayEquals(expected, db.get(key(i)), "key " + i);
            }
        }
    }

    @Test
    void nothingIsWrittenWithoutAThreadOrWhereItIsTurnedOff() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        assertEquals(0, store.db.stats().written().defragmentedBytes());
        store.db.close();
        FlexDBOptions off = StoreDriver.SMALL.withDefragmentedBytesPerSecond(0);
        try (FlexDB db = FlexDB.open(store.vfs, StoreDriver.DIRECTORY, off, false)) {
            long before = extents(db);
            for (int i = 0; i < 20; i++) {
                StoreDriver.all(db);
            }
            db.put(key(1), value(1, 9)); // which wakes whom it may concern
            for (int i = 0; i < 20; i++) {
                StoreDriver.all(db);
            }
            assertEquals(0, db.stats().written().defragmentedBytes());
            assertEquals(before, extents(db));
        }
        assertThrows(IllegalArgumentException.class, () -> off.withDefragmentedBytesPerSecond(-1));
    }

    /** A clock that a test moves, which tells how often the thread that commits has asked for the time. */
    private static final class HandClock implements LongSupplier {
        private static final long SECOND = 1_000_000_000;
        private final AtomicLong nanos = new AtomicLong();
        private final AtomicLong looks = new AtomicLong();

        @Override
        public long getAsLong() {
            if (Thread.currentThread().getName().startsWith("flexdb-commit")) {
                looks.incrementAndGet();
            }
            return nanos.get();
        }

        FlexDB open(StoreDriver store) {
            StoreSettings settings = StoreDriver.SMALL.settings().copy();
            settings.nanoClock = this;
            return FlexDB.open(store.vfs, StoreDriver.DIRECTORY, FlexDBOptions.of(settings), false);
        }

        void moveOn(int seconds) {
            long before = looks.get();
            nanos.addAndGet(seconds * SECOND);
            Waiting.whileTrue(() -> looks.get() < before + 3);
        }
    }

    @Test
    void whatNobodyReadsBecomesWholeWhileTheStoreRests() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        HandClock clock = new HandClock();
        try (FlexDB db = clock.open(store)) {
            long before = extents(db);
            Waiting.whileTrue(() -> {
                clock.moveOn(1);
                return extents(db) > before / 2;
            });
            long last = 0;
            for (int same = 0; same < 5; same++) { // slices in which there was nothing to do: it has come to the end
                clock.moveOn(1);
                long now = db.stats().written().defragmentedBytes();
                same = now == last ? same : -1;
                last = now;
            }
            long whole = extents(db);
            db.put(key(1), value(1, 5));
            db.delete(key(3));
            db.flush();
            assertTrue(extents(db) > whole, "there are new ones");
            long written = db.stats().written().defragmentedBytes();
            clock.moveOn(1);
            clock.moveOn(20);
            clock.moveOn(1);
            assertEquals(written, db.stats().written().defragmentedBytes(), "a few changes are not worth a walk");
            db.put(key(1), store.oracle.now().get(key(1)));
            db.put(key(3), store.oracle.now().get(key(3)));
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), "whole");
        }
        try (FlexDB db = clock.open(store)) {
            StoreOracle.assertSame(store.oracle.now(), StoreDriver.all(db), "again");
        }
    }

    /** A walk would have them keep all that it replaces, and they would be ended for the memory that this takes. */
    @Test
    void aStoreIsNotWalkedThroughWhileItsVersionsAreHeld() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        HandClock clock = new HandClock();
        try (FlexDB db = clock.open(store)) {
            try (Snapshot held = db.snapshot()) {
                clock.moveOn(1);
                clock.moveOn(20);
                clock.moveOn(1);
                assertEquals(0, db.stats().written().defragmentedBytes(), () -> "beside " + held);
            }
            Waiting.whileTrue(() -> {
                clock.moveOn(1);
                return db.stats().written().defragmentedBytes() == 0;
            });
        }
    }

    @Test
    void aStoreMayBeClosedInTheMiddleOfAWalk() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        HandClock clock = new HandClock();
        FlexDB db = clock.open(store);
        clock.moveOn(2);
        Waiting.whileTrue(() -> {
            clock.moveOn(11);
            return db.stats().written().defragmentedBytes() == 0;
        });
        db.close();
        store.open();
        store.assertSame("closed in the middle");
        assertTrue(store.db.check().isSound());
        store.db.close();
    }

    @Test
    void aStoreInUseIsNotWalkedThrough() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        store.db.close();
        HandClock clock = new HandClock();
        try (FlexDB db = clock.open(store)) {
            for (int i = 0; i < 6; i++) {
                db.put(key(1), value(1, i));
                clock.moveOn(6);
            }
            assertEquals(0, db.stats().written().defragmentedBytes());
        }
    }

    @Test
    void whereRoomIsShortAllStaysAsItIsAndWritesGoOn() {
        FlexDBOptions capped =
                StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withMaxDataBytes(40L * 64 * 512));
        StoreDriver store = scattered(capped);
        for (int i = PAIRS; store.db.stats().space().bytes() < 28L * 64 * 512; i++) {
            store.put(key(i), value(i, 0));
        }
        for (int i = 0; i < 5; i++) {
            store.db.defragment();
            store.assertSame("round " + i);
            for (int j = 0; j < 500; j++) {
                store.put(key(j * 7), value(j * 7, i));
            }
        }
        store.reopen("at the end");
        store.db.close();
    }

    @Test
    void anIntervalThatCannotBeReadStaysAndTheOthersBecomeWhole() {
        StoreDriver store = scattered(StoreDriver.SMALL);
        long before = extents(store.db);
        store.db.close();
        byte[] value = store.oracle.now().get(key(2000));
        byte[] file = store.vfs.content(DATA);
        assertTrue(damage(file, key(2000), value) > 0, "copies of the pair");
        store.vfs.setContent(DATA, file);
        store.db = StoreDriver.open(store.vfs, store.options);
        store.db.defragment();
        assertTrue(extents(store.db) * 2 < before, store.db.stats().toString());
        assertThrows(CorruptionException.class, () -> store.db.get(key(2000)));
        assertArrayEquals(store.oracle.now().get(key(1)), store.db.get(key(1)));
        store.put(key(1), value(1, 5));
        assertArrayEquals(value(1, 5), store.db.get(key(1)));
        store.db.close();
    }

    /** Damages each copy of a pair that is in a file, and returns how many there are. */
    static int damage(byte[] file, byte[] key, byte[] value) {
        byte[] pair = Arrays.copyOf(key, key.length + value.length);
        System.arraycopy(value, 0, pair, key.length, value.length);
        int copies = 0;
        for (int i = file.length - pair.length; i >= 0; i--) {
            if (Arrays.equals(file, i, i + pair.length, pair, 0, pair.length)) {
                file[i] ^= 1;
                copies++;
            }
        }
        return copies;
    }
}
