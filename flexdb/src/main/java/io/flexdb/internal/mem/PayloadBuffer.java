package io.flexdb.internal.mem;

import io.flexdb.storage.StoreMemoryException;

/** The payload of a write of one entry, in memory that is used again. */
public final class PayloadBuffer extends Payload {
    /*
     * Log and memtable each get a copy of a pair. This one is made before them, in some ns for a small pair, so that
     * both and the checksum are of the same bytes even if the caller changes its arrays meanwhile. A frame with a wrong
     * check would end the log, and so lose all writes behind it.
     */
    private static final int SMALL_BYTES = 64 << 10;

    private static final int FIRST_BYTES = 1024;

    /** An empty buffer. The caller adds key and value to its bytes where {@code begin…} says. */
    public PayloadBuffer() {
        bytes = new byte[FIRST_BYTES];
        entries = 1;
    }

    /** Writes what precedes a put's key, and returns where the key goes; the value goes right behind it. */
    public int beginPut(int keyLength, int valueLength) {
        begin(WritePayload.putBytes(keyLength, valueLength), MemTable.bodyBytes(keyLength, valueLength));
        return WritePayload.encodePutHeader(bytes, 0, keyLength, valueLength);
    }

    /**
     * Writes what precedes the key of an entry with a time, which {@link #setTime} sets, and returns where the key goes;
     * the value goes right behind it.
     */
    public int beginTimed(int type, int keyLength, int valueLength) {
        int tailLength = valueLength + WritePayload.TIME_BYTES;
        begin(
                WritePayload.putBytes(keyLength, valueLength) + WritePayload.TIME_BYTES,
                MemTable.bodyBytes(keyLength, tailLength));
        return WritePayload.encodeTimedHeader(bytes, 0, type, keyLength, valueLength);
    }

    /** Sets the time of the entry. */
    public void setTime(long time) {
        WritePayload.putTime(bytes, length - WritePayload.TIME_BYTES, time);
    }

    /** Writes what precedes a delete's key, and returns where the key goes. */
    public int beginDelete(int keyLength) {
        begin(WritePayload.deleteBytes(keyLength), MemTable.bodyBytes(keyLength, 0));
        return WritePayload.encodeDeleteHeader(bytes, 0, keyLength);
    }

    /** Writes what precedes the keys of a deleted range, and returns where the first goes; the other right behind it. */
    public int beginDeleteRange(int fromLength, int toLength) {
        begin(WritePayload.putBytes(fromLength, toLength), MemTable.bodyBytes(fromLength, toLength));
        ranges = 1;
        return WritePayload.encodeRangeHeader(bytes, 0, fromLength, toLength);
    }

    private void begin(long neededBytes, long neededBodyBytes) {
        length = Math.toIntExact(neededBytes);
        bodyBytes = neededBodyBytes;
        ranges = 0;
        if (bytes.length < length) {
            bytes = newBytes(length);
        }
    }

    private static byte[] newBytes(int length) {
        try {
            return new byte[length];
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("a copy of key and value", length, e);
        }
    }

    /** Bytes of its memory if they are more than any buffer may keep for later writes; else 0. */
    public int largeBytes() {
        return bytes.length > SMALL_BYTES ? bytes.length : 0;
    }
}
