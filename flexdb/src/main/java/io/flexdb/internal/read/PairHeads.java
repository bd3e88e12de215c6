package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.DirectoryBuilder;
import io.flexdb.internal.interval.Interval;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The parts of the pairs of one interval before their values, in memory, and where they are. Reused, with its memory;
 * for one thread.
 */
public final class PairHeads {
    /*
     * The problem: an interval may have a value as large as the heap, or larger. A lookup of another key there, or a
     * put beside it, needs none of its bytes.
     * The choice: lengths and keys are read, pair by pair, since nothing else tells where a pair begins, and values that
     * reach beyond what has come in are skipped. An interval of one large pair therefore costs a frame. The cost: a
     * record's own checksum is of no use without its value. The bytes that are used are verified by their frames, the
     * lengths are held against the interval, the keys against each other.
     */
    private static final int WINDOW_BYTES = RecordFormat.MAX_HEADER_BYTES + RecordFormat.MAX_KEY_BYTES;
    private static final int FIRST_BYTES = 512; // of an interval, and of what follows a skipped value
    private static final int LEAST_BYTES = 4 << 10; // of memory
    private static final int FIRST_PAIRS = 16;
    private static final int MOST_KEPT_BYTES = 64 << 10;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private ByteBuffer window = NONE;
    private long windowFrom; // in the interval
    private int windowBytes;
    private ByteBuffer heads = NONE;
    private int headBytes;
    private ByteBuffer directory = NONE;
    private int[] starts = new int[FIRST_PAIRS]; // in the interval
    private int[] positions = new int[FIRST_PAIRS]; // in the heads
    private int count;
    private int dataBytes;

    /**
     * Reads those of an interval. Inside a short read.
     *
     * @param context gives memory
     * @param bytes of the interval
     * @param counted pairs that it must have, or {@link Interval#UNKNOWN_PAIRS}
     * @throws BadRecordException if the bytes are not so many whole pairs with ascending keys
     */
    void read(SpaceReads reads, FlexTreeView space, ReadContext context, long logicalOffset, int bytes, int counted) {
        count = 0;
        headBytes = 0;
        windowBytes = 0;
        dataBytes = bytes;
        for (int at = 0; at < bytes; ) {
            at += readPair(reads, space, context, logicalOffset, at);
        }
        if (counted < Interval.UNKNOWN_PAIRS && counted != count) {
            throw new BadRecordException(bytes, "the end after " + counted + " pairs", count + " pairs");
        }
    }

    /** Reads what the pair that begins here has before its value, and returns the bytes of all of it. */
    private int readPair(SpaceReads reads, FlexTreeView space, ReadContext context, long logicalOffset, int at) {
        int left = dataBytes - at;
        int length = Math.min(RecordFormat.MAX_HEADER_BYTES, left);
        int position = load(reads, space, context, logicalOffset, at, length);
        long header = RecordFormat.readHeader(window, position, position + length);
        if (header < 0 || RecordFormat.recordBytes(header) > left) {
            throw new BadRecordException(at, "a record within " + left + " bytes", RecordFormat.found(header));
        }
        int head = RecordFormat.headerBytes(header) + RecordFormat.keyLength(header);
        position = load(reads, space, context, logicalOffset, at, head);
        makeRoom(context, head);
        heads.put(headBytes, window, position, head);
        starts[count] = at;
        positions[count++] = headBytes;
        headBytes += head;
        if (count > 1 && compareWithPrevious(count - 1) >= 0) {
            throw new BadRecordException(at, "a key above the one before", "one that is not");
        }
        return RecordFormat.recordBytes(header);
    }

    private int compareWithPrevious(int pair) {
        long before = header(pair - 1);
        long header = header(pair);
        return KeyBytes.compare(
                heads,
                keyPosition(pair - 1, before),
                RecordFormat.keyLength(before),
                heads,
                keyPosition(pair, header),
                RecordFormat.keyLength(header));
    }

