package io.flexdb;

/**
 * Memory and threads in use by the stores that share {@link FlexDBResources}, as of the moment at which
 * {@link FlexDBResources#stats} was called. The figures do not change afterwards, so any thread may read them.
 *
 * <p>Later releases add figures. Only the library implements this interface.
 */
public sealed interface FlexDBResourcesStats permits Figures.Resources {
    /** Bytes that all the stores share, without those of their indexes. */
    long memoryBytes();

    /** Bytes of {@link #memoryBytes} in use; with a limit all that the JVM counts, garbage included. */
    long usedBytes();

    /** Bytes of the stores' caches. */
    long cacheBytes();

    /** Bytes of the stores' memtables. */
    long memtableBytes();

    /** Bytes of the stores' indexes: sparse indexes, FlexTrees and range filters. Not in {@link #memoryBytes}. */
    long indexBytes();

    /** Bytes that stores have given back, for the next one that needs a buffer of the same size. */
    long recycledBytes();

    /** The number of stores that are open, readers included. */
    int stores();

    /** The number of threads that work for the stores, or have just done so. */
    int threads();
}
