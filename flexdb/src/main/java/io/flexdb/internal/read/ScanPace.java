package io.flexdb.internal.read;

/** Tells by which way intervals that are read one after the other come sooner. For one cursor. */
final class ScanPace {
    /*
     * The problem: through a mapping, what is in the page cache comes without a system call, but what is not comes page
     * by page, each with a wait for the disk. Reads of the file cost more, but prefetch what a sequence will need.
     * The choice: mappings, until two reads near each other have taken as long as only a disk takes (any one may have
     * waited for a processor). Then the file, for as many bytes as may be worth it, and twice as many if mappings turn
     * out to be slow soon again.
     * A space's ExtentPrefetcher answers another question: which part of the file to prefetch. Both use one meaning of
     * slow. The cost: the time is taken of some reads, never of the first one of a sequence, which may be the only one.
     */
    private static final int LOOKED_AT = 8; // each of so many reads, or all of them after a slow one
    private static final long MIN_WORTH_BYTES = 1 << 20;
    private static final long MAX_WORTH_BYTES = 64 << 20;

    private int reads; // of this sequence
    private int suspicious; // so many reads more are looked at
    private long fromFileBytes; // so many are still to be read from the file
    private long worthBytes;
    private long mappedBytes; // since the file was left

    /** A sequence begins: intervals of which each is read behind the last one, or before it. */
    void restart() {
        reads = 0;
        suspicious = 0;
        fromFileBytes = 0;
        worthBytes = MIN_WORTH_BYTES;
        mappedBytes = 0;
    }

    /** Whether the next read should ask the file and not the mapping. */
    boolean isFromFile() {
        return fromFileBytes > 0;
    }

    /** Whether the time that the next read takes is wanted. */
    boolean looks() {
        return fromFileBytes == 0
                && (suspicious > 0 || (reads & (reads - 1)) == 0 || reads % LOOKED_AT == 0)
                && reads > 0;
    }

    /** A read of the sequence has ended. */
    void read(long bytes) {
        reads++;
        if (fromFileBytes > 0) {
            fromFileBytes = Math.max(0, fromFileBytes - bytes);
            return;
        }
        mappedBytes += bytes;
        suspicious = Math.max(0, suspicious - 1);
    }

    /** A read that is looked at has waited for a disk; before {@link #read}. */
    void waited() {
        if (suspicious == 0) {
            suspicious = LOOKED_AT + 1;
            return;
        }
        worthBytes = mappedBytes < worthBytes ? Math.min(2 * worthBytes, MAX_WORTH_BYTES) : MIN_WORTH_BYTES;
        fromFileBytes = worthBytes;
        mappedBytes = 0;
        suspicious = 0;
    }
}
