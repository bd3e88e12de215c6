package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys of thousands of bytes: the index keeps what tells neighbours apart, and not the keys. */
class FlexDBLongKeysTest {
    private static final int KEY_BYTES = 16_000;
    private static final int KEYS = 400;
    private static final int KEYS_LOADED_AROUND = 160; // each has an interval to itself, so they are many
    private static final long MOST_INDEX_BYTES =
            3 << 20; // half of what all keys have; most of it is room for the next commit
    private static final byte[] STEM = new byte[KEY_BYTES];

    static {
        new Random(1).nextBytes(STEM);
    }

    private enum Shape {
        /** The first bytes tell all. */
        NUMBER_FIRST {
            @Override
            byte[] key(int number) {
                return ByteBuffer.wrap(STEM.clone()).putInt(0, number).array();
            }
        },
        /** All begin alike. */
        NUMBER_LAST {
            @Override
            byte[] key(int number) {
                return ByteBuffer.wrap(STEM.clone())
                        .putInt(KEY_BYTES - Integer.BYTES, number)
                        .array();
            }
        },
        /** Some begin alike, for different lengths, as paths do. */
        GROUPS {
            @Override
            byte[] key(int number) {
                byte[] key = STEM.clone();
                key[100] = (byte) (number % 7);
                return ByteBuffer.wrap(key)
                        .putInt(1_000 + number % 7 * 900, number)
                        .array();
            }
        },
        /** Long ones among short ones, which are the beginnings of others. */
        MIXED {
            @Override
            byte[] key(int number) {
                byte[] key = NUMBER_LAST.key(number);
                return number % 3 == 0 ? Arrays.copyOf(key, 1 + number * 15) : key;
            }
        };

        abstract byte[] key(int number);
    }

    private static StoreDriver store(boolean filtered) {
        return new StoreDriver(StoreDriver.SMALL
                .withMemtableBytes(1 << 20)
                .withRangeFilter(filtered)
                .withSpace(FlexSpaceOptions.defaults()
                        .withSegments(1 << 20, 512)
                        .withCheckpointLogBytes(16384)
                        .withLogBufferBytes(2048)));
    }

    @ParameterizedTest
    @EnumSource
    void anIndexOfLongKeysIsSmall(Shape shape) {
        StoreDriver store = store(false);
        fill(store, shape, KEYS);
        assertSmallIndex(store, "filled");
        store.reopen("closed");
        assertSmallIndex(store, "closed");
        store.kill("killed"); // anchors are sampled, and divided later
        assertSmallIndex(store, "killed");
        store.reopen("closed again");
        assertSmallIndex(store, "closed again");
    }

    @ParameterizedTest
    @EnumSource
    void whatIsLoadedBetweenOthersIsFound(Shape shape) {
        StoreDriver store = store(true);
        fill(store, shape, KEYS_LOADED_AROUND);
        TreeMap<byte[], byte[]> loaded = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = KEYS_LOADED_AROUND / 4; i < KEYS_LOADED_AROUND / 2; i += 2) {
            loaded.put(shape.key(2 * i), new byte[i % 50]); // some take the place of what there is
            loaded.put(shape.key(2 * i + 1), new byte[200]);
        }
        store.load(loaded);
        store.assertSame("loaded");
        store.assertSameBackward("loaded");
        for (int i = 0; i < KEYS_LOADED_AROUND; i++) {
            store.put(shape.key(KEYS_LOADED_AROUND - i), new byte[i % 7]);
        }
        store.assertSame("changed");
        store.kill("killed");
        store.reopen("closed");
    }

    private static void fill(StoreDriver store, Shape shape, int keys) {
        Random random = new Random(shape.ordinal());
        for (int i = 0; i < 2 * keys; i++) {
            byte[] key = shape.key(2 * random.nextInt(keys));
            if (random.nextInt(8) == 0) {
                store.delete(key);
            } else {
                store.put(key, new byte[random.nextInt(100)]);
            }
        }
        store.assertSame("filled");
    }

    private static void assertSmallIndex(StoreDriver store, String at) {
        long bytes = store.db.stats().index().memoryBytes();
        assertTrue(bytes <= MOST_INDEX_BYTES, at + ": " + bytes + " bytes");
    }
}
