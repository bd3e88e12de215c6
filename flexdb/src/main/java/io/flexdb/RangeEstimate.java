package io.flexdb;

/**
 * How much a range of keys holds, about.
 *
 * @param bytes of its pairs as they lie in the data file, keys and a few bytes each of overhead included
 * @param pairs in it
 */
public record RangeEstimate(long bytes, long pairs) {}
