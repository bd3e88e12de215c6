package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/** A few cells of many, in as few bits as Elias and Fano found: what of an interval is taken. Stateless. */
final class CellSet {
    /*
     * | field | bits      |                                                                         |
     * |-------|-----------|-------------------------------------------------------------------------|
     * | upper | n + parts | for each part a 1 for each cell that it has, then a 0                   |
     * | lower | 4 n       | which of the 16 cells of its part each is                               |
     *
     * n cells, ascending, some perhaps twice. There are 24 for each that is taken, so of 24 absent keys one looks as if
     * it were there, and they take 6.5 bits each. An interval is divided into 1024 cells at first, before anybody knows
     * how many keys it has, and a number of those makes a cell here: which one, depends on the number of parts alone.
     */
    static final int CELLS = 1024;
    static final int MAX_COUNT = 63;
    static final int MAX_PARTS = 64;
    static final int MIN_PARTS = 8; // for some that may still come
    static final int PART_CELLS = 16;
    private static final int LOWER_BITS = 4;
    private static final int CELLS_FOR_EACH = 24;
    private static final int LEAST_CELLS_FOR_EACH = 15; // when more have come
    private static final int SLACK_BYTES = Integer.BYTES; // that are read beyond the end, and mean nothing

    private CellSet() {}

    /** The parts to be made for so many cells. */
    static int parts(int count) {
        int wanted = (count * CELLS_FOR_EACH + PART_CELLS - 1) / PART_CELLS;
        return Math.max(MIN_PARTS, Math.min(MAX_PARTS, wanted));
    }

    /** Whether so many parts are enough for so many cells. */
    static boolean suffice(int parts, int count) {
        return parts == MAX_PARTS || count * LEAST_CELLS_FOR_EACH <= parts * PART_CELLS;
    }

    /** The cell of so many parts that one of the 1024 belongs to. */
    static int cell(int first, int parts) {
        return first * parts / (CELLS / PART_CELLS);
    }

    /** Bytes that a set takes. */
    static int bytes(int count, int parts) {
        return count + parts + count * LOWER_BITS + 7 >>> 3;
    }

    /** Bytes that there must be behind the beginning of a set, so that it can be read in words. */
    static int slackBytes() {
        return bytes(MAX_COUNT, MAX_PARTS) + SLACK_BYTES;
    }

    /** Writes cells of so many parts, which ascend; a little-endian buffer has room for them. */
    static void write(ByteBuffer to, int position, int[] cells, int count, int parts) {
        for (int i = bytes(count, parts) - 1; i >= 0; i--) {
            to.put(position + i, (byte) 0);
        }
        for (int i = 0; i < count; i++) {
            set(to, position, (cells[i] >> LOWER_BITS) + i, 1);
            set(to, position, count + parts + i * LOWER_BITS, cells[i] & PART_CELLS - 1);
        }
    }

    private static void set(ByteBuffer to, int position, int bit, int value) {
        int shifted = value << (bit & 7);
        for (int at = position + (bit >>> 3); shifted != 0; at++, shifted >>>= Byte.SIZE) {
            to.put(at, (byte) (to.get(at) | shifted));
        }
    }

    /** Reads all cells of a set. */
    static void read(ByteBuffer from, int position, int count, int parts, int[] cells) {
        for (int i = 0, bit = 0; i < count; bit++) {
            if ((from.get(position + (bit >>> 3)) >>> (bit & 7) & 1) != 0) {
                cells[i] = bit - i << LOWER_BITS | lower(from, position, count + parts, i);
                i++;
            }
        }
    }

    /** How many cells the upper bits of a set tell of, which should be its count. */
    static int countUpper(ByteBuffer from, int position, int count, int parts) {
        int ones = 0;
        for (int bit = 0; bit < count + parts; bit++) {
            ones += from.get(position + (bit >>> 3)) >>> (bit & 7) & 1;
        }
        return ones;
    }

    /** Whether a set has one of the cells from one to another. */
    static boolean hasAny(ByteBuffer from, int position, int count, int parts, int first, int last) {
        int bytes = count + parts + 7 >>> 3; // the last of which may begin the lower ones, behind the last cell
        int wanted = first >> LOWER_BITS;
        int i = 0; // ones before the bit
        int part = 0; // zeros before it
        for (int b = 0; b < bytes; b++) {
            int bits = from.get(position + b) & 0xFF;
            int ones = Integer.bitCount(bits);
            if (part + Byte.SIZE - ones < wanted) { // it ends before the first that is wanted
                i += ones;
                part += Byte.SIZE - ones;
                continue;
            }
            for (int bit = 0; bit < Byte.SIZE && i < count; bit++) {
                if ((bits >>> bit & 1) == 0) {
                    part++;
                } else {
                    int cell = part << LOWER_BITS | lower(from, position, count + parts, i);
                    if (cell >= first) {
                        return cell <= last;
                    }
                    i++;
                }
            }
        }
        return false;
    }

    private static int lower(ByteBuffer from, int position, int upperBits, int index) {
        int bit = upperBits + index * LOWER_BITS;
        return from.getInt(position + (bit >>> 3)) >>> (bit & 7) & PART_CELLS - 1;
    }
}
