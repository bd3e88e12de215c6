package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.SnapshotTooOldException;
import io.flexdb.storage.StoreClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Holders of old versions are shown, and those that keep too much pay for it, and nobody else. */
class FlexDBHoldersTest {
    private static final int KEYS = 300;
    private static final long LIMIT = 10 * (64 << 10);
    private static final FlexDBOptions OPTIONS =
            StoreDriver.WITHOUT_LARGE.withMaxPinnedBytes(LIMIT).withMaxPinnedFileBytes(0);

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int generation) {
        byte[] value = new byte[300];
        ByteBuffer.wrap(value).putInt(0, generation).putInt(296, generation);
        return value;
    }

    private static void putAll(FlexDB db, int generation) {
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < KEYS / 2; i++) {
            batch.put(key(i), value(generation));
        }
        db.write(batch);
        batch.clear();
        for (int i = KEYS / 2; i < KEYS; i++) {
            batch.put(key(i), value(generation));
        }
        db.write(batch);
    }

    private static void fill(FlexDB db, int from) {
        for (int generation = from; generation < from + 30; generation++) {
            putAll(db, generation);
        }
    }

    private static FlexDB open(FlexDBOptions options) {
        return StoreDriver.open(new SimulatedVfs(), options);
    }

    @Test
    void aForgottenTransactionLocksNobodyOut(@TempDir Path directory) {
        try (FlexDB db = FlexDB.open(directory.resolve("store"), OPTIONS)) {
            putAll(db, 1);
            Transaction forgotten = db.begin();
            assertArrayEquals(value(1), forgotten.get(key(1)));
            fill(db, 2);
            assertTrue(
                    db.stats().memory().retiredMemtableBytes() <= 2 * LIMIT,
                    () -> db.stats().toString());
            db.cursor().close();
            db.begin().close();
            db.snapshot().close();
            assertArrayEquals(value(31), db.multiGet(List.of(key(1))).get(0));
            db.checkpoint(directory.resolve("copy"));
            assertTrue(db.check().isSound());
            assertEquals(List.of(), db.keyspaces());
            forgotten.put(key(1), value(0));
            ConflictException conflict = assertThrows(ConflictException.class, forgotten::commit);
            assertTrue(conflict.getMessage().contains("maxPinnedBytes"), conflict.getMessage());
        }
    }

    @Test
    void theOldestThatKeepSomethingEndAndTheNewestGoOn() {
        try (FlexDB db = open(OPTIONS)) {
            List<Snapshot> snapshots = new ArrayList<>();
            for (int generation = 0; generation < 60; generation++) {
                putAll(db, generation);
                snapshots.add(db.snapshot());
            }
            int ended = 0;
            for (int i = 0; i < snapshots.size(); i++) {
                Snapshot snapshot = snapshots.get(i);
                try {
                    assertArrayEquals(value(i), snapshot.get(key(7)));
                } catch (SnapshotTooOldException e) {
                    assertEquals(ended++, i, "not the oldest");
                    assertTrue(e.getMessage().contains("maxPinnedBytes " + LIMIT), e.getMessage());
                    assertTrue(
                            e.getMessage()
                                    .contains(
                                            "thread \"" + Thread.currentThread().getName()),
                            e.getMessage());
                }
            }
            assertTrue(ended > 0 && ended < 58, ended + " ended");
            assertTrue(
                    db.stats().holders().keptBytes() <= LIMIT,
                    () -> db.stats().holders().toString());
            assertEquals(60 - ended, db.stats().holders().count(FlexDBHolder.Kind.SNAPSHOT));
            snapshots.forEach(Snapshot::close);
            assertEquals(List.of(), db.stats().holders().open());
            assertThrows(StoreClosedException.class, () -> snapshots.get(0).get(key(1)));
        }
    }

    @Test
    void eachWayToReadWhatHasEndedSaysSo() {
        try (FlexDB db = open(OPTIONS)) {
            db.put(key(KEYS), new byte[40_000]); // which a value reader has to bring from the space
            fill(db, 0);
            Snapshot snapshot = db.snapshot();
            Transaction transaction = db.begin(Isolation.SERIALIZABLE);
            transaction.put(key(2), value(2));
            FlexCursor cursor = db.cursor();
            cursor.seek(key(3));
            FlexCursor ofSnapshot = snapshot.cursor();
            ofSnapshot.seekToFirst();
            FlexCursor ofTransaction = transaction.cursor();
            ofTransaction.seekToFirst();
            ValueReader large = snapshot.openValue(key(KEYS));
            List<Snapshot> more = new ArrayList<>();
            for (int generation = 2; generation < 30; generation++) {
                putAll(db, generation);
                more.add(db.snapshot());
            }
            ByteBuffer room = ByteBuffer.allocate(50_000);
            List<Executable> reads = List.of(
                    () -> snapshot.get(key(1)),
                    () -> snapshot.get(key(1), new byte[400], 0),
                    () -> snapshot.get(ByteBuffer.wrap(key(1)), room),
                    () -> snapshot.multiGet(List.of(key(1))),
                    () -> snapshot.multiGet(List.of(ByteBuffer.wrap(key(1))), (value, index) -> {}),
                    () -> snapshot.containsKey(key(1)),
                    () -> snapshot.valueLength(ByteBuffer.wrap(key(1))),
                    () -> snapshot.expiresAt(key(1)),
                    () -> snapshot.openValue(key(KEYS)),
                    snapshot::cursor,
                    () -> db.cursor(ReadOptions.defaults().withSnapshot(snapshot)),
                    () -> snapshot.in("none"),
                    cursor::next,
                    cursor::prev,
                    cursor::key,
                    cursor::value,
                    cursor::isValid,
                    cursor::keyLength,
                    cursor::valueLength,
                    cursor::expiresAt,
                    () -> cursor.compareKey(key(1)),
                    () -> cursor.key(room),
                    () -> cursor.value(room),
                    () -> cursor.seek(key(1)),
                    cursor::seekToLast,
                    ofSnapshot::next,
                    ofTransaction::value,
                    () -> large.read(room, 0),
                    () -> transaction.get(key(1)),
                    transaction::cursor,
                    transaction::commit);
            for (Executable read : reads) {
                assertThrows(SnapshotTooOldException.class, read, "of " + reads.indexOf(read));
            }
            assertEquals(0, room.position());
            assertArrayEquals(value(29), more.get(27).get(key(1)));
            List.of(snapshot, transaction, cursor, ofSnapshot, ofTransaction).forEach(FlexDBHoldersTest::close);
            large.close();
            assertThrows(StoreClosedException.class, cursor::next);
            assertThrows(StoreClosedException.class, () -> transaction.get(key(1)));
            more.forEach(Snapshot::close);
            assertEquals(List.of(), db.stats().holders().open());
            try (FlexCursor next = db.cursor()) { // an ended cursor serves nobody else
                next.seek(key(3));
                assertArrayEquals(value(29), next.value());
            }
        }
    }

    private static void close(AutoCloseable open) {
        try {
            open.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsOpenIsShownWithItsAgeAndPlace() {
        TestClock clock = new TestClock();
        try (FlexDB db = open(OPTIONS.withHolderTraces(true).withClock(clock))) {
            putAll(db, 1);
            Snapshot snapshot = db.snapshot();
            clock.advance(5_000);
            FlexCursor cursor = db.cursor();
            clock.advance(1_000);
            fill(db, 2);
            FlexDBHolders holders = db.stats().holders();
            assertEquals(2, holders.open().size());
            FlexDBHolder first = holders.open().get(0);
            assertEquals(FlexDBHolder.Kind.SNAPSHOT, first.kind());
            assertEquals(Duration.ofSeconds(6), first.age());
            assertEquals(
                    Duration.ofSeconds(1),
                    holders.oldest(FlexDBHolder.Kind.CURSOR).orElseThrow());
            assertEquals(Thread.currentThread().getName(), first.thread());
            assertEquals(snapshot.sequence(), first.sequence());
            assertTrue(first.keptBytes() > 0 && first.keptBytes() <= holders.keptBytes(), holders::toString);
            assertNotNull(first.openedAt());
            assertTrue(List.of(first.openedAt().getStackTrace()).stream()
                    .anyMatch(at -> at.getMethodName().equals("whatIsOpenIsShownWithItsAgeAndPlace")));
            snapshot.close();
            cursor.close();
        }
        try (FlexDB db = open(OPTIONS);
                Snapshot snapshot = db.snapshot()) {
            assertNull(db.stats().holders().open().get(0).openedAt(), snapshot::toString);
        }
    }

    @Test
    void whatEndsUnderItsReadersShowsOneMomentUntilThen(@TempDir Path directory) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger endedWalks = new AtomicInteger();
        AtomicInteger endedSnapshots = new AtomicInteger();
        FlexDBOptions options = OPTIONS.withMaxPinnedBytes(64 << 10); // less than one memtable
        try (FlexDB db = FlexDB.open(directory.resolve("store"), options)) {
            putAll(db, 1);
            List<Future<?>> readers = new ArrayList<>();
            readers.add(threads.submit(() -> {
                while (!over.get()) {
                    endedWalks.addAndGet(walk(db, over));
                }
            }));
            readers.add(threads.submit(() -> {
                while (!over.get()) {
                    endedSnapshots.addAndGet(lookUp(db, over));
                }
            }));
            int generation = 2;
            while ((endedWalks.get() < 10 || endedSnapshots.get() < 10)
                    && !readers.get(0).isDone()
                    && !readers.get(1).isDone()) {
                putAll(db, generation++);
            }
            over.set(true);
            for (Future<?> reader : readers) {
                reader.get(); // which says what has failed in it
            }
            assertEquals(List.of(), db.stats().holders().open());
        } finally {
            over.set(true);
            threads.shutdown();
        }
    }

    @Test
    void manySmallTransactionsTakeTheMemoryOfWhatTheyHold() {
        try (FlexDB db = open(OPTIONS.withMaxPinnedBytes(64 << 20))) {
            putAll(db, 1);
            List<Transaction> open = new ArrayList<>();
            long before = db.stats().memory().totalBytes();
            for (int i = 0; i < 2000; i++) {
                Transaction transaction = db.begin(Isolation.SERIALIZABLE);
                assertArrayEquals(value(1), transaction.get(key(3)));
                transaction.put(bytes("own" + i), bytes("1")).delete(bytes("gone" + i));
                assertNull(transaction.get(bytes("own")));
                open.add(transaction);
            }
            assertTrue(
                    db.stats().memory().totalBytes() - before < 1 << 20,
                    () -> db.stats().toString());
            for (int i = 0; i < 2000; i++) {
                Transaction transaction = open.get(i);
                if (i % 500 == 0) { // which are those that read what they have written
                    assertArrayEquals(bytes("1"), transaction.get(bytes("own" + i)));
                    assertNull(transaction.get(bytes("gone" + i)));
                }
                transaction.commit();
                assertArrayEquals(bytes("1"), db.get(bytes("own" + i)));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int generation(byte[] value) {
        ByteBuffer buffer = ByteBuffer.wrap(value);
        assertEquals(300, value.length);
        assertEquals(buffer.getInt(0), buffer.getInt(296));
        return buffer.getInt(0);
    }

    /** Goes up and down again and again in one cursor; the halves are written apart, so they differ by one at most. */
    private static int walk(FlexDB db, AtomicBoolean over) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(KEYS / 2 - 20));
            int low = generation(cursor.value());
            cursor.seek(key(KEYS / 2 + 20));
            int high = generation(cursor.value());
            assertTrue(low - high == 0 || low - high == 1, low + " and " + high);
            while (!over.get()) {
                cursor.seekToFirst();
                for (int i = 0; i < KEYS; i++, cursor.next()) {
                    assertArrayEquals(key(i), cursor.key());
                    assertEquals(i < KEYS / 2 ? low : high, generation(cursor.value()));
                }
                assertTrue(!cursor.isValid());
                cursor.seekToLast();
                for (int i = KEYS - 1; i >= 0; i--, cursor.prev()) {
                    assertArrayEquals(key(i), cursor.key());
                }
            }
            return 0;
        } catch (SnapshotTooOldException e) {
            return 1;
        }
    }

    private static int lookUp(FlexDB db, AtomicBoolean over) {
        try (Snapshot snapshot = db.snapshot()) {
            int low = generation(snapshot.get(key(0)));
            int high = generation(snapshot.get(key(KEYS - 1)));
            assertTrue(low - high == 0 || low - high == 1, low + " and " + high);
            while (!over.get()) {
                for (int i = 0; i < KEYS; i++) {
                    assertEquals(i < KEYS / 2 ? low : high, generation(snapshot.get(key(i))));
                }
            }
            return 0;
        } catch (SnapshotTooOldException e) {
            return 1;
        }
    }
}
