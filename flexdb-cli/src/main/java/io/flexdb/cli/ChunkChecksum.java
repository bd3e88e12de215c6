package io.flexdb.cli;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Checksums of the chunks of one dump, in their order. */
final class ChunkChecksum {
    private final long dump;
    private long chunk;

    ChunkChecksum(long dump) {
        this.dump = dump;
    }

    /** The number of the chunk that comes next. */
    long chunk() {
        return chunk;
    }

    /** The checksum of the chunk that comes next. */
    int next(byte[] content, int length) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(20)
                .putLong(dump)
                .putLong(chunk++)
                .putInt(length)
                .flip());
        crc.update(content, 0, length);
        return (int) crc.getValue();
    }
}
