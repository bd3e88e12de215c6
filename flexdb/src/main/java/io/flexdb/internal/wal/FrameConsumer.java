package io.flexdb.internal.wal;

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
}
