package io.flexdb.internal.log;

/** Those who may still read a memtable in memory though its entries were moved. */
public interface TableReaders {
    /** Whether there are any. */
    boolean areAny();

    /** Whether one is among them. */
    boolean has(Object opening);
}
