package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.internal.base.KeyHash;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemTableTest {
    @Test
    void anEmptyTableHasNothing() {
        MemTable table = MemTable.allocate(7, MemTable.MIN_ARENA_BYTES);
        assertEquals(7, table.id());
        assertEquals(MemTable.NONE, find(table, "a", Long.MAX_VALUE));
        MemTableCursor cursor = new MemTableCursor();
        cursor.reset(table, Long.MAX_VALUE);
        cursor.seekToFirst();
        assertFalse(cursor.isValid());
        cursor.seekToLast();
        assertFalse(cursor.isValid());
        cursor.seek(text("a"), 0, 1);
        assertFalse(cursor.isValid());
        cursor.seekForPrev(text("a"), 0, 1);
        assertFalse(cursor.isValid());
        MemTableChecker.check(table);
    }

    @Test
    void aFullTableTakesNoMoreAndHoldsAllItTook() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        Random random = new Random(1);
        Payloads payload = new Payloads();
        long sequence = 1;
        while (payload.clear()
                .put(text("k" + sequence), new byte[random.nextInt(300)])
                .insertInto(table, sequence)) {
            sequence++;
        }
        assertTrue(table.bytesUsed() > MemTable.MIN_ARENA_BYTES * 7 / 8, table::toString);
        MemTableChecker.check(table);
        for (long i = 1; i < sequence; i++) {
            assertEquals(i, table.sequence(find(table, "k" + i, Long.MAX_VALUE)));
        }
    }

    @Test
    void theHashIndexIsNeverMoreThanThreeQuartersFull() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        Payloads payload = new Payloads();
        int entries = 0;
        byte[] key = new byte[2];
        do {
            key[0] = (byte) entries;
            key[1] = (byte) (entries++ >> 8);
        } while (payload.clear().delete(key).insertInto(table, entries));
        assertEquals(MemTable.hashBytesFor(MemTable.MIN_ARENA_BYTES) / 8 / 4 * 3, table.entryCount());
        MemTableChecker.check(table);
    }

    @Test
    void aKeyWrittenAgainTakesNoMoreOfTheHashIndex() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        Payloads payload = new Payloads();
        int entries = 0;
        while (payload.clear().delete(text("k" + entries % 3)).insertInto(table, entries + 1)) {
            entries++;
        }
        assertTrue(entries > MemTable.hashBytesFor(MemTable.MIN_ARENA_BYTES) / 8, table::toString);
        MemTableChecker.check(table);
    }

    @Test
    void aWriteThatCouldBeHeldFitsAnEmptyTable() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        Random random = new Random(2);
        for (int round = 0; round < 300; round++) {
            int entries = 1 + random.nextInt(600);
            long body = entries * MemTable.bodyBytes(random.nextInt(40), random.nextInt(300));
            table.reset(round, null);
            if (MemTable.couldHold(MemTable.MIN_ARENA_BYTES, body, entries)) {
                assertNotEquals(MemTable.NONE, table.reserve(body, entries, random.nextLong() >>> 1));
            }
        }
        assertFalse(MemTable.couldHold(MemTable.MIN_ARENA_BYTES, MemTable.MIN_ARENA_BYTES, 1));
        assertFalse(MemTable.couldHold(MemTable.MIN_ARENA_BYTES, 1, 1_000_000));
    }

    @Test
    void anArenaMadeForAWriteHoldsIt() {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            int entries = 1 + random.nextInt(3000);
            long body = entries * MemTable.bodyBytes(random.nextInt(10), random.nextInt(round % 2 == 0 ? 3 : 1000));
            assertTrue(MemTable.couldHold(MemTable.arenaBytesFor(body, entries), body, entries));
        }
    }

    @Test
    void aTableIsAsNewAfterReset() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        for (int use = 0; use < 5; use++) {
            Payloads payload = new Payloads();
            for (int i = 0; i < 100; i++) {
                assertTrue(payload.clear().put(text(use + "-" + i), new byte[i]).insertInto(table, use * 100 + i + 1));
            }
            table.setFirstSequence(use * 100 + 1);
            table.setLastSequence(use * 100 + 100);
            assertEquals(use * 100 + 1, table.firstSequence());
            assertEquals(use * 100 + 100, table.lastSequence());
            MemTableChecker.check(table);
            assertEquals(MemTable.NONE, find(table, use - 1 + "-5", Long.MAX_VALUE));
            table.reset(use, table);
            assertEquals(0, table.entryCount());
            assertEquals(0, table.firstSequence());
            assertEquals(0, table.lastSequence());
        }
    }

    @Test
    void theLongestKeyAndALargeValueAreHeld() {
        MemTable table = MemTable.allocate(1, 16 << 20);
        byte[] key = new byte[WritePayload.MAX_KEY_BYTES];
        byte[] value = new byte[8 << 20];
        new Random(3).nextBytes(key);
        new Random(4).nextBytes(value);
        Payloads payload = new Payloads();
        assertTrue(payload.put(key, value).put(new byte[0], new byte[0]).insertInto(table, 1));
        int ref = table.find(key, 0, key.length, KeyHash.hash(key, 0, key.length), 1);
        byte[] found = new byte[table.valueLength(ref)];
        table.buffer().get(table.valuePosition(ref), found);
        assertArrayEquals(value, found);
        assertEquals(2, table.sequence(find(table, "", 2)));
        MemTableChecker.check(table);
    }

    @Test
    void buffersThatDoNotFitAreRefused() {
        ByteBuffer slots = ByteBuffer.allocateDirect(MemTable.hashBytesFor(MemTable.MIN_ARENA_BYTES));
        ByteBuffer arena = ByteBuffer.allocateDirect(MemTable.MIN_ARENA_BYTES);
        ByteBuffer heap = ByteBuffer.allocate(MemTable.MIN_ARENA_BYTES);
        ByteBuffer small = ByteBuffer.allocateDirect(64);
        assertThrows(IllegalArgumentException.class, () -> new MemTable(heap, slots));
        assertThrows(IllegalArgumentException.class, () -> new MemTable(small, slots));
        assertThrows(IllegalArgumentException.class, () -> new MemTable(arena, heap));
        assertThrows(IllegalArgumentException.class, () -> new MemTable(arena, small));
        MemTable table = new MemTable(arena, slots);
        table.reset(1, null);
        assertEquals(arena.capacity() + slots.capacity(), table.memoryBytes());
    }

    @Test
    void aTableCanBePrinted() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        new Payloads()
                .put(text("b\u0001"), new byte[3])
                .delete(text("a".repeat(50)))
                .insertInto(table, 5);
        String dump = MemTableChecker.dump(table);
        assertTrue(dump.startsWith("MemTable[id=1, entries=2"), dump);
        assertTrue(dump.contains("delete \"" + "a".repeat(40) + "\"... #6 key 50 value 0"), dump);
        assertTrue(dump.contains("put \"b.\" #5 key 2 value 3"), dump);
    }

    @Test
    void theCheckerSeesABrokenHashIndex() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        new Payloads().put(text("a"), new byte[3]).insertInto(table, 1);
        table.index.clear();
        assertTrue(assertThrows(AssertionError.class, () -> MemTableChecker.check(table))
                .getMessage()
                .startsWith("I1"));
    }

    @Test
    void writingAndReadingMakeNoGarbage() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        MemTable table = MemTable.allocate(1, 16 << 20);
        Payloads payload = new Payloads();
        MemTableCursor cursor = new MemTableCursor();
        byte[] key = new byte[16];
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 1000 && least >= 2000; round++) {
            table.reset(round, null);
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 1; i <= 2000; i++) {
                for (int b = 0; b < 8; b++) {
                    key[b] = (byte) (i * 7919 >> b * 3);
                }
                payload.clear().put(key, key).insertInto(table, i);
                table.find(key, 0, key.length, KeyHash.hash(key, 0, key.length), i - 1);
                cursor.reset(table, i);
                cursor.seek(key, 0, key.length);
                cursor.previous();
                cursor.seekForPrev(key, 0, key.length);
                cursor.next();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
        }
        assertTrue(least < 2000, "bytes of garbage for 2000 rounds: " + least);
    }

    private static int find(MemTable table, String key, long maxSequence) {
        byte[] bytes = text(key);
        return table.find(bytes, 0, bytes.length, KeyHash.hash(bytes, 0, bytes.length), maxSequence);
    }

    private static byte[] text(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }
}
