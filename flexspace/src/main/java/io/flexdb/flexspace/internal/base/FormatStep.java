package io.flexdb.flexspace.internal.base;

/** One version of a format. The steps of a format are an enum, the oldest first; a new one is one more constant. */
public interface FormatStep {
    /** The number that stands in files. It is greater than that of the step before it. */
    int number();

    /** The release that brought it. */
    String release();
}
