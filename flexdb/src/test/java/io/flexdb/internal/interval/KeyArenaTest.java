package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyArenaTest {
    private final Epochs epochs = new Epochs();
    private final KeyArena arena = new KeyArena(epochs, new OffHeap());

    @Test
    void sizeClassesAscendAndWasteNoMoreThanAnEighth() {
        int last = 0;
        for (int bytes = 9; bytes <= 8 + KeyArena.MAX_KEY_BYTES; bytes++) {
            int sizeClass = KeyArena.sizeClass(bytes);
            int classBytes = KeyArena.classBytes(sizeClass);
            assertTrue(sizeClass >= last && classBytes >= bytes && classBytes % 8 == 0, "bytes " + bytes);
            assertTrue(classBytes - bytes <= Math.max(7, bytes / 8), "bytes " + bytes + " take " + classBytes);
            assertEquals(sizeClass, KeyArena.sizeClass(classBytes));
            last = sizeClass;
        }
    }

    @Test
    void keysStayWhatTheyWereWhileOthersComeAndGo() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        Random random = new Random(seed);
        Map<Integer, byte[]> kept = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(5) < 3) {
                byte[] key = new byte[random.nextInt(100) == 0 ? random.nextInt(65_536) : 1 + random.nextInt(200)];
                random.nextBytes(key);
                int ref = arena.put(key, 0, key.length, 0);
                if (key.length == 0) {
                    assertEquals(0, ref);
                } else {
                    assertEquals(null, kept.put(ref, key), "seed " + seed);
                }
            } else if (!kept.isEmpty()) {
                int ref = kept.keySet().iterator().next();
                assertArrayEquals(kept.remove(ref), arena.toBytes(ref), "seed " + seed);
                arena.retire(ref);
            }
            if (random.nextInt(50) == 0) {
                epochs.advance();
                arena.reclaim();
            }
        }
        kept.forEach((ref, key) -> assertArrayEquals(key, arena.toBytes(ref), "seed " + seed));
        kept.keySet().forEach(arena::retire);
        for (int i = 0; i < 4; i++) {
            epochs.advance();
            arena.reclaim();
        }
        assertEquals(0, arena.liveCount());
        assertEquals(0, arena.liveBytes());
        assertEquals(0, arena.retiredCount());
    }

    /** Begins as one of a few stems does for some bytes, or like nothing else. */
    private static byte[] keyWithStem(Random random, byte[][] stems) {
        byte[] stem = stems[random.nextInt(stems.length)];
        int stemBytes = random.nextInt(stem.length + 1);
        byte[] key = Arrays.copyOf(stem, stemBytes + random.nextInt(40));
        for (int i = stemBytes; i < key.length; i++) {
            key[i] = (byte) random.nextInt(3);
        }
        return key;
    }

    @Test
    void keysThatShareAPrefixAreComparedAsIfTheyWereWhole() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[][] stems = new byte[4][];
        for (int i = 0; i < stems.length; i++) {
            stems[i] = new byte[300 + random.nextInt(1000)];
            random.nextBytes(stems[i]);
            System.arraycopy(stems[0], 0, stems[i], 0, 150); // so that prefixes are used in part
        }
        List<Integer> refs = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            int action = random.nextInt(5);
            if (refs.isEmpty() || action < 2) {
                byte[] key = keyWithStem(random, stems);
                int neighbour = refs.isEmpty() ? 0 : refs.get(random.nextInt(refs.size()));
                refs.add(arena.put(key, 0, key.length, neighbour));
                keys.add(key);
            } else if (action == 2) {
                int of = random.nextInt(refs.size());
                refs.add(arena.copy(refs.get(of)));
                keys.add(keys.get(of));
            } else if (action == 3) {
                int of = random.nextInt(refs.size());
                arena.retire(refs.remove(of));
                keys.remove(of);
                epochs.advance();
                arena.reclaim();
            } else {
                int a = random.nextInt(refs.size());
                int b = random.nextInt(refs.size());
                assertComparedAsWhole(keys.get(a), refs.get(a), keys.get(b), refs.get(b), random, "seed " + seed);
            }
        }
        refs.forEach(arena::retire);
        for (int i = 0; i < 4; i++) {
            epochs.advance();
            arena.reclaim();
        }
        assertEquals(0, arena.liveCount());
        assertEquals(0, arena.liveBytes(), "prefixes go with their last keys");
    }

    private void assertComparedAsWhole(byte[] a, int aRef, byte[] b, int bRef, Random random, String seed) {
        assertArrayEquals(a, arena.toBytes(aRef), seed);
        int order = Integer.signum(Arrays.compareUnsigned(a, b));
        assertEquals(order, Integer.signum(arena.compare(a, 0, a.length, bRef)), seed);
        assertEquals(order, Integer.signum(arena.compare(aRef, bRef)), seed);
        int mismatch = Arrays.mismatch(a, b);
        int common = mismatch < 0 ? a.length : mismatch;
        assertEquals(common, arena.commonPrefix(aRef, bRef), seed);
        assertEquals(common, arena.commonPrefix(a, 0, a.length, bRef), seed);
        int part = random.nextInt(b.length + 1);
        int compared = Math.min(a.length, part);
        int ofPart = Integer.signum(Arrays.compareUnsigned(a, 0, compared, b, 0, part));
        assertEquals(ofPart, Integer.signum(arena.comparePrefix(a, 0, a.length, bRef, part)), seed);
        assertEquals(KeyBytes.window(b, 0, b.length, part), arena.window(bRef, part), seed);
    }

    @Test
    void longKeysThatBeginAlikeTakeLittleMoreThanWhatTheyDifferIn() {
        byte[] key = new byte[8_000];
        int last = 0;
        for (int i = 0; i < 10_000; i++) {
            key[7_998] = (byte) (i >>> 8);
            key[7_999] = (byte) i;
            last = arena.put(key, 0, key.length, last);
        }
        assertTrue(arena.liveBytes() < 10_000 * 40, arena.liveBytes() + " bytes of 10,000 keys of 8,000");
    }

    @Test
    void whatAChunkHasLeftIsUsedForSmallerKeys() {
        byte[] large = new byte[KeyArena.MAX_KEY_BYTES];
        for (int i = 0; i < 4; i++) {
            large[0] = (byte) i; // so that they share nothing
            arena.put(large, 0, large.length, 0);
        }
        long bytes = arena.memoryBytes();
        // The fourth did not fit behind three in a chunk of 256 KiB, and left more than 30,000 bytes.
        for (int i = 0; i < 3; i++) {
            large[0] = (byte) (4 + i);
            arena.put(large, 0, 8000, 0);
        }
        assertEquals(bytes, arena.memoryBytes());
    }

    @Test
    void theEmptyKeyTakesNothing() {
        assertEquals(0, arena.put(new byte[0], 0, 0, 0));
        assertEquals(0, arena.copy(0));
        assertEquals(0, arena.length(0));
        assertEquals(0, arena.toBytes(0).length);
        arena.retire(0);
        assertEquals(0, arena.liveCount());
        assertThrows(IllegalArgumentException.class, () -> arena.put(new byte[65_536], 0, 65_536, 0));
    }
}
