package io.flexdb.jmh.flexdb;

import java.nio.file.Path;

/**
 * How a store is to be opened.
 *
 * @param directory exists
 * @param cacheBytes of the store's own cache, where it has one
 * @param memtableBytes of a memtable, where there are such; 0 for the store's own default
 * @param sync whether a put is on disk when it returns
 */
record StoreSettings(Path directory, long cacheBytes, long memtableBytes, boolean sync) {}
