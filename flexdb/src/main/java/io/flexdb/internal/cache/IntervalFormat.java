package io.flexdb.internal.cache;

import io.flexdb.internal.keys.BadRecordException;
import io.flexdb.internal.keys.KeyBytes;
import io.flexdb.internal.keys.KeyHash;
import io.flexdb.internal.keys.RecordFormat;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * An interval in memory: its KV pairs exactly as in the FlexSpace, behind its <i>directory</i>, which is what it takes
 * to find one of them.
 *
 * <pre>
 * SIZE            FIELD
 * 8               content number
 * 4               bytes of the pairs
 * 4               number of the pairs, n
 * 4               how many bytes all keys begin with in common, or fewer: those skipped
 * 2 n             the fingerprint of each key, the upper 16 bits of its hash; filled up to 8
 * 2 n or 4 n      where each pair begins, relative to the first; 4 n if the pairs have more than 65,535 bytes
 * 4 n             the window of each key: the four bytes behind those skipped, with zeros behind its end
 * 4 n             the checksum of each pair, as its record has it
 *                 the pairs, in the order of their keys
 * </pre>
 *
 * An image lies at a base position of a little-endian buffer. Images are immutable once built, and {@link #build} has
 * checked them, so the other methods trust them. Methods that ask for no pair take a directory alone, too.
 */
public final class IntervalFormat {
    private static final int CONTENT = 0;
    private static final int DATA_BYTES = CONTENT + Long.BYTES;
    private static final int PAIR_COUNT = DATA_BYTES + Integer.BYTES;
    private static final int SKIPPED = PAIR_COUNT + Integer.BYTES;
    private static final int FINGERPRINTS = SKIPPED + Integer.BYTES;

    /** Bytes before the positions. */
    public static final int HEADER_BYTES = FINGERPRINTS;

    private static final long LOW_BITS = 0x0001_0001_0001_0001L;
    private static final long HIGH_BITS = 0x8000_8000_8000_8000L;

    private IntervalFormat() {}

    private static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    private static boolean isWide(int dataBytes) {
        return dataBytes > 0xFFFF;
    }

    private static int positions(int pairCount) {
        return FINGERPRINTS + align(pairCount * Short.BYTES);
    }

    private static int windows(int dataBytes, int pairCount) {
        return positions(pairCount) + pairCount * (isWide(dataBytes) ? Integer.BYTES : Short.BYTES);
    }

    private static int checksums(int dataBytes, int pairCount) {
        return windows(dataBytes, pairCount) + pairCount * Integer.BYTES;
    }

    /** Bytes of a directory. */
    public static int directoryBytes(int dataBytes, int pairCount) {
        return checksums(dataBytes, pairCount) + pairCount * Integer.BYTES;
    }

    /** Bytes of the directory that begins here. */
    public static int directoryBytes(ByteBuffer directory, int base) {
        return directoryBytes(dataBytes(directory, base), pairCount(directory, base));
    }

    /** Bytes of an image. */
    public static int imageBytes(int dataBytes, int pairCount) {
        return Math.addExact(directoryBytes(dataBytes, pairCount), dataBytes);
    }

    /** Bytes of the image that begins here. */
    public static int imageBytes(ByteBuffer image, int base) {
        return imageBytes(dataBytes(image, base), pairCount(image, base));
    }

    /**
     * Counts the pairs in an interval's bytes.
     *
     * @throws BadRecordException if the bytes are not whole records
     */
    public static int countPairs(ByteBuffer data, int position, int dataBytes) {
        int limit = position + dataBytes;
        int count = 0;
        for (int at = position; at < limit; count++) {
            at += RecordFormat.recordBytes(readRecord(data, at, position, limit));
        }
        return count;
    }

    /**
     * Builds an image. If the pairs already are where they belong, behind the directory, they stay there; else they
     * are copied.
     *
     * @param crc to verify each pair with
     * @param maxSkipped bytes of keys to skip at most
     * @throws BadRecordException if the bytes are not {@code pairCount} whole records with ascending keys
     */
    public static void build(
            ByteBuffer to,
            int base,
            long content,
            int pairCount,
            ByteBuffer data,
            int dataPosition,
            int dataBytes,
            CRC32C crc,
            int maxSkipped) {
        int first = base + directoryBytes(dataBytes, pairCount);
        if (data != to || dataPosition != first) {
            to.put(first, data, dataPosition, dataBytes);
        }
        int limit = first + dataBytes;
        int at = first;
        int lastKey = 0;
        int lastKeyLength = -1;
        for (int i = 0; i < pairCount; i++) {
            if (at == limit) {
                throw new BadRecordException(dataBytes, pairCount + " pairs", i + " pairs");
            }
            long header = readRecord(to, at, first, limit);
            if (!RecordFormat.isSound(to, at, RecordFormat.recordBytes(header), crc)) {
                throw new BadRecordException(at - first, "a pair that fits its checksum", "one that does not");
            }
            int key = at + RecordFormat.headerBytes(header);
            int keyLength = RecordFormat.keyLength(header);
            if (lastKeyLength >= 0 && KeyBytes.compare(to, lastKey, lastKeyLength, to, key, keyLength) >= 0) {
                throw new BadRecordException(at - first, "a key above the one before", "one that is not");
            }
            putPosition(to, base, dataBytes, pairCount, i, at - first);
            short fingerprint = fingerprint(KeyHash.hash(to, key, keyLength));
            putFingerprint(to, base, i, fingerprint);
            putChecksum(to, base, dataBytes, pairCount, i, RecordFormat.checksum(to, at));
            lastKey = key;
            lastKeyLength = keyLength;
            at += RecordFormat.recordBytes(header);
        }
        if (at != limit) {
            throw new BadRecordException(at - first, "the end after " + pairCount + " pairs", "more");
        }
        putHeader(to, base, content, dataBytes, pairCount, 0);
        if (pairCount > 0) {
            putWindows(to, base, Math.min(maxSkipped, commonPrefix(to, base)));
        }
    }

    static void putHeader(ByteBuffer to, int base, long content, int dataBytes, int pairCount, int skipped) {
        to.putLong(base + CONTENT, content);
        to.putInt(base + DATA_BYTES, dataBytes);
        to.putInt(base + PAIR_COUNT, pairCount);
        to.putInt(base + SKIPPED, skipped);
    }

    static void putPosition(ByteBuffer to, int base, int dataBytes, int pairCount, int pair, int position) {
        int positions = base + positions(pairCount);
        if (isWide(dataBytes)) {
            to.putInt(positions + pair * Integer.BYTES, position);
        } else {
            to.putShort(positions + pair * Short.BYTES, (short) position);
        }
    }

    static void putWindow(ByteBuffer to, int base, int dataBytes, int pairCount, int pair, int window) {
        to.putInt(base + windows(dataBytes, pairCount) + pair * Integer.BYTES, window);
    }

    static void putFingerprint(ByteBuffer to, int base, int pair, short fingerprint) {
        to.putShort(base + FINGERPRINTS + pair * Short.BYTES, fingerprint);
    }

    static void putChecksum(ByteBuffer to, int base, int dataBytes, int pairCount, int pair, int checksum) {
        to.putInt(base + checksums(dataBytes, pairCount) + pair * Integer.BYTES, checksum);
    }

    private static int commonPrefix(ByteBuffer image, int base) {
        int last = pairCount(image, base) - 1;
        return KeyBytes.commonPrefix(
                image,
                keyPosition(image, base, 0),
                keyLength(image, base, 0),
                image,
                keyPosition(image, base, last),
                keyLength(image, base, last));
    }

    private static void putWindows(ByteBuffer image, int base, int skipped) {
        image.putInt(base + SKIPPED, skipped);
        int dataBytes = dataBytes(image, base);
        int pairCount = pairCount(image, base);
        for (int i = 0; i < pairCount; i++) {
            int window = window(image, keyPosition(image, base, i), keyLength(image, base, i), skipped);
            putWindow(image, base, dataBytes, pairCount, i, window);
        }
    }

    /** The window of a key in a little-endian buffer, an unsigned number. */
    public static int window(ByteBuffer key, int position, int length, int skipped) {
        return (int) (KeyBytes.window(key, position, length, skipped) >>> Integer.SIZE);
    }

    /** The window of a key. */
    public static int window(byte[] key, int from, int length, int skipped) {
        return (int) (KeyBytes.window(key, from, length, skipped) >>> Integer.SIZE);
    }

    /** The fingerprint of a key with this {@link KeyHash}. */
    public static short fingerprint(long hash) {
        return (short) (hash >>> 48);
    }

    private static long readRecord(ByteBuffer data, int at, int first, int limit) {
        long header = RecordFormat.readWhole(data, at, limit);
        if (header < 0) {
            throw new BadRecordException(at - first, "a record within " + (limit - at) + " bytes", "none");
        }
        return header;
    }

    /** The number of the content. */
    public static long contentNumber(ByteBuffer image, int base) {
        return image.getLong(base + CONTENT);
    }

    /** Takes the content number away. Who uses the directory meanwhile is not disturbed. */
    static void drop(ByteBuffer directory, int base) {
        directory.putLong(base + CONTENT, 0);
    }

    /** Bytes of the pairs. */
    public static int dataBytes(ByteBuffer image, int base) {
        return image.getInt(base + DATA_BYTES);
    }

    /** Number of the pairs. */
    public static int pairCount(ByteBuffer image, int base) {
        return image.getInt(base + PAIR_COUNT);
    }

    /** How many bytes of each key are not in its window: all keys begin with the same. */
    public static int skipped(ByteBuffer directory, int base) {
        return directory.getInt(base + SKIPPED);
    }

    /** The window of a pair's key. */
    public static int window(ByteBuffer directory, int base, int pair) {
        int windows = windows(dataBytes(directory, base), pairCount(directory, base));
        return directory.getInt(base + windows + pair * Integer.BYTES);
    }

    /** The checksum of a pair's record. */
    public static int checksum(ByteBuffer directory, int base, int pair) {
        int checksums = checksums(dataBytes(directory, base), pairCount(directory, base));
        return directory.getInt(base + checksums + pair * Integer.BYTES);
    }

    /** The fingerprint of a pair's key. */
    public static short fingerprint(ByteBuffer directory, int base, int pair) {
        return directory.getShort(base + FINGERPRINTS + pair * Short.BYTES);
    }

    /** Where the pairs begin in the buffer. */
    public static int dataPosition(ByteBuffer image, int base) {
        return base + directoryBytes(image, base);
    }

    /** Where a pair begins, relative to the first; for one behind the last, where that ends. */
    public static int relativePosition(ByteBuffer image, int base, int pair) {
        int dataBytes = dataBytes(image, base);
        int pairCount = pairCount(image, base);
        if (pair == pairCount) {
            return dataBytes;
        }
        int positions = base + positions(pairCount);
        return isWide(dataBytes)
                ? image.getInt(positions + pair * Integer.BYTES)
                : image.getShort(positions + pair * Short.BYTES) & 0xFFFF;
    }

    /** Where a pair begins in the buffer. */
    public static int recordPosition(ByteBuffer image, int base, int pair) {
        return dataPosition(image, base) + relativePosition(image, base, pair);
    }

    /** The header of a pair, for {@link RecordFormat} to take apart. */
    public static long header(ByteBuffer image, int recordPosition) {
        return RecordFormat.readHeader(image, recordPosition, image.capacity());
    }

    /** Where the key of a pair begins in the buffer. */
    public static int keyPosition(ByteBuffer image, int base, int pair) {
        int at = recordPosition(image, base, pair);
        return at + RecordFormat.headerBytes(header(image, at));
    }

    /** Bytes of the key of a pair. */
    public static int keyLength(ByteBuffer image, int base, int pair) {
        return RecordFormat.keyLength(header(image, recordPosition(image, base, pair)));
    }

    /** Where the value of a pair begins in the buffer. */
    public static int valuePosition(ByteBuffer image, int base, int pair) {
        int at = recordPosition(image, base, pair);
        long header = header(image, at);
        return at + RecordFormat.headerBytes(header) + RecordFormat.keyLength(header);
    }

    /** Bytes of the value of a pair. */
    public static int valueLength(ByteBuffer image, int base, int pair) {
        return RecordFormat.valueLength(header(image, recordPosition(image, base, pair)));
    }

    /**
     * Finds a key by its fingerprint.
     *
     * @param hash the key's {@link KeyHash}
     * @return the pair, or -1
     */
    public static int find(ByteBuffer image, int base, byte[] key, int from, int length, long hash) {
        int pair = candidate(image, base, hash, 0);
        while (pair >= 0 && !hasKey(image, base, pair, key, from, length)) {
            pair = candidate(image, base, hash, pair + 1);
        }
        return pair;
    }

    /**
     * The next pair whose key may be the one that is sought, by its fingerprint.
     *
     * @param hash the key's {@link KeyHash}
     * @param first the first pair to look at
     * @return the pair, or -1
     */
    public static int candidate(ByteBuffer directory, int base, long hash, int first) {
        int count = pairCount(directory, base);
        int groups = base + FINGERPRINTS;
        long sought = (hash >>> 48) * LOW_BITS;
        long from = -1L << (first & 3) * Short.SIZE; // what to look at of the first group
        for (int i = first & -4; i < count; i += 4) {
            long difference = directory.getLong(groups + i * Short.BYTES) ^ sought;
            // Has a bit for each lane of zeros, and perhaps for lanes above one: the caller compares keys anyway.
            long zeros = (difference - LOW_BITS) & ~difference & HIGH_BITS & from;
            if (zeros != 0) {
                int pair = i + (Long.numberOfTrailingZeros(zeros) >>> 4);
                return pair < count ? pair : -1;
            }
            from = -1;
        }
        return -1;
    }

    private static boolean hasKey(ByteBuffer image, int base, int pair, byte[] key, int from, int length) {
        int at = recordPosition(image, base, pair);
        long header = header(image, at);
        return RecordFormat.keyLength(header) == length
                && KeyBytes.equal(key, from, image, at + RecordFormat.headerBytes(header), length);
    }

    /** Compares a key with that of a pair. */
    public static int compare(byte[] key, int from, int length, ByteBuffer image, int base, int pair) {
        int at = recordPosition(image, base, pair);
        long header = header(image, at);
        return KeyBytes.compare(
                key, from, length, image, at + RecordFormat.headerBytes(header), RecordFormat.keyLength(header));
    }

    /** The first pair whose key is not below the one sought, or the number of the pairs. */
    public static int lowerBound(ByteBuffer image, int base, byte[] key, int from, int length) {
        return bound(image, base, key, from, length, 0);
    }

    /** The first pair whose key is above the one sought, or the number of the pairs. */
    public static int upperBound(ByteBuffer image, int base, byte[] key, int from, int length) {
        return bound(image, base, key, from, length, 1);
    }

    private static int bound(ByteBuffer image, int base, byte[] key, int from, int length, int tie) {
        int low = 0;
        int high = pairCount(image, base);
        while (low < high) {
            int middle = (low + high) >>> 1;
            // Behind a pair that is below the key, or equal to it where the upper bound is sought.
            if (compare(key, from, length, image, base, middle) + tie > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
