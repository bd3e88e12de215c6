package io.flexdb.internal.log;

/**
 * How the logs of a store are written.
 *
 * @param mapped whether to map the file, which has to be safe where it lies
 * @param zeroed whether frames go only to where zeros were written before, so that forces take less time; else writes
 *     that are not short go by calls
 * @param zeroedAheadBytes how far ahead of the frames zeros are written, a multiple of the capacity's unit
 * @param staging what calls write from
 */
public record WalMode(boolean mapped, boolean zeroed, int zeroedAheadBytes, LogStaging staging) {
    /** The best distance of zeros ahead of the frames: they are written seldom, and soon. */
    private static final int ZEROED_AHEAD_BYTES = 1 << 18;

    /** With zeros, if any, in the usual way. */
    public WalMode(boolean mapped, boolean zeroed) {
        this(mapped, zeroed, ZEROED_AHEAD_BYTES);
    }

    WalMode(boolean mapped, boolean zeroed, int zeroedAheadBytes) {
        this(mapped, zeroed, zeroedAheadBytes, new LogStaging());
    }
}
