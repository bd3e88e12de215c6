package io.flexdb.internal.mem;

import io.flexdb.internal.base.RecordHead;

/**
 * A value that operands were merged into; or, if operands wait, the list of them.
 *
 * @param bytes not to be changed
 * @param expiry when it expires, in milliseconds since 1970
 * @param through the sequence number of the newest operand in it
 * @param waits whether the bytes are a list, see {@link WaitingOperands}
 */
public record MergedValue(byte[] bytes, long expiry, long through, boolean waits) {
    /** The part of its record before the key. */
    public RecordHead head(int keyLength) {
        return new RecordHead(keyLength, bytes.length, expiry, through, waits);
    }
}
