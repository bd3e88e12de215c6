package io.flexdb.flexspace.internal.prefetch;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Has the kernel bring what will be read of a file, some way before it is. Either the reader says which ranges these
 * are, one by one, or small reads of a file that nobody changes meanwhile show it. For one thread.
 */
public final class ReadAhead {
    /*
     * The problem: whoever reads and verifies in turn leaves the disk idle meanwhile. The kernel reads ahead, but by
     * its default settings too little for a fast disk, and it does not know what of the file is left out.
     * The choice: of what will be read, so much is prefetched that the disk has work for as long as a piece is
     * verified, and no more: other readers wait behind it. Small reads are served from a window, which is twice as
     * large each time that they go on not far behind it; once it is as large as it may be, all that follows will be
     * read.
     * The cost: a system call for each piece, and where the kernel would read far ahead by itself a quarter more of the
     * processor's time, for it does that in larger pages.
     */
    /** Bytes of each call. */
    public static final int PIECE_BYTES = VfsFile.PREFETCH_BYTES;
    /** How far what is prefetched is ahead of reads. */
    public static final int AHEAD_BYTES = 2 << 20;

    private static final int PAGE_BYTES = 4 << 10; // of the page cache; at random places only those are read that must
    private static final int MAX_WINDOW_BYTES = 256 << 10;

    private final VfsFile file;
    private final long size;

    // The ranges that will be read:
    private long[] bounds = new long[16]; // where ranges begin, and where they end
    private int count; // of bounds
    private int current; // the bound where the range begins that is being prefetched
    private long position; // from which on it is not prefetched; 0 if it has not begun
    private long ahead; // bytes prefetched and not read

    // Of small reads:
    private ByteBuffer window; // null before the first
    private long windowStart;
    private int windowBytes = PAGE_BYTES; // that the next one may have
    private long lastEnd; // of the last read

    public ReadAhead(VfsFile file) {
        this.file = file;
        this.size = file.size();
    }

    /** Bytes of the file. */
    public long size() {
        return size;
    }

    // ---- by who knows what he will read

    /** Adds a range behind all others. The part that the file does not have is never prefetched. */
    public void add(long from, long bytes) {
        if (count > 0 && bounds[count - 1] == from) {
            bounds[count - 1] += bytes;
            return;
        }
        if (count == bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * count);
        }
        bounds[count++] = from;
        bounds[count++] = from + bytes;
    }

    /** Prefetches what comes next, before so many bytes are read. */
    public void beforeRead(long bytes) {
        ahead -= bytes;
        while (ahead < AHEAD_BYTES && current < count) {
            position = Math.max(position, bounds[current]);
            long end = bounds[current + 1];
            long piece = Math.min(end - position, PIECE_BYTES);
            long inFile = Math.min(piece, size - position);
            if (inFile > 0) {
                file.prefetch(position, inFile);
            }
            ahead += piece;
            position += piece;
            current += position == end ? 2 : 0;
        }
    }

    private void forgetRanges() {
        count = 0;
        current = 0;
        position = 0;
        ahead = 0;
    }

    // ---- by who does not

    /** Fills a buffer, of at most 4 KiB, with bytes that the file has. */
    public void read(ByteBuffer destination, long from) {
        int length = destination.remaining();
        if (window == null) {
            window = ByteBuffer.allocateDirect(MAX_WINDOW_BYTES).limit(0);
        }
        if (from < windowStart || from + length > windowStart + window.limit()) {
            fillWindow(from, length);
        }
        destination.put(destination.position(), window, (int) (from - windowStart), length);
        destination.position(destination.position() + length);
        lastEnd = from + length;
    }

    private void fillWindow(long from, int length) {
        // Parents are stored behind their children, and read before them.
        long reach = from + length - lastEnd;
        boolean near = from >= lastEnd && reach <= Math.min(4 * windowBytes, MAX_WINDOW_BYTES);
        long endBefore = windowStart + window.limit();
        long end;
        if (near) {
            windowBytes = Math.min(2 * windowBytes, MAX_WINDOW_BYTES);
            windowStart = reach <= windowBytes ? lastEnd : from;
            end = Math.min(windowStart + windowBytes, size);
        } else {
            windowBytes = PAGE_BYTES;
            windowStart = from & -PAGE_BYTES;
            end = Math.min(from + length + PAGE_BYTES - 1 & -PAGE_BYTES, size);
            forgetRanges();
        }
        if (windowBytes == MAX_WINDOW_BYTES) {
            boolean begins = count == 0;
            if (begins) {
                add(end, size - end);
            }
            beforeRead(begins ? 0 : end - endBefore);
        }
        window.clear().limit((int) (end - windowStart));
        file.readFully(window, windowStart);
        window.flip();
    }
}
