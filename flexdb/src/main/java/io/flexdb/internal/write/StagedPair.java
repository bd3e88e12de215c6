package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.StagedWrite;
import java.nio.ByteBuffer;

/**
 * A pair that a commit has made of operands, and staged since it is long. Held until this is closed.
 *
 * @param write holds it
 * @param reference has the {@link LargeReference} to it at a position
 * @param referenceBytes of the reference
 * @param keyLength of the pair
 * @param length bytes of its value, or of the list of operands that wait
 * @param expiry in milliseconds since 1970
 * @param through the sequence number of the newest operand in it
 * @param waits whether operands wait
 */
record StagedPair(
        StagedWrite write,
        ByteBuffer reference,
        int position,
        int referenceBytes,
        int keyLength,
        int length,
        long expiry,
        long through,
        boolean waits)
        implements AutoCloseable {

    int headBytes() {
        return LargeReference.headBytes(reference, position);
    }

    int pieces() {
        return LargeReference.pieces(reference, position, referenceBytes);
    }

    int recordBytes() {
        return waits
                ? RecordFormat.waitingBytes(keyLength, length, expiry, through)
                : RecordFormat.recordBytes(keyLength, length, expiry, through);
    }

    /** Writes the record's bytes before its key, and returns the position of the key. */
    int writeHead(ByteBuffer to, int at) {
        int keyPosition = waits
                ? RecordFormat.writeWaitingHead(to, at, keyLength, length, expiry, through)
                : RecordFormat.writeHead(to, at, keyLength, length, expiry, through);
        to.putInt(at, LargeReference.checksum(reference, position));
        return keyPosition;
    }

    @Override
    public void close() {
        write.close();
    }
}
