package io.flexdb.flexspace.internal.prefetch;

import io.flexdb.flextree.ExtentCursor;

/** Tells the kernel what reads of extents will need next. For one read at a time. */
public final class ExtentPrefetcher {
    /*
     * The problem: what follows in the address space lies anywhere in the data file. The kernel sees no pattern, and
     * who reads from a disk waits for one extent after the other.
     * The choice: the extents that come next are prefetched together: those of the same read, and, if reads begin where
     * the last one ended, those behind it.
     * The cost: a system call for each piece of the file, in vain if the page cache holds it. So nothing is prefetched
     * before reads have taken as long as only a disk takes: one that has more pieces to come, or two near each other of
     * a sequence, for any one may have waited for a processor. In a sequence of fast ones every eighth is looked at.
     * Prefetched extents are fast, so prefetching ends after a while; if slow reads come back then, it ends later the
     * next time.
     * Why not as in ReadAhead: there all is told at once, what the kernel could see included, since a file that is read
     * whole is seldom in memory. Where a space is, its readers would pay for that with each extent.
     */
    private static final long DISK_NANOS = 10_000;
    private static final int CACHED_BYTES_PER_NANO = 2; // far fewer than a page cache gives
    private static final int LOOKED_AT = 8;
    private static final int MAX_PIECES = 64; // prefetched at once
    private static final long NOWHERE = -1; // no address
    private static final int MIN_WINDOW_BYTES = 128 << 10;
    private static final int MAX_WINDOW_BYTES = 1 << 20;
    private static final long MIN_WORTH_BYTES = 1 << 20;
    private static final long MAX_WORTH_BYTES = 64 << 20;

    /** Takes addresses that will be read, in the order in which they will. */
    @FunctionalInterface
    public interface Target {
        void prefetch(long address, long length);
    }

    private final Target target;

    // Of a sequence of reads, of which each begins where the last one ended:
    private long end; // of the last read
    private int fastCount; // since the last slow one
    private long prefetchedEnd;
    private int windowBytes; // how far to be ahead
    private long worthBytes; // how much to prefetch next time
    private long worthEnd;

    public ExtentPrefetcher(Target target) {
        this.target = target;
    }

    /**
     * Begins a read.
     *
     * @return whether it continues a sequence
     */
    public boolean begin(long logicalOffset, int length) {
        boolean sequential = logicalOffset == end && logicalOffset > 0;
        end = logicalOffset + length;
        if (!sequential) {
            fastCount = LOOKED_AT;
            prefetchedEnd = 0;
            windowBytes = MIN_WINDOW_BYTES;
            worthBytes = MIN_WORTH_BYTES;
            worthEnd = 0;
        }
        return sequential;
    }

    /** Whether the time of this read of a sequence is to be taken. */
    public boolean looks() {
        fastCount++;
        boolean nearPrefetched = end < prefetchedEnd + MIN_WINDOW_BYTES;
        return nearPrefetched || fastCount <= 2 * LOOKED_AT || fastCount % LOOKED_AT == 0;
    }

    public static boolean isSlow(long nanos, long bytes) {
        return nanos > DISK_NANOS + bytes / CACHED_BYTES_PER_NANO;
    }

    /**
     * Prefetches a range that will be read soon, or the first pieces of it if they are many. Moves the cursor.
     *
     * @return where in the address space that ends
     */
    public long prefetchRange(ExtentCursor cursor, long from, long to) {
        return from < to && cursor.seek(from) ? prefetch(cursor, from, to, to, NOWHERE, true) : from;
    }

    /** Prefetches the rest of a read, from this offset on, of which the first piece was slow. Moves the cursor. */
    public void afterSlow(ExtentCursor cursor, long logicalOffset, boolean sequential) {
        if (!sequential) {
            prefetch(cursor, logicalOffset, end);
            return;
        }
        boolean again = fastCount <= LOOKED_AT;
        fastCount = 0;
        if (again) {
            worthEnd = end + worthBytes;
            worthBytes = Math.min(2 * worthBytes, MAX_WORTH_BYTES);
            windowBytes = Math.min(2 * windowBytes, MAX_WINDOW_BYTES);
        } else if (end - worthEnd > MIN_WORTH_BYTES) {
            worthBytes = MIN_WORTH_BYTES; // what was not prefetched was fast, too
        }
        prefetchedEnd = prefetch(cursor, Math.max(prefetchedEnd, logicalOffset), end);
    }

    /** Prefetches what follows a read of a sequence, if that is worth it and little is prefetched. Moves the cursor. */
    public void afterSequential(ExtentCursor cursor) {
        if (prefetchedEnd < worthEnd && prefetchedEnd < end + windowBytes / 2) {
            prefetchedEnd = prefetch(cursor, Math.max(prefetchedEnd, end), end + windowBytes);
        }
    }

    /**
     * Prefetches the extents of a range, and returns where they end. Extents that continue the bytes before the range
     * in the data file are left to the kernel, which sees that itself. Moves the cursor.
     */
    private long prefetch(ExtentCursor cursor, long from, long to) {
        if (from >= to || !cursor.seek(from - 1)) {
            return from;
        }
        long at = from;
        long continued = cursor.address() + at - cursor.logicalOffset();
        boolean found = at < cursor.logicalOffset() + cursor.length() || cursor.next();
        return prefetch(cursor, at, to, Long.MAX_VALUE, continued, found);
    }

    /** @param most where to end within the last extent that begins before {@code to} */
    private long prefetch(ExtentCursor cursor, long from, long to, long most, long continued, boolean isThere) {
        long at = from;
        boolean found = isThere;
        for (int pieces = 0; found && pieces < MAX_PIECES; pieces++) {
            long address = cursor.address() + at - cursor.logicalOffset();
            boolean hole = cursor.isHole();
            long length = 0;
            do {
                long extentEnd = Math.min(cursor.logicalOffset() + cursor.length(), most);
                length += extentEnd - at;
                at = extentEnd;
                found = at < to && cursor.next();
            } while (found && !hole && cursor.address() == address + length);
            if (!hole && address != continued) {
                target.prefetch(address, length);
            }
        }
        return at;
    }
}
