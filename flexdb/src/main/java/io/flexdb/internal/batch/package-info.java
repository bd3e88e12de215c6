/** A write's own format, as frames of the write-ahead log have it and memtables take it. Above {@code keys}. */
package io.flexdb.internal.batch;
