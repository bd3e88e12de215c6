package io.flexdb.internal.base;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Whole records for tests. */
public final class Records {
    private Records() {}

    /** Writes a record that never expires and has no operands, and returns the position behind it. */
    public static int write(ByteBuffer to, int position, byte[] key, byte[] value) {
        RecordHead head = new RecordHead(key.length, value.length, RecordFormat.NEVER, 0, false);
        return write(to, position, head, key, value);
    }

    /** Writes a record with a head, and returns the position behind it. */
    public static int write(ByteBuffer to, int position, RecordHead head, byte[] key, byte[] value) {
        int keyPosition = head.write(to, position);
        to.put(keyPosition, key).put(keyPosition + key.length, value);
        int end = keyPosition + key.length + value.length;
        RecordFormat.seal(to, position, end - position, new CRC32C());
        return end;
    }
}
