package io.flexdb.flexspace.internal;

import io.flexdb.flextree.ExtentCursor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** What a read uses, and leaves to the next one, most likely of the same thread. */
final class ReadScratch {
    final ByteBuffer buffer;
    final CRC32C crc = new CRC32C();
    final ExtentCursor cursor = new ExtentCursor();
    final Announcer announcer;
    final FrameCache cache; // or null

    ReadScratch(SegmentStore store) {
        this(store, null);
    }

    /** @param cache where frames are looked for before the file is read; null for nowhere */
    ReadScratch(SegmentStore store, FrameCache cache) {
        this.cache = cache;
        buffer = ByteBuffer.allocateDirect(store.reader().scratchBytes()).order(ByteOrder.LITTLE_ENDIAN);
        announcer = new Announcer(store);
    }
}
