package io.flexdb.cli.foreign;

/** What the keys or values of a map are, where the store does not tell. */
public enum ForeignType {
    /** What the store says, or what its engine takes if nothing is said. */
    AUTO,
    /** Byte arrays. */
    BYTES,
    /** Strings. */
    STRING,
    /** Ints. */
    INT,
    /** Longs. */
    LONG
}
