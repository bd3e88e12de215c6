package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.KeyHash;
import io.flexdb.testing.Effort;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A memtable against sorted maps, for several distributions of keys, at snapshots, in both directions. */
class MemTableModelTest {

    enum Keys {
        RANDOM {
            @Override
            byte[] key(Random random, int i) {
                return text("user" + random.nextInt(1_000_000_000));
            }
        },
        ASCENDING {
            @Override
            byte[] key(Random random, int i) {
                return text(String.format(Locale.ROOT, "user%012d", i));
            }
        },
        DESCENDING {
            @Override
            byte[] key(Random random, int i) {
                return text(String.format(Locale.ROOT, "user%012d", 1_000_000 - i));
            }
        },
        ONE_HOT_KEY {
            @Override
            byte[] key(Random random, int i) {
                return text(random.nextInt(4) == 0 ? "key" + random.nextInt(50) : "key25");
            }
        },
        SKEWED {
            @Override
            byte[] key(Random random, int i) {
                return text("key" + (int) Math.pow(random.nextDouble() * 10, 3));
            }
        },
        SHORT_BINARY {
            @Override
            byte[] key(Random random, int i) {
                byte[] key = new byte[random.nextInt(5)];
                for (int at = 0; at < key.length; at++) {
                    key[at] = (byte) (random.nextInt(3) - 1);
                }
                return key;
            }
        },
        LONG_WITH_COMMON_BEGINNINGS {
            @Override
            byte[] key(Random random, int i) {
                byte[] key = new byte[random.nextInt(40) == 0 ? random.nextInt(65_536) : random.nextInt(64)];
                if (key.length > 0) {
                    key[random.nextInt(key.length)] = (byte) random.nextInt();
                    key[key.length - 1] = (byte) random.nextInt();
                }
                return key;
            }
        };

        abstract byte[] key(Random random, int i);

