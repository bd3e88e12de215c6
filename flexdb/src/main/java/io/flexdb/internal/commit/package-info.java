/** Memtable to space: the committer, its thread, and how it goes on where room is short. */
package io.flexdb.internal.commit;
