package io.flexdb.kafka;

import java.nio.ByteBuffer;
import org.apache.kafka.streams.state.VersionedRecord;

/**
 * A version of a key in a versioned store.
 *
 * @param from the time from which on it is valid
 * @param to the time when it is no more, or {@link #FOREVER}
 * @param value null for a deletion
 */
record Version(long from, long to, byte[] value) {
    static final long FOREVER = Long.MAX_VALUE;

    private static final int HEAD_BYTES = Long.BYTES + 1;

    boolean contains(long time) {
        return from <= time && time < to;
    }

    Version until(long newTo) {
        return new Version(from, newTo, value);
    }

    /** For a segment, where the key has {@code from}: {@code to}, whether there is a value, and the value. */
    byte[] encode() {
        int length = value == null ? 0 : value.length;
        ByteBuffer encoded =
                ByteBuffer.allocate(HEAD_BYTES + length).putLong(to).put((byte) (value == null ? 0 : 1));
        if (value != null) {
            encoded.put(value);
        }
        return encoded.array();
    }

    static Version decode(long from, byte[] encoded) {
        ByteBuffer buffer = ByteBuffer.wrap(encoded);
        long to = buffer.getLong();
        boolean hasValue = buffer.get() != 0;
        return new Version(from, to, hasValue ? rest(buffer) : null);
    }

    /** For the layer of the newest versions: {@code from}, and the value. */
    byte[] encodeNewest() {
        return ByteBuffer.allocate(Long.BYTES + value.length)
                .putLong(from)
                .put(value)
                .array();
    }

    static Version decodeNewest(byte[] encoded) {
        ByteBuffer buffer = ByteBuffer.wrap(encoded);
        long from = buffer.getLong();
        return new Version(from, FOREVER, rest(buffer));
    }

    private static byte[] rest(ByteBuffer buffer) {
        byte[] rest = new byte[buffer.remaining()];
        buffer.get(rest);
        return rest;
    }

    VersionedRecord<byte[]> asRecord() {
        return to == FOREVER ? new VersionedRecord<>(value, from) : new VersionedRecord<>(value, from, to);
    }
}
