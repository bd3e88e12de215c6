package io.flexdb.internal.mem;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.storage.StoreMemoryException;

/** Payloads with the values that they refer to. */
public final class WholeEntries {
    /** Knows the values. */
    @FunctionalInterface
    public interface Source {
        /** Copies the value that an entry refers to into an array from an index on. */
        void copy(PayloadReader entry, byte[] to, int index);
    }

    private WholeEntries() {}

    /** A payload with what it refers to, or the array itself if that is nothing. */
    public static byte[] whole(byte[] payload, int length, Source source) {
        PayloadReader entries = new PayloadReader().reset(payload, 0, length);
        long bytes = 0;
        boolean any = false;
        for (int start = 0; entries.next(); start = end(entries)) {
            boolean large = entries.type() == WritePayload.PUT_LARGE;
            any |= large;
            bytes += large ? bytes(payload, entries) : end(entries) - start;
        }
        return any ? write(payload, length, newPayload(bytes), source) : payload;
    }

    private static byte[] newPayload(long bytes) {
        try {
            return new byte[(int) Math.min(Integer.MAX_VALUE, bytes)];
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException("a write with large values", bytes, e);
        }
    }

    private static int end(PayloadReader entry) {
        return entry.keyIndex() + entry.keyLength() + entry.tailLength();
    }

    private static long expiry(byte[] payload, PayloadReader entry) {
        return WritePayload.time(payload, entry.keyIndex() + entry.keyLength() + entry.valueLength());
    }

    private static long bytes(byte[] payload, PayloadReader entry) {
        int valueLength = LargeReference.valueLength(payload, entry.keyIndex() + entry.keyLength());
        int timeBytes = expiry(payload, entry) == RecordFormat.NEVER ? 0 : WritePayload.TIME_BYTES;
        return WritePayload.putBytes(entry.keyLength(), valueLength) + timeBytes;
    }

    private static byte[] write(byte[] payload, int length, byte[] to, Source source) {
        PayloadReader entries = new PayloadReader().reset(payload, 0, length);
        int at = 0;
        for (int start = 0; entries.next(); start = end(entries)) {
            if (entries.type() == WritePayload.PUT_LARGE) {
                at = writeWhole(payload, entries, to, at, source);
            } else {
                System.arraycopy(payload, start, to, at, end(entries) - start);
                at += end(entries) - start;
            }
        }
        return to;
    }

    private static int writeWhole(byte[] payload, PayloadReader entry, byte[] to, int index, Source source) {
        int keyLength = entry.keyLength();
        int valueLength = LargeReference.valueLength(payload, entry.keyIndex() + keyLength);
        long expiry = expiry(payload, entry);
        boolean expires = expiry != RecordFormat.NEVER;
        int at = expires
                ? WritePayload.encodeTimedHeader(to, index, WritePayload.PUT_EXPIRING, keyLength, valueLength)
                : WritePayload.encodePutHeader(to, index, keyLength, valueLength);
        System.arraycopy(payload, entry.keyIndex(), to, at, keyLength);
        source.copy(entry, to, at + keyLength);
        at += keyLength + valueLength;
        if (expires) {
            WritePayload.putTime(to, at, expiry);
            at += WritePayload.TIME_BYTES;
        }
        return at;
    }
}
