/** The write-ahead log: what was written since the last durable commit, in files that are filled once and recycled. */
package io.flexdb.internal.wal;
