package io.flexdb.internal.memlog;

/** What was in a memtable that is committed, for those who still see it, where it takes no memory. */
public interface MovedEntries {
    /** Bytes on the heap to find something in it. */
    long heapBytes();

    /** Gives back the place that it has. Nobody reads it any more. */
    void close();
}
