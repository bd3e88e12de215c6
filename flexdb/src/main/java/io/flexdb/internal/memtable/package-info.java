/** Recent writes, off-heap: ordered by key for cursors and the committer, and hashed for point lookups. */
package io.flexdb.internal.memtable;
