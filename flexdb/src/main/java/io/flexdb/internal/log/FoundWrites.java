package io.flexdb.internal.log;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import java.nio.file.Path;
import java.util.Arrays;

/** Checks the writes that logs have, before they are taken. */
public final class FoundWrites {
    private FoundWrites() {}

    /**
     * Throws unless a write can be taken.
     *
     * @param directory of the logs
     * @param canMerge whether there is a function for operands
     */
    public static void requireSound(Path directory, Payload payload, boolean canMerge) {
        int count = 0;
        try {
            PayloadReader reader = new PayloadReader().reset(payload.bytes(), 0, payload.length());
            while (reader.next()) {
                count++;
                if (reader.keyLength() == 0 && reader.type() != WritePayload.DELETE_RANGE) {
                    throw new IllegalArgumentException("entry " + count + " has a key without bytes");
                }
                if (reader.type() == WritePayload.MERGE && !canMerge) {
                    int key = reader.keyIndex();
                    byte[] merged = Arrays.copyOfRange(payload.bytes(), key, key + reader.keyLength());
                    throw new MergeException(
                            KeyHeads.withoutHead(merged),
                            "the write-ahead log has merges, and there is no function",
                            null);
                }
            }
        } catch (IllegalArgumentException e) {
            throw new CorruptionException(directory, 0, "a frame of " + payload.entries() + " entries", e.toString());
        }
        if (count != payload.entries()) {
            throw new CorruptionException(
                    directory, 0, "a frame of " + payload.entries() + " entries", count + " entries");
        }
    }
}
