package io.flexdb.internal.read;

import io.flexdb.internal.cache.DirectoryBuilder;
import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.keys.BadRecordException;
import io.flexdb.internal.keys.KeyBytes;
import io.flexdb.internal.keys.KeyHash;
import io.flexdb.internal.keys.RecordFormat;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The pairs of an interval as a cursor wants them: in memory, verified, with the place of each. For one thread. */
final class IntervalPairs {
    /*
     * Who walks wants each pair in its turn, and looks for a key at most once. So no fingerprints are needed, and keys
     * are not hashed: one pass finds where each pair is, and verifies it while it is in the processor's cache anyway.
     *
     * The memory begins with the pairs; behind them, from the next multiple of 4 on, it has where each of them begins.
     */
    private ByteBuffer memory;
    private int positions;
    private int count;

    private static int positions(int dataBytes) {
        return (dataBytes + Integer.BYTES - 1) & -Integer.BYTES;
    }

    /** How much memory so many pairs need. */
    static int memoryBytes(int dataBytes, int pairs) {
        return Math.addExact(positions(dataBytes), Math.multiplyExact(pairs, Integer.BYTES));
    }

    /** Holds no pairs. Can't fail. */
    void clear() {
        count = 0;
        memory = null;
    }

    /**
     * Takes the pairs that a buffer begins with, and uses what is behind them, and the buffer's position and limit.
     *
     * @param pairs how many they are, for which there is room behind them
     * @throws BadRecordException if the bytes are not so many whole pairs with ascending keys, as they were written; it
     *     holds none then
     */
    void take(ByteBuffer data, int dataBytes, int pairs, CRC32C crc) {
        clear();
        positions = positions(dataBytes);
        int at = 0;
        int lastKey = 0;
        int lastKeyLength = 0;
        for (int i = 0; i < pairs; i++) {
            long header = RecordFormat.readWhole(data, at, dataBytes);
            if (header < 0) {
                throw new BadRecordException(at, "a record within " + (dataBytes - at) + " bytes", "none");
            }
            int bytes = RecordFormat.recordBytes(header);
            if (!RecordFormat.isSound(data, at, bytes, crc)) {
                throw new BadRecordException(at, "a pair that fits its checksum", "one that does not");
            }
            int key = at + RecordFormat.headerBytes(header);
            int keyLength = RecordFormat.keyLength(header);
            if (i > 0 && KeyBytes.compare(data, lastKey, lastKeyLength, data, key, keyLength) >= 0) {
                throw new BadRecordException(at, "a key above the one before", "one that is not");
            }
            data.putInt(positions + i * Integer.BYTES, at);
            lastKey = key;
            lastKeyLength = keyLength;
            at += bytes;
        }
        if (at != dataBytes) {
            throw new BadRecordException(at, "the end after " + pairs + " pairs", "more");
        }
        memory = data;
        count = pairs;
    }

    int count() {
        return count;
    }

    /** Whether these are the pairs of which a directory tells. */
    boolean areThoseOf(ByteBuffer directory, int base) {
        if (IntervalFormat.pairCount(directory, base) != count) {
            return false;
        }
        for (int pair = 0; pair < count; pair++) {
            int at = position(pair);
            if (IntervalFormat.relativePosition(directory, base, pair) != at
                    || IntervalFormat.checksum(directory, base, pair) != RecordFormat.checksum(memory, at)) {
                return false;
            }
        }
        return true;
    }

    /** Makes the directory of these pairs, which are few, at the beginning of a buffer of the context's. */
    ByteBuffer directory(ReadContext context, long content) {
        DirectoryBuilder builder = context.directoryBuilder();
        builder.clear();
        builder.ensure(count);
        int skipped = count == 0 ? 0 : commonPrefix();
        for (int pair = 0; pair < count; pair++) {
            int at = position(pair);
            long header = header(at);
            int key = at + RecordFormat.headerBytes(header);
            int length = RecordFormat.keyLength(header);
            builder.add(
                    RecordFormat.recordBytes(header),
                    RecordFormat.checksum(memory, at),
                    IntervalFormat.fingerprint(KeyHash.hash(memory, key, length)),
                    IntervalFormat.window(memory, key, length, skipped));
        }
        ByteBuffer directory = context.directory();
        builder.write(directory, 0, content, 0, count, skipped);
        return directory;
    }

    private int commonPrefix() {
        int first = position(0);
        int last = position(count - 1);
        long firstHeader = header(first);
        long lastHeader = header(last);
        return KeyBytes.commonPrefix(
                memory,
                first + RecordFormat.headerBytes(firstHeader),
                RecordFormat.keyLength(firstHeader),
                memory,
                last + RecordFormat.headerBytes(lastHeader),
                RecordFormat.keyLength(lastHeader));
    }

    /** Where the pairs are. */
    ByteBuffer memory() {
        return memory;
    }

    /** Where a pair begins in the memory. */
    int position(int pair) {
        return memory.getInt(positions + pair * Integer.BYTES);
    }

    /** The header of the pair that begins there, for {@link RecordFormat} to take apart. */
    long header(int position) {
        return RecordFormat.readHeader(memory, position, positions);
    }

    /** The first pair whose key is not below the one sought, or the number of the pairs. */
    int lowerBound(byte[] key, int length) {
        return bound(key, length, 0);
    }

    /** The first pair whose key is above the one sought, or the number of the pairs. */
    int upperBound(byte[] key, int length) {
        return bound(key, length, 1);
    }

    private int bound(byte[] key, int length, int tie) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int at = position(middle);
            long header = header(at);
            int keyPosition = at + RecordFormat.headerBytes(header);
            int order = KeyBytes.compare(key, 0, length, memory, keyPosition, RecordFormat.keyLength(header));
            // Behind a pair that is below the key, or equal to it where the upper bound is sought.
            if (order + tie > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
