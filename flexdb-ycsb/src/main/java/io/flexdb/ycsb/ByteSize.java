package io.flexdb.ycsb;

import java.util.Locale;

/** Amounts of memory as people write them. */
final class ByteSize {
    private ByteSize() {}

    /**
     * Reads a number of bytes such as {@code 1048576}, {@code 1024k}, {@code 1m} or {@code 1g}, in powers of 1024.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
    static long parse(String text) {
        String digits = text.strip().toLowerCase(Locale.ROOT);
        int shift = 0;
        if (!digits.isEmpty()) {
            shift = 10 * (1 + "kmg".indexOf(digits.charAt(digits.length() - 1)));
        }
        if (shift > 0) {
            digits = digits.substring(0, digits.length() - 1);
        }
        try {
            long number = Long.parseLong(digits);
            if (number >= 0 && number <= Long.MAX_VALUE >> shift) {
                return number << shift;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number of bytes: \"" + text + "\"", e);
        }
        throw new IllegalArgumentException("not a number of bytes: \"" + text + "\"");
    }
}
