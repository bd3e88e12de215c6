package io.flexdb.internal.base;

import java.nio.ByteBuffer;

/**
 * The part of a record before its key.
 *
 * @param length bytes of the value, or of the list of operands that wait
 * @param expiry in milliseconds since 1970, or {@link RecordFormat#NEVER}
 * @param through the sequence number through which operands are in the value or list; 0 if there are none
 * @param waits whether operands wait
 */
public record RecordHead(int keyLength, int length, long expiry, long through, boolean waits) {
    /** Bytes of the whole record. */
    public int recordBytes() {
        return waits
                ? RecordFormat.waitingBytes(keyLength, length, expiry, through)
                : RecordFormat.recordBytes(keyLength, length, expiry, through);
    }

    /** Writes it, but for the checksum, and returns the position of the key. */
    public int write(ByteBuffer to, int position) {
        return waits
                ? RecordFormat.writeWaitingHead(to, position, keyLength, length, expiry, through)
                : RecordFormat.writeHead(to, position, keyLength, length, expiry, through);
    }
}
