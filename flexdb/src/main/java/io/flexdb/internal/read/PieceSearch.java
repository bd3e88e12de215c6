package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import java.nio.ByteBuffer;

/** Finds one pair of an interval of which there is no directory. Reused without garbage; for one thread. */
final class PieceSearch {
    /*
     * To make a directory each pair has to be read, with the frames that it lies in: in an interval that changes have
     * scattered these are about as many as its pairs. One lookup does not pay for this if the directory would soon have
     * to leave the cache again. An extent begins with a pair, unless its flag says that it does not, and the FlexTree
     * is in memory. The search therefore finds the piece by the first keys of some pieces, and then the pair in it.
     *
     * All that is read is verified by its frames.
     */
    private static final int FIRST_BYTES = 512;

    /** Returned where a key has no pair. */
    static final int NONE = -1;

    private final ExtentCursor extents = new ExtentCursor();
    private final int[] starts = new int[Interval.MAX_PAIRS + 1]; // of extents, in the interval; and its end
    private int count;

    private SpaceReads reads;
    private FlexTreeView space;
    private ReadContext context;
    private long intervalOffset;

    // The pair read last, at a position of the context's memory.
    private int readFrom; // what of the interval the memory has
    private int readBytes;
    private int position;
    private long header;

    /** Whether the pairs of an interval can be found in this way. */
    static boolean isFor(Interval interval) {
        return !interval.isCoarse();
    }

    /** Prepares a search in the context's interval, which reads nothing of the file. Inside a short read. */
    void begin(SpaceReads ofSpace, FlexTreeView view, ReadContext ofRead) {
        reads = ofSpace;
        space = view;
        context = ofRead;
        intervalOffset = context.interval.logicalOffset();
        readBytes = 0;
        findStarts((int) context.interval.lengthBytes());
    }

    /** Extents that begin with a pair of the interval. */
    int pieces() {
        return count;
    }

    /**
     * Finds the pair of a key that belongs to the interval. Inside the same short read.
     *
     * @return where the pair is in the context's image; or {@link #NONE}
     * @throws BadRecordException if the interval does not consist of pairs; its position is one in the interval
     */
    int find(byte[] key, int keyLength) {
        int low = 0;
        int high = count;
        while (low < high) { // those before low do not begin above the key, those from high on do
            int middle = (low + high) >>> 1;
            int order = compare(key, keyLength, starts[middle], starts[middle + 1]);
            if (order == 0) {
                return whole(starts[middle], starts[middle + 1]);
            } else if (order < 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == 0 ? NONE : findInPiece(key, keyLength, starts[low - 1], starts[low]);
    }

    private int findInPiece(byte[] key, int keyLength, int from, int to) {
        for (int at = from; at < to; at += RecordFormat.recordBytes(header)) {
            int order = compare(key, keyLength, at, to);
            if (order == 0) {
                return whole(at, to);
            } else if (order < 0) {
                return NONE;
            }
        }
        return NONE;
    }

    /** Finds the extents that begin with a pair. */
    private void findStarts(int intervalBytes) {
        count = 0;
        starts[count++] = 0;
        extents.reset(space);
        boolean found = extents.seek(intervalOffset) && extents.next();
        while (found && extents.logicalOffset() < intervalOffset + intervalBytes && count < starts.length - 1) {
            if (extents.flags() != RecordFormat.CONTINUATION) {
                starts[count++] = (int) (extents.logicalOffset() - intervalOffset);
            }
            found = extents.next();
        }
        starts[count] = intervalBytes;
    }

    /** Compares a key with that of the pair that begins here, and reads what it takes. */
    private int compare(byte[] key, int keyLength, int at, int end) {
        int bytes = Math.min(end - at, FIRST_BYTES);
        while (true) {
            bring(at, bytes, end);
            header = RecordFormat.readHeader(context.image, position, position + bytes);
            if (header < 0 || RecordFormat.recordBytes(header) > end - at || RecordFormat.keyLength(header) == 0) {
                throw new BadRecordException(at, "a pair within " + (end - at) + " bytes", RecordFormat.found(header));
            }
            int needed = RecordFormat.headerBytes(header) + RecordFormat.keyLength(header);
            if (needed <= bytes) {
                int keyPosition = position + RecordFormat.headerBytes(header);
                return KeyBytes.compare(key, 0, keyLength, context.image, keyPosition, RecordFormat.keyLength(header));
            }
            bytes = needed;
        }
    }

    /** Has all of the pair that was compared last, and returns where. */
    private int whole(int at, int end) {
        int bytes = RecordFormat.recordBytes(header);
        bring(at, bytes, end);
        if (!RecordFormat.isSound(context.image, position, bytes, context.crc)) {
            throw new BadRecordException(at, "a pair that fits its checksum", "one that does not");
        }
        return position;
    }

    /** Has bytes of the interval at the position, and reads some more at once if there may be need of them. */
    private void bring(int from, int bytes, int end) {
        if (from < readFrom || from + bytes > readFrom + readBytes) {
            boolean goesOn = readBytes > 0 && from > readFrom && from <= readFrom + readBytes;
            int wanted = Math.max(bytes, Math.min(end - from, goesOn ? Interval.MAX_BYTES : FIRST_BYTES));
            ByteBuffer memory = context.memory(wanted);
            readBytes = 0;
            reads.read(context.range.set(space, intervalOffset + from, wanted), memory, 0);
            context.image = memory;
            readFrom = from;
            readBytes = wanted;
        }
        position = from - readFrom;
    }
}
