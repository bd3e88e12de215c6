package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pairs that expire, under a clock that tests set. */
class FlexDBExpiryTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final TestClock clock = new TestClock();
    private final FlexDBOptions options = StoreDriver.SMALL.withClock(clock);
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db = open();

    private FlexDB open() {
        return StoreDriver.open(vfs, options);
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(UTF_8);
    }

    private static byte[] value(int number) {
        return ("value" + number).getBytes(UTF_8);
    }

    private void assertThere(int number) {
        assertArrayEquals(value(number), db.get(key(number)));
        assertEquals(value(number).length, db.valueLength(key(number)));
        assertArrayEquals(value(number), db.multiGet(List.of(key(number))).get(0));
    }

    private void assertAbsent(int number) {
        assertNull(db.get(key(number)));
        assertEquals(-1, db.get(ByteBuffer.wrap(key(number)), ByteBuffer.allocate(100)));
        assertFalse(db.containsKey(key(number)));
        assertNull(db.multiGet(List.of(key(number))).get(0));
        assertEquals(Optional.empty(), db.expiresAt(key(number)));
    }

    private static List<String> keys(FlexCursor cursor) {
        List<String> keys = new ArrayList<>();
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            keys.add(new String(cursor.key(), UTF_8));
        }
        List<String> backward = new ArrayList<>();
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
            backward.add(0, new String(cursor.key(), UTF_8));
        }
        assertEquals(keys, backward);
        return keys;
    }

    private List<String> keys() {
        try (FlexCursor cursor = db.cursor()) {
            return keys(cursor);
        }
    }

    private void commit() {
        db.close();
        db = open();
    }

    /** In the space, in the memtable, and in a memtable that was recovered. */
    private void inEachPlace(Runnable test) {
        test.run();
        commit();
        test.run();
        vfs = vfs.kill();
        db = open();
        test.run();
    }

    @Test
    void aPairIsThereUntilItsTimeIsOverWhereverItIs() {
        inEachPlace(() -> {
            db.put(key(1), value(1), WriteOptions.timeToLive(SECOND));
            db.put(
                    ByteBuffer.wrap(key(2)),
                    ByteBuffer.wrap(value(2)),
                    WriteOptions.timeToLive(Duration.ofMillis(1500)));
            db.put(key(3), value(3));
            Instant end = clock.instant().plusSeconds(1);
            assertEquals(Optional.of(end), db.expiresAt(key(1)));
            assertEquals(Optional.empty(), db.expiresAt(key(3)));
            for (int round = 0; round < 2; round++) {
                clock.advance(round == 0 ? 999 : 0);
                assertThere(1);
                assertThere(2);
                assertThere(3);
                assertEquals(List.of("key00001", "key00002", "key00003"), keys());
                commit();
                assertEquals(Optional.of(end), db.expiresAt(key(1)));
            }
            clock.advance(1);
            assertAbsent(1);
            assertThere(2);
            assertThere(3);
            assertEquals(List.of("key00002", "key00003"), keys());
            clock.advance(500);
            assertAbsent(2);
            assertEquals(List.of("key00003"), keys());
        });
    }

    @Test
    void batchesAndTransactionsPutPairsThatExpire() {
        WriteBatch batch = new WriteBatch()
                .put(key(1), value(1), SECOND)
                .put(key(2), value(2))
                .put(key(3), value(3), Duration.ofSeconds(3));
        clock.advance(10_000); // before it is written
        db.write(batch);
        assertEquals(Optional.of(clock.instant().plusSeconds(1)), db.expiresAt(key(1)));
        try (Transaction transaction = db.begin()) {
            clock.advance(999);
            transaction.put(key(4), value(4), Duration.ofMillis(1));
            clock.advance(1); // it began before
            assertArrayEquals(value(1), transaction.get(key(1)));
            assertArrayEquals(value(4), transaction.get(key(4)));
            try (FlexCursor cursor = transaction.cursor()) {
                assertEquals(List.of("key00001", "key00002", "key00003", "key00004"), keys(cursor));
            }
            transaction.put(key(5), value(5), SECOND);
            transaction.commit();
        }
        assertEquals(List.of("key00002", "key00003", "key00005"), keys());
        db.write(batch); // once more, with a time of its own
        assertEquals(Optional.of(clock.instant().plusSeconds(1)), db.expiresAt(key(1)));
        assertEquals(List.of("key00001", "key00002", "key00003", "key00005"), keys(), "written at " + clock.instant());
    }

    @Test
    void aWriteThatFollowsSetsTheTimeAnew() {
        inEachPlace(() -> {
            db.put(key(1), value(0), WriteOptions.timeToLive(SECOND));
            db.put(key(1), value(1));
            db.put(key(2), value(2));
            db.put(key(2), value(2), WriteOptions.timeToLive(SECOND));
            db.put(key(3), value(0), WriteOptions.timeToLive(SECOND));
            db.put(key(3), value(3), WriteOptions.timeToLive(Duration.ofSeconds(2)));
            clock.advance(1000);
            commit();
            assertThere(1);
            assertAbsent(2);
            assertThere(3);
            assertTrue(db.compareAndSet(key(2), null, value(2)));
            assertThere(2);
            clock.advance(1000);
            assertAbsent(3);
            assertNull(db.putIfAbsent(key(3), value(3)));
            assertThere(3);
            db.deleteRange(new byte[0], null);
        });
    }

    @Test
    void snapshotsAndCursorsShowWhatWasThereWhenTheyWereOpenedWhateverIsReclaimed() {
        for (int i = 0; i < 200; i++) {
            db.put(key(i), value(i), WriteOptions.timeToLive(Duration.ofMillis(1000 + i)));
        }
        commit();
        clock.advance(1099); // 0 to 99 have expired
        try (Snapshot snapshot = db.snapshot();
                FlexCursor cursor = db.cursor()) {
            clock.advance(10_000);
            assertEquals(List.of(), keys());
            fill(1000, 4000); // commits, more than once
            fill(0, 50);
            for (int i = 0; i < 200; i++) {
                assertArrayEquals(i < 100 ? null : value(i), snapshot.get(key(i)), "key " + i);
                assertEquals(i >= 100, snapshot.containsKey(key(i)));
            }
            assertTrue(snapshot.expiresAt(key(150)).isPresent());
            assertEquals(100, keys(cursor).size());
            cursor.seek(key(0));
            assertArrayEquals(key(100), cursor.key());
            assertTrue(cursor.expiresAt().isPresent());
            try (FlexCursor again = db.cursor(ReadOptions.defaults().withSnapshot(snapshot))) {
                assertEquals(100, keys(again).size());
            }
        }
    }

    private void fill(int from, int to) {
        for (int i = from; i < to; i++) {
            db.put(key(i), value(i));
        }
    }

    @Test
    void whatHasExpiredIsReclaimed() {
        for (int i = 0; i < 1000; i++) {
            db.put(key(i), new byte[100], WriteOptions.timeToLive(SECOND));
        }
        clock.advance(1000);
        commit(); // those that were in memtables
        long inMemtables = db.estimateRange(null, null).pairs();
        assertTrue(inMemtables < 1000, inMemtables + " pairs");
        for (int i = 0; i < 1000; i++) {
            db.put(key(i), new byte[100], WriteOptions.timeToLive(SECOND));
        }
        commit();
        assertEquals(1000, db.estimateRange(null, null).pairs());
        clock.advance(1000);
        assertEquals(List.of(), keys());
        assertEquals(1000, db.estimateRange(null, null).pairs());
        for (int i = 0; i < 1000; i++) { // nearly every interval is written anew
            db.put((new String(key(i), UTF_8) + "x").getBytes(UTF_8), value(i));
        }
        commit();
        long left = db.estimateRange(null, null).pairs();
        assertTrue(left >= 1000 && left < 1100, left + " pairs");
        assertEquals(1000, keys().size());
    }

    @Test
    void whatHasExpiredBeforeItIsCommittedTakesNoRoomInTheSpace() {
        for (FlexDBOptions each : List.of(options, options.withMergeFunction(MergeFunction.APPEND))) {
            SimulatedVfs files = new SimulatedVfs();
            db = StoreDriver.open(files, each);
            fill(0, 10);
            for (int i = 10; i < 60; i++) {
                db.put(key(i), value(i), WriteOptions.timeToLive(SECOND));
            }
            clock.advance(1000);
            fill(60, 2000);
            db.close(); // commits
            db = StoreDriver.open(files, each);
            assertEquals(1950, db.estimateRange(null, null).pairs());
            assertEquals(1950, keys().size());
        }
    }

    @Test
    void aClockThatGoesBackBringsNothingBackWhileTheStoreIsOpen() {
        db.put(key(1), value(1), WriteOptions.timeToLive(SECOND));
        commit();
        clock.advance(1000);
        assertAbsent(1);
        clock.advance(-500);
        assertAbsent(1);
        db.put(key(2), value(2), WriteOptions.timeToLive(SECOND)); // as if the clock stood still
        clock.advance(1499);
        assertThere(2);
        clock.advance(1);
        assertAbsent(2);
        clock.advance(-2000);
        assertAbsent(1);
        vfs = vfs.kill();
        db = open();
        assertThere(1); // was not reclaimed
        clock.advance(1000);
        assertAbsent(1);
    }

    @Test
    void aClockThatWasAYearAheadDoesNotMakeLaterPairsLiveAYear() {
        Duration lock = Duration.ofMillis(200);
        long year = Duration.ofDays(365).toMillis();
        for (int round = 0; round < 3; round++) { // the clock goes there and back again and again
            clock.advance(year);
            assertAbsent(1);
            db.put(key(1), value(1), WriteOptions.timeToLive(lock));
            clock.advance(-year);
            assertThere(1);
            db.put(key(2), value(2), WriteOptions.timeToLive(lock));
            clock.advance(199);
            assertThere(2);
            clock.advance(1);
            assertAbsent(1);
            assertAbsent(2);
        }
        db.put(key(3), value(3), WriteOptions.timeToLive(lock));
        commit();
        db.close();
        db = open();
        assertThere(3);
        db.put(key(4), value(4), WriteOptions.timeToLive(lock));
        clock.advance(199);
        assertThere(3);
        assertThere(4);
        clock.advance(1);
        assertAbsent(3);
        assertAbsent(4);
        db.put(key(5), value(5), WriteOptions.timeToLive(SECOND));
        commit(); // with the mark that the opening found
        clock.advance(2 * 60_000);
        db.put(key(6), value(6), WriteOptions.timeToLive(lock));
        commit(); // keeps another
        vfs = vfs.kill();
        db = open();
        assertAbsent(5);
        clock.advance(200);
        assertAbsent(6);
    }

    @Test
    void aReaderBesideTheWriterTakesTheTimeFromWhereTheWriterIs() {
        long year = Duration.ofDays(365).toMillis();
        clock.advance(year);
        db.put(key(1), value(1), WriteOptions.timeToLive(SECOND));
        commit();
        clock.advance(-year);
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true)) {
            assertArrayEquals(value(1), reader.get(key(1)));
            clock.advance(1001); // the store is ahead, and a thousandth slower
            assertNull(reader.get(key(1)));
        }
    }

    @Test
    void whatDoesNotExpireStaysWhateverTheClockReads() {
        db.put(key(1), value(1));
        db.put(key(2), value(2), WriteOptions.timeToLive(Duration.ofSeconds(Long.MAX_VALUE)));
        db.put(key(3), value(3), WriteOptions.timeToLive(Duration.ofDays(365_000)));
        clock.set(Long.MAX_VALUE);
        assertThere(1);
        assertEquals(List.of("key00001", "key00002"), keys(), "the third expires before the year 9999");
        fill(100, 3000); // commits, and so reclaims
        commit();
        assertThere(1);
        assertThere(2);
        db.put(key(4), value(4), WriteOptions.timeToLive(SECOND));
        assertThere(4);
        for (long reading : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE, 1, Long.MIN_VALUE}) {
            clock.set(reading);
            assertThere(1);
            assertThere(2);
            assertAbsent(3);
            assertThere(4);
        }
        clock.set(0);
        assertThere(4);
        clock.advance(1001); // the store is ahead, and a thousandth slower
        assertAbsent(4);
        assertThere(1);
        db.close();
        db = open();
        assertThere(1);
        assertThere(2);
        assertAbsent(4);
    }

    @Test
    void whoeverComparesTakesWhatHasExpiredForAbsentFromTheVeryMillisecondOn() {
        inEachPlace(() -> {
            for (int number = 1; number <= 3; number++) {
                db.put(key(number), value(number), WriteOptions.timeToLive(SECOND));
            }
            commit();
            clock.advance(999);
            assertFalse(db.compareAndSet(key(1), null, value(0)));
            assertArrayEquals(value(1), db.putIfAbsent(key(1), value(0)));
            assertTrue(db.compareAndSet(key(1), value(1), value(1)), "a pair that does not expire");
            clock.advance(1);
            assertThere(1);
            assertEquals(Optional.empty(), db.expiresAt(key(1)));
            assertFalse(db.compareAndSet(key(2), value(2), value(0)));
            assertFalse(db.compareAndSet(key(2), value(2), null));
            assertTrue(db.compareAndSet(key(2), null, value(2)));
            assertFalse(db.compareAndSet(key(2), null, value(0)));
            assertThere(2);
            assertNull(db.putIfAbsent(key(3), value(3)));
            assertThere(3);
            clock.advance(-500);
            assertThere(3);
            clock.advance(500);
        });
    }

    /** What has expired is a write of nobody: a transaction that has read it may commit, before and after its end. */
    @Test
    void aTransactionReadsAsOfItsBeginningWhateverExpiresMeanwhile() {
        for (Isolation isolation : Isolation.values()) {
            db.put(key(1), value(1), WriteOptions.timeToLive(SECOND));
            commit();
            try (Transaction transaction = db.begin(isolation)) {
                assertArrayEquals(value(1), transaction.get(key(1)));
                clock.advance(1000);
                assertArrayEquals(value(1), transaction.get(key(1)), "as of its beginning");
                fill(2, 2000); // commits, and so reclaims
                assertArrayEquals(value(1), transaction.get(key(1)), "as of its beginning");
                assertAbsent(1);
                transaction.put(key(0), value(0));
                transaction.commit();
            }
            try (Transaction transaction = db.begin(isolation)) {
                assertNull(transaction.get(key(1)), "expired before it began");
                transaction.put(key(1), value(1));
                transaction.commit();
            }
            assertThere(1);
        }
    }

    @Test
    void aClockThatFailsFailsTheCallAndNothingElse() {
        db.put(key(1), value(1));
        db.put(key(2), value(2), WriteOptions.timeToLive(SECOND));
        clock.fail(true);
        assertThrows(IllegalStateException.class, () -> db.put(key(3), value(3), WriteOptions.timeToLive(SECOND)));
        assertThrows(IllegalStateException.class, () -> db.get(key(2)));
        assertThrows(IllegalStateException.class, () -> db.snapshot());
        assertThrows(IllegalStateException.class, () -> db.begin());
        assertThrows(IllegalStateException.class, () -> db.cursor());
        assertThere1WithoutAClock();
        fill(100, 3000); // commits
        assertTrue(db.health().isUsable());
        clock.fail(false);
        assertThere(2);
        assertAbsent(3);
    }

    private void assertThere1WithoutAClock() {
        assertArrayEquals(value(1), db.get(key(1)));
    }

    @Test
    void timesThatAreNoneAreRefusedAndLongOnesNeverEnd() {
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-1))) {
            assertThrows(IllegalArgumentException.class, () -> db.put(key(1), value(1), WriteOptions.timeToLive(none)));
            assertThrows(IllegalArgumentException.class, () -> new WriteBatch().put(key(1), value(1), none));
        }
        assertThrows(
                NullPointerException.class, () -> db.put(key(1), value(1), WriteOptions.timeToLive((Duration) null)));
        assertThrows(NullPointerException.class, () -> options.withClock(null));
        assertEquals(0, db.stats().lastSequence());
        db.put(key(1), value(1), WriteOptions.timeToLive(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)));
        db.put(key(2), value(2), WriteOptions.timeToLive(Duration.ofNanos(1)));
        assertEquals(Optional.of(clock.instant().plusMillis(1)), db.expiresAt(key(2)));
        clock.advance(1L << 60);
        assertThere(1);
        assertEquals(Optional.of(Instant.ofEpochMilli(Long.MAX_VALUE - 1)), db.expiresAt(key(1)), "the last there is");
        assertAbsent(2);
        commit();
        assertThere(1);
    }

    @Test
    void longValuesExpireToo() {
        byte[] large = new byte[40_000];
        large[39_999] = 7;
        db.put(key(1), large, WriteOptions.timeToLive(SECOND));
        commit();
        assertArrayEquals(large, db.get(key(1)));
        assertEquals(40_000, db.valueLength(key(1)));
        try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withKeysOnly(true))) {
            cursor.seekToFirst();
            assertEquals(Optional.of(clock.instant().plusSeconds(1)), cursor.expiresAt());
            assertEquals(40_000, cursor.valueLength());
        }
        clock.advance(1000);
        assertAbsent(1);
        assertEquals(List.of(), keys());
        fill(2, 4);
        commit();
        assertEquals(List.of("key00002", "key00003"), keys());
    }
}
