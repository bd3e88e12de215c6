package io.flexdb.internal.log;

import io.flexdb.internal.mem.Payload;

/** Takes the writes of a log, in order. */
@FunctionalInterface
public interface FrameConsumer {
    /**
     * Takes one write, which is whole and checked, entries included.
     *
     * @param firstSequence the sequence number of its first entry
     * @param payload belongs to the caller again when this returns, with its array
     */
    void accept(long firstSequence, Payload payload);

    /** Tells that the next write is the first one behind a bulk load. A recovery finds the load in the space. */
    default void behindLoad() {}
}
