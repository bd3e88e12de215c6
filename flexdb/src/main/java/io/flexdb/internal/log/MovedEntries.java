package io.flexdb.internal.log;

/** The entries of a committed memtable, where they take no memory, for those who still see them. */
public interface MovedEntries {
    /** Bytes on the heap to find something in it. */
    long heapBytes();

    /** Gives back the place that it has. Nobody reads it any more. */
    void close();
}
