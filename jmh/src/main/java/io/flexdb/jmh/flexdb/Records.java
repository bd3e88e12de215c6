package io.flexdb.jmh.flexdb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Makes keys and values from numbers, and checks values that were read. For one thread. */
final class Records {
    /*
     * A key is decimal: three digits that grow evenly with the number, as the paper's Zipfian-Composite distribution
     * wants them, then the number itself, so that keys are in the order of numbers, then 0, or 5 in keys that do not
     * exist but lie between those that do. A value begins with its number and its version and goes on with bytes made
     * from both, which nothing can compress.
     */
    private static final int PREFIXES = 1000;
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    private final KeySpace space;
    private final long count;
    private final byte[] key;
    private final byte[] value;
    private final byte[] expected;

    /**
     * @param count numbers are below it
     */
    Records(KeySpace space, long count) {
        this.space = space;
        this.count = count;
        this.key = new byte[space.keyBytes()];
        this.value = new byte[space.valueBytes()];
        this.expected = new byte[space.valueBytes()];
    }

    /** The key of a number; the array is used again by the next call. */
    byte[] key(long number) {
        return key(number, '0');
    }

    /** A key that does not exist. */
    byte[] absentKey(long number) {
        return key(number, '5');
    }

    private byte[] key(long number, char last) {
        int at = key.length - 1;
        key[at--] = (byte) last;
        long rest = number;
        while (at > 2) {
            key[at--] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        long prefix = number * PREFIXES / count;
        while (at >= 0) {
            key[at--] = (byte) ('0' + prefix % 10);
            prefix /= 10;
        }
        return key;
    }

    /** The value of a number, in one of its versions; the array is used again by the next call. */
    byte[] value(long number, long version) {
        fill(value, number, version);
        return value;
    }

    private static void fill(byte[] target, long number, long version) {
        ByteBuffer buffer = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(0, number);
        buffer.putLong(Long.BYTES, version);
        long state = number * GAMMA + version;
        int at = 2 * Long.BYTES;
        for (; at + Long.BYTES <= target.length; at += Long.BYTES) {
            state += GAMMA;
            buffer.putLong(at, mix(state));
        }
        for (; at < target.length; at++) {
            target[at] = (byte) at;
        }
    }

    private static long mix(long state) {
        long mixed = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
        return mixed ^ mixed >>> 31;
    }

    /** Throws unless this is the key of the number. */
    void checkKey(long number, byte[] read) {
        if (!Arrays.equals(key(number), read)) {
            throw new IllegalStateException("record " + number + " of " + count + " has a wrong key");
        }
    }

    /** Throws unless this is a value that the number was given. */
    void check(long number, byte[] read) {
        if (read == null || read.length != space.valueBytes()) {
            throw new IllegalStateException("record " + number + " of " + count + " is "
                    + (read == null ? "absent" : read.length + " bytes long"));
        }
        ByteBuffer buffer = ByteBuffer.wrap(read).order(ByteOrder.LITTLE_ENDIAN);
        fill(expected, number, buffer.getLong(Long.BYTES));
        if (!Arrays.equals(expected, read)) {
            throw new IllegalStateException("record " + number + " has a wrong value");
        }
    }

    /** Direct buffers that have room for a pair. */
    static final class Buffers {
        final ByteBuffer key;
        final ByteBuffer value;

        Buffers(KeySpace space) {
            this.key = ByteBuffer.allocateDirect(space.keyBytes());
            this.value = ByteBuffer.allocateDirect(space.valueBytes());
        }

        /** Has them hold a key and a value. */
        void set(byte[] newKey, byte[] newValue) {
            key.clear().put(newKey).flip();
            value.clear().put(newValue).flip();
        }

        /** Has the first hold a key, and the second have room. */
        void setKey(byte[] newKey) {
            key.clear().put(newKey).flip();
            value.clear();
        }

        /** Has both have room. */
        void clear() {
            key.clear();
            value.clear();
        }
    }

    /** The number in a value, which {@link #check} then compares whole. */
    static long numberIn(byte[] read) {
        return ByteBuffer.wrap(read).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
    }
}
