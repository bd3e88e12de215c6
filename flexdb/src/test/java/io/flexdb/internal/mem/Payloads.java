package io.flexdb.internal.mem;

import java.util.Arrays;

/** Builds the payload of a write. */
public final class Payloads {
    private byte[] bytes = new byte[1024];
    private int length;
    private int entries;
    private int ranges;
    private long bodyBytes;

    public Payloads put(byte[] key, byte[] value) {
        room(WritePayload.putBytes(key.length, value.length));
        int at = WritePayload.encodePutHeader(bytes, length, key.length, value.length);
        System.arraycopy(key, 0, bytes, at, key.length);
        System.arraycopy(value, 0, bytes, at + key.length, value.length);
        return added(at + key.length + value.length, key.length, value.length);
    }

    public Payloads delete(byte[] key) {
        room(WritePayload.deleteBytes(key.length));
        int at = WritePayload.encodeDeleteHeader(bytes, length, key.length);
        System.arraycopy(key, 0, bytes, at, key.length);
        return added(at + key.length, key.length, 0);
    }

    /** Deletes a range; without bytes the second key means that it has no end. */
    public Payloads deleteRange(byte[] from, byte[] to) {
        room(WritePayload.putBytes(from.length, to.length));
        int at = WritePayload.encodeRangeHeader(bytes, length, from.length, to.length);
        System.arraycopy(from, 0, bytes, at, from.length);
        System.arraycopy(to, 0, bytes, at + from.length, to.length);
        ranges++;
        return added(at + from.length + to.length, from.length, to.length);
    }

    private void room(long more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(length + more, 2L * bytes.length));
        }
    }

    private Payloads added(int end, int keyLength, int valueLength) {
        length = end;
        entries++;
        bodyBytes += MemTable.bodyBytes(keyLength, valueLength);
        return this;
    }

    public Payloads clear() {
        length = 0;
        entries = 0;
        ranges = 0;
        bodyBytes = 0;
        return this;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return length;
    }

    public int entries() {
        return entries;
    }

    public long bodyBytes() {
        return bodyBytes;
    }

    /** Inserts all as one write; false if there is no room. */
    public boolean insertInto(MemTable table, long firstSequence) {
        int reserved = table.reserve(bodyBytes, entries, ranges, firstSequence);
        if (reserved == MemTable.NONE) {
            return false;
        }
        table.insertAll(bytes, 0, length, firstSequence, reserved);
        return true;
    }
}
