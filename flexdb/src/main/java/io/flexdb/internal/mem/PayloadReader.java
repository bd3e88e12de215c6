package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.Varints;
import java.util.Arrays;

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
        if (type < WritePayload.PUT || type > WritePayload.PUT_LARGE) {
            throw malformed(start, "type " + type);
        }
        keyLength = readLength(start);
        if (keyLength > WritePayload.MAX_KEY_BYTES) {
            throw malformed(start, "key length " + keyLength);
        }
        valueLength = type == WritePayload.DELETE ? 0 : readLength(start);
        if (valueLength > WritePayload.MAX_VALUE_BYTES) {
            throw malformed(start, "value length " + valueLength);
        }
        keyIndex = at;
        int timeBytes = WritePayload.timeBytes(type);
        if ((long) keyLength + valueLength + timeBytes > end - at) {
            throw malformed(start, "key length " + keyLength + ", value length " + valueLength);
        }
        at += keyLength + valueLength + timeBytes;
        if (type == WritePayload.DELETE_RANGE) {
            requireRange(start);
        } else if (type == WritePayload.PUT_LARGE
                && !LargeReference.isReference(payload, keyIndex + keyLength, valueLength)) {
            throw malformed(start, "a reference of " + valueLength + " bytes");
        }
        return true;
    }

    private void requireRange(int start) {
        int to = keyIndex + keyLength;
        if (valueLength > WritePayload.MAX_KEY_BYTES
                || valueLength > 0 && Arrays.compareUnsigned(payload, keyIndex, to, payload, to, at) >= 0) {
            throw malformed(start, "a range of keys that does not ascend");
        }
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

    /** {@link WritePayload#PUT} or another type that stands there. */
    public int type() {
        return type;
    }

    /** Whether its key is one of the directory of named keyspaces. */
    public boolean isOfDirectory() {
        return KeyHeads.isOfDirectory(payload, keyIndex, keyLength);
    }

    /** Where the entry's key begins in the payload's array; the value comes right behind it. */
    public int keyIndex() {
        return keyIndex;
    }

    /** Bytes of the key. */
    public int keyLength() {
        return keyLength;
    }

    /** Bytes of the value, or of the key where a deleted range ends; 0 for a delete. */
    public int valueLength() {
        return valueLength;
    }

    /** Bytes of the value and of the time behind it, if there is one. */
    public int tailLength() {
        return valueLength + WritePayload.timeBytes(type);
    }
}
