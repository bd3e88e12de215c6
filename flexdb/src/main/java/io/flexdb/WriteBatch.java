package io.flexdb;

import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.memtable.MemTable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Puts and deletes, of keys and of ranges, that take effect together: readers see all or none of them, and a crash keeps all or none. They
 * apply in the order in which they were added. Keys and values are copied. For one thread at a time; may be used again
 * after {@link #clear()}.
 */
public final class WriteBatch {
    /** The most ranges that one batch deletes. */
    public static final int MAX_RANGES = 4096;

    private final CRC32C crc = new CRC32C();
    private byte[] payload = new byte[256];
    private int length;
    private int entries;
    private int ranges;
    private long bodyBytes;

    /** An empty batch. */
    public WriteBatch() {}

    /** Adds a put. */
    public WriteBatch put(byte[] key, byte[] value) {
        int at = beginPut(Limits.keyLength(key), Limits.valueLength(value));
        System.arraycopy(key, 0, payload, at, key.length);
        System.arraycopy(value, 0, payload, at + key.length, value.length);
        return this;
    }

    /** Adds a put of what the buffers have between position and limit, which becomes their position. */
    public WriteBatch put(ByteBuffer key, ByteBuffer value) {
        int keyLength = Limits.keyLength(key);
        int valueLength = Limits.valueLength(value);
        int at = beginPut(keyLength, valueLength);
        key.get(key.position(), payload, at, keyLength);
        value.get(value.position(), payload, at + keyLength, valueLength);
        key.position(key.limit());
        value.position(value.limit());
        return this;
    }

    /** Adds a delete; deleting an absent key does nothing. */
    public WriteBatch delete(byte[] key) {
        int at = beginDelete(Limits.keyLength(key));
        System.arraycopy(key, 0, payload, at, key.length);
        return this;
    }

    /** Adds a delete of the key between position and limit, which becomes the position. */
    public WriteBatch delete(ByteBuffer key) {
        int keyLength = Limits.keyLength(key);
        int at = beginDelete(keyLength); // before the array is looked at, which it may replace
        key.get(payload, at, keyLength);
        return this;
    }

    /**
     * Adds the removal of all keys from one on to before another, those put by earlier operations of this batch
     * included. If both are equal nothing is added.
     *
     * @param fromInclusive the first key to go; null for the first of all
     * @param toExclusive the first key to stay; null if none is
     * @throws IllegalArgumentException if {@code fromInclusive} is above {@code toExclusive}, a key is too long, or the
     *     batch has {@link #MAX_RANGES} ranges already
     */
    public WriteBatch deleteRange(byte[] fromInclusive, byte[] toExclusive) {
        return deleteRange(Limits.wrapBound(fromInclusive), Limits.wrapBound(toExclusive));
    }

    /** The same with keys between position and limit, which become the positions. */
    public WriteBatch deleteRange(ByteBuffer fromInclusive, ByteBuffer toExclusive) {
        if (!Limits.isEmptyRange(fromInclusive, toExclusive)) {
            if (ranges == MAX_RANGES) {
                throw new IllegalArgumentException(
                        "the batch would delete more than " + MAX_RANGES + " ranges; split it");
            }
            int fromLength = Limits.boundLength(fromInclusive);
            int toLength = Limits.boundLength(toExclusive);
            int begin = length;
            room(WritePayload.putBytes(fromLength, toLength));
            bodyBytes += MemTable.bodyBytes(fromLength, toLength);
            ranges++;
            int at = WritePayload.encodeRangeHeader(payload, begin, fromLength, toLength);
            Limits.copyBound(fromInclusive, payload, at);
            Limits.copyBound(toExclusive, payload, at + fromLength);
        }
        Limits.toLimit(fromInclusive);
        Limits.toLimit(toExclusive);
        return this;
    }

    private int beginPut(int keyLength, int valueLength) {
        int from = length;
        room(WritePayload.putBytes(keyLength, valueLength));
        bodyBytes += MemTable.bodyBytes(keyLength, valueLength);
        return WritePayload.encodePutHeader(payload, from, keyLength, valueLength);
    }

    private int beginDelete(int keyLength) {
        int from = length;
        room(WritePayload.deleteBytes(keyLength));
        bodyBytes += MemTable.bodyBytes(keyLength, 0);
        return WritePayload.encodeDeleteHeader(payload, from, keyLength);
    }

    private void room(long bytes) {
        long needed = length + bytes;
        if (needed > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("the batch would have " + needed + " bytes; split it");
        }
        if (needed > payload.length) {
            payload = Arrays.copyOf(
                    payload, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * payload.length)));
        }
        length = (int) needed;
        entries++;
    }

    /** Forgets all operations; keeps the memory. */
    public WriteBatch clear() {
        length = 0;
        entries = 0;
        ranges = 0;
        bodyBytes = 0;
        return this;
    }

    /** Operations added. */
    public int size() {
        return entries;
    }

    /** Bytes that the batch takes in the write-ahead log, apart from the frame. */
    public int sizeBytes() {
        return length;
    }

    byte[] payload() {
        return payload;
    }

    int ranges() {
        return ranges;
    }

    long bodyBytes() {
        return bodyBytes;
    }

    int checksum() {
        return WritePayload.checksum(crc, payload, 0, length);
    }

    @Override
    public String toString() {
        return "WriteBatch[" + entries + " operations, " + length + " bytes]";
    }
}
