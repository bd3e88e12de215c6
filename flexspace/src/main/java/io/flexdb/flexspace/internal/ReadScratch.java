package io.flexdb.flexspace.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** What a read uses, and leaves to the next one, most likely of the same thread. */
final class ReadScratch {
    final ByteBuffer buffer;
    final CRC32C crc = new CRC32C();
    final Announcer announcer;

    ReadScratch(SegmentStore store) {
        buffer = ByteBuffer.allocateDirect(store.reader().scratchBytes()).order(ByteOrder.LITTLE_ENDIAN);
        announcer = new Announcer(store);
    }
}
