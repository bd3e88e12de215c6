package io.flexdb.internal.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.KeyHash;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** All reads are noted, each once, within the room there is. */
class KeysReadTest {

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static boolean contains(KeysRead read, byte[] key) {
        return read.contains(key, 0, key.length, KeyHash.hash(key, 0, key.length));
    }

    @Test
    void aKeyThatIsReadAMillionTimesIsNotedOnce() {
        KeysRead read = new KeysRead(1 << 20);
        for (int i = 0; i < 1_000_000; i++) {
            read.add(key(i % 10));
        }
        assertEquals(10, read.keys());
        assertTrue(read.memoryBytes() < 2000, read.memoryBytes() + " bytes");
        for (int i = 0; i < 20; i++) {
            assertEquals(i < 10, contains(read, key(i)));
        }
    }

    @Test
    void aRangeThatIsWalkedAgainAndAgainIsNotedOnce() {
        KeysRead read = new KeysRead(1 << 20);
        for (int i = 0; i < 100_000; i++) {
            read.addRange(key(i % 100), key(i % 100 + 1));
        }
        read.sort();
        assertEquals(1, read.ranges());
        assertTrue(contains(read, key(0)) && contains(read, key(100)) && !contains(read, key(101)));
        read.addRange(null, key(5));
        read.addRange(key(200), null);
        read.sort();
        assertEquals(2, read.ranges());
        assertTrue(contains(read, new byte[1]) && contains(read, key(300)) && !contains(read, key(150)));
    }

    @Test
    void beyondItsRoomNearKeysBecomeRangesAndFarOnesStayApart() {
        KeysRead read = new KeysRead(256 << 10);
        int clusters = 50;
        for (int i = 0; i < 2000; i++) {
            for (int cluster = 0; cluster < clusters; cluster++) {
                read.add(key(cluster << 24 | i * 3));
            }
        }
        read.sort();
        assertTrue(read.memoryBytes() <= 256 << 10, read.memoryBytes() + " bytes");
        for (int cluster = 0; cluster < clusters; cluster++) {
            for (int i = 0; i < 2000; i++) {
                assertTrue(contains(read, key(cluster << 24 | i * 3)));
            }
            assertFalse(contains(read, key(cluster << 24 | 1 << 20)), "far from all");
            assertFalse(read.touches(key(cluster << 24 | 1 << 20), key(cluster << 24 | 1 << 22)), "far from all");
        }
    }

    @Test
    void gapsAreInTheOrderOfTheDistances() {
        byte[][][] ascending = {
            {{1, 2, 3}, {1, 2, 3, 0}},
            {{1, 2, 3}, {1, 2, 4}},
            {{1, 2}, {1, 4}},
            {{1, 2}, {1, 100}},
            {{1}, {2}},
            {{1}, {(byte) 0xFF}},
        };
        for (int i = 1; i < ascending.length; i++) {
            double nearer = KeysRead.gap(ascending[i - 1][0], ascending[i - 1][1]);
            double farther = KeysRead.gap(ascending[i][0], ascending[i][1]);
            assertTrue(nearer < farther, i + ": " + nearer + ", " + farther);
        }
    }

    /** Between any two keys, one of which may have fewer bytes, there is some distance. */
    @Test
    void gapsAreNumbers() {
        byte last = (byte) 0xFF;
        byte[][][] neighbours = {
            {{1, last}, {2}},
            {{1, last, last}, {2}},
            {{1, last, last, last, last, last, last, last}, {2}},
            {{}, {0}},
            {{0, last}, {1, 0}},
        };
        for (byte[][] two : neighbours) {
            assertTrue(Double.isFinite(KeysRead.gap(two[0], two[1])), Arrays.deepToString(two));
        }
    }

    /** The array of a key may be used for the next one, also where there is no more room for keys. */
    @Test
    void keysAreCopied() {
        KeysRead read = new KeysRead(2000);
        byte[] reused = new byte[4];
        for (int i = 0; i < 5000; i++) {
            System.arraycopy(key(i * 1000), 0, reused, 0, reused.length);
            read.add(reused);
            Arrays.fill(reused, (byte) 0x7F);
            read.sort();
            assertTrue(contains(read, key(i * 1000)), "the copy of " + i);
        }
    }

    /** Against lists: nothing is missing, whatever room there is, and without want of room there is nothing else. */
    @Test
    void whatWasReadIsAlwaysThere() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        System.out.println("-Dflexdb.test.seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < Effort.times(60); round++) {
            boolean isNarrow = random.nextBoolean();
            KeysRead read = new KeysRead(isNarrow ? 1500 + random.nextInt(20_000) : 64 << 20);
            List<byte[][]> all = new ArrayList<>();
            int most = 1 + random.nextInt(random.nextBoolean() ? 50 : 100_000);
            for (int i = 0; i < 800; i++) {
                byte[] from = randomKey(random, most);
                byte[] to = from;
                if (random.nextInt(4) == 0) {
                    to = random.nextInt(100) == 0 ? null : randomKey(random, most);
                    from = random.nextInt(100) == 0 ? null : from;
                    if (from != null && to != null && Arrays.compareUnsigned(from, to) > 0) {
                        byte[] lower = to;
                        to = from;
                        from = lower;
                    }
                    read.addRange(from, to);
                } else {
                    read.add(from);
                }
                all.add(new byte[][] {from, to});
            }
            read.sort();
            if (isNarrow) {
                assertTrue(read.memoryBytes() <= 25_000, read.memoryBytes() + " bytes");
            }
            for (int i = 0; i < 400; i++) {
                byte[] from = randomKey(random, most);
                byte[] to = randomKey(random, most);
                boolean isThere = all.stream().anyMatch(one -> isIn(from, one));
                boolean touches = all.stream()
                        .anyMatch(one -> (one[1] == null || Arrays.compareUnsigned(one[1], from) >= 0)
                                && (one[0] == null || Arrays.compareUnsigned(one[0], to) < 0));
                touches &= Arrays.compareUnsigned(from, to) < 0;
                if (isNarrow) {
                    assertTrue(!isThere || contains(read, from));
                    assertTrue(!touches || read.touches(from, to));
                } else {
                    assertEquals(isThere, contains(read, from));
                    if (Arrays.compareUnsigned(from, to) < 0) {
                        assertEquals(touches, read.touches(from, to));
                    }
                }
            }
            List<byte[][]> given = new ArrayList<>();
            read.forEach((from, to) -> given.add(new byte[][] {from, to}));
            for (byte[][] one : all) {
                assertTrue(given.stream().anyMatch(range -> isIn(one[0] == null ? new byte[0] : one[0], range)));
            }
        }
    }

    private static byte[] randomKey(Random random, int most) {
        byte[] key = key(random.nextInt(most));
        return random.nextInt(3) > 0 ? key : Arrays.copyOf(key, 1 + random.nextInt(12));
    }

    private static boolean isIn(byte[] key, byte[][] range) {
        return (range[0] == null || Arrays.compareUnsigned(range[0], key) <= 0)
                && (range[1] == null || Arrays.compareUnsigned(key, range[1]) <= 0);
    }
}
