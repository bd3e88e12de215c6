package io.flexdb.internal.mem;

import java.util.Arrays;
import java.util.List;

/** Makes numbers of keys that look alike, from the bits in which they differ. Immutable. */
final class KeyShape {
    /*
     * Problem: eight bytes tell few keys apart if most of these bytes are the same, as in ids that are written with
     * zeros in front. Choice: a number has only the bits that differ. Where all keys of a sample have the same byte, it
     * has none; a digit takes four, a letter five.
     *
     * A key need not look like those of the sample. Where it differs from them it is below or above all of them that
     * begin like it. The rest of its number is zeros then, or ones.
     *
     * S1  Of two keys the lesser never has the greater number: up to the first byte in which they differ they have the
     *     same bits, or the rest has been decided.
     */
    private static final int LEAST_KEYS = 64; // that tell kinds of bytes
    private static final int MOST_FIELDS = 12; // that many digits tell a memtable's keys apart; more would take time
    private static final int[] LEAST_OF_KINDS = {'0', '@', '`', '0', ' ', 0};
    private static final int[] WIDTHS_OF_KINDS = {4, 5, 5, 6, 7, 8}; // digits, letters, hexadecimals, text, bytes
    private static final int BYTES = 5; // the last kind

    private final int bits;
    private final byte[] pattern; // the bytes that all have, at all positions that are no field's
    private final int[] fields; // in ascending order: position << 16 | least byte << 8 | width in bits

    /**
     * The shape of some keys, perhaps none.
     *
     * @param sample keys of 64 KiB at most
     * @param bits of a number, 64 at most
     */
    KeyShape(List<byte[]> sample, int bits) {
        this.bits = bits;
        int longest = sample.stream().mapToInt(key -> key.length).max().orElse(0);
        int[] least = new int[longest]; // byte at each position
        int[] greatest = new int[longest];
        Arrays.fill(least, 0xFF);
        for (byte[] key : sample) {
            for (int position = 0; position < key.length; position++) {
                least[position] = Math.min(least[position], key[position] & 0xFF);
                greatest[position] = Math.max(greatest[position], key[position] & 0xFF);
            }
        }
        this.pattern = new byte[longest];
        int[] found = new int[MOST_FIELDS];
        int count = 0;
        int left = bits;
        for (int position = 0; left > 0 && count < MOST_FIELDS; position++) {
            boolean isBehind = position >= longest;
            if (!isBehind) {
                pattern[position] = (byte) least[position];
                boolean nextDiffers = position + 1 < longest && least[position + 1] < greatest[position + 1];
                if (least[position] == greatest[position] && !(nextDiffers && mayCount(least[position]))) {
                    continue;
                } // else it may change once the next one overflows
            }
            int kind = isBehind || sample.size() < LEAST_KEYS ? BYTES : kind(least[position], greatest[position]);
            if (WIDTHS_OF_KINDS[kind] > left) {
                break;
            }
            found[count++] = position << 16 | LEAST_OF_KINDS[kind] << 8 | WIDTHS_OF_KINDS[kind];
            left -= WIDTHS_OF_KINDS[kind];
        }
        this.fields = Arrays.copyOf(found, count);
    }

    /** Whether a byte may be a digit of a number that grows, in text or not. */
    private static boolean mayCount(int value) {
        return value >= '0' && value <= '9' || value < ' ' || value > '~';
    }

    /** The narrowest kind of bytes that has both. */
    private static int kind(int lower, int upper) {
        int kind = 0;
        while (lower < LEAST_OF_KINDS[kind] || upper >= LEAST_OF_KINDS[kind] + (1 << WIDTHS_OF_KINDS[kind])) {
            kind++;
        }
        return kind;
    }

    /** The number of a key, in the lowest bits; as an unsigned one it orders as the keys do. */
    long number(byte[] key, int offset, int length) {
        long number = 0;
        int left = bits;
        int next = 0; // position
        for (int field : fields) {
            int position = field >>> 16;
            if (position != next) {
                int order = compare(key, offset, length, next, position);
                if (order != 0) {
                    return filled(number, left, order > 0);
                }
            }
            if (position >= length) {
                break; // it has ended: below all that go on
            }
            int value = (key[offset + position] & 0xFF) - (field >>> 8 & 0xFF);
            int width = field & 0xFF;
            if (value >>> width != 0) {
                return filled(number, left, value > 0);
            }
            number = number << width | value;
            left -= width;
            next = position + 1;
        }
        return filled(number, left, false);
    }

    /** The order of a key's bytes between two positions, of which the former exists, against those that all have. */
    private int compare(byte[] key, int offset, int length, int from, int to) {
        return Arrays.compareUnsigned(
                key, offset + Math.min(from, length), offset + Math.min(to, length), pattern, from, to);
    }

    private static long filled(long number, int left, boolean ones) {
        if (left == Long.SIZE) {
            return ones ? -1 : 0;
        }
        return number << left | (ones ? (1L << left) - 1 : 0);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int field : fields) {
            text.append(text.length() == 0 ? "" : " ").append(field >>> 16);
            text.append(':').append(field & 0xFF);
        }
        return text.toString();
    }
}
