package io.flexdb.internal.interval;

/**
 * Notes that readers leave for those who tidy up behind them: which intervals they have met that they could read faster.
 * Thread-safe.
 *
 * @param coarse larger than they should be
 * @param fragmented in many pieces
 * @param unfiltered without the range filter that they are to have
 */
public record ReaderNotes(TouchedIntervals coarse, TouchedIntervals fragmented, TouchedIntervals unfiltered) {
    /** Empty ones. */
    public ReaderNotes() {
        this(new TouchedIntervals(), new TouchedIntervals(), new TouchedIntervals());
    }
}
