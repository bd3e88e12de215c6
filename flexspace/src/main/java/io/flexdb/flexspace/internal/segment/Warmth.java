package io.flexdb.flexspace.internal.segment;

/** Tells whether reads find in memory what they want of a file, by the time that some of them take. For one at a time. */
final class Warmth {
    /*
     * The problem: what is in memory comes faster out of a mapping, what is not comes faster by a system call: the
     * kernel brings all of it at once then, and sees sequences; and nobody waits for a thread that waits in a system
     * call, as a collection of garbage does for one that waits in a mapping. Only the kernel knows which it is, and to
     * ask it costs as much as to read.
     * The choice: the time of every eighth read is taken. After a slow one, which may have waited for a processor, that
     * of the next eight; when one of them is slow, too, no mapping is used for a while: twice as long each time, until
     * mappings have been good for long.
     */
    static final int LOOKED_AT = 8;
    static final int MIN_COLD_READS = 32;
    static final int MAX_COLD_READS = 4096;

    private int coldReads; // to come, before mappings are tried again
    private int lastColdReads;
    private int warmReads; // since mappings were tried again
    private int looks; // at the next reads

    /** Whether a mapping serves the read under way better. */
    boolean isWarm() {
        return coldReads == 0;
    }

    /** Begins another read, and returns whether its time is to be taken. */
    boolean looks() {
        if (coldReads > 0) {
            coldReads--;
            return false;
        }
        warmReads++;
        return looks > 0 || (warmReads & LOOKED_AT - 1) == 0;
    }

    /** Says whether a read of which the time was taken has waited for a disk. */
    void looked(boolean slow) {
        if (slow && looks > 0) {
            boolean wereGood = warmReads > MAX_COLD_READS;
            lastColdReads = wereGood ? MIN_COLD_READS : Math.min(2 * lastColdReads, MAX_COLD_READS);
            lastColdReads = Math.max(lastColdReads, MIN_COLD_READS);
            coldReads = lastColdReads + 1; // the first one is the one under way
            warmReads = 0;
            looks = 0;
        } else if (slow) {
            looks = LOOKED_AT;
        } else if (looks > 0) {
            looks--;
        }
    }
}
