/** Memtables with their logs: made ready, taken, used again when nobody needs them. */
package io.flexdb.internal.memlog;
