package io.flexdb.flexspace.internal.base;

/**
 * Says which earlier states of a space are read by others than this process. All times are of one clock that such
 * readers have, too, in milliseconds; it may jump. By the writer.
 */
public interface Leases {
    /** Stands for: nobody reads any. */
    long NONE = Long.MAX_VALUE;

    /** The time of the clock. */
    long now();

    /** When somebody began to read the oldest state that is still wanted; {@link #NONE} if none is. */
    long oldest();
}
