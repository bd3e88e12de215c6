package io.flexdb;

import io.flexdb.testing.Effort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that are hard to tell apart, changed in place a few at a time, against a sorted map. */
class FlexDBHardKeysTest {
    private static final int CHANGES = Effort.times(12_000);
    private static final byte[] PREFIX = new byte[40];

    static {
        Arrays.fill(PREFIX, (byte) 'p');
    }

    private enum Keys {
        /** Of few different bytes, zeros among them, so that many are the beginnings of others. */
        FEW_BYTES {
            @Override
            byte[] next(Random random) {
                byte[] key = new byte[1 + random.nextInt(14)];
                for (int i = 0; i < key.length; i++) {
                    key[i] = (byte) "\0\0\1\377".charAt(random.nextInt(4));
                }
                return key;
            }
        },
        /** That differ behind many bytes that all have, or very near their beginning. */
        COMMON_PREFIX {
            @Override
            byte[] next(Random random) {
                int common = random.nextInt(20) == 0 ? random.nextInt(PREFIX.length) : PREFIX.length;
                byte[] key = Arrays.copyOf(PREFIX, common + 2 + random.nextInt(3));
                for (int i = common; i < key.length; i++) {
                    key[i] = (byte) random.nextInt(256);
                }
                return key;
            }
        },
        /** Whose first difference lies behind different common beginnings, each of more than a window. */
        GROUPS {
            @Override
            byte[] next(Random random) {
                String group = "group-" + random.nextInt(12) + "-".repeat(random.nextInt(3) * 6);
                return (group + random.nextInt(120)).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            }
        };

        abstract byte[] next(Random random);
    }

    @ParameterizedTest
    @EnumSource
    void inAStoreWithDirectories(Keys keys) {
        run(keys, 1 << 20, false);
    }

    @ParameterizedTest
    @EnumSource
    void inAStoreThatKeepsFewDirectories(Keys keys) {
        run(keys, 20_000, false);
    }

    @ParameterizedTest
    @EnumSource
    void inAStoreThatKeepsNoDirectories(Keys keys) {
        run(keys, 0, false);
    }

    @ParameterizedTest
    @EnumSource
    void inAStoreThatIsKilledAgainAndAgain(Keys keys) {
        run(keys, 1 << 20, true);
    }

    private static void run(Keys keys, long cacheBytes, boolean kills) {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        Random random = new Random(seed);
        StoreDriver store = new StoreDriver(StoreDriver.SMALL.withCacheBytes(cacheBytes));
        for (int i = 0; i < CHANGES; i++) {
            byte[] key = keys.next(random);
            if (random.nextInt(4) == 0) {
                store.delete(key);
            } else {
                byte[] value = new byte[random.nextInt(30) == 0 ? random.nextInt(3000) : random.nextInt(60)];
                random.nextBytes(value);
                store.put(key, value);
            }
            if (random.nextInt(40) == 0) {
                store.get(keys.next(random), "seed " + seed);
            }
            if (kills && random.nextInt(700) == 0) {
                store.kill("killed, seed " + seed);
            }
            if (i % 3000 == 2999) {
                store.assertSame("seed " + seed);
                store.assertSameBackward("seed " + seed);
            }
        }
        store.reopen("seed " + seed);
        store.db.close();
    }

    /** A directory that a read has left serves a commit only as far as what it does not have is not needed. */
    @Test
    void anIntervalOfManyPairsThatWasReadIsWrittenAnew() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < 45; i++) {
            all.add(new byte[] {(byte) i});
            store.put(all.get(i), new byte[731]);
        }
        store.reopen("loaded");
        for (int i = 0; i < 34; i++) {
            store.delete(all.get(i));
        }
        store.kill("whose intervals nobody has counted"); // and which are read then
        store.reopen("committed");
    }
}
