package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyHash;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewerEntriesTest {
    private static final int KEYS = 60;

    private static byte[] key(int i) {
        return ("key" + i).getBytes(StandardCharsets.UTF_8);
    }

    private static long covering(MemTable table, byte[] key, long max, long above) {
        DeletedRanges ranges = table.ranges();
        long number = ranges == null ? 0 : ranges.newestCovering(key, 0, key.length, max);
        return number > above ? number : 0;
    }

    private static byte[] tail(MemTable table, int ref) {
        byte[] tail = new byte[table.storedLength(ref) + WritePayload.timeBytes(table.type(ref))];
        table.buffer().get(table.valuePosition(ref), tail);
        return tail;
    }

    private static int find(MemTable table, byte[] key, long max) {
        return table.find(key, 0, key.length, KeyHash.hash(key, 0, key.length), max);
    }

    /** What says that a value of some length is elsewhere, in one piece. */
    private static byte[] reference(Random random) {
        byte[] head = new byte[random.nextInt(50)];
        byte[] reference = new byte[LargeReference.bytes(1, head.length)];
        random.nextBytes(reference);
        LargeReference.write(reference, 0, 1 + random.nextInt(1 << 20), random.nextInt(), head.length);
        return reference;
    }

    /** A merge, a put that expires or one of a large value. */
    private static void insertTimed(MemTable table, int type, byte[] key, byte[] value, long time, long sequence) {
        byte[] payload = new byte[key.length + value.length + 32];
        int at = WritePayload.encodeTimedHeader(payload, 0, type, key.length, value.length);
        System.arraycopy(key, 0, payload, at, key.length);
        System.arraycopy(value, 0, payload, at + key.length, value.length);
        int length = at + key.length + value.length + WritePayload.TIME_BYTES;
        WritePayload.putTime(payload, length - WritePayload.TIME_BYTES, time);
        assertTrue(new PayloadReader().reset(payload, 0, length).next());
        int body = (int) MemTable.bodyBytes(key.length, value.length + WritePayload.TIME_BYTES);
        table.insertAll(payload, 0, length, sequence, table.reserve(body, 1, sequence));
    }

    private static MemTable random(Random random, long first, long last) {
        MemTable table = MemTable.allocate(1, 1 << 18);
        for (long sequence = first; sequence <= last; sequence++) {
            byte[] key = key(random.nextInt(KEYS));
            byte[] value = new byte[random.nextInt(300)];
            random.nextBytes(value);
            int kind = random.nextInt(11);
            if (kind == 10) {
                insertTimed(table, WritePayload.PUT_LARGE, key, reference(random), random.nextLong(), sequence);
            } else if (kind < 3) {
                int type = kind == 0 ? WritePayload.PUT_EXPIRING : WritePayload.MERGE;
                insertTimed(table, type, key, value, random.nextLong(), sequence);
            } else if (kind == 3) {
                byte[] end = random.nextInt(3) == 0
                        ? new byte[0]
                        : (new String(key, StandardCharsets.UTF_8) + "5").getBytes(StandardCharsets.UTF_8);
                assertTrue(new Payloads().deleteRange(key, end).insertInto(table, sequence));
            } else if (kind == 4) {
                assertTrue(new Payloads().delete(key).insertInto(table, sequence));
            } else {
                assertTrue(new Payloads().put(key, value).insertInto(table, sequence));
            }
        }
        return table;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void allThatIsNewerIsThereAndNothingElse(long seed) {
        Random random = new Random(seed);
        long first = 1 + random.nextInt(1000);
        long last = first + 300;
        MemTable source = random(random, first, last);
        for (long above : new long[] {first - 1, first + random.nextInt(300), last - 1, last}) {
            MemTable copy = NewerEntries.copy(source, above, last, new OffHeap());
            MemTableChecker.check(copy);
            assertEquals(above + 1, copy.firstSequence());
            for (int i = 0; i < KEYS; i++) {
                byte[] key = key(i);
                for (long max = above; max <= last; max += 1 + random.nextInt(20)) {
                    assertEquals(covering(source, key, max, above), covering(copy, key, max, 0));
                    int expected = find(source, key, max);
                    boolean isNewer = expected != MemTable.NONE && source.sequence(expected) > above;
                    int found = find(copy, key, max);
                    assertEquals(isNewer, found != MemTable.NONE, "seed " + seed);
                    if (isNewer) {
                        assertEquals(source.sequence(expected), copy.sequence(found));
                        assertEquals(source.type(expected), copy.type(found));
                        assertArrayEquals(tail(source, expected), tail(copy, found));
                    }
                }
            }
        }
    }
}
