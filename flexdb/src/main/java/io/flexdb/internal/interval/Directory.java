package io.flexdb.internal.interval;

import io.flexdb.flextree.FlexTree;
import io.flexdb.internal.base.KeyBytes;
import java.nio.ByteBuffer;

/**
 * The directory of an interval: finds one of its KV pairs without reading the others.
 *
 * <pre>
 * SIZE            FIELD
 * 8               content number
 * 4               bytes of the pairs
 * 4               pairs, n
 * 2               bytes skipped: with which all keys begin, or fewer
 * 1               uses, for the cache
 * 1               layout: pieces, p, if packed; 0 if full; -1 for an outline
 * n               fingerprint of each key, see Fingerprints; filled up to a multiple of 8
 * 8 p             of each piece: first pair (2), its address (6)
 * 12 n or 16 n    if full, of each pair: where it begins, relative to the first (2); address (6); checksum (4), as its
 *                 record has it. If the pairs have more than 65,535 bytes the 2 bytes are unused, and 4 between address
 *                 and checksum tell where it begins
 * or 6 n          if packed, of each pair: where it begins (2), checksum (4)
 * 4 n             window of each key: the four bytes behind those skipped, with zeros behind its end
 * </pre>
 *
 * There are three layouts. A directory is made <i>full</i>: each pair has an address of its own. One that is kept is
 * <i>packed</i> if there are few pieces, into two thirds of the bytes. A piece is some pairs that lie one behind the
 * other in the data file. Files have directories in the first two, so a change of these is a change of the format.
 *
 * <p>An <i>outline</i> is what is left of a directory where memory is short, in a fifth of the bytes: behind the
 * fingerprints it has 2 bytes for where each pair begins, and nothing else, and it skips no bytes. It leads to the pair
 * of a key, by a search in the FlexTree, and says nothing of other keys. There is none if the pairs have more than
 * 65,535 bytes. Methods take an outline where they say so.
 *
 * An address says where in the data file the pair was when somebody last looked. It may be out of date, or half of one
 * that is being written: whoever reads there compares what he finds with the checksum.
 *
 * A directory lies at a base position of a little-endian buffer. It is what {@link DirectoryBuilder} has made of verified
 * pairs, or what {@link #isDirectory} has accepted, so the other methods trust it.
 */
public final class Directory {
    private static final int CONTENT = 0;
    private static final int DATA_BYTES = CONTENT + Long.BYTES;
    private static final int PAIR_COUNT = DATA_BYTES + Integer.BYTES;
    private static final int SKIPPED = PAIR_COUNT + Integer.BYTES;
    private static final int USES = SKIPPED + Short.BYTES;
    private static final int LAYOUT = USES + Byte.BYTES;
    private static final int FINGERPRINTS = LAYOUT + Byte.BYTES;

    /** Bytes before the positions. */
    public static final int HEADER_BYTES = FINGERPRINTS;

    /** The address of a pair of which nobody knows it, or which does not lie within one extent. */
    public static final long UNKNOWN = FlexTree.HOLE;

    private static final int NARROW_PLACE_BYTES = Long.BYTES + Integer.BYTES;
    private static final int WIDE_PLACE_BYTES = NARROW_PLACE_BYTES + Integer.BYTES;
    private static final int PACKED_PLACE_BYTES = Short.BYTES + Integer.BYTES;
    private static final int OUTLINE_PLACE_BYTES = Short.BYTES;
    private static final int MOST_PIECES = 8; // which are searched one by one

    // The layouts. One that is packed is the number of its pieces.
    static final int OUTLINE = -1;
    static final int FULL = 0;

    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private Directory() {}

    private static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    static boolean isWide(int dataBytes) {
        return dataBytes > 0xFFFF;
    }

    private static int pieceTable(int pairCount) {
        return FINGERPRINTS + align(pairCount);
    }

    // ---- layouts

    private static int places(int pairCount, int layout) {
        return pieceTable(pairCount) + Math.max(0, layout) * Long.BYTES;
    }

    private static int placeBytes(int dataBytes, int layout) {
        if (layout == FULL) {
            return isWide(dataBytes) ? WIDE_PLACE_BYTES : NARROW_PLACE_BYTES;
        }
        return layout > 0 ? PACKED_PLACE_BYTES : OUTLINE_PLACE_BYTES;
    }

    private static int endOfPlaces(int dataBytes, int pairCount, int layout) {
        return places(pairCount, layout) + pairCount * placeBytes(dataBytes, layout);
    }