        static byte[] text(String key) {
            return key.getBytes(StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @EnumSource(Keys.class)
    void aTableHoldsWhatWasWrittenInEveryVersion(Keys keys) {
        for (int round = 0; round < Effort.times(2); round++) {
            long seed = keys.ordinal() * 1000L + round;
            System.out.println("keys " + keys + ", seed " + seed);
            MemTable table = MemTable.allocate(1, 4 << 20);
            fillAndCompare(table, keys, new Random(seed), 200);
            MemTable next = MemTable.allocate(2, 4 << 20);
            next.reset(3, table); // the tags now skip what the keys have in common
            fillAndCompare(next, keys, new Random(seed + 1), 1500);
            next.reset(4, next);
            fillAndCompare(next, Keys.RANDOM, new Random(seed + 2), 500); // keys without the common beginning
        }
    }

    private static void fillAndCompare(MemTable table, Keys keys, Random random, int writes) {
        VersionedModel model = new VersionedModel();
        long sequence = 1 + random.nextInt(1_000_000);
        long first = sequence;
        Payloads payload = new Payloads();
        for (int i = 0; i < writes; i++) {
            payload.clear();
            int entries = random.nextInt(10) == 0 ? 1 + random.nextInt(20) : 1;
            long writeSequence = sequence;
            for (int e = 0; e < entries; e++) {
                byte[] key = keys.key(random, i * 20 + e);
                byte[] value = random.nextInt(5) == 0 ? null : new byte[random.nextInt(80)];
                if (value == null) {
                    payload.delete(key);
                } else {
                    random.nextBytes(value);
                    payload.put(key, value);
                }
                model.add(key, writeSequence + e, value);
            }
            assertTrue(payload.insertInto(table, writeSequence), table::toString);
            sequence += entries;
        }
        assertEquals(sequence - first, table.entryCount());
        MemTableChecker.check(table);
        compareAt(table, model, keys, random, Long.MAX_VALUE);
        compareAt(table, model, keys, random, sequence - 1);
        compareAt(table, model, keys, random, first);
        compareAt(table, model, keys, random, first - 1);
        for (int i = 0; i < 4; i++) {
            compareAt(table, model, keys, random, first + random.nextInt((int) (sequence - first)));
        }
    }

    private static void compareAt(MemTable table, VersionedModel model, Keys keys, Random random, long maxSequence) {
        NavigableMap<byte[], Map.Entry<Long, byte[]>> view = model.view(maxSequence);
        MemTableCursor cursor = new MemTableCursor();
        cursor.reset(table, maxSequence);
        assertFalse(cursor.isValid());
        cursor.seekToFirst();
        for (Map.Entry<byte[], Map.Entry<Long, byte[]>> expected : view.entrySet()) {
            assertStandsOn(expected, table, cursor);
            cursor.next();
        }
        assertFalse(cursor.isValid());
        cursor.seekToLast();
        for (Map.Entry<byte[], Map.Entry<Long, byte[]>> expected :
                view.descendingMap().entrySet()) {
            assertStandsOn(expected, table, cursor);
            cursor.previous();
        }
        assertFalse(cursor.isValid());
        for (int i = 0; i < 200; i++) {
            byte[] key = keys.key(random, random.nextInt(10_000));
            byte[] shifted = new byte[key.length + 3];
            System.arraycopy(key, 0, shifted, 2, key.length);
            Map.Entry<Long, byte[]> expected = model.find(key, maxSequence);
            int ref = table.find(shifted, 2, key.length, KeyHash.hash(shifted, 2, key.length), maxSequence);
            if (expected == null) {
                assertEquals(MemTable.NONE, ref);
            } else {
                assertEntry(key, expected, table, ref);
            }
            cursor.seek(shifted, 2, key.length);
            assertStandsOn(view.ceilingEntry(key), table, cursor);
            cursor.seekForPrev(shifted, 2, key.length);
            assertStandsOn(view.floorEntry(key), table, cursor);
        }
    }

    private static void assertStandsOn(
            Map.Entry<byte[], Map.Entry<Long, byte[]>> expected, MemTable table, MemTableCursor cursor) {
        assertEquals(expected != null, cursor.isValid());
        if (expected != null) {
            assertEntry(expected.getKey(), expected.getValue(), table, cursor.ref());
        }
    }

    private static void assertEntry(byte[] key, Map.Entry<Long, byte[]> version, MemTable table, int ref) {
        assertNotEquals(MemTable.NONE, ref);
        assertEquals(key.length, table.keyLength(ref));
        assertEquals(0, table.compareKey(ref, key, 0, key.length));
        byte[] found = new byte[key.length + 1];
        table.copyKey(ref, found, 1);
        assertTrue(Arrays.equals(key, 0, key.length, found, 1, found.length));
        assertEquals(-1, ByteBuffer.wrap(key).mismatch(table.buffer().slice(table.keyPosition(ref), key.length)));
        assertEquals(version.getKey(), table.sequence(ref));
        assertEquals(version.getValue() == null ? WritePayload.DELETE : WritePayload.PUT, table.type(ref));
        if (version.getValue() != null) {
            byte[] value = new byte[table.valueLength(ref)];
            table.buffer().get(table.valuePosition(ref), value);
            assertArrayEquals(version.getValue(), value);
        } else {
            assertEquals(0, table.valueLength(ref));
        }
    }

    @Test
    void aHotKeyDoesNotHoldACursorUp() {
        MemTable table = MemTable.allocate(1, 32 << 20);
        Payloads payload = new Payloads();
        int versions = 200_000;
        payload.put(Keys.text("a"), new byte[1]).insertInto(table, 1);
        payload.clear().put(Keys.text("c"), new byte[1]).insertInto(table, 2);
        payload.clear().put(Keys.text("b"), new byte[1]);
        for (int i = 0; i < versions; i++) {
            assertTrue(payload.insertInto(table, 3 + i));
        }
        MemTableCursor cursor = new MemTableCursor();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < 20_000; i++) {
            cursor.reset(table, 3 + i % 1000); // nearly all versions are newer
            cursor.seekToFirst();
            cursor.next();
            assertEquals(3 + i % 1000, table.sequence(cursor.ref()));
            cursor.next();
            assertEquals(2, table.sequence(cursor.ref()));
            cursor.previous();
            assertEquals(3 + i % 1000, table.sequence(cursor.ref()));
            cursor.reset(table, Long.MAX_VALUE); // nearly all are older
            cursor.seek(Keys.text("b"), 0, 1);
            cursor.next();
            assertEquals(2, table.sequence(cursor.ref()));
        }
        // Linear stepping would need minutes. This is time of a processor, whatever else the machine does meanwhile.
        assertTrue(threads.getCurrentThreadCpuTime() - before < 20_000_000_000L);
        assertNotNull(cursor.table());
        cursor.reset(null, 0);
        assertFalse(cursor.isValid());
    }
}
