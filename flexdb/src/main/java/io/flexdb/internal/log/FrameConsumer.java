package io.flexdb.internal.log;

/** Takes the writes of a log, in order. */
@FunctionalInterface
public interface FrameConsumer {
    /**
     * One write, whole and checked, entries included.
     *
     * @param firstSequence the sequence number of its first entry
     * @param entryCount its entries
     * @param payload holds the write, and belongs to the caller again when this returns
     */
    void accept(long firstSequence, int entryCount, byte[] payload, int offset, int length);

    /** What comes next is the first write behind a bulk load. A recovery finds the load in the space. */
    default void behindLoad() {}
}
