package io.flexdb.flexspace.internal.prefetch;

import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.util.Arrays;

/** Tells the kernel of ranges of a file, some way before they are read in their order. For one thread. */
public final class FilePrefetcher {
    /*
     * The problem: whoever reads and verifies in turn leaves the disk idle meanwhile. The kernel reads ahead, but by
     * its default settings too little for a fast disk, and it does not know what of the file is left out.
     * The choice: so much is prefetched that the disk has work for as long as a piece is verified, and no more: other
     * readers wait behind it.
     * The cost: a system call for each piece, and where the kernel would read far ahead by itself a quarter more of the
     * processor's time, for it does that in larger pages.
     */
    /** What the kernel takes at once, whatever its settings are. */
    public static final int PIECE_BYTES = 128 << 10;
    /** How far what is prefetched is ahead of reads. */
    public static final int AHEAD_BYTES = 2 << 20;

    private final VfsFile file;
    private final long fileBytes;
    private long[] bounds = new long[16]; // where ranges begin, and where they end
    private int count; // of bounds
    private int current; // the bound where the range begins that is being prefetched
    private long position; // from which on it is not prefetched; 0 if it has not begun
    private long ahead; // bytes prefetched and not read

    public FilePrefetcher(VfsFile file) {
        this.file = file;
        this.fileBytes = file.size();
    }

    /** Adds a range behind all others. What the file does not have of it is never prefetched. */
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
            long inFile = Math.min(piece, fileBytes - position);
            if (inFile > 0) {
                file.prefetch(position, inFile);
            }
            ahead += piece;
            position += piece;
            current += position == end ? 2 : 0;
        }
    }
}
