package io.flexdb.cli;

import java.util.Locale;

/** Numbers of bytes for people. */
final class Sizes {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

    private Sizes() {}

    /** The bytes in the largest unit of which there is at least one, such as "1.5 MiB". */
    static String text(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double amount = bytes;
        int unit = -1;
        while (amount >= 1024 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
    }
}
