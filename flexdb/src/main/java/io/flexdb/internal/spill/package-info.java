/** Writes that are more than memory has room for: sorted, staged in the data file, read by blocks. Above {@code run}. */
package io.flexdb.internal.spill;
