/** The path of a write: log, memtable, visible; and the threads that make the next log and force now and then. */
package io.flexdb.internal.write;
