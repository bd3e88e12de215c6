package io.flexdb.internal.store;

import io.flexdb.internal.memtable.WritePayload;
import io.flexdb.internal.wal.WalFormat;
import java.util.zip.CRC32C;

/** The payload of a write of one entry, in memory that is used again. */
public final class PayloadBuffer {
    private static final int KEPT_BYTES = 1 << 20;

    /** The payload's bytes; the caller adds key and value where {@code begin…} says. */
    public byte[] bytes = new byte[1024];

    private final CRC32C crc = new CRC32C();
    private int length;

    /** An empty buffer. */
    public PayloadBuffer() {}

    /** Writes what precedes a put's key, and returns where the key goes; the value goes right behind it. */
    public int beginPut(int keyLength, int valueLength) {
        room(WritePayload.putBytes(keyLength, valueLength));
        return WritePayload.encodePutHeader(bytes, 0, keyLength, valueLength);
    }

    /** Writes what precedes a delete's key, and returns where the key goes. */
    public int beginDelete(int keyLength) {
        room(WritePayload.deleteBytes(keyLength));
        return WritePayload.encodeDeleteHeader(bytes, 0, keyLength);
    }

    private void room(long needed) {
        length = Math.toIntExact(needed);
        if (bytes.length < length) {
            bytes = new byte[length];
        }
    }

    /** Whether the memory is small enough to be kept for later writes. */
    public boolean isWorthKeeping() {
        return bytes.length <= KEPT_BYTES;
    }

    /** The payload's checksum, as the write-ahead log wants it. */
    public int checksum() {
        return WalFormat.payloadChecksum(crc, bytes, 0, length);
    }

    /** Bytes of the payload. */
    public int length() {
        return length;
    }
}
