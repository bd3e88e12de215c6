package io.flexdb.internal.mem;

import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Varints;
import java.nio.ByteBuffer;

/**
 * A value below operands that stays where it is, since there is no memory for all of it.
 *
 * @param length bytes of it
 * @param waits whether it is a list, see {@link WaitingOperands}, and no value
 * @param expiry when it expires, in milliseconds since 1970
 * @param through the sequence number through which operands are in it
 * @param parts reads it
 */
public record LongBase(int length, boolean waits, long expiry, long through, Parts parts) {
    /**
     * Bytes that a list has of operands; 0 for a value.
     *
     * @throws BadRecordException if it is no list
     */
    public int operandBytes() {
        if (!waits) {
            return 0;
        }
        byte[] head = new byte[Math.min(length, 1 + Varints.MAX_BYTES)];
        parts.read(0, ByteBuffer.wrap(head));
        return length - WaitingOperands.bytesThroughValue(head, length);
    }

    /** Reads it by parts. */
    public interface Parts {
        /** Fills a buffer, whose position moves to its limit, with the bytes from an index on. */
        void read(int from, ByteBuffer to);
    }
}