    private static int place(ByteBuffer directory, int base, int pair) {
        int layout = layout(directory, base);
        return base
                + places(pairCount(directory, base), layout)
                + pair * placeBytes(dataBytes(directory, base), layout);
    }

    /** Bytes in a layout. */
    static int bytes(int dataBytes, int pairCount, int layout) {
        return endOfPlaces(dataBytes, pairCount, layout) + (layout == OUTLINE ? 0 : pairCount * Integer.BYTES);
    }

    /** Bytes of a full directory; no other of so many pairs has more. */
    public static int bytes(int dataBytes, int pairCount) {
        return bytes(dataBytes, pairCount, FULL);
    }

    /** Bytes of the directory, or the outline, that begins here. */
    public static int bytes(ByteBuffer directory, int base) {
        return bytes(directory, base, layout(directory, base));
    }

    /** Bytes of the same directory in a layout. */
    static int bytes(ByteBuffer directory, int base, int layout) {
        return bytes(dataBytes(directory, base), pairCount(directory, base), layout);
    }

    /** The layout of the directory or the outline that begins here. */
    static int layout(ByteBuffer directory, int base) {
        return directory.get(base + LAYOUT);
    }

    /** Says that what begins here is a directory in a layout, or another entry of the cache. */
    static void setLayout(ByteBuffer directory, int base, int layout) {
        directory.put(base + LAYOUT, (byte) layout);
    }

    /**
     * The layout to keep a directory in: packed if that is smaller and possible, else as it is. It can't be packed if its
     * pieces are too many, or its pairs too large.
     */
    static int layoutToKeep(ByteBuffer directory, int base) {
        int layout = layout(directory, base);
        int dataBytes = dataBytes(directory, base);
        if (layout != FULL || isWide(dataBytes)) {
            return layout;
        }
        int pairCount = pairCount(directory, base);
        int pieces = countPieces(directory, base + places(pairCount, FULL), pairCount);
        return bytes(dataBytes, pairCount, pieces) < bytes(dataBytes, pairCount, FULL) ? pieces : FULL;
    }

    /**
     * Copies a directory, all but its content number.
     *
     * @param layout of the copy: that of the directory, one that {@link #layoutToKeep} has said, or an outline of one
     *     that {@linkplain #hasOutline has one}
     */
    static void copy(ByteBuffer from, int base, int layout, ByteBuffer to, int position) {
        boolean same = layout == layout(from, base);
        int bytes = same ? bytes(from, base, layout) : pieceTable(pairCount(from, base));
        to.put(position + DATA_BYTES, from, base + DATA_BYTES, bytes - DATA_BYTES);
        if (same) {
            return;
        }
        setLayout(to, position, layout);
        if (layout == OUTLINE) {
            outline(from, base, to, position);
        } else {
            pack(from, base, layout, to, position);
        }
    }

    /**
     * Whether a buffer has, from its beginning to its limit, what can be the directory of an interval. It may be wrong
     * all the same, but its methods stay within it and within the interval.
     */
    static boolean isDirectory(ByteBuffer found, int pairs, long intervalBytes) {
        int limit = found.limit();
        if (limit < HEADER_BYTES
                || pairCount(found, 0) != pairs
                || pairs <= 0
                || dataBytes(found, 0) != intervalBytes) {
            return false;
        }
        int pieces = layout(found, 0);
        if (pieces < 0 || pieces > MOST_PIECES || pieces > 0 && isWide((int) intervalBytes)) {
            return false;
        }
        long bytes = (long) pairs * (Byte.BYTES + WIDE_PLACE_BYTES + Integer.BYTES); // of more, sums would overflow
        if (bytes > Integer.MAX_VALUE / 2 || bytes((int) intervalBytes, pairs, pieces) != limit) {
            return false;
        }
        int lastPiece = -1;
        for (int piece = 0; piece < pieces; piece++) {
            int first = found.getShort(pieceTable(pairs) + piece * Long.BYTES) & 0xFFFF;
            if (piece == 0 ? first != 0 : first <= lastPiece || first >= pairs) {
                return false;
            }
            lastPiece = first;
        }
        int last = -1;
        for (int pair = 0; pair <= pairs; pair++) {
            int position = relativePosition(found, 0, pair);
            if (position <= last || pair == 0 && position != 0 || position > intervalBytes) {
                return false;
            }
            last = position;
        }
        return true;
    }

    // ---- outlines

    /** Whether this is an outline, and not a directory. */
    public static boolean isOutline(ByteBuffer directory, int base) {
        return layout(directory, base) == OUTLINE;
    }

