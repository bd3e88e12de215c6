package io.flexdb.flexspace.internal.segment;

import io.flexdb.flextree.ExtentCursor;
import java.util.zip.CRC32C;

/** What a read uses, and leaves to the next one, most likely of the same thread. */
public final class ReadScratch {
    public final ReadWindow window;
    final CRC32C crc = new CRC32C();
    public final ExtentCursor cursor = new ExtentCursor();
    public final Announcer announcer;
    final FrameCache cache; // or null

    /**
     * @param bytes that a read of the file may bring
     * @param announcements takes the addresses that will be read next
     * @param cache where frames are looked for before the file is read; null for nowhere
     */
    ReadScratch(int bytes, Announcer.Announcements announcements, FrameCache cache) {
        this.cache = cache;
        window = new ReadWindow(bytes);
        announcer = new Announcer(announcements);
    }
}
