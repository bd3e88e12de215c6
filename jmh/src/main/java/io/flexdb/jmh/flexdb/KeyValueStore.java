package io.flexdb.jmh.flexdb;

/** What the benchmarks ask of a store. Any thread may call it. A put that has returned survives a killed process. */
interface KeyValueStore extends AutoCloseable {
    void put(byte[] key, byte[] value);

    /** A copy of the value, or null. */
    byte[] get(byte[] key);

    /**
     * Visits pairs in key order, from the first one not below a key on.
     *
     * @param pairs how many at most
     * @return how many there were
     */
    int scan(byte[] from, int pairs, PairConsumer consumer);

    /** Figures of the store's own, for the report's reader. */
    default String figures() {
        return "";
    }

    @Override
    void close();

    /** Takes a pair, in arrays of its own. */
    @FunctionalInterface
    interface PairConsumer {
        void accept(byte[] key, byte[] value);
    }
}
