package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;

/** CRC32Cs of any ranges of a file, each for the price of some pages, however long it is. For one thread. */
final class RangeChecksums {
    /*
     * The checksum of all bytes from the first one to the end of each page is kept. The checksum of a range follows
     * from those of the bytes before its end and before its begin: if B follows A, then crc(AB) is crc(B) xor what
     * crc(A) becomes behind as many zero bytes as B is long, which is a linear function of its 32 bits for each length.
     */
    private static final int PAGE_SHIFT = 12;
    private static final int PAGE_BYTES = 1 << PAGE_SHIFT;
    private static final int PIECE_BYTES = 1 << 18;
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int[][] BEHIND = powers(); // 2^k zero bytes, for each k

    private final long first;
    private final int[] pages; // the checksum of all bytes up to the begin of each page
    private final SlidingReader begin; // each with the page that was read last
    private final SlidingReader end;

    /** Reads a file from a position to its end. */
    RangeChecksums(VfsFile file, long first) {
        this.first = first;
        long bytes = file.size() - first;
        this.pages = new int[(int) (bytes >>> PAGE_SHIFT) + 1];
        this.begin = reader(file, ByteBuffer.allocate(PAGE_BYTES));
        this.end = reader(file, ByteBuffer.allocate(PAGE_BYTES));
        int atOnce = (int) Math.max(1, Math.min(PIECE_BYTES, bytes));
        SlidingReader all = reader(file, ByteBuffer.allocateDirect(atOnce));
        for (int page = 1; page < pages.length; page++) {
            pages[page] = all.checksum(startOf(page - 1), PAGE_BYTES) ^ behindZeros(pages[page - 1], PAGE_BYTES);
        }
    }

    private static SlidingReader reader(VfsFile file, ByteBuffer buffer) {
        return new SlidingReader(file::readFully, buffer, buffer.capacity()).begin(file.size());
    }

    private long startOf(int page) {
        return first + ((long) page << PAGE_SHIFT);
    }

    /** The checksum of some bytes of the file. */
    int of(long position, int bytes) {
        return before(position + bytes, end) ^ behindZeros(before(position, begin), bytes);
    }

    /** The checksum of all bytes up to a position. */
    private int before(long position, SlidingReader reader) {
        int page = (int) (position - first >>> PAGE_SHIFT);
        int inPage = (int) (position - startOf(page));
        return reader.checksum(startOf(page), inPage) ^ behindZeros(pages[page], inPage);
    }

    private static int behindZeros(int checksum, int bytes) {
        int behind = checksum;
        for (int k = 0, rest = bytes; rest > 0; k++, rest >>>= 1) {
            if ((rest & 1) != 0) {
                behind = apply(BEHIND[k], behind);
            }
        }
        return behind;
    }

    private static int[][] powers() {
        int[] step = new int[Integer.SIZE]; // one zero bit
        step[0] = POLYNOMIAL;
        for (int i = 1; i < Integer.SIZE; i++) {
            step[i] = 1 << i - 1;
        }
        for (int doubled = 1; doubled < Byte.SIZE; doubled *= 2) {
            step = twice(step);
        }
        int[][] powers = new int[Integer.SIZE - 1][];
        for (int k = 0; k < powers.length; k++) {
            powers[k] = step;
            step = twice(step);
        }
        return powers;
    }

    private static int[] twice(int[] matrix) {
        int[] result = new int[Integer.SIZE];
        for (int i = 0; i < Integer.SIZE; i++) {
            result[i] = apply(matrix, matrix[i]);
        }
        return result;
    }

    private static int apply(int[] matrix, int bits) {
        int sum = 0;
        for (int i = 0, rest = bits; rest != 0; i++, rest >>>= 1) {
            if ((rest & 1) != 0) {
                sum ^= matrix[i];
            }
        }
        return sum;
    }
}
