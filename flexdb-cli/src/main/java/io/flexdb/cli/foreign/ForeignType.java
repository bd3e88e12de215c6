package io.flexdb.cli.foreign;

/** The type of the keys or values of a map, where the store does not tell. */
public enum ForeignType {
    /** The type that the store tells, or else that of its engine. */
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
