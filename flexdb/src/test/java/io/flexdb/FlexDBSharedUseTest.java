package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.StoreClosedException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads that share by mistake an object for one thread harm themselves, and nobody else. */
class FlexDBSharedUseTest {
    @TempDir
    Path directory;

    private final CountDownLatch merging = new CountDownLatch(1);
    private final CountDownLatch mayMerge = new CountDownLatch(1);
    private Runnable whenMerging = () -> {};
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private FlexDB db;

    @AfterEach
    void close() {
        mayMerge.countDown();
        other.shutdownNow();
        if (db != null) {
            db.close();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private byte[] merge() {
        merging.countDown();
        whenMerging.run();
        return bytes("merged");
    }

    private void await() {
        try {
            mayMerge.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void open() {
        db = FlexDB.open(
                directory.resolve("store"), StoreDriver.SMALL.withMergeFunction((key, value, operands) -> merge()));
        for (String key : new String[] {"a", "b", "c", "d", "e"}) {
            db.put(bytes(key), bytes(key));
        }
        db.merge(bytes("d"), bytes("!"));
    }

    private static String keys(FlexCursor cursor) {
        StringBuilder keys = new StringBuilder();
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            keys.append(new String(cursor.key(), UTF_8));
        }
        return keys.toString();
    }

    @Test
    void aCursorThatIsClosedWithinAMoveByAnotherThreadServesNobodyElse() throws Exception {
        open();
        whenMerging = this::await;
        CompletableFuture<FlexCursor> opened = new CompletableFuture<>();
        Future<?> move = other.submit(() -> {
            FlexCursor cursor = db.cursor();
            cursor.seek(bytes("c"));
            opened.complete(cursor);
            cursor.next(); // to d
            return cursor.value(); // which is merged
        });
        FlexCursor broken = opened.get();
        merging.await();
        broken.close();
        whenMerging = () -> {};
        try (FlexCursor mine = db.cursor()) {
            mine.seekToFirst();
            mayMerge.countDown();
            Exception thrown = assertThrows(Exception.class, move::get);
            assertTrue(thrown.getCause() instanceof StoreClosedException, thrown.toString());
            assertTrue(thrown.getMessage().contains(Thread.currentThread().getName()), thrown.getMessage());
            assertArrayEquals(bytes("a"), mine.key());
            mine.next();
            assertArrayEquals(bytes("b"), mine.key());
            assertArrayEquals(bytes("b"), mine.value());
            assertEquals("abcde", keys(mine));
        }
        assertThrows(StoreClosedException.class, broken::next);
    }

    @Test
    void aCursorThatTheMergeFunctionClosesServesNobodyElse() {
        open();
        FlexCursor cursor = db.cursor();
        whenMerging = cursor::close;
        cursor.seek(bytes("d"));
        try {
            cursor.value();
        } catch (StoreClosedException e) {
            // It may tell.
        }
        whenMerging = () -> {};
        try (FlexCursor one = db.cursor();
                FlexCursor two = db.cursor()) {
            one.seekToFirst();
            assertEquals("abcde", keys(two));
            assertArrayEquals(bytes("a"), one.key());
        }
        assertThrows(StoreClosedException.class, cursor::key);
    }

    @Test
    void aCursorMayBeHandedOverAndClosedByTheLastThread() throws Exception {
        open();
        FlexCursor cursor = db.cursor();
        cursor.seekToFirst();
        assertEquals("abcde", other.submit(() -> keys(cursor)).get());
        cursor.seekToLast();
        assertArrayEquals(bytes("e"), cursor.key());
        other.submit(cursor::close).get();
        StoreClosedException closed = assertThrows(StoreClosedException.class, cursor::isValid);
        assertTrue(closed.getMessage().contains("closed by thread \"pool"), closed.getMessage());
        cursor.close(); // does nothing
    }

    @Test
    void onlyWhatItsOwnerAloneHasUsedServesAgain() throws Exception {
        open();
        Transaction alone = db.begin();
        alone.put(bytes("x"), bytes("1"));
        Object writes = alone.writes();
        alone.close();
        Transaction next = db.begin();
        assertSame(writes, next.writes());
        next.put(bytes("x"), bytes("2"));
        other.submit(next::close).get();
        Transaction third = db.begin();
        assertNotSame(writes, third.writes());
        Object ofThird = third.writes();
        other.submit(() -> third.put(bytes("x"), bytes("3"))).get();
        assertArrayEquals(bytes("3"), third.get(bytes("x")), "it may be handed over");
        third.close();
        try (Transaction fourth = db.begin()) {
            assertNotSame(ofThird, fourth.writes());
            assertNull(fourth.get(bytes("x")));
        }
        assertThrows(StoreClosedException.class, () -> third.get(bytes("x")));
    }

    @Test
    void transactionsThatOtherThreadsCloseLeaveNothingInThoseThatFollow() throws Exception {
        open();
        for (int round = 0; round < 200; round++) {
            CompletableFuture<Transaction> begun = new CompletableFuture<>();
            Future<?> writer = other.submit(() -> {
                Transaction transaction = db.begin();
                begun.complete(transaction);
                for (int i = 0; ; i++) {
                    transaction.put(bytes("broken" + i), bytes("1"));
                }
            });
            begun.get().close();
            try (Transaction mine = db.begin()) {
                mine.put(bytes("mine"), bytes("" + round));
                assertThrows(Exception.class, writer::get);
                mine.commit();
            }
            assertEquals("" + round, new String(db.get(bytes("mine")), UTF_8));
            try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withKeysOnly(true))) {
                cursor.seek(bytes("broken"));
                assertArrayEquals(bytes("c"), cursor.key());
            }
        }
    }

    @Test
    void aBatchThatIsBeingWrittenCanNotBeChangedNorWrittenBesides() {
        WriteBatch batch = new WriteBatch();
        Runnable[] meanwhile = {() -> {}};
        InstantSource clock = new InstantSource() {
            @Override
            public Instant instant() {
                meanwhile[0].run(); // as another thread would, while the write waits
                return Instant.ofEpochSecond(1);
            }
        };
        db = FlexDB.open(directory.resolve("store"), StoreDriver.SMALL.withClock(clock));
        batch.put(bytes("a"), bytes("1"), Duration.ofDays(1));
        meanwhile[0] = () -> {
            assertThrows(IllegalStateException.class, () -> batch.put(bytes("b"), bytes("1")));
            assertThrows(IllegalStateException.class, () -> batch.put(bytes("b"), bytes("1"), Duration.ofDays(1)));
            assertThrows(IllegalStateException.class, () -> batch.delete(bytes("a")));
            assertThrows(IllegalStateException.class, batch::deleteAll);
            assertThrows(IllegalStateException.class, batch::clear);
            assertThrows(IllegalStateException.class, () -> db.write(batch));
        };
        assertEquals(1, db.write(batch));
        meanwhile[0] = () -> {};
        assertEquals(2, db.write(batch));
        batch.clear().put(bytes("b"), bytes("2"));
        assertEquals(3, db.write(batch));
        assertArrayEquals(bytes("2"), db.get(bytes("b")));
    }
}
