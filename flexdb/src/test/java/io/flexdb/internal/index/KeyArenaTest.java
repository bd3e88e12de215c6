package io.flexdb.internal.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyArenaTest {
    private final Epochs epochs = new Epochs();
    private final KeyArena arena = new KeyArena(epochs);

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
                int ref = arena.put(key, 0, key.length);
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

    @Test
    void whatAChunkHasLeftIsUsedForSmallerKeys() {
        byte[] large = new byte[KeyArena.MAX_KEY_BYTES];
        for (int i = 0; i < 4; i++) {
            arena.put(large, 0, large.length);
        }
        long bytes = arena.memoryBytes();
        // The fourth did not fit behind three in a chunk of 256 KiB, and left more than 30,000 bytes.
        for (int i = 0; i < 3; i++) {
            arena.put(large, 0, 8000);
        }
        assertEquals(bytes, arena.memoryBytes());
    }

    @Test
    void theEmptyKeyTakesNothing() {
        assertEquals(0, arena.put(new byte[0], 0, 0));
        assertEquals(0, arena.copy(0));
        assertEquals(0, arena.length(0));
        assertEquals(0, arena.toBytes(0).length);
        arena.retire(0);
        assertEquals(0, arena.liveCount());
        assertThrows(IllegalArgumentException.class, () -> arena.put(new byte[65_536], 0, 65_536));
    }
}
