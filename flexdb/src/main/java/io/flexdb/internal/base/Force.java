package io.flexdb.internal.base;

/** When the write-ahead log is forced for a write, the strongest first; {@code Durability} tells what that promises. */
public enum Force {
    /** Before the call returns. */
    BEFORE_RETURN,

    /** Within the store's interval. */
    PERIODICALLY,

    /** With the next call of {@code sync}, or when the store is closed. */
    WHEN_ASKED
}
