package io.flexdb.jmh.flexdb;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A store as the benchmarks see it; the one place that opens it. Any thread may call it. Methods with a default are for
 * abilities that not all stores have, or not in each {@link Use}.
 */
public interface KeyValueStore extends AutoCloseable {
    void put(byte[] key, byte[] value);

    /** A copy of the value, or null. */
    byte[] get(byte[] key);

    /**
     * Visits pairs in key order, from the first one not below a key on.
     *
     * @param pairs how many at most
     * @param values whether values are wanted, or keys only
     * @return how many there were
     */
    int scan(byte[] from, int pairs, boolean values, PairConsumer consumer);

    /** Whether there is no key from one on to before another. */
    default boolean isEmpty(byte[] from, byte[] to) {
        boolean[] empty = {true};
        scan(from, 1, false, (key, value) -> empty[0] = Arrays.compareUnsigned(key, to) >= 0);
        return empty[0];
    }

    /** The values of keys as of one moment, in the order of the keys; null if the store can't. */
    default List<byte[]> multiGet(List<byte[]> keys) {
        return null;
    }

    /** Removes all keys from one on to before another by one write; false if the store can't. */
    default boolean deleteRange(byte[] from, byte[] to) {
        return false;
    }

    /** Puts a pair that is gone after an hour; false if the store has no such pairs. */
    default boolean putForAnHour(byte[] key, byte[] value) {
        return false;
    }

    /** Adds one to a counter by a write that reads nothing; false if the store can't. */
    default boolean addOne(byte[] key) {
        return false;
    }

    /** The value of a counter of {@link #addOne}; 0 if it was never added to. */
    default long counter(byte[] key) {
        return 0;
    }

    /** Gets a value and puts another one, as one transaction, again if another one was faster; false if it can't. */
    default boolean update(byte[] key, byte[] value) {
        return false;
    }

    /** Gets a value from a snapshot that is taken and given back; null if the store has no snapshots. */
    default byte[] getFromSnapshot(byte[] key) {
        return null;
    }

    /** About how many bytes a range has; -1 if the store can't tell. */
    default long estimateBytes(byte[] from, byte[] to) {
        return -1;
    }

    /** Copies the store, which goes on, into a directory that does not exist, and returns how long that took; or -1. */
    default long copyTo(Path directory) {
        return -1;
    }

    /** Adds a backup to a directory of such, and returns how long that took; -1 if the store has none. */
    default long backUp(Path directory) {
        return -1;
    }

    /** Bytes of memory that lead to the pairs, by what they are for; empty if the store doesn't tell. */
    default Map<String, Long> indexMemory() {
        return Map.of();
    }

    /**
     * Time on processors of the threads that bring puts to their place, once they have nothing left to do; -1 if that
     * is done by those who put, or by threads that the JVM doesn't know.
     */
    default long commitNanos() {
        return -1;
    }

    /** Its operations with buffers of a caller, for one thread; null if it has none. To be closed. */
    default Buffered buffered() {
        return null;
    }

    /** Two keyspaces, of a store opened for {@link Use#FILES}. They are closed with the store. */
    default OrderedStore ordered() {
        throw new UnsupportedOperationException();
    }

    /**
     * Fills the store, which is empty and opened for {@link Use#BULK}, by what it has for pairs in key order; they are on
     * disk at the latest when it is closed. It may make a file beside the directory.
     *
     * @param pairs gives them one after the other, in arrays that it uses again
     * @return nanoseconds of the step that shows all of them to readers, once they are written; 0 if that is none
     */
    default long load(Consumer<PairConsumer> pairs) {
        throw new UnsupportedOperationException();
    }

    /** Opens one more reader that follows the store, which was opened for {@link Use#READERS}. */
    default Reader reader() throws Exception {
        throw new UnsupportedOperationException();
    }

    /** Figures of the store's own, for the report's reader. */
    default String figures() {
        return "";
    }

    @Override
    void close();

    /** Takes a pair, in arrays of its own; no value if keys only are wanted. */
    @FunctionalInterface
    interface PairConsumer {
        void accept(byte[] key, byte[] value);
    }

    /** Operations on buffers that the caller uses again and again, direct ones, from their positions to their limits. */
    interface Buffered extends AutoCloseable {
        void put(ByteBuffer key, ByteBuffer value);

        /** Copies a value, or returns false. */
        boolean get(ByteBuffer key, ByteBuffer value);

        /** Copies the next pair in key order, or the first one after the last. */
        void next(ByteBuffer key, ByteBuffer value);

        @Override
        void close();
    }

    /** A reader that follows a store; for one thread. */
    interface Reader extends AutoCloseable {
        /** Goes on to what has been written. */
        void refresh() throws Exception;

        /** A copy of the value, or null. */
        byte[] get(byte[] key) throws Exception;

        @Override
        void close();
    }
}
