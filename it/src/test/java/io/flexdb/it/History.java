package io.flexdb.it;

import io.flexdb.FlexDB;
import io.flexdb.Isolation;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * The writes of one thread of a writer that gets killed: an endless sequence that depends on a seed only, so that the
 * process that checks can tell what the process that was killed had written.
 *
 * <p>Each thread writes keys of its own, and one write after the other. So after a kill its keys show the writes
 * 0 to n - 1 for some n, and n is at least the number of writes that were acknowledged to be durable.
 */
final class History {
    private static final int KEYS = 3_000;
    private static final int MAX_BATCH = 12;
    private static final int MAX_RANGE = 150; // keys
    private static final int SMALL_VALUE = 300;
    private static final int LARGE_VALUE = 40_000;
    private static final int HUGE_VALUE = 400_000;

    private final long seed;
    private final int thread;

    History(long seed, int thread) {
        this.seed = seed;
        this.thread = thread;
    }

    /** A change of one key; a deletion if {@code value} is null, of all keys before {@code to} if that is not null. */
    record Change(String key, String to, byte[] value) {
        byte[] keyBytes() {
            return key.getBytes(StandardCharsets.UTF_8);
        }

        byte[] toBytes() {
            return to.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** The changes of a write, which become visible together or not at all. */
    List<Change> write(long writeIndex) {
        SplittableRandom random = new SplittableRandom(mix(seed + mix(thread + mix(writeIndex))));
        int count = random.nextInt(10) == 0 ? 2 + random.nextInt(MAX_BATCH - 1) : 1;
        List<Change> changes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            // Squared, so that some keys change often and others seldom.
            double skewed = random.nextDouble();
            int number = (int) (skewed * skewed * KEYS);
            if (random.nextInt(60) == 0) {
                changes.add(new Change(key(number), key(number + 1 + random.nextInt(MAX_RANGE)), null));
            } else {
                changes.add(new Change(key(number), null, random.nextInt(8) == 0 ? null : value(random, writeIndex)));
            }
        }
        return changes;
    }

    private String key(int number) {
        return String.format(Locale.ROOT, "%02d/%06d", thread, number);
    }

    private static byte[] value(SplittableRandom random, long writeIndex) {
        int kind = random.nextInt(800);
        int length = Long.BYTES + random.nextInt(kind == 0 ? HUGE_VALUE : kind < 5 ? LARGE_VALUE : SMALL_VALUE);
        byte[] value = new byte[length];
        random.nextBytes(value);
        ByteBuffer.wrap(value).putLong(0, writeIndex); // tells a reader of a failure which write it was
        return value;
    }

    /** Does a write on a store and returns its sequence number. */
    long apply(long writeIndex, FlexDB store) {
        List<Change> changes = write(writeIndex);
        if (changes.size() == 1) {
            Change change = changes.get(0);
            if (change.to() != null) {
                return store.deleteRange(change.keyBytes(), change.toBytes());
            }
            if (change.value() == null) {
                return store.delete(change.keyBytes());
            }
            return writeIndex % 2 == 0
                    ? store.put(change.keyBytes(), change.value())
                    : putFromStream(change.keyBytes(), change.value(), store);
        }
        return writeIndex % 2 == 0 ? applyInTransaction(changes, store) : applyInBatch(changes, store);
    }

    private static long putFromStream(byte[] key, byte[] value, FlexDB store) {
        try {
            return store.put(key, Channels.newChannel(new ByteArrayInputStream(value)), value.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long applyInBatch(List<Change> changes, FlexDB store) {
        WriteBatch batch = new WriteBatch();
        for (Change change : changes) {
            if (change.to() != null) {
                batch.deleteRange(change.keyBytes(), change.toBytes());
            } else if (change.value() == null) {
                batch.delete(change.keyBytes());
            } else {
                batch.put(change.keyBytes(), change.value());
            }
        }
        return store.write(batch);
    }

    /** Nobody else writes this thread's keys, so there is no conflict. */
    private static long applyInTransaction(List<Change> changes, FlexDB store) {
        try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
            for (Change change : changes) {
                byte[] before = transaction.get(change.keyBytes());
                if (change.to() != null) {
                    transaction.deleteRange(change.keyBytes(), change.toBytes());
                } else if (change.value() == null) {
                    transaction.delete(change.keyBytes());
                } else {
                    transaction.put(change.keyBytes(), change.value());
                }
                byte[] now = transaction.get(change.keyBytes());
                if (!Arrays.equals(change.value(), now)) {
                    throw new IllegalStateException("key " + change.key() + " has " + Arrays.toString(now)
                            + " after its change, and " + Arrays.toString(before) + " before");
                }
            }
            return transaction.commit();
        }
    }

    /** Does a write on a model. */
    void apply(long writeIndex, TreeMap<String, byte[]> model) {
        for (Change change : write(writeIndex)) {
            if (change.to() != null) {
                model.subMap(change.key(), change.to()).clear();
            } else if (change.value() == null) {
                model.remove(change.key());
            } else {
                model.put(change.key(), change.value());
            }
        }
    }

    /** Whether a write would leave a model as it is. */
    boolean changesNothing(long writeIndex, TreeMap<String, byte[]> model) {
        TreeMap<String, byte[]> after = new TreeMap<>(model);
        apply(writeIndex, after);
        return firstDifference(model, after) == null;
    }

    /** Describes the first difference between a thread's keys as found and as expected; null if there is none. */
    static String firstDifference(TreeMap<String, byte[]> expected, TreeMap<String, byte[]> found) {
        for (String key : expected.keySet()) {
            if (!found.containsKey(key)) {
                return "key " + key + " of write " + writeIndexOf(expected.get(key)) + " is missing";
            }
        }
        for (String key : found.keySet()) {
            byte[] value = expected.get(key);
            if (value == null) {
                return "key " + key + " should not exist, it has a value of write " + writeIndexOf(found.get(key));
            }
            if (!Arrays.equals(value, found.get(key))) {
                return "key " + key + " should have the value of write " + writeIndexOf(value)
                        + " but has one of write " + writeIndexOf(found.get(key));
            }
        }
        return null;
    }

    private static long writeIndexOf(byte[] value) {
        return value.length < Long.BYTES ? -1 : ByteBuffer.wrap(value).getLong(0);
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