    /** Whether there is an outline of a directory, or this is one. */
    public static boolean hasOutline(ByteBuffer directory, int base) {
        return !isWide(dataBytes(directory, base));
    }

    /** Begins an outline at the beginning of a buffer, of pairs of which there is an outline. */
    static void beginOutline(ByteBuffer to, long content, int dataBytes, int pairCount) {
        putHeader(to, 0, content, dataBytes, pairCount, 0);
        setLayout(to, 0, OUTLINE);
    }

    /** Puts a pair into an outline at the beginning of a buffer. */
    static void putOutlined(ByteBuffer to, int pairCount, int pair, int position, byte fingerprint) {
        putFingerprint(to, 0, pair, fingerprint);
        to.putShort(pieceTable(pairCount) + pair * OUTLINE_PLACE_BYTES, (short) position);
    }

    private static void outline(ByteBuffer from, int base, ByteBuffer to, int position) {
        // It may outlive the bounds that its directory was made for: windows of pairs that all come in its place must
        // not
        // skip what was common to keys within those.
        to.putShort(position + SKIPPED, (short) 0);
        int pairCount = pairCount(from, base);
        int layout = layout(from, base);
        int bytes = placeBytes(0, layout);
        int place = base + places(pairCount, layout);
        int outlined = position + pieceTable(pairCount);
        for (int pair = 0; pair < pairCount; pair++) {
            to.putShort(outlined, from.getShort(place));
            place += bytes;
            outlined += OUTLINE_PLACE_BYTES;
        }
    }

    /** Copies where the pairs of an outline begin, and where the last of them ends. */
    static void copyPositions(ByteBuffer outline, int base, int[] positions) {
        int pairCount = pairCount(outline, base);
        int place = base + pieceTable(pairCount);
        for (int pair = 0; pair < pairCount; pair++) {
            positions[pair] = outline.getShort(place) & 0xFFFF;
            place += OUTLINE_PLACE_BYTES;
        }
        positions[pairCount] = dataBytes(outline, base);
    }

    // ---- packing

    /** The pieces of pairs whose narrow places begin here; 0 if they are too many to be packed. */
    private static int countPieces(ByteBuffer directory, int places, int pairCount) {
        int place = places;
        int pieces = 0;
        long difference = 0;
        for (int pair = 0; pair < pairCount; pair++) {
            long next = difference(directory.getLong(place));
            if ((pair == 0 || next != difference) && ++pieces > MOST_PIECES) {
                return 0;
            }
            difference = next;
            place += NARROW_PLACE_BYTES;
        }
        return pieces;
    }

    /** The address of a pair less its place in the interval: all pairs of a piece have the same. */
    private static long difference(long word) {
        long address = word >>> Short.SIZE;
        return address == UNKNOWN ? UNKNOWN : address - (word & 0xFFFF);
    }

    private static void pack(ByteBuffer from, int base, int pieces, ByteBuffer to, int position) {
        int pairCount = pairCount(from, base);
        int place = base + places(pairCount, FULL);
        int piece = position + pieceTable(pairCount);
        int packed = position + places(pairCount, pieces);
        long difference = 0;
        for (int pair = 0; pair < pairCount; pair++) {
            long word = from.getLong(place);
            long next = difference(word);
            if (pair == 0 || next != difference) {
                to.putLong(piece, word & -1L << Short.SIZE | pair);
                piece += Long.BYTES;
                difference = next;
            }
            to.putShort(packed, (short) word);
            to.putInt(packed + Short.BYTES, from.getInt(place + Long.BYTES));
            place += NARROW_PLACE_BYTES;
            packed += PACKED_PLACE_BYTES;
        }
        to.put(packed, from, place, pairCount * Integer.BYTES); // the windows
    }

    /** Where the entry is of the piece that a pair is in. */
    private static int pieceOf(ByteBuffer directory, int base, int pieces, int pair) {
        int piece = base + pieceTable(pairCount(directory, base)) + (pieces - 1) * Long.BYTES;
        while ((directory.getShort(piece) & 0xFFFF) > pair) {
            piece -= Long.BYTES;
        }
        return piece;
    }

    // ---- building

    static void putHeader(ByteBuffer to, int base, long content, int dataBytes, int pairCount, int skipped) {
        to.putLong(base + CONTENT, content);
        to.putInt(base + DATA_BYTES, dataBytes);
        to.putInt(base + PAIR_COUNT, pairCount);
        to.putInt(base + SKIPPED, skipped); // and not used, and full
    }

