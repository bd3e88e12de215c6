package io.flexdb.internal.log;

import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import java.nio.file.Path;

/** Checks the writes that logs have, before they are taken. */
public final class FoundWrites {
    private FoundWrites() {}

    /** Is told of entries that are of interest to all of a store. */
    public interface Visitor {
        /** Takes an operand, by the stored key that is in an array. */
        void operand(byte[] from, int keyIndex, int keyLength);

        /** Takes a name that a keyspace gets, or loses: a put into the directory of them, or a delete. */
        void name(PayloadReader entry, byte[] from);
    }

    /**
     * Throws unless a write can be taken.
     *
     * @param directory of the logs
     * @param visitor is told of the entries as long as they are sound
     */
    public static void requireSound(Path directory, Payload payload, Visitor visitor) {
        int count = 0;
        try {
            PayloadReader reader = new PayloadReader().reset(payload.bytes(), 0, payload.length());
            while (reader.next()) {
                count++;
                if (reader.keyLength() == 0 && reader.type() != WritePayload.DELETE_RANGE) {
                    throw new IllegalArgumentException("entry " + count + " has a key without bytes");
                }
                tell(visitor, reader, payload.bytes());
            }
        } catch (IllegalArgumentException e) {
            throw new CorruptionException(directory, 0, "a frame of " + payload.entries() + " entries", e.toString());
        }
        if (count != payload.entries()) {
            throw new CorruptionException(
                    directory, 0, "a frame of " + payload.entries() + " entries", count + " entries");
        }
    }

    private static void tell(Visitor visitor, PayloadReader entry, byte[] from) {
        switch (entry.type()) {
            case WritePayload.MERGE -> visitor.operand(from, entry.keyIndex(), entry.keyLength());
            case WritePayload.PUT, WritePayload.PUT_LARGE, WritePayload.DELETE -> {
                if (entry.isOfDirectory()) {
                    visitor.name(entry, from);
                }
            }
            default -> {}
        }
    }
}
