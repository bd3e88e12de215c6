package io.flexdb.flexspace.internal;

import io.flexdb.flextree.ExtentCursor;
import java.util.zip.CRC32C;

/** What a read uses, and leaves to the next one, most likely of the same thread. */
final class ReadScratch {
    final ReadWindow window;
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
        window = new ReadWindow(store.reader().scratchBytes());
        announcer = new Announcer(store);
    }
}
