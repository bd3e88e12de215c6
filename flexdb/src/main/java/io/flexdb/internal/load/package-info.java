/** Bringing many pairs in key order into a store at once, past memtables and write-ahead logs. */
package io.flexdb.internal.load;
