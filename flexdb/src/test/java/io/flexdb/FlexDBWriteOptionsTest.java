package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Options of single writes, writes that tell what was there, and waiting for writes to be durable. */
class FlexDBWriteOptionsTest {
    private static final byte[] KEY = bytes("key");
    private static final WriteOptions SHORT = WriteOptions.timeToLive(Duration.ofMillis(10));

    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL.withDurability(Durability.NONE));
    private final FlexDB db = store.db;

    @AfterEach
    void close() {
        store.db.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void theyAreValues() {
        assertEquals(WriteOptions.defaults(), WriteOptions.defaults());
        WriteOptions both = WriteOptions.durability(Durability.SYNC).withTimeToLive(Duration.ofNanos(1_500_000));
        assertEquals(both, WriteOptions.timeToLive(Duration.ofMillis(2)).withDurability(Durability.SYNC));
        assertEquals(
                both.hashCode(),
                WriteOptions.timeToLive(Duration.ofMillis(2))
                        .withDurability(Durability.SYNC)
                        .hashCode());
        assertNotEquals(both, WriteOptions.durability(Durability.SYNC));
        assertNotEquals(both, SHORT);
        assertEquals(Optional.of(Duration.ofMillis(2)), both.timeToLive());
        assertEquals(Optional.of(Durability.SYNC), both.durability());
        assertEquals(Optional.empty(), WriteOptions.defaults().timeToLive());
        assertEquals("WriteOptions[durability=SYNC, timeToLive=2 ms]", both.toString());
        assertThrows(IllegalArgumentException.class, () -> WriteOptions.timeToLive(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> WriteOptions.timeToLive(Duration.ofMillis(-1)));
    }

    @Test
    void whatTakesNoTimeToLiveRefusesOneAndWritesNothing() {
        db.put(KEY, bytes("there"));
        assertThrows(IllegalArgumentException.class, () -> db.delete(KEY, SHORT));
        assertThrows(IllegalArgumentException.class, () -> db.delete(ByteBuffer.wrap(KEY), SHORT));
        assertThrows(IllegalArgumentException.class, () -> db.deleteRange((byte[]) null, KEY, SHORT));
        assertThrows(IllegalArgumentException.class, () -> db.merge(KEY, KEY, SHORT));
        assertThrows(IllegalArgumentException.class, () -> db.getAndDelete(KEY, SHORT));
        assertThrows(IllegalArgumentException.class, () -> db.compareAndSet(KEY, bytes("there"), null, SHORT));
        assertEquals(1, db.stats().lastSequence());
        assertArrayEquals(bytes("there"), db.get(KEY));
    }

    @Test
    void conditionalWritesExpire() {
        assertNull(db.putIfAbsent(KEY, bytes("a"), SHORT));
        assertArrayEquals(bytes("a"), db.putIfAbsent(KEY, bytes("b"), SHORT));
        store.clock.advance(10);
        assertNull(db.putIfAbsent(KEY, bytes("c"), SHORT));
        assertTrue(db.compareAndSet(KEY, bytes("c"), bytes("d"))); // which lives on
        store.clock.advance(10);
        assertArrayEquals(bytes("d"), db.getAndSet(KEY, bytes("e"), SHORT));
        assertArrayEquals(bytes("e"), db.get(KEY));
        store.clock.advance(10);
        assertFalse(db.compareAndSet(KEY, bytes("e"), bytes("f")));
        assertNull(db.getAndSet(KEY, bytes("g")));
        assertArrayEquals(bytes("g"), db.getAndDelete(KEY));
        assertNull(db.get(KEY));
        long last = db.stats().lastSequence();
        assertNull(db.getAndDelete(KEY));
        assertEquals(last, db.stats().lastSequence());
    }

    @Test
    void conditionalWritesAreAsDurableAsTheyAreAskedToBe() {
        WriteOptions sync = WriteOptions.durability(Durability.SYNC);
        db.put(KEY, bytes("a"));
        assertEquals(0, db.durableSequence());
        db.getAndSet(KEY, bytes("b"), sync);
        assertEquals(2, db.durableSequence());
        assertTrue(db.compareAndSet(KEY, bytes("b"), bytes("c"), sync));
        assertEquals(3, db.durableSequence());
        db.getAndDelete(KEY, sync);
        assertEquals(4, db.durableSequence());
        assertNull(db.putIfAbsent(KEY, bytes("d"), sync));
        assertEquals(5, db.durableSequence());
    }

    /** Each thread takes what another has set: nothing is lost, and nothing taken twice. */
    @Test
    void whatIsExchangedByManyIsNeverLost() throws Exception {
        int each = 200;
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<List<Integer>>> all = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int first = thread * each;
                all.add(threads.submit(() -> {
                    List<Integer> taken = new ArrayList<>();
                    for (int i = first; i < first + each; i++) {
                        byte[] found = db.getAndSet(KEY, bytes("" + i));
                        if (found != null) {
                            taken.add(Integer.parseInt(new String(found, UTF_8)));
                        }
                        if (i % 7 == 0) {
                            found = db.getAndDelete(KEY);
                            if (found != null) {
                                taken.add(Integer.parseInt(new String(found, UTF_8)));
                            }
                        }
                    }
                    return taken;
                }));
            }
            boolean[] seen = new boolean[4 * each];
            int count = 0;
            for (Future<List<Integer>> future : all) {
                for (int taken : future.get()) {
                    assertFalse(seen[taken], "taken twice: " + taken);
                    seen[taken] = true;
                    count++;
                }
            }
            assertEquals(4 * each, count + (db.get(KEY) == null ? 0 : 1));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aWriteIsAwaitedUntilItIsDurable() {
        long first = db.put(KEY, bytes("a"));
        long second = db.put(KEY, bytes("b"));
        assertEquals(0, db.durableSequence());
        db.awaitDurable(first);
        assertTrue(db.durableSequence() >= first);
        db.awaitDurable(second);
        long operations = store.vfs.operationCount();
        db.awaitDurable(first);
        assertEquals(operations, store.vfs.operationCount(), "nothing is forced twice");
        String message = assertThrows(IllegalArgumentException.class, () -> db.awaitDurable(second + 1))
                .getMessage();
        assertEquals("sequence 3 is of no write yet; the last one has 2", message);
    }

    @Test
    void workInATransactionThrowsItsOwn() {
        IOException own = new IOException("own");
        assertEquals(
                own,
                assertThrows(
                        IOException.class,
                        () -> db.transactWithoutResult(transaction -> {
                            transaction.put(KEY, bytes("no"));
                            throw own;
                        })));
        assertNull(db.get(KEY));
        db.transactWithoutResult(transaction -> transaction.put(KEY, bytes("yes")));
        byte[] found = db.transact(transaction -> transaction.get(KEY));
        assertArrayEquals(bytes("yes"), found);
        assertThrows(NullPointerException.class, () -> db.transact(Isolation.SNAPSHOT, null));
    }
}
