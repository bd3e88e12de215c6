package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.mem.MemTable;
import java.util.Arrays;

/** A copy of an entry's key, in an array that is used again. For one thread. */
final class EntryKey {
    byte[] bytes = new byte[256]; // and perhaps more of them than the key has
    int length;

    void set(MemTable table, int ref) {
        makeRoom(table.keyLength(ref));
        table.copyKey(ref, bytes, 0);
    }

    void set(byte[] key) {
        makeRoom(key.length);
        System.arraycopy(key, 0, bytes, 0, length);
    }

    /**
     * Has room for a key of so many bytes.
     *
     * @throws OutOfMemoryError if there is none; the key is as it was
     */
    void makeRoom(int keyLength) {
        if (bytes.length < keyLength) {
            bytes = new byte[RecordFormat.MAX_KEY_BYTES];
        }
        length = keyLength;
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }
}
