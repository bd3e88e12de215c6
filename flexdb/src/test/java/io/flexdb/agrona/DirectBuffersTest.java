package io.flexdb.agrona;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.MergeFunction;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Keys and values in buffers with Agrona's interface. Its own classes of buffers need a flag of the JVM, which these
 * tests do without: so they have a buffer of their own, which can do what is asked of it here and nothing else.
 */
class DirectBuffersTest {
    private final MutableDirectBuffer key = buffer();
    private final MutableDirectBuffer value = buffer();

    private static MutableDirectBuffer buffer() {
        byte[] bytes = new byte[200_000];
        return (MutableDirectBuffer) Proxy.newProxyInstance(
                DirectBuffersTest.class.getClassLoader(),
                new Class<?>[] {MutableDirectBuffer.class},
                (self, method, arguments) -> {
                    int index = (int) arguments[0];
                    switch (method.getName()) {
                        case "boundsCheck" -> Objects.checkFromIndexSize(index, (int) arguments[1], bytes.length);
                        case "getBytes" -> {
                            byte[] to = (byte[]) arguments[1];
                            boolean part = arguments.length > 2;
                            int at = part ? (int) arguments[2] : 0;
                            System.arraycopy(bytes, index, to, at, part ? (int) arguments[3] : to.length);
                        }
                        case "putBytes" -> {
                            byte[] from = (byte[]) arguments[1];
                            boolean part = arguments.length > 2;
                            int at = part ? (int) arguments[2] : 0;
                            System.arraycopy(from, at, bytes, index, part ? (int) arguments[3] : from.length);
                        }
                        default -> throw new UnsupportedOperationException(method.toString());
                    }
                    return null;
                });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private int key(String text) {
        key.putBytes(3, bytes(text));
        return text.length();
    }

    private String value(int index, int length) {
        byte[] copy = new byte[length];
        value.getBytes(index, copy);
        return new String(copy, StandardCharsets.UTF_8);
    }

    @Test
    void keysAndValuesGoThereAndBack(@TempDir Path temporary) {
        try (FlexDB db = FlexDB.open(temporary.resolve("store"))) {
            DirectBuffers buffers = new DirectBuffers(db);
            value.putBytes(5, bytes("red"));
            assertEquals(1, buffers.put(key, 3, key("apple"), value, 5, 3));
            assertEquals(2, buffers.put(key, 3, key("cherry"), value, 5, 3, WriteOptions.durability(Durability.SYNC)));
            assertEquals(2, db.durableSequence());
            WriteBatch batch = new WriteBatch();
            buffers.put(batch, key, 3, key("pear"), value, 5, 2);
            buffers.delete(batch, key, 3, key("cherry"));
            db.write(batch);
            assertArrayEquals(bytes("re"), db.get(bytes("pear")));
            assertNull(db.get(bytes("cherry")));
            db.put(bytes("long"), new byte[100_000]);
            assertEquals(100_000, buffers.get(key, 3, key("long"), value, 1000));
            assertEquals(3, buffers.get(key, 3, key("apple"), value, 70));
            assertEquals("red", value(70, 3));
            assertEquals(-1, buffers.get(key, 3, key("cherry"), value, 70));
            assertTrue(buffers.containsKey(key, 3, key("pear")));
            assertFalse(buffers.containsKey(key, 3, key("pea")));
            assertEquals(100_000, buffers.valueLength(key, 3, key("long")));
            try (FlexCursor cursor = db.cursor()) {
                buffers.seek(cursor, key, 3, key("b"));
                assertEquals(4, buffers.key(cursor, value, 0));
                assertEquals("long", value(0, 4));
                buffers.seekForPrev(cursor, key, 3, key("b"));
                assertEquals(3, buffers.value(cursor, value, 9));
                assertEquals("red", value(9, 3));
            }
            buffers.delete(key, 3, key("apple"));
            assertNull(db.get(bytes("apple")));
        }
    }

    @Test
    void pairsExpireOperandsAreMergedAndRangesDeleted(@TempDir Path temporary) {
        AtomicLong time = new AtomicLong(1000);
        FlexDBOptions options = FlexDBOptions.defaults()
                .withClock(() -> Instant.ofEpochMilli(time.get()))
                .withMergeFunction(MergeFunction.APPEND);
        try (FlexDB db = FlexDB.open(temporary.resolve("store"), options)) {
            DirectBuffers buffers = new DirectBuffers(db);
            value.putBytes(5, bytes("red"));
            assertEquals(
                    1, buffers.put(key, 3, key("apple"), value, 5, 3, WriteOptions.timeToLive(Duration.ofMillis(10))));
            assertEquals(
                    2,
                    buffers.put(
                            key,
                            3,
                            key("pear"),
                            value,
                            5,
                            3,
                            WriteOptions.timeToLive(Duration.ofMillis(20)).withDurability(Durability.SYNC)));
            assertEquals(2, db.durableSequence());
            assertEquals(3, buffers.merge(key, 3, key("apple"), value, 6, 2));
            assertEquals(
                    4, buffers.merge(key, 3, key("cherry"), value, 6, 2, WriteOptions.durability(Durability.SYNC)));
            assertEquals(4, db.durableSequence());
            WriteBatch batch = new WriteBatch();
            buffers.put(batch, key, 3, key("plum"), value, 7, 1, Duration.ofMillis(20));
            buffers.merge(batch, key, 3, key("cherry"), value, 5, 1);
            db.write(batch);
            assertArrayEquals(bytes("reded"), db.get(bytes("apple")));
            assertArrayEquals(bytes("edr"), db.get(bytes("cherry")));
            time.set(1010);
            assertNull(db.get(bytes("apple")));
            assertArrayEquals(bytes("d"), db.get(bytes("plum")));
            time.set(1020);
            assertNull(db.get(bytes("pear")));
            assertNull(db.get(bytes("plum")));
            for (String name : List.of("a", "b", "c", "d", "e")) {
                buffers.put(key, 3, key(name), value, 5, 3);
            }
            value.putBytes(90, bytes("c"));
            buffers.deleteRange(key, 3, key("a"), value, 90, 1);
            assertNull(db.get(bytes("b")));
            value.putBytes(90, bytes("e"));
            WriteBatch range = new WriteBatch();
            buffers.deleteRange(range, key, 3, key("d"), value, 90, 1);
            db.write(range);
            assertNull(db.get(bytes("d")));
            assertArrayEquals(bytes("red"), db.get(bytes("c")));
            long last = buffers.delete(key, 3, key("c"), WriteOptions.durability(Durability.SYNC));
            assertEquals(last, db.durableSequence());
            assertNull(db.get(bytes("c")));
            assertArrayEquals(bytes("red"), db.get(bytes("e")));
        }
    }

    @Test
    void whatIsWrongIsRefusedBeforeAnythingIsWritten(@TempDir Path temporary) {
        assertThrows(NullPointerException.class, () -> new DirectBuffers(null));
        try (FlexDB db = FlexDB.open(temporary.resolve("store"))) {
            DirectBuffers buffers = new DirectBuffers(db);
            assertThrows(IllegalArgumentException.class, () -> buffers.put(key, 0, 0, value, 0, 1));
            assertThrows(
                    NullPointerException.class,
                    () -> buffers.put(key, 0, 1, value, 0, 1, WriteOptions.durability((Durability) null)));
            assertThrows(IndexOutOfBoundsException.class, () -> buffers.put(key, -1, 4, value, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> buffers.delete(key, 0, -4));
            assertEquals(0, db.stats().lastSequence());
        }
    }
}