    /** Where the first place is of a full directory of so many pairs. */
    static int fullPlaces(int base, int pairCount) {
        return base + places(pairCount, FULL);
    }

    /** Puts a place into a full directory, and returns where the next one is. */
    static int putPlace(ByteBuffer to, int place, boolean wide, long position, long address, int checksum) {
        if (wide) {
            to.putLong(place, address << Short.SIZE);
            to.putInt(place + Long.BYTES, (int) position);
            to.putInt(place + NARROW_PLACE_BYTES, checksum);
            return place + WIDE_PLACE_BYTES;
        }
        to.putLong(place, address << Short.SIZE | position);
        to.putInt(place + Long.BYTES, checksum);
        return place + NARROW_PLACE_BYTES;
    }

    static void putFingerprint(ByteBuffer to, int base, int pair, byte fingerprint) {
        to.put(base + FINGERPRINTS + pair, fingerprint);
    }

    /** The window of a key in a little-endian buffer, an unsigned number. */
    public static int window(ByteBuffer key, int position, int length, int skipped) {
        return (int) (KeyBytes.window(key, position, length, skipped) >>> Integer.SIZE);
    }

    /** The window of a key. */
    public static int window(byte[] key, int from, int length, int skipped) {
        return (int) (KeyBytes.window(key, from, length, skipped) >>> Integer.SIZE);
    }

    /** The number of the content. Of an outline, too, as the next two. */
    public static long contentNumber(ByteBuffer directory, int base) {
        return directory.getLong(base + CONTENT);
    }

    /** How often somebody has used the directory or outline, as far as that is counted. */
    static int uses(ByteBuffer directory, int base) {
        return directory.get(base + USES);
    }

    /** Says how often somebody has used the directory or outline. Any thread, at any time. */
    static void setUses(ByteBuffer directory, int base, int uses) {
        directory.put(base + USES, (byte) uses);
    }

    /** Bytes of the pairs. */
    public static int dataBytes(ByteBuffer directory, int base) {
        return directory.getInt(base + DATA_BYTES);
    }

    /** Number of the pairs. */
    public static int pairCount(ByteBuffer directory, int base) {
        return directory.getInt(base + PAIR_COUNT);
    }

    /** How many bytes of each key are not in its window: all keys begin with the same. */
    public static int skipped(ByteBuffer directory, int base) {
        return directory.getShort(base + SKIPPED) & 0xFFFF;
    }

    /** The window of a pair's key. */
    public static int window(ByteBuffer directory, int base, int pair) {
        return directory.getInt(base + windows(directory, base) + pair * Integer.BYTES);
    }

    /** The checksum of a pair's record. */
    public static int checksum(ByteBuffer directory, int base, int pair) {
        int bytes = placeBytes(dataBytes(directory, base), layout(directory, base));
        return directory.getInt(place(directory, base, pair) + bytes - Integer.BYTES);
    }

    /** Where in the data file a pair was when somebody last looked, or {@link #UNKNOWN}. */
    public static long address(ByteBuffer directory, int base, int pair) {
        int pieces = layout(directory, base);
        if (pieces == 0) {
            return directory.getLong(place(directory, base, pair)) >>> Short.SIZE;
        }
        long word = directory.getLong(pieceOf(directory, base, pieces, pair));
        return addressInPiece(
                word, relativePosition(directory, base, pair) - relativePosition(directory, base, (int) word & 0xFFFF));
    }

    private static long addressInPiece(long word, int position) {
        long address = word >>> Short.SIZE;
        return address == UNKNOWN ? UNKNOWN : address + position;
    }

    /**
     * Notes where in the data file a pair is, and so those of its piece: what has moved one of them has probably moved
     * all. Any thread, even while others read it.
     */
    public static void setAddress(ByteBuffer directory, int base, int pair, long address) {
        int pieces = layout(directory, base);
        if (pieces == 0) {
            int place = place(directory, base, pair);
            directory.putLong(place, address << Short.SIZE | directory.getLong(place) & 0xFFFF);
        } else if (address != UNKNOWN) { // which is true of this pair alone
            int piece = pieceOf(directory, base, pieces, pair);
            int first = directory.getShort(piece) & 0xFFFF;
            int position = relativePosition(directory, base, pair) - relativePosition(directory, base, first);
            directory.putLong(piece, address - position << Short.SIZE | first);
        }
    }

