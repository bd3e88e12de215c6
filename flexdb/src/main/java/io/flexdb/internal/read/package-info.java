/**
 * Reads of one version: gets, cursors and scans over memtables and intervals; the versions and who holds them; old
 * versions that were moved to scratch files. Above {@code log} and {@code interval}.
 */
package io.flexdb.internal.read;
