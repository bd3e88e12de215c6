package io.flexdb.internal.batch;

import io.flexdb.internal.keys.Varints;

/**
 * Walks the entries of a {@link WritePayload}. For one thread at a time; reusable, and makes no garbage. Every length
 * is checked against the payload's end before it is used, since payloads also come from disk.
 */
public final class PayloadReader {
    private byte[] payload;
    private int at;
    private int end;
    private int type;
    private int keyIndex;
    private int keyLength;
    private int valueLength;

    /** Starts before the first entry of {@code length} bytes at {@code offset}. */
    public PayloadReader reset(byte[] newPayload, int offset, int length) {
        payload = newPayload;
        at = offset;
        end = offset + length;
        return this;
    }

    /**
     * Moves to the next entry; false at the end.
     *
     * @throws IllegalArgumentException if the bytes are no entry
     */
    public boolean next() {
        if (at == end) {
            return false;
        }
        int start = at;
        type = payload[at++];
        if (type != WritePayload.PUT && type != WritePayload.DELETE) {
            throw malformed(start, "type " + type);
        }
        keyLength = readLength(start);
        if (keyLength > WritePayload.MAX_KEY_BYTES) {
            throw malformed(start, "key length " + keyLength);
        }
        valueLength = type == WritePayload.PUT ? readLength(start) : 0;
        if (valueLength > WritePayload.MAX_VALUE_BYTES) {
            throw malformed(start, "value length " + valueLength);
        }
        keyIndex = at;
        if ((long) keyLength + valueLength > end - at) {
            throw malformed(start, "key length " + keyLength + ", value length " + valueLength);
        }
        at += keyLength + valueLength;
        return true;
    }

    private int readLength(int start) {
        long read = Varints.read(payload, at, end);
        if (read < 0) {
            throw malformed(start, "no length at index " + at);
        }
        at += Varints.bytesOf(read);
        return Varints.numberOf(read);
    }

    private IllegalArgumentException malformed(int index, String what) {
        return new IllegalArgumentException("no entry of a write at index " + index + ": " + what);
    }

    /** {@link WritePayload#PUT} or {@link WritePayload#DELETE}. */
    public int type() {
        return type;
    }

    /** Where the entry's key begins in the payload's array. */
    public int keyIndex() {
        return keyIndex;
    }

    /** Bytes of the key. */
    public int keyLength() {
        return keyLength;
    }

    /** Bytes of the value; 0 for a delete. */
    public int valueLength() {
        return valueLength;
    }
}
