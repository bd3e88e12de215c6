package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and values in buffers of every kind, the reuse of batches, and what calls leave to the garbage collector. */
class FlexDBBuffersTest {
    private static final List<Function<byte[], ByteBuffer>> KINDS = List.of(
            ByteBuffer::wrap,
            bytes -> ByteBuffer.wrap(bytes).asReadOnlyBuffer(),
            bytes -> ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(),
            bytes -> ByteBuffer.allocateDirect(bytes.length).put(bytes).flip().asReadOnlyBuffer(),
            bytes -> ByteBuffer.allocate(bytes.length + 20)
                    .position(7)
                    .put(bytes)
                    .limit(7 + bytes.length)
                    .position(7),
            bytes -> ByteBuffer.allocate(bytes.length + 5)
                    .position(5)
                    .slice()
                    .put(bytes)
                    .flip());

    private final FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL);

    @AfterEach
    void close() {
        db.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void buffersOfEveryKindAreKeysAndValues() {
        for (int i = 0; i < KINDS.size(); i++) {
            for (int j = 0; j < KINDS.size(); j++) {
                byte[] key = bytes("key" + i + j);
                byte[] value = bytes("the value " + i + j);
                ByteBuffer keyBuffer = KINDS.get(i).apply(key);
                ByteBuffer valueBuffer = KINDS.get(j).apply(value);
                if (i < 3) {
                    db.put(keyBuffer, valueBuffer);
                } else {
                    db.write(new WriteBatch().put(keyBuffer, valueBuffer));
                }
                assertFalse(keyBuffer.hasRemaining() || valueBuffer.hasRemaining());
                assertArrayEquals(value, db.get(key));
                ByteBuffer lookup = KINDS.get(j).apply(key);
                ByteBuffer destination = j % 2 == 0
                        ? ByteBuffer.allocate(50).position(3)
                        : ByteBuffer.allocateDirect(50).position(3);
                assertEquals(value.length, db.get(lookup, destination));
                assertEquals(3 + value.length, destination.position());
                assertEquals(ByteBuffer.wrap(value), destination.flip().position(3));
                assertFalse(lookup.hasRemaining());
            }
        }
        for (int i = 0; i < KINDS.size(); i++) {
            ByteBuffer first = KINDS.get(i).apply(bytes("key" + i + 0));
            ByteBuffer second = KINDS.get(i).apply(bytes("key" + i + 1));
            db.delete(first);
            db.write(new WriteBatch().delete(second));
            assertFalse(first.hasRemaining() || second.hasRemaining());
            assertNull(db.get(bytes("key" + i + 0)));
            assertNull(db.get(bytes("key" + i + 1)));
        }
    }

    /** Also where the memory that they are copied to has to grow. */
    @Test
    void keysOfAnyLengthAreDeleted() {
        WriteBatch batch = new WriteBatch();
        for (int length = 1; length < 5000; length += length < 200 ? 1 : 400) {
            batch.put(new byte[length], bytes("x"));
            if (batch.sizeBytes() > 10_000) {
                db.write(batch);
                batch.clear();
            }
        }
        db.write(batch);
        WriteBatch deletes = new WriteBatch();
        for (int length = 1; length < 200; length++) {
            deletes.delete(ByteBuffer.wrap(new byte[length]));
        }
        db.write(deletes);
        assertEquals(12, StoreDriver.all(db).size());
        db.delete(ByteBuffer.wrap(new byte[1400]));
        db.delete(ByteBuffer.wrap(new byte[2600]));
        assertEquals(10, StoreDriver.all(db).size());
    }

    @Test
    void oneBufferMayBeKeyAndValue() {
        ByteBuffer both = ByteBuffer.wrap(bytes("both"));
        db.put(both, both);
        both.rewind();
        db.write(new WriteBatch().put(bytes("other"), bytes("x")).put(both, both));
        assertArrayEquals(bytes("both"), db.get(bytes("both")));
    }

    @Test
    void aDestinationThatIsTooSmallIsLeftAlone() {
        db.put(bytes("k"), bytes("value"));
        ByteBuffer small = ByteBuffer.allocate(4);
        String message = assertThrows(IllegalArgumentException.class, () -> db.get(ByteBuffer.wrap(bytes("k")), small))
                .getMessage();
        assertTrue(message.contains("room for 4 bytes") && message.contains("value has 5"), message);
        assertEquals(0, small.position());
        try (FlexCursor cursor = db.cursor();
                Snapshot snapshot = db.snapshot()) {
            assertThrows(IllegalArgumentException.class, () -> snapshot.get(ByteBuffer.wrap(bytes("k")), small));
            cursor.seekToFirst();
            assertThrows(IllegalArgumentException.class, () -> cursor.value(small));
            assertThrows(IllegalArgumentException.class, () -> cursor.key(ByteBuffer.allocate(0)));
            assertEquals(1, cursor.key(small));
            assertEquals(5, cursor.value(ByteBuffer.allocate(5)));
            assertEquals(5, snapshot.get(ByteBuffer.wrap(bytes("k")), ByteBuffer.allocate(5)));
            assertEquals(-1, snapshot.get(ByteBuffer.wrap(bytes("l")), ByteBuffer.allocate(5)));
        }
    }

    @Test
    void aBatchIsUsedAgain() {
        WriteBatch batch = new WriteBatch();
        for (int round = 0; round < 5; round++) {
            batch.clear();
            assertEquals(0, batch.size() + batch.sizeBytes());
            for (int i = 0; i < 20; i++) {
                batch.put(bytes("key" + i), new byte[round * 50]);
            }
            batch.delete(bytes("key" + round)).put(bytes("key19"), bytes("last"));
            assertEquals(22, batch.size());
            assertEquals(22L * (round + 1), db.write(batch));
            assertEquals(22L * (round + 1), db.write(new WriteBatch()));
            assertNull(db.get(bytes("key" + round)));
            assertArrayEquals(bytes("last"), db.get(bytes("key19")));
            assertEquals(round * 50, db.get(bytes("key18")).length);
        }
        assertEquals(19 - 4 + 4, StoreDriver.all(db).size());
        db.write(batch); // and again as it is
    }

    private interface Operation {
        void run(int i);
    }

    private static final int CURSOR_BYTES = 32;
    private static final int MOST_ROUNDS = 1000; // until the compiler is done, which may lack a processor

    /** Bytes of garbage for each of many calls, once the compiler is done. */
    private static long garbage(Operation operation) {
        return garbage(operation, 0);
    }

    private static long garbage(Operation operation, long enough) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < MOST_ROUNDS && least > enough; round++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 2000; i++) {
                operation.run(i);
            }
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            least = Math.min(least, allocated / 2000);
        }
        return least;
    }

    @Test
    void getIntoABufferPutAndNextMakeNoGarbage(@TempDir Path temporary) {
        try (FlexDB real = FlexDB.open(temporary.resolve("store"))) {
            ByteBuffer key = ByteBuffer.allocate(8);
            ByteBuffer value = ByteBuffer.allocateDirect(100);
            Operation put = i -> real.put(key.clear().putLong(0, i * 31L % 5000), value.clear());
            Operation get = i -> real.get(key.clear().putLong(0, i * 31L % 5000), value.clear());
            assertEquals(0, garbage(put), "put");
            assertEquals(0, garbage(get), "get from a memtable");
            try (FlexCursor cursor = real.cursor()) {
                assertEquals(0, garbage(i -> step(cursor, key, value)), "next in a memtable");
            }
        }
        try (FlexDB real = FlexDB.open(temporary.resolve("store"))) {
            ByteBuffer key = ByteBuffer.allocate(8);
            ByteBuffer value = ByteBuffer.allocateDirect(100);
            assertEquals(0, garbage(i -> real.get(key.clear().putLong(0, i * 31L % 5000), value.clear())), "get");
            try (FlexCursor cursor = real.cursor()) {
                assertEquals(0, garbage(i -> step(cursor, key, value)), "next");
            }
        }
    }

    /** A scan leaves to the collector the cursor, which is one object, and nothing else. */
    @Test
    void aShortScanMakesNoGarbageButTheCursor(@TempDir Path temporary) {
        byte[] from = new byte[8];
        ByteBuffer key = ByteBuffer.allocate(8);
        ByteBuffer value = ByteBuffer.allocateDirect(100);
        FlexDB[] store = new FlexDB[1];
        Operation scan = i -> {
            int first = i * 31 % 4900;
            from[6] = (byte) (first >> 8);
            from[7] = (byte) first;
            try (FlexCursor cursor = store[0].cursor()) {
                cursor.seek(from);
                for (int step = 0; step < 10; step++) {
                    cursor.key(key.clear());
                    cursor.value(value.clear());
                    cursor.next();
                }
            }
        };
        try (FlexDB real = FlexDB.open(temporary.resolve("store"))) {
            store[0] = real;
            for (int i = 0; i < 5000; i++) {
                real.put(key.clear().putLong(0, i), value.clear());
            }
            assertTrue(garbage(scan, CURSOR_BYTES) <= CURSOR_BYTES, "in a memtable");
        }
        try (FlexDB real = FlexDB.open(temporary.resolve("store"))) {
            store[0] = real;
            assertTrue(garbage(scan, CURSOR_BYTES) <= CURSOR_BYTES, "in the space");
            real.put(key.clear().putLong(0, 100), value.clear());
            assertTrue(garbage(scan, CURSOR_BYTES) <= CURSOR_BYTES, "in both");
        }
    }

    private static void step(FlexCursor cursor, ByteBuffer key, ByteBuffer value) {
        if (cursor.isValid()) {
            cursor.next();
        }
        if (!cursor.isValid()) {
            cursor.seekToFirst();
        }
        cursor.key(key.clear());
        cursor.value(value.clear());
    }
}
