package io.flexdb.internal.log;

/** Takes the writes of a log, in order. */
@FunctionalInterface
public interface FrameConsumer {
    /**
     * Takes one write, which is whole and checked, entries included.
     *
     * @param firstSequence the sequence number of its first entry
     * @param entryCount its entries
     * @param payload holds the write, and belongs to the caller again when this returns
     */
    void accept(long firstSequence, int entryCount, byte[] payload, int offset, int length);

    /** Tells that the next write is the first one behind a bulk load. A recovery finds the load in the space. */
    default void behindLoad() {}
}
