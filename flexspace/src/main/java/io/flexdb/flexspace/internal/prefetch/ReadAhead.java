package io.flexdb.flexspace.internal.prefetch;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;

/** Small reads of a file that nobody changes meanwhile, in larger ones where they are neighbours. For one thread. */
public final class ReadAhead {
    private static final int PAGE_BYTES = 4 * 1024; // of the page cache; at random places only those are read that must
    private static final int MAX_BYTES = 256 * 1024;

    private final VfsFile file;
    private final long size;
    private final ByteBuffer window = ByteBuffer.allocateDirect(MAX_BYTES);
    private long windowStart;
    private long lastEnd;
    private FilePrefetcher prefetcher; // of all that follows, while that is read in order; else null
    private int bytes = PAGE_BYTES;

    public ReadAhead(VfsFile file) {
        this.file = file;
        this.size = file.size();
        window.limit(0);
    }

    /** Bytes of the file. */
    public long size() {
        return size;
    }

    /** Fills a buffer, of at most 4 KiB, with bytes that the file has. */
    public void read(ByteBuffer destination, long position) {
        int length = destination.remaining();
        if (position < windowStart || position + length > windowStart + window.limit()) {
            fill(position, length);
        }
        destination.put(destination.position(), window, (int) (position - windowStart), length);
        destination.position(destination.position() + length);
        lastEnd = position + length;
    }

    private void fill(long position, int length) {
        // Parents are stored behind their children, and read before them.
        boolean near = position >= lastEnd && position + length - lastEnd <= Math.min(4 * bytes, MAX_BYTES);
        long endBefore = windowStart + window.limit();
        long windowEnd;
        if (near) {
            bytes = Math.min(2 * bytes, MAX_BYTES);
            windowStart = position + length - lastEnd <= bytes ? lastEnd : position;
            windowEnd = windowStart + bytes;
        } else {
            bytes = PAGE_BYTES;
            prefetcher = null;
            windowStart = position & -PAGE_BYTES;
            windowEnd = position + length + PAGE_BYTES - 1 & -PAGE_BYTES;
        }
        windowEnd = Math.min(windowEnd, size);
        if (bytes == MAX_BYTES) {
            prefetch(endBefore, windowEnd);
        }
        window.clear().limit((int) (windowEnd - windowStart));
        file.readFully(window, windowStart);
        window.flip();
    }

    /** Lets the disk bring what follows while the window is used. */
    private void prefetch(long endBefore, long windowEnd) {
        if (prefetcher == null) {
            prefetcher = new FilePrefetcher(file);
            prefetcher.add(windowEnd, size - windowEnd);
            prefetcher.beforeRead(0);
        } else {
            prefetcher.beforeRead(windowEnd - endBefore);
        }
    }
}
