package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.WindowStore;

/**
 * A changelog of some 20 MB, with tombstones and many records for a key, for each kind of store, and what a store must
 * be that has restored a beginning of it. It is the same each time.
 */
enum Restorable {
    KEY_VALUE {
        @Override
        StateStore store() {
            return FlexDBStores.keyValueStore(NAME).get();
        }

        @Override
        ConsumerRecord<byte[], byte[]> changelogRecord(Random random, int offset) {
            return Changelog.versioned(offset, number(random.nextInt(KEYS)), offset, value(random, offset));
        }

        @Override
        @SuppressWarnings("unchecked") // what store() has made
        void check(StateStore store, List<ConsumerRecord<byte[], byte[]>> restored) {
            Map<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            try (KeyValueIterator<Bytes, byte[]> all = ((KeyValueStore<Bytes, byte[]>) store).all()) {
                while (all.hasNext()) {
                    KeyValue<Bytes, byte[]> pair = all.next();
                    found.put(pair.key.get(), pair.value);
                }
            }
            assertSame(pairs(restored), found);
        }
    },

    /** Each key is above those before it, but for some late tombstones. */
    GROWING {
        @Override
        StateStore store() {
            return KEY_VALUE.store();
        }

        @Override
        ConsumerRecord<byte[], byte[]> changelogRecord(Random random, int offset) {
            boolean deletes = random.nextInt(50) == 0;
            int key = deletes ? offset - random.nextInt(30) - 1 : offset;
            return Changelog.versioned(offset, number(key), offset, deletes ? null : bytes(random, offset));
        }

        @Override
        void check(StateStore store, List<ConsumerRecord<byte[], byte[]>> restored) {
            KEY_VALUE.check(store, restored);
        }
    },

    WINDOW {
        @Override
        StateStore store() {
            return FlexDBStores.windowStore(NAME, RETENTION, Duration.ofSeconds(1), false)
                    .get();
        }

        @Override
        ConsumerRecord<byte[], byte[]> changelogRecord(Random random, int offset) {
            long start = Math.max(0, offset * 300L - random.nextInt(200_000)) / 20_000 * 20_000;
            return Changelog.window(offset, number(random.nextInt(60)), start, 0, value(random, offset));
        }

        @Override
        @SuppressWarnings("unchecked") // what store() has made
        void check(StateStore store, List<ConsumerRecord<byte[], byte[]>> restored) {
            WindowStore<Bytes, byte[]> windows = (WindowStore<Bytes, byte[]>) store;
            long last =
                    restored.stream().mapToLong(ConsumerRecord::timestamp).max().orElse(-1);
            Map<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
            pairs(restored).forEach((key, value) -> {
                long start = ByteBuffer.wrap(key).getLong(key.length - 12);
                if (start > last - RETENTION.toMillis()) {
                    expected.put(windowKey(Arrays.copyOf(key, key.length - 12), start), value);
                }
            });
            Map<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            try (KeyValueIterator<Windowed<Bytes>, byte[]> all = windows.all()) {
                while (all.hasNext()) {
                    KeyValue<Windowed<Bytes>, byte[]> pair = all.next();
                    found.put(windowKey(pair.key.key().get(), pair.key.window().start()), pair.value);
                }
            }
            assertSame(expected, found);
        }
    },

    SESSION {
        @Override
        StateStore store() {
            return FlexDBStores.sessionStore(NAME, RETENTION).get();
        }

        @Override
        ConsumerRecord<byte[], byte[]> changelogRecord(Random random, int offset) {
            long end = offset / 4;
            long start = Math.max(0, end - random.nextInt(3));
            return Changelog.session(offset, number(random.nextInt(3)), start, end, value(random, offset));
        }

        @Override
        @SuppressWarnings("unchecked") // what store() has made
        void check(StateStore store, List<ConsumerRecord<byte[], byte[]>> restored) {
            SessionStore<Bytes, byte[]> sessions = (SessionStore<Bytes, byte[]>) store;
            Map<byte[], byte[]> expected = pairs(restored);
            Map<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            try (KeyValueIterator<Windowed<Bytes>, byte[]> all = sessions.findSessions(0, Long.MAX_VALUE)) {
                while (all.hasNext()) {
                    KeyValue<Windowed<Bytes>, byte[]> pair = all.next();
                    byte[] key = pair.key.key().get();
                    found.put(
                            ByteBuffer.allocate(key.length + 16)
                                    .put(key)
                                    .putLong(pair.key.window().end())
                                    .putLong(pair.key.window().start())
                                    .array(),
                            pair.value);
                }
            }
            assertSame(expected, found);
        }
    },

