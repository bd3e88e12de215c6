package io.flexdb.internal.open;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file without content, by which a reader asks the writer for time. The whole lease stands in the name,
 * so it is there whole or not at all, and one look at the directory finds the leases of all readers.
 *
 * @param id of the reader
 * @param since when it began to read the oldest state that it needs, in milliseconds since 1970
 * @param until when the lease ends
 */
record LeaseName(long id, long since, long until) {
    /** The longest time that a lease is made for. */
    static final long MAX_MILLIS = 30_000;

    private static final Pattern NAME = Pattern.compile("reader-([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]{16})");

    /** The lease in a name; null if it is none of a lease. */
    static LeaseName of(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches()
                ? new LeaseName(hex(matcher.group(1)), hex(matcher.group(2)), hex(matcher.group(3)))
                : null;
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }

    /** Whether it counts. A lease longer than the longest comes from a clock that has jumped. */
    boolean isValid(long now) {
        return until >= now && until - now <= MAX_MILLIS;
    }

    /** The file's name. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "reader-%016x-%016x-%016x", id, since, until);
    }
}
