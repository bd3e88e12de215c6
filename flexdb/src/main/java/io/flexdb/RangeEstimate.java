package io.flexdb;

/**
 * An estimate of the pairs in a range of keys, as {@link Keyspace#estimateRange} and {@link Keyspace#estimate} give it.
 *
 * <p>Later releases may add figures. Only the library implements this interface.
 */
public sealed interface RangeEstimate permits Figures.Range {
    /** About how many bytes the pairs take in the data file: keys, values, and a few bytes of overhead for each. */
    long bytes();

    /** About how many pairs there are. */
    long pairs();
}