    /** Has the window hold bytes of the interval from a place on, and returns where. */
    private int load(SpaceReads reads, FlexTreeView space, ReadContext context, long logicalOffset, int at, int bytes) {
        if (at < windowFrom || at + (long) bytes > windowFrom + windowBytes) {
            boolean goesOn = windowBytes > 0 && at <= windowFrom + windowBytes;
            int wanted = Math.min(dataBytes - at, goesOn ? WINDOW_BYTES : Math.max(bytes, FIRST_BYTES));
            if (window.capacity() < wanted) {
                window = context.newMemory(wanted > LEAST_BYTES ? WINDOW_BYTES : LEAST_BYTES);
            }
            windowBytes = 0;
            windowFrom = at;
            try {
                reads.read(space, logicalOffset + at, window, 0, wanted);
            } catch (CorruptionException | StoreIoException e) {
                wanted = bytes; // the damage may be behind it
                reads.read(space, logicalOffset + at, window, 0, wanted);
            }
            windowBytes = wanted;
        }
        return (int) (at - windowFrom);
    }

    private void makeRoom(ReadContext context, int head) {
        if (heads.capacity() - headBytes < head) {
            ByteBuffer larger = context.newMemory(Math.max(LEAST_BYTES, Math.max(2 * headBytes, headBytes + head)));
            larger.put(0, heads, 0, headBytes);
            heads = larger;
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            positions = Arrays.copyOf(positions, 2 * count);
        }
    }

    /**
     * Makes the directory of the interval.
     *
     * @param maxSkipped bytes of keys that its windows may skip
     */
    void makeDirectory(ReadContext context, Fingerprints fingerprints, long content, int maxSkipped) {
        DirectoryBuilder builder = context.directoryBuilder();
        builder.clear();
        builder.ensure(count);
        int skipped = count == 0 ? 0 : Math.min(maxSkipped, commonPrefix());
        for (int pair = 0; pair < count; pair++) {
            builder.add(heads, positions[pair], header(pair), fingerprints, skipped);
        }
        int bytes = Directory.bytes(dataBytes, count);
        if (directory.capacity() < bytes) {
            directory = context.newMemory(bytes);
        }
        builder.write(directory, 0, content, 0, count, skipped);
    }

    private int commonPrefix() {
        long first = header(0);
        long last = header(count - 1);
        return KeyBytes.commonPrefix(
                heads,
                keyPosition(0, first),
                RecordFormat.keyLength(first),
                heads,
                keyPosition(count - 1, last),
                RecordFormat.keyLength(last));
    }

    /** Pairs of the interval. */
    public int count() {
        return count;
    }

    /** Bytes of all heads. */
    int headBytes() {
        return headBytes;
    }

    /** The directory that was made, from index 0 on. */
    public ByteBuffer directory() {
        return directory;
    }

    /** The buffer of the heads: records without their values. */
    public ByteBuffer buffer() {
        return heads;
    }

    /** Where in the {@link #buffer} the head of a pair begins. */
    public int position(int pair) {
        return positions[pair];
    }

    /** Where in the interval a pair begins; for one behind the last, where that ends. */
    int start(int pair) {
        return pair < count ? starts[pair] : dataBytes;
    }

    /** The header of a pair. */
    long header(int pair) {
        return RecordFormat.readHeader(heads, positions[pair], headBytes);
    }

    private int keyPosition(int pair, long header) {
        return positions[pair] + RecordFormat.headerBytes(header);
    }

    /** Compares a key with that of a pair. */
    public int compare(byte[] key, int length, int pair) {
        long header = header(pair);
        return KeyBytes.compare(key, 0, length, heads, keyPosition(pair, header), RecordFormat.keyLength(header));
    }

    /** Lets go of what has become large. Allocates nothing. */
    void shrink() {
        if (window.capacity() + (long) heads.capacity() + directory.capacity() > MOST_KEPT_BYTES) {
            window = NONE;
            windowBytes = 0;
            heads = NONE;
            directory = NONE;
            count = 0;
        }
    }
}
