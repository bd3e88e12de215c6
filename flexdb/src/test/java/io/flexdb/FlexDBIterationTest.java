package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StoreClosedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Iterations: of cursors, as streams, and by an action, with bounds of all kinds, a direction and a limit. */
class FlexDBIterationTest {
    private static final int EFFORT = Integer.getInteger("flexdb.test.effort", 1);

    private final StoreDriver store = new StoreDriver(StoreDriver.SMALL);
    private final FlexDB db = store.db;

    @AfterEach
    void close() {
        db.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    private static List<String> keys(Stream<KeyValue> pairs) {
        try (pairs) {
            return pairs.map(pair -> text(pair.key())).toList();
        }
    }

    private void putAll(String... keys) {
        for (String key : keys) {
            db.put(bytes(key), bytes("of " + key));
        }
    }

    private static ReadOptions all() {
        return ReadOptions.defaults();
    }

    @Test
    void directionLimitAndBoundsCount() {
        putAll("a", "b", "ba", "bb", "c");
        db.flush();
        putAll("d");
        assertEquals(List.of("a", "b", "ba", "bb", "c", "d"), keys(db.stream()));
        assertEquals(List.of("d", "c", "bb", "ba", "b", "a"), keys(db.stream(all().withReverse(true))));
        assertEquals(List.of("d", "c"), keys(db.stream(all().withReverse(true).withLimit(2))));
        assertEquals(List.of("a"), keys(db.stream(all().withLimit(1))));
        assertEquals(List.of(), keys(db.stream(all().withLimit(0))));
        assertEquals(List.of("b", "ba", "bb"), keys(db.stream(all().withPrefix(bytes("b")))));
        assertEquals(
                List.of("bb", "ba"),
                keys(db.stream(all().withPrefix(bytes("b")).withReverse(true).withLimit(2))));
        byte[] b = bytes("b");
        byte[] c = bytes("c");
        assertEquals(
                List.of("b", "ba", "bb"), keys(db.stream(all().withLowerBound(b).withUpperBound(c))));
        assertEquals(
                List.of("b", "ba", "bb"),
                keys(db.stream(all().withLowerBound(b, true).withUpperBound(c, false))));
        assertEquals(
                List.of("ba", "bb", "c"),
                keys(db.stream(all().withLowerBound(b, false).withUpperBound(c, true))));
        assertEquals(
                List.of("c", "bb", "ba"),
                keys(db.stream(
                        all().withLowerBound(b, false).withUpperBound(c, true).withReverse(true))));
        assertEquals(List.of("b"), keys(db.stream(all().withLowerBound(b, true).withUpperBound(b, true))));
        assertEquals(List.of(), keys(db.stream(all().withLowerBound(b, false).withUpperBound(b, true))));
        assertEquals(
                6,
                keys(db.stream(all().withLowerBound(null, false).withUpperBound(null, true)))
                        .size());
    }

    @Test
    void optionsAreRememberedAndChecked() {
        ReadOptions options = all().withReverse(true)
                .withLimit(9)
                .withKeysOnly(true)
                .withExpectedPairs(3)
                .withLowerBound(bytes("a"), false);
        assertTrue(options.reverse());
        assertEquals(9, options.limit());
        assertEquals(3, options.expectedPairs());
        assertTrue(options.keysOnly());
        assertEquals("a\0", text(options.lowerBound()));
        assertTrue(options.toString().contains("reverse=true, limit=9"), options::toString);
        assertFalse(all().reverse());
        assertEquals(Long.MAX_VALUE, all().limit());
        assertThrows(IllegalArgumentException.class, () -> all().withLimit(-1));
    }

    @Test
    void aCursorIsIteratedFromItsBeginningEachTime() {
        putAll("a", "b", "c");
        try (FlexCursor cursor = db.cursor(all().withLimit(2))) {
            List<KeyValue> pairs = new ArrayList<>();
            for (KeyValue pair : cursor) {
                pairs.add(pair);
            }
            assertEquals(
                    List.of(new KeyValue(bytes("a"), bytes("of a")), new KeyValue(bytes("b"), bytes("of b"))), pairs);
            assertEquals(pairs.get(0).hashCode(), new KeyValue(bytes("a"), bytes("of a")).hashCode());
            assertNotEquals(pairs.get(0), new KeyValue(bytes("a"), null));
            assertNotEquals(pairs.get(0), new KeyValue(bytes("b"), bytes("of a")));
            assertEquals(
                    "KeyValue[key of 1 bytes, value of 4 bytes]", pairs.get(0).toString());
            cursor.seek(bytes("c"));
            cursor.next(); // a limit does not count for steps
            Iterator<KeyValue> again = cursor.iterator();
            assertEquals("a", text(again.next().key())); // without hasNext
            assertTrue(again.hasNext());
            assertTrue(again.hasNext());
            assertEquals("b", text(again.next().key()));
            assertFalse(again.hasNext());
            assertThrows(NoSuchElementException.class, again::next);
        }
    }

    @Test
    void withKeysOnlyThereAreNoValues() {
        putAll("a", "b");
        List<KeyValue> pairs = new ArrayList<>();
        db.forEach(all().withKeysOnly(true), (key, value) -> pairs.add(new KeyValue(key, value)));
        assertEquals(List.of(new KeyValue(bytes("a"), null), new KeyValue(bytes("b"), null)), pairs);
        assertEquals("KeyValue[key of 1 bytes, no value]", pairs.get(0).toString());
        try (Stream<KeyValue> stream = db.stream(all().withKeysOnly(true))) {
            stream.forEach(pair -> assertNull(pair.value()));
        }
    }

    @Test
    void aStreamThatIsConsumedOrClosedHoldsNothing() {
        putAll("a", "b");
        assertEquals(0, db.stats().holders().open().size());
        Stream<KeyValue> consumed = db.stream();
        assertEquals(1, db.stats().holders().open().size());
        assertEquals(2, consumed.toList().size());
        assertEquals(0, db.stats().holders().open().size());
        Stream<KeyValue> limited = db.stream(all().withLimit(1));
        assertEquals(1, limited.toList().size());
        assertEquals(0, db.stats().holders().open().size());
        try (Stream<KeyValue> closed = db.stream()) {
            assertTrue(closed.findFirst().isPresent());
            assertEquals(1, db.stats().holders().open().size());
        }
        assertEquals(0, db.stats().holders().open().size());
        Stream<KeyValue> late = db.stream();
        late.close();
        assertThrows(IllegalStateException.class, late::toList);
    }

    @Test
    void anExceptionOfTheActionEndsTheIterationAndLeavesNothingOpen() {
        putAll("a", "b");
        RuntimeException own = new RuntimeException("mine");
        assertSame(
                own,
                assertThrows(
                        RuntimeException.class,
                        () -> db.forEach((key, value) -> {
                            throw own;
                        })));
        assertEquals(0, db.stats().holders().open().size());
        db.forEach((key, value) -> db.delete(key)); // it calls the store, whose writes don't show
        assertEquals(List.of(), keys(db.stream()));
        FlexCursor cursor = db.cursor();
        Iterator<KeyValue> iterator = cursor.iterator();
        cursor.close();
        assertThrows(StoreClosedException.class, iterator::hasNext);
    }

    @Test
    void whatATransactionIteratesOverItHasRead() {
        putAll("a", "b", "c");
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            transaction.put(bytes("bb"), bytes("own"));
            assertEquals(
                    List.of("c", "bb"),
                    keys(transaction.stream(all().withReverse(true).withLimit(2))));
            db.put(bytes("bc"), bytes("another's, in what was read"));
            assertThrows(ConflictException.class, transaction::commit);
        }
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            transaction.put(bytes("d"), bytes("own"));
            transaction.forEach(all().withUpperBound(bytes("b"), true), (key, value) -> {});
            db.put(bytes("bz"), bytes("another's, beside what was read"));
            transaction.commit();
        }
    }

    @Test
    void iterationsAreThoseOfASortedMap() {
        Random random = new Random(27);
        TreeMap<byte[], byte[]> map = StoreOracle.newMap();
        Keyspace keyspace = db.createKeyspace("named");
        for (int round = 0; round < 30 * EFFORT; round++) {
            for (int i = 0; i < 20; i++) {
                byte[] key = key(random);
                if (random.nextInt(4) == 0) {
                    keyspace.delete(key);
                    map.remove(key);
                } else {
                    byte[] value = bytes("value " + i);
                    keyspace.put(key, value);
                    map.put(key, value);
                }
            }
            if (random.nextInt(5) == 0) {
                db.flush();
            }
            for (int i = 0; i < 20; i++) {
                assertSameIteration(random, map, keyspace, "round " + round);
            }
        }
    }

    /** Some are prefixes of others, and some begin with 0xFF. */
    private static byte[] key(Random random) {
        byte[] key = new byte[1 + random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) new int[] {0, 1, 0x7F, 0x80, 0xFE, 0xFF}[random.nextInt(6)];
        }
        return key;
    }

    private static void assertSameIteration(Random random, TreeMap<byte[], byte[]> map, Keyspace keyspace, String at) {
        NavigableMap<byte[], byte[]> shown = map;
        ReadOptions options = all();
        byte[] from = key(random);
        byte[] to = key(random);
        if (map.comparator().compare(from, to) > 0) {
            byte[] other = from;
            from = to;
            to = other;
        }
        if (random.nextBoolean()) {
            boolean inclusive = random.nextBoolean();
            shown = shown.tailMap(from, inclusive);
            options = options.withLowerBound(from, inclusive);
        }
        if (random.nextBoolean() && map.comparator().compare(from, to) < 0) {
            boolean inclusive = random.nextBoolean();
            shown = shown.headMap(to, inclusive);
            options = options.withUpperBound(to, inclusive);
        }
        List<KeyValue> expected = new ArrayList<>();
        shown.forEach((key, value) -> expected.add(new KeyValue(key, value)));
        if (random.nextBoolean()) {
            Collections.reverse(expected);
            options = options.withReverse(true);
        }
        if (random.nextBoolean()) {
            int limit = random.nextInt(8);
            expected.subList(Math.min(limit, expected.size()), expected.size()).clear();
            options = options.withLimit(limit);
        }
        List<KeyValue> found = new ArrayList<>();
        switch (random.nextInt(3)) {
            case 0 -> keyspace.forEach(options, (key, value) -> found.add(new KeyValue(key, value)));
            case 1 -> keyspace.stream(options).forEach(found::add);
            default -> {
                try (FlexCursor cursor = keyspace.cursor(options)) {
                    cursor.forEach(found::add);
                }
            }
        }
        assertEquals(expected, found, at + ", " + options);
    }
}
