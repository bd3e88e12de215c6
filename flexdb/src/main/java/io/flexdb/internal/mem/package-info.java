/**
 * Writes on their way through memory: payloads as the write-ahead log has them, memtables, large values, and
 * operands that are merged into values. Above {@code base}.
 */
package io.flexdb.internal.mem;
