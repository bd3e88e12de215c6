package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keyspaces with a time to live of their own. */
class FlexDBKeyspaceOptionsTest {
    private static final long TTL = 1000;
    private static final KeyspaceOptions LIVES = KeyspaceOptions.timeToLive(Duration.ofMillis(TTL));
    private static final byte[] VALUE = bytes("value");

    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL);
    private Keyspace sessions = store.db.createKeyspaceIfAbsent("sessions", LIVES);

    @AfterEach
    void close() {
        store.db.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static ByteBuffer buffer(String text) {
        return ByteBuffer.wrap(bytes(text));
    }

    private void assertLives(long millis, String key) {
        Instant end = Instant.ofEpochMilli(store.clock.millis() + millis);
        assertEquals(Optional.of(end), sessions.expiresAt(bytes(key)), key);
    }

    private void assertStays(String key) {
        assertTrue(sessions.containsKey(bytes(key)), key);
        assertEquals(Optional.empty(), sessions.expiresAt(bytes(key)), key);
    }

    @Test
    void theyAreValues() {
        assertEquals(LIVES, KeyspaceOptions.defaults().withTimeToLive(Duration.ofNanos(999_000_001)));
        assertEquals(
                LIVES.hashCode(),
                KeyspaceOptions.timeToLive(Duration.ofSeconds(1)).hashCode());
        assertNotEquals(LIVES, KeyspaceOptions.defaults());
        assertEquals(Optional.of(Duration.ofSeconds(1)), LIVES.timeToLive());
        assertEquals(Optional.empty(), KeyspaceOptions.defaults().timeToLive());
        assertEquals("KeyspaceOptions[timeToLive=1000 ms]", LIVES.toString());
        assertThrows(IllegalArgumentException.class, () -> KeyspaceOptions.timeToLive(Duration.ZERO));
        assertThrows(NullPointerException.class, () -> KeyspaceOptions.timeToLive(null));
        assertThrows(NullPointerException.class, () -> store.db.createKeyspaceIfAbsent("other", null));
        assertThrows(NoSuchKeyspaceException.class, () -> store.db.keyspace("other"));
        assertEquals(LIVES, sessions.keyspaceOptions());
        assertEquals(KeyspaceOptions.defaults(), store.db.keyspaceOptions());
        assertNotEquals(WriteOptions.defaults(), WriteOptions.defaults().withoutTimeToLive());
        assertEquals(
                "WriteOptions[durability=of the store, timeToLive=none]",
                WriteOptions.defaults().withoutTimeToLive().toString());
    }

    @Test
    void singleWritesHaveIt() throws IOException {
        byte[] large = new byte[1000];
        sessions.put(bytes("array"), VALUE);
        sessions.put(buffer("buffer"), ByteBuffer.wrap(VALUE));
        sessions.put(bytes("durable"), VALUE, WriteOptions.durability(Durability.SYNC));
        sessions.put(bytes("channel"), new ValueSource(VALUE), VALUE.length);
        sessions.put(bytes("large"), large);
        sessions.put(bytes("large channel"), new ValueSource(large), large.length);
        assertNull(sessions.putIfAbsent(bytes("absent"), VALUE));
        assertNull(sessions.getAndSet(bytes("set"), VALUE));
        assertTrue(sessions.compareAndSet(bytes("compared"), null, VALUE));
        String[] keys = {"array", "buffer", "durable", "channel", "large", "large channel", "absent", "set", "compared"
        };
        for (String key : keys) {
            assertLives(TTL, key);
        }
        assertTrue(sessions.compareAndSet(bytes("compared"), VALUE, null)); // no value, no time
        sessions.delete(bytes("set"));
        sessions.getAndDelete(bytes("absent"));
        store.clock.advance(TTL);
        for (String key : keys) {
            assertNull(sessions.get(bytes(key)), key);
        }
    }

    @Test
    void whatIsWrittenTogetherHasIt() {
        store.db.write(new WriteBatch()
                .put(bytes("default"), VALUE)
                .in(sessions)
                .put(bytes("array"), VALUE)
                .put(buffer("buffer"), ByteBuffer.wrap(VALUE))
                .put(bytes("own"), VALUE, Duration.ofMillis(5))
                .put(bytes("long"), VALUE, ChronoUnit.FOREVER.getDuration()));
        assertLives(TTL, "array");
        assertLives(TTL, "buffer");
        assertLives(5, "own");
        assertEquals(Optional.empty(), store.db.expiresAt(bytes("default")));
        store.db.transactWithoutResult(transaction -> {
            transaction.put(bytes("default"), VALUE);
            Transaction inSessions = transaction.in(sessions);
            inSessions.put(bytes("in transaction"), VALUE).put(buffer("buffer too"), ByteBuffer.wrap(VALUE));
            inSessions.put(bytes("own"), VALUE, Duration.ofMillis(7));
            assertArrayEquals(VALUE, inSessions.get(bytes("in transaction")));
        });
        assertLives(TTL, "in transaction");
        assertLives(TTL, "buffer too");
        assertLives(7, "own");
        assertEquals(Optional.empty(), store.db.expiresAt(bytes("default")));
        try (BulkLoad load = sessions.bulkLoad()) {
            load.add(bytes("load a"), VALUE)
                    .add(buffer("load b"), ByteBuffer.wrap(VALUE))
                    .add(bytes("load c"), VALUE, Duration.ofMillis(9))
                    .commit();
        }
        assertLives(TTL, "load a");
        assertLives(TTL, "load b");
        assertLives(9, "load c");
        store.clock.advance(TTL);
        assertEquals(1, sessions.stream().count());
        assertTrue(sessions.containsKey(bytes("long")));
        assertArrayEquals(VALUE, store.db.get(bytes("default")));
    }

    @Test
    void largeBatchesAndTransactionsHaveIt() {
        WriteBatch batch = new WriteBatch().in(sessions);
        for (int i = 0; i < 200; i++) { // more than a memtable takes
            batch.put(bytes("batch " + i), new byte[1000]);
        }
        store.db.write(batch);
        store.db.transactWithoutResult(transaction -> {
            Transaction inSessions = transaction.in(sessions);
            for (int i = 0; i < 200; i++) {
                inSessions.put(bytes("transaction " + i), new byte[1000]);
            }
            assertTrue(transaction.isSpilled());
        });
        for (int i = 0; i < 200; i++) {
            assertLives(TTL, "batch " + i);
            assertLives(TTL, "transaction " + i);
        }
        store.clock.advance(TTL);
        assertEquals(0, sessions.stream().count());
    }

    @Test
    void aWriteMaySayOtherwise() {
        WriteOptions stays = WriteOptions.durability(Durability.SYNC).withoutTimeToLive();
        sessions.put(bytes("stays"), VALUE, stays);
        sessions.put(bytes("short"), VALUE, WriteOptions.timeToLive(Duration.ofMillis(3)));
        sessions.put(bytes("changed"), VALUE);
        sessions.getAndSet(bytes("changed"), VALUE, stays);
        sessions.delete(bytes("nothing"), stays);
        assertStays("stays");
        assertStays("changed");
        assertLives(3, "short");
    }

    /** A result of a merge expires with the value that was there. */
    @Test
    void mergesHaveNone() {
        sessions.merge(bytes("merged"), VALUE);
        assertStays("merged");
        sessions.put(bytes("put"), VALUE);
        sessions.merge(bytes("put"), VALUE);
        assertLives(TTL, "put");
    }

    @Test
    void theLastOnesCountForAllWhoUseTheKeyspace() {
        Keyspace same = store.db.keyspace("sessions");
        same.put(bytes("by another"), VALUE);
        assertLives(TTL, "by another");
        assertEquals(sessions, store.db.createKeyspaceIfAbsent("sessions"));
        assertEquals(LIVES, sessions.keyspaceOptions());
        store.db.createKeyspaceIfAbsent("sessions", KeyspaceOptions.timeToLive(Duration.ofMillis(50)));
        sessions.put(bytes("changed"), VALUE);
        assertLives(50, "changed");
        assertLives(TTL, "by another");
        store.db.createKeyspaceIfAbsent("sessions", KeyspaceOptions.defaults());
        sessions.put(bytes("changed"), VALUE);
        assertStays("changed");
        store.db.dropKeyspace("sessions");
        sessions = store.db.createKeyspace("sessions");
        sessions.put(bytes("new"), VALUE);
        assertStays("new");
    }

    @Test
    void whatWasWrittenExpiresInLaterOpeningsThoughTheOptionsEnd() {
        sessions.put(bytes("before"), VALUE);
        Path file = Path.of("/exported");
        sessions.exportTo(file);
        store.vfs = store.vfs.kill();
        store.open();
        sessions = store.db.keyspace("sessions");
        assertLives(TTL, "before");
        assertEquals(KeyspaceOptions.defaults(), sessions.keyspaceOptions());
        sessions.put(bytes("after"), VALUE);
        assertStays("after");
        store.db.close();
        store.open();
        sessions = store.db.createKeyspaceIfAbsent("sessions", KeyspaceOptions.timeToLive(Duration.ofMillis(5)));
        sessions.put(bytes("again"), VALUE);
        assertLives(5, "again");
        assertLives(TTL, "before");
        assertStays("after");
        sessions.deleteAll();
        sessions.importFrom(file);
        assertLives(TTL, "before");
    }

    /** Against a map from key to end: puts in all ways, time that passes, commits, crashes. */
    @Test
    void eachLivesAsLongAsItIsToWhateverHappens() {
        SplittableRandom random = new SplittableRandom(11);
        TreeMap<String, Long> ends = new TreeMap<>();
        for (int i = 0; i < Effort.times(3000); i++) {
            String key = "key " + random.nextInt(200);
            long ttl = 1 + random.nextInt(3000);
            switch (random.nextInt(8)) {
                case 0 -> {
                    sessions.put(bytes(key), VALUE, WriteOptions.timeToLive(Duration.ofMillis(ttl)));
                    ends.put(key, store.clock.millis() + ttl);
                }
                case 1 -> {
                    store.db.write(new WriteBatch().in(sessions).put(bytes(key), VALUE));
                    ends.put(key, store.clock.millis() + TTL);
                }
                case 2 -> {
                    sessions.put(bytes(key), VALUE, WriteOptions.defaults().withoutTimeToLive());
                    ends.put(key, Long.MAX_VALUE);
                }
                case 3 -> store.clock.advance(random.nextInt(100));
                case 4 -> {
                    if (random.nextInt(50) == 0) {
                        store.vfs = store.vfs.kill();
                        store.open();
                        sessions = store.db.createKeyspaceIfAbsent("sessions", LIVES);
                    }
                }
                case 5 -> {
                    store.db.transactWithoutResult(
                            transaction -> transaction.in(sessions).put(bytes(key), VALUE));
                    ends.put(key, store.clock.millis() + TTL);
                }
                default -> {
                    sessions.put(bytes(key), VALUE);
                    ends.put(key, store.clock.millis() + TTL);
                }
            }
            long now = store.clock.millis();
            Long end = ends.get(key);
            assertEquals(end != null && end > now, sessions.containsKey(bytes(key)), key);
            if (i % 100 == 0) {
                assertEquals(
                        ends.values().stream().filter(time -> time > now).count(),
                        sessions.stream().count());
            }
        }
    }
}
