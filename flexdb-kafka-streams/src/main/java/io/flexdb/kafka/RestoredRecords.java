package io.flexdb.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/**
 * Which records of its changelog a store has restored, but only in memory: up to which offsets, and in how many bytes.
 * Kafka Streams restores all tasks of a JVM at once and makes each store on its own, so what all of them take is counted
 * in one place. For the one thread that writes to the store.
 */
final class RestoredRecords {
    /** Of one store. More would make a batch not much cheaper: memtables sort, too. */
    private static final long MAX_BYTES = 8 << 20;

    /** Of all stores of this JVM. When they have more, each that goes on restoring writes what it was given at once. */
    private static final long MAX_BYTES_OF_ALL =
            Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final AtomicLong BYTES_OF_ALL = new AtomicLong();

    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private long bytes;

    /** More memory is taken, or less if the number is below zero. */
    void take(long moreBytes) {
        bytes += moreBytes;
        BYTES_OF_ALL.addAndGet(moreBytes);
    }

    /** A record of this offset, and all before it, are in memory. */
    void reached(TopicPartition partition, long offset) {
        offsets.put(partition, offset);
    }

    /** Whether they should be written now. */
    boolean areMany() {
        return bytes >= MAX_BYTES;
    }

    /**
     * Whether they should be written now since all stores together have too many. To be asked after some records, not
     * after each: it stays so while other stores keep theirs.
     */
    boolean areManyInAll() {
        return bytes > 0 && BYTES_OF_ALL.get() >= MAX_BYTES_OF_ALL;
    }

    /** Whether there is none. */
    boolean isEmpty() {
        return offsets.isEmpty();
    }

    /** The offsets of the last ones. */
    Map<TopicPartition, Long> offsets() {
        return offsets;
    }

    /** They are in memory no more. */
    void clear() {
        take(-bytes);
        offsets.clear();
    }
}
