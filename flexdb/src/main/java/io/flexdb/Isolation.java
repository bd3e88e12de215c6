package io.flexdb;

/** What a {@link Transaction} is protected from. In both cases it reads the store as it was when it began. */
public enum Isolation {
    /**
     * Snapshot isolation: it is committed only if nobody else has written one of the keys that it writes since it began,
     * so that no update is lost. What it has only read may have changed: two transactions that each read what the other
     * one writes may both be committed, which no order of the two explains (write skew).
     */
    SNAPSHOT,

    /**
     * The committed transactions are as if they had been run one after the other, in the order of their sequence
     * numbers: a transaction that writes is committed only if nobody else has written a key that it has read or written,
     * or into a range that a cursor of it has walked. One that only reads is always committed.
     *
     * <p>Each key that was read is noted once. There is room for 4 MiB of them, or a 64th of the heap if that is less.
     * In a transaction that has read more, the ranges between neighbouring keys count as read, too.
     */
    SERIALIZABLE
}
