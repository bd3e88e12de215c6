package io.flexdb.flexspace.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Memory for one read of frames: a buffer and a checksum. */
final class ReadScratch {
    final ByteBuffer buffer;
    final CRC32C crc = new CRC32C();

    ReadScratch(int bytes) {
        buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
