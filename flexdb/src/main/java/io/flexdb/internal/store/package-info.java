/**
 * A store as a whole: opening, recovery, and the end. Everything else has a room of its own, and knows none above it:
 *
 * <pre>
 *   backup, salvage
 *   store
 *   copy, check
 *   write       files    memory
 *   commit
 *   refine
 *   read, walk
 *   version
 *   memlog               interval
 *   wal                  index, cache
 *   memtable
 *   batch
 *   keys                 base
 * </pre>
 */
package io.flexdb.internal.store;
