package io.flexdb.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * The records of a topic, which are known by their numbers: a key among some, at random but the same each time, and a
 * value that begins with the record's number. Record {@code i} goes to partition {@code i} modulo their number, and a
 * key is in one partition only, so all partitions have equally many records. Any thread may use it.
 */
final class BenchmarkRecords {
    static final int KEY_BYTES = 16;
    static final int VALUE_BYTES = 100;

    private static final long SCATTER = 0x9E3779B97F4A7C15L;
    private static final int MATERIAL_BYTES = 1 << 20;

    private final int partitions;
    private final int keysOfPartition;
    private final byte[] material = new byte[MATERIAL_BYTES]; // of values; does not compress

    /** @param keys at least one for each partition */
    BenchmarkRecords(int partitions, int keys) {
        this.partitions = partitions;
        this.keysOfPartition = keys / partitions;
        if (keysOfPartition < 1) {
            throw new IllegalArgumentException(keys + " keys are too few for " + partitions + " partitions");
        }
        new Random(1).nextBytes(material);
    }

    int keys() {
        return keysOfPartition * partitions;
    }

    int partition(long record) {
        return (int) (record % partitions);
    }

    /** The number of a record's key, below {@link #keys}. */
    int keyNumber(long record) {
        long mixed = (record + 1) * SCATTER;
        mixed = (mixed ^ mixed >>> 31) * 0xBF58476D1CE4E5B9L;
        mixed ^= mixed >>> 29;
        return (int) Long.remainderUnsigned(mixed, keysOfPartition) * partitions + partition(record);
    }

    /** The bytes of a record's key; keys have no order of numbers. */
    byte[] key(long record) {
        long number = keyNumber(record);
        return ByteBuffer.allocate(KEY_BYTES)
                .putLong(number * SCATTER)
                .putLong(number)
                .array();
    }

    byte[] value(long record) {
        int from = (int) (record * 4099 % (MATERIAL_BYTES - VALUE_BYTES));
        byte[] value = Arrays.copyOfRange(material, from, from + VALUE_BYTES);
        ByteBuffer.wrap(value).putLong(0, record);
        return value;
    }

    /** The number of the last record of each key among the first so many, by the number of the key; or -1. */
    long[] latest(long records) {
        long[] latest = new long[keys()];
        Arrays.fill(latest, -1);
        for (long record = 0; record < records; record++) {
            latest[keyNumber(record)] = record;
        }
        return latest;
    }

    /**
     * Whether a pair is what a store of the latest values has to have for its key.
     *
     * @param latest see {@link #latest}
     */
    boolean isLatest(byte[] key, byte[] value, long[] latest) {
        long number = key.length == KEY_BYTES ? ByteBuffer.wrap(key).getLong(Long.BYTES) : -1;
        if (number < 0 || number >= latest.length || latest[(int) number] < 0) {
            return false;
        }
        long record = latest[(int) number];
        return Arrays.equals(key, key(record)) && Arrays.equals(value, value(record));
    }
}
