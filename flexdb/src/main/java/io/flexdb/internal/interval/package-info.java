/**
 * Intervals: the sparse index that finds them, their directories and outlines in the cache, the range filters, and
 * sorted runs that are staged to become intervals. Above {@code mem}.
 */
package io.flexdb.internal.interval;
