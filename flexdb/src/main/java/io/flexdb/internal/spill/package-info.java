/**
 * Writes and old versions that are more than memory has room for: sorted, staged in the data file or in a file of their
 * own, read by blocks. Above {@code run}.
 */
package io.flexdb.internal.spill;