    VERSIONED {
        @Override
        StateStore store() {
            return new FlexDBVersionedStore(NAME, RETENTION.toMillis());
        }

        @Override
        ConsumerRecord<byte[], byte[]> changelogRecord(Random random, int offset) {
            long time = Math.max(0, offset * 40L - random.nextInt(3) * 20_000); // none is too late
            return Changelog.versioned(offset, number(random.nextInt(150)), time, value(random, offset));
        }

        @Override
        void check(StateStore store, List<ConsumerRecord<byte[], byte[]>> restored) {
            Map<Integer, TreeMap<Long, byte[]>> expected = new TreeMap<>();
            for (ConsumerRecord<byte[], byte[]> each : restored) {
                expected.computeIfAbsent(ByteBuffer.wrap(each.key()).getInt(), k -> new TreeMap<>())
                        .put(each.timestamp(), each.value() == null ? new byte[0] : each.value());
            }
            FlexDBVersionedStore versions = (FlexDBVersionedStore) store;
            expected.forEach((key, byTime) -> byTime.forEach((time, value) -> {
                Long next = byTime.higherKey(time);
                VersionedRecord<byte[]> found =
                        versions.get(Bytes.wrap(number(key)), next == null ? time + 1000 : next - 1);
                if (value.length == 0) {
                    assertEquals(null, found);
                } else {
                    assertEquals((long) time, found.timestamp());
                    assertEquals(next, found.validTo().orElse(null));
                    assertArrayEquals(value, found.value());
                }
            }));
        }
    };

    static final TopicPartition CHANGELOG = new TopicPartition("test-store-changelog", 0);

    private static final String NAME = "store";
    private static final int RECORDS = 5000;
    private static final int KEYS = 4000;
    private static final Duration RETENTION = Duration.ofMinutes(10);

    /** The store, not opened. */
    abstract StateStore store();

    abstract ConsumerRecord<byte[], byte[]> changelogRecord(Random random, int offset);

    /** Fails unless a store shows exactly what these records say. */
    abstract void check(StateStore store, List<ConsumerRecord<byte[], byte[]>> restored);

    /** The whole changelog; offsets begin at 0. */
    List<ConsumerRecord<byte[], byte[]>> changelog() {
        Random random = new Random(11);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int offset = 0; offset < RECORDS; offset++) {
            records.add(changelogRecord(random, offset));
        }
        return records;
    }

    /** Opens a store, which tells how many records of the changelog it has. */
    static long open(StateStore store, TestContext context) {
        store.init(context, store);
        return had(store);
    }

    /** How many records of the changelog an open store has by its offset. */
    static long had(StateStore store) {
        Long offset = store.committedOffset(CHANGELOG);
        return offset == null || offset < 0 ? 0 : offset + 1;
    }

    /** Restores records from one on to before another, in batches as Kafka Streams does. */
    static void restore(TestContext context, List<ConsumerRecord<byte[], byte[]>> records, long from, long to) {
        for (long at = from; at < to; at += 300) {
            context.restore(records.subList((int) at, (int) Math.min(to, at + 300)));
        }
    }

    // ----

    private static byte[] number(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(Random random, int offset) {
        return random.nextInt(5) == 0 ? null : bytes(random, offset);
    }

    private static byte[] bytes(Random random, int offset) {
        byte[] value = new byte[3000 + random.nextInt(3000)];
        random.nextBytes(value);
        return ByteBuffer.wrap(value).putInt(offset).array();
    }

    private static byte[] windowKey(byte[] key, long start) {
        return ByteBuffer.allocate(key.length + 8).put(key).putLong(start).array();
    }

    /** The last value of each key of changelog records. */
    private static Map<byte[], byte[]> pairs(List<ConsumerRecord<byte[], byte[]>> records) {
        Map<byte[], byte[]> pairs = new TreeMap<>(Arrays::compareUnsigned);
        for (ConsumerRecord<byte[], byte[]> each : records) {
            if (each.value() == null) {
                pairs.remove(each.key());
            } else {
                pairs.put(each.key(), each.value());
            }
        }
        return pairs;
    }

    private static void assertSame(Map<byte[], byte[]> expected, Map<byte[], byte[]> found) {
        assertArrayEquals(
                expected.keySet().toArray(byte[][]::new), found.keySet().toArray(byte[][]::new));
        assertArrayEquals(
                expected.values().toArray(byte[][]::new), found.values().toArray(byte[][]::new));
    }
}
