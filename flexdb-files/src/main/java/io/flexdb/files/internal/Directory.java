package io.flexdb.files.internal;

import java.nio.ByteBuffer;

/**
 * A directory's own pair: that it is there, below what, and its times.
 *
 * @param parent the number of the directory that has its entry
 */
public record Directory(long parent, Times times) {
    byte[] encode() {
        ByteBuffer value = ByteBuffer.allocate(TreeFormat.DIRECTORY_BYTES).putLong(parent);
        times.put(value);
        return value.array();
    }

    static Directory decode(String keyspace, byte[] value) {
        if (value.length != TreeFormat.DIRECTORY_BYTES) {
            throw TreeFormat.damaged(
                    keyspace, 0, "a directory of " + TreeFormat.DIRECTORY_BYTES + " bytes", value.length + " bytes");
        }
        ByteBuffer from = ByteBuffer.wrap(value);
        return new Directory(from.getLong(), Times.get(from));
    }
}
