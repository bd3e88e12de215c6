package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EntryWalkTest {
    private record Entry(int type, byte[] key, byte[] value) {}

    private final Random random = new Random(5);
    private final List<Entry> written = new ArrayList<>();
    private long first;

    /** One write of a few entries. */
    private boolean write(MemTable table) {
        byte[] payload = new byte[4096];
        int length = 0;
        long bodyBytes = 0;
        int ranges = 0;
        List<Entry> entries = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            int type = new int[] {WritePayload.PUT, WritePayload.DELETE, WritePayload.DELETE_RANGE, WritePayload.MERGE}
                    [random.nextInt(4)];
            byte[] key = {1, (byte) random.nextInt(100)};
            byte[] value = new byte[type == WritePayload.DELETE ? 0 : random.nextInt(40)];
            if (type == WritePayload.DELETE_RANGE) {
                value = random.nextBoolean() ? new byte[0] : new byte[] {2};
                ranges++;
            }
            int tail = value.length + WritePayload.timeBytes(type);
            int at = type == WritePayload.DELETE
                    ? WritePayload.encodeDeleteHeader(payload, length, key.length)
                    : type == WritePayload.DELETE_RANGE
                            ? WritePayload.encodeRangeHeader(payload, length, key.length, value.length)
                            : WritePayload.encodeTimedHeader(payload, length, type, key.length, value.length);
            System.arraycopy(key, 0, payload, at, key.length);
            System.arraycopy(value, 0, payload, at + key.length, value.length);
            length = at + key.length + tail;
            bodyBytes += MemTable.bodyBytes(key.length, tail);
            entries.add(new Entry(type, key, value));
        }
        long number = first + written.size();
        int reserved = table.reserve(bodyBytes, entries.size(), ranges, number);
        if (reserved == MemTable.NONE) {
            return false;
        }
        assertEquals(entries.size(), table.insertAll(payload, 0, length, number, reserved));
        written.addAll(entries);
        return true;
    }

    private int goOn(MemTable table, EntryWalk walk, int from, long through) {
        int at = from;
        while (walk.next(through)) {
            Entry entry = written.get(at);
            assertEquals(first + at, walk.sequence());
            assertEquals(entry.type, table.type(walk.ref()));
            assertEquals(entry.type == WritePayload.DELETE_RANGE, walk.isRange());
            byte[] key = new byte[table.keyLength(walk.ref())];
            table.copyKey(walk.ref(), key, 0);
            assertArrayEquals(entry.key, key);
            byte[] value = new byte[table.storedLength(walk.ref())];
            table.buffer().get(table.valuePosition(walk.ref()), value);
            assertArrayEquals(entry.value, value);
            at++;
        }
        return at;
    }

    @Test
    void goesThroughAllThatIsWrittenInTheOrderOfTheNumbersAndGoesOn() {
        MemTable table = MemTable.allocate(1, MemTable.MIN_ARENA_BYTES);
        EntryWalk walk = new EntryWalk();
        for (int use = 0; use < 3; use++) {
            first += written.size() + 7;
            written.clear();
            assertTrue(write(table));
            assertFalse(walk.isOf(table), "of another use");
            walk.reset(table);
            assertTrue(walk.isOf(table));
            int at = 0;
            while (write(table)) {
                long through = first + random.nextInt(written.size());
                at = goOn(table, walk, at, through);
                assertTrue(first + at > through);
            }
            table.setLastSequence(first + written.size() - 1);
            assertEquals(written.size(), goOn(table, walk, at, Long.MAX_VALUE));
            assertFalse(walk.next(Long.MAX_VALUE));
            MemTableChecker.check(table);
            walk.reset(table);
            walk.goTo(first + 3);
            assertEquals(Math.min(first + 3, first + written.size() - 1), walk.sequence());
            table.reset(use, null);
        }
    }
}
