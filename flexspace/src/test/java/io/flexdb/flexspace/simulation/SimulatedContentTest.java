package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random histories of one file against two byte arrays, one for the cache and one for the medium. */
class SimulatedContentTest {
    private static final int SECTOR = SimulatedContent.SECTOR_BYTES;

    private static final class Model {
        byte[] cache = new byte[0];
        byte[] medium = new byte[0];
        boolean cut; // since the last force
        final boolean[] written = new boolean[1000]; // sectors since the last force

        void write(byte[] bytes, int at) {
            if (at + bytes.length > cache.length) {
                cache = Arrays.copyOf(cache, at + bytes.length);
            }
            System.arraycopy(bytes, 0, cache, at, bytes.length);
            Arrays.fill(written, at / SECTOR, (at + bytes.length - 1) / SECTOR + 1, true);
        }

        void extend(int bytes) {
            if (bytes > cache.length) {
                cache = Arrays.copyOf(cache, bytes);
            }
        }

        void truncate(int bytes) {
            if (bytes < cache.length) {
                cache = Arrays.copyOf(cache, bytes);
                cut = true;
            }
        }

        void force() {
            medium = cache.clone();
            Arrays.fill(written, false);
            cut = false;
        }
    }

    @Test
    void everyStateAfterACutIsOneThatTheHistoryAllows() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < Effort.times(40); round++) {
            SimulatedContent content = new SimulatedContent();
            Model model = new Model();
            for (int step = 0; step < 40; step++) {
                change(content, model, random);
                String where = "seed " + seed + " round " + round + " step " + step;
                assertArrayEquals(model.cache, content.bytes(), where);
                SimulatedContent copy = content.copy();
                assertArrayEquals(model.medium, crash(copy, Survival.NOTHING, 0), where);
                assertArrayEquals(model.cache, crash(content, Survival.EVERYTHING, 0), where);
                for (int i = 0; i < 5; i++) {
                    check(model, crash(content, Survival.SOME, random.nextLong()), where);
                }
                assertArrayEquals(model.cache, copy.bytes(), where);
            }
        }
    }

    private static void change(SimulatedContent content, Model model, Random random) {
        switch (random.nextInt(7)) {
            case 0 -> {
                content.force();
                model.force();
            }
            case 1 -> {
                int bytes = random.nextInt(model.cache.length + 100);
                content.truncate(bytes);
                model.truncate(bytes);
            }
            case 2 -> {
                int bytes = random.nextInt(40_000);
                content.extend(bytes);
                model.extend(bytes);
            }
            default -> {
                byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 600 : 10_000)];
                random.nextBytes(bytes);
                int at = random.nextInt(30_000);
                content.write(ByteBuffer.wrap(bytes), bytes.length, at);
                model.write(bytes, at);
            }
        }
    }

    private static byte[] crash(SimulatedContent content, Survival survival, long seed) {
        return content.crashed(survival, new SplittableRandom(seed)).bytes();
    }

    /** Each sector is as it was or as it is; what grew may hold anything if it was written, zeros if it was not. */
    private static void check(Model model, byte[] found, String where) {
        int least = Math.min(model.medium.length, model.cache.length);
        int most = Math.max(model.medium.length, model.cache.length);
        if (!model.cut) {
            assertTrue(found.length >= least && found.length <= most, where + ": size " + found.length);
        } else {
            assertTrue(found.length <= most, where + ": size " + found.length);
        }
        for (int from = 0; from < found.length; from += SECTOR) {
            int to = Math.min(found.length, from + SECTOR);
            boolean wasThere = to <= model.medium.length;
            boolean old = same(model.medium, found, from, to);
            boolean now = same(model.cache, found, from, to);
            if (model.cut) {
                continue; // sectors between the least size and the present one may come from before and after the cut
            }
            if (model.written[from / SECTOR]) {
                assertTrue(old || now || !wasThere, where + ": sector at " + from);
                if (from < model.medium.length && !now) {
                    assertTrue(same(model.medium, found, from, Math.min(to, model.medium.length)), where);
                }
            } else {
                assertTrue(now, where + ": unwritten sector at " + from);
            }
        }
    }

    /** Whether a range is the same, what is past the end of the model counting as zeros. */
    private static boolean same(byte[] model, byte[] found, int from, int to) {
        for (int i = from; i < to; i++) {
            if (found[i] != (i < model.length ? model[i] : 0)) {
                return false;
            }
        }
        return true;
    }
}
