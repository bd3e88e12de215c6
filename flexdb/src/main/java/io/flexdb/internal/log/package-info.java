/**
 * The write-ahead log, and the memtables that it makes durable. Above {@code mem}.
 */
package io.flexdb.internal.log;
