package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * A pair in the cache: the header of a {@link Directory}, with the pair's bytes as those of its only pair, and behind it
 * the pair's record. Its content number is made of that of its interval and the pair's number in
 * there.
 */
final class KeptPair {
    /** Where directories have their layout. */
    static final int LAYOUT = -2;

    /** Longer pairs are left to the page cache, whose pages have few of them. */
    static final int MAX_RECORD_BYTES = 1024;

    /** Only the first pairs of an interval can be kept, of which there are seldom more. */
    static final int MAX_PAIRS = 64;

    private static final int PAIR_BITS = 6;
    private static final long IS_PAIR = 1L << 62; // above any content number of an interval

    private KeptPair() {}

    /** Whether the pair of an interval with so many bytes can be kept. */
    static boolean isFor(int pair, int recordBytes) {
        return pair < MAX_PAIRS && recordBytes <= MAX_RECORD_BYTES;
    }

    /** The number under which the cache has a pair. */
    static long contentNumber(long ofInterval, int pair) {
        return IS_PAIR | ofInterval << PAIR_BITS | pair;
    }

    /** Whether a number is one of those. */
    static boolean isNumberOfPair(long contentNumber) {
        return contentNumber >= IS_PAIR;
    }

    static boolean isPair(ByteBuffer entry, int base) {
        return Directory.layout(entry, base) == LAYOUT;
    }

    /** Bytes of an entry with a record. */
    static int bytes(int recordBytes) {
        return Directory.HEADER_BYTES + recordBytes;
    }

    /** Bytes of the record of an entry. */
    static int recordBytes(ByteBuffer entry, int base) {
        return Directory.dataBytes(entry, base);
    }

    /** Where the record of an entry begins. */
    static int record(int base) {
        return base + Directory.HEADER_BYTES;
    }

    /** Puts all but the content number. */
    static void put(ByteBuffer to, int base, ByteBuffer from, int position, int recordBytes) {
        Directory.putHeader(to, base, 0, recordBytes, 1, 0);
        Directory.setLayout(to, base, LAYOUT);
        to.put(record(base), from, position, recordBytes);
    }
}
