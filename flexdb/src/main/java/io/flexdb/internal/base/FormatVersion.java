package io.flexdb.internal.base;

import io.flexdb.flexspace.internal.base.FilePreamble.Kind;
import io.flexdb.flexspace.internal.base.FormatLadder;
import io.flexdb.flexspace.internal.base.FormatStep;

/**
 * The steps of the format of a store. The number of the store's step stands in {@code flexdb.options}, which an opening
 * to write brings to the last one; that of its own step stands in each other file that is not of the store's space, in
 * files of backups and in exported ones. Numbers below the first were those of builds that were never released.
 */
public enum FormatVersion implements FormatStep {
    /** Pairs with checksums, times and operands; logs with ranges and large values; keyspaces. In a space of step 2. */
    FIRST_RELEASE(6, "0.1.0");

    /** Writes the last step. */
    public static final FormatLadder LADDER = new FormatLadder(values(), FIRST_RELEASE);

    /** A write-ahead log. */
    public static final Kind WAL = new Kind("write-ahead log", 4, LADDER);

    /** Index, outlines and range filters of the last clean close. */
    public static final Kind INTERVALS = new Kind("intervals", 5, LADDER);

    /** Pairs that were exported. */
    public static final Kind RUN = new Kind("exported file", 6, LADDER);

    /** Directories of intervals at the last clean close. */
    public static final Kind DIRECTORIES = new Kind("directories", 7, LADDER);

    private final int number;
    private final String release;

    FormatVersion(int number, String release) {
        this.number = number;
        this.release = release;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public String release() {
        return release;
    }
}