    /** The fingerprint of a pair's key. */
    public static byte fingerprint(ByteBuffer directory, int base, int pair) {
        return directory.get(base + FINGERPRINTS + pair);
    }

    /** Where the windows of the keys begin, relative to the directory. */
    static int windows(ByteBuffer directory, int base) {
        return endOfPlaces(dataBytes(directory, base), pairCount(directory, base), layout(directory, base));
    }

    /** Copies places of pairs from one to before another to where they belong, and where the last of them ends. */
    static void copyPlaces(ByteBuffer directory, int base, int from, int to, PairPlaces into) {
        int pairCount = pairCount(directory, base);
        int layout = layout(directory, base);
        int place = base + places(pairCount, layout);
        if (layout == FULL) {
            copyPlaces(directory, place, from, to, isWide(dataBytes(directory, base)), into);
        } else {
            copyPacked(directory, place, from, to, base + pieceTable(pairCount), into);
        }
        into.positions[to] = relativePosition(directory, base, to);
    }

    private static void copyPlaces(ByteBuffer directory, int places, int from, int to, boolean wide, PairPlaces into) {
        int[] positions = into.positions;
        long[] addresses = into.addresses;
        int[] checksums = into.checksums;
        int bytes = wide ? WIDE_PLACE_BYTES : NARROW_PLACE_BYTES;
        int place = places + from * bytes;
        for (int pair = from; pair < to; pair++) {
            long word = directory.getLong(place);
            positions[pair] = wide ? directory.getInt(place + Long.BYTES) : (int) word & 0xFFFF;
            addresses[pair] = word >>> Short.SIZE;
            checksums[pair] = directory.getInt(place + bytes - Integer.BYTES);
            place += bytes;
        }
    }

    private static void copyPacked(
            ByteBuffer directory, int places, int from, int to, int pieceTable, PairPlaces into) {
        int[] positions = into.positions;
        int[] checksums = into.checksums;
        int place = places + from * PACKED_PLACE_BYTES;
        for (int pair = from; pair < to; pair++) {
            positions[pair] = directory.getShort(place) & 0xFFFF;
            checksums[pair] = directory.getInt(place + Short.BYTES);
            place += PACKED_PLACE_BYTES;
        }
        int end = to;
        for (int piece = places - Long.BYTES; piece >= pieceTable && end > from; piece -= Long.BYTES) {
            long word = directory.getLong(piece);
            int first = (int) word & 0xFFFF;
            if (first < end) {
                int begin = directory.getShort(places + first * PACKED_PLACE_BYTES) & 0xFFFF;
                int low = Math.max(first, from);
                for (int pair = low; pair < end; pair++) {
                    into.addresses[pair] = addressInPiece(word, positions[pair] - begin);
                }
                end = low;
            }
        }
    }

    /** Where a pair begins, relative to the first; for one behind the last, where that ends. Of an outline, too. */
    public static int relativePosition(ByteBuffer directory, int base, int pair) {
        int dataBytes = dataBytes(directory, base);
        if (pair == pairCount(directory, base)) {
            return dataBytes;
        }
        int place = place(directory, base, pair);
        return isWide(dataBytes)
                ? directory.getInt(place + Long.BYTES)
                : directory.getShort(place) & 0xFFFF; // wide: no pieces
    }

    /** Bytes of a pair. */
    public static int recordBytes(ByteBuffer directory, int base, int pair) {
        return relativePosition(directory, base, pair + 1) - relativePosition(directory, base, pair);
    }

    /**
     * The next pair whose key may be the one that is sought, by its fingerprint. Of an outline, too.
     *
     * @param fingerprint the key's
     * @param first the first pair to look at
     * @return the pair, or -1
     */
    public static int candidate(ByteBuffer directory, int base, byte fingerprint, int first) {
        int count = pairCount(directory, base);
        int groups = base + FINGERPRINTS;
        long sought = (fingerprint & 0xFF) * LOW_BITS;
        long from = -1L << (first & 7) * Byte.SIZE; // what to look at of the first group
        for (int i = first & -8; i < count; i += 8) {
            long difference = directory.getLong(groups + i) ^ sought;
            // Has a bit for each lane of zeros, and perhaps for lanes above one: the caller compares keys anyway.
            long zeros = (difference - LOW_BITS) & ~difference & HIGH_BITS & from;
            if (zeros != 0) {
                int pair = i + (Long.numberOfTrailingZeros(zeros) >>> 3);
                return pair < count ? pair : -1;
            }
            from = -1;
        }
        return -1;
    }
}
