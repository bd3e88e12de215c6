package io.flexdb.internal.filter;

import java.nio.ByteBuffer;

/** A few cells of many, in as few bits as Elias and Fano found: what of an interval is taken. Stateless. */
final class CellSet {
    /*
     * | field | bytes                    |                                                                       |
     * |-------|--------------------------|-----------------------------------------------------------------------|
     * | upper | (n + (CELLS >> l) + 7)/8 | for each value of the upper bits a 1 for each cell that has it, then a 0 |
     * | lower | (n * l + 7) / 8          | the l lower bits of each cell                                         |
     *
     * n cells, ascending, some perhaps twice, and l so that there are one to two of them for each value of the upper
     * bits: 7 bits a cell, and a little more where there are few. The upper ones are 128 bits at most.
     */
    static final int CELLS = 1024;
    static final int MAX_COUNT = 64;
    private static final int CELL_BITS = 10;
    private static final int SLACK_BYTES = 2 * Long.BYTES; // that are read beyond the end, and mean nothing

    private CellSet() {}

    /** The bits of a cell that are kept as they are. */
    private static int lowerBits(int count) {
        return CELL_BITS - (Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, count) - 1));
    }

    private static int upperBytes(int count, int lowerBits) {
        return count + (CELLS >> lowerBits) + 7 >>> 3;
    }

    /** Bytes that a set takes. */
    static int bytes(int count) {
        int lower = lowerBits(count);
        return upperBytes(count, lower) + (count * lower + 7 >>> 3);
    }

    /** Bytes that there must be behind the beginning of a set, so that it can be read in words. */
    static int slackBytes() {
        return bytes(MAX_COUNT) + SLACK_BYTES;
    }

    /** Writes cells, which ascend; a little-endian buffer has room for them, and its slack. */
    static void write(ByteBuffer to, int position, int[] cells, int count) {
        int l = lowerBits(count);
        long low = 0; // of the upper bits
        long high = 0;
        int lower = position + upperBytes(count, l);
        long word = 0; // of the lower ones
        int filled = 0;
        int at = lower;
        for (int i = 0; i < count; i++) {
            int bit = (cells[i] >> l) + i;
            if (bit < Long.SIZE) {
                low |= 1L << bit;
            } else {
                high |= 1L << bit - Long.SIZE;
            }
            word |= (long) (cells[i] & (1 << l) - 1) << filled;
            filled += l;
            while (filled >= Byte.SIZE) {
                to.put(at++, (byte) word);
                word >>>= Byte.SIZE;
                filled -= Byte.SIZE;
            }
        }
        if (filled > 0) {
            to.put(at, (byte) word);
        }
        for (int i = position; i < lower; i++) {
            int from = (i - position) * Byte.SIZE;
            to.put(i, (byte) (from < Long.SIZE ? low >>> from : high >>> from - Long.SIZE));
        }
    }

    /** Reads all cells of a set. */
    static void read(ByteBuffer from, int position, int count, int[] cells) {
        int l = lowerBits(count);
        int lower = position + upperBytes(count, l);
        int upper = 0;
        for (int i = 0, bit = 0; i < count; bit++) {
            if ((from.get(position + (bit >>> 3)) >>> (bit & 7) & 1) == 0) {
                upper++;
            } else {
                cells[i] = upper << l | lower(from, lower, i, l);
                i++;
            }
        }
    }

    /** Whether a set has one of the cells from one to another. */
    static boolean hasAny(ByteBuffer from, int position, int count, int first, int last) {
        int l = lowerBits(count);
        int bytes = upperBytes(count, l);
        int wanted = first >> l;
        int i = 0; // ones before the bit
        int upper = 0; // zeros before it
        for (int b = 0; b < bytes; b++) {
            int bits = from.get(position + b) & 0xFF;
            int ones = Integer.bitCount(bits);
            if (upper + Byte.SIZE - ones < wanted) { // it ends before the first that is wanted
                i += ones;
                upper += Byte.SIZE - ones;
                continue;
            }
            for (int bit = 0; bit < Byte.SIZE && i < count; bit++) {
                if ((bits >>> bit & 1) == 0) {
                    upper++;
                } else {
                    int cell = upper << l | lower(from, position + bytes, i, l);
                    if (cell >= first) {
                        return cell <= last;
                    }
                    i++;
                }
            }
        }
        return false;
    }

    private static int lower(ByteBuffer from, int position, int index, int bits) {
        int bit = index * bits;
        return from.getInt(position + (bit >>> 3)) >>> (bit & 7) & (1 << bits) - 1;
    }
}
