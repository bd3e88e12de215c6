package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;

/**
 * Reads the parts of the pairs of one interval before their values, one after the other. Reused, with its memory; for
 * one thread, inside a short read.
 */
final class PairHeads {
    /*
     * The problem: an interval may have a value as large as the heap, or larger. A lookup of another key there, or a
     * put beside it, needs none of its bytes.
     * The choice: lengths and keys are read, pair by pair, since nothing else tells where a pair begins, and values that
     * reach beyond what has come in are skipped. An interval of one large pair therefore costs a frame. The cost: a
     * record's own checksum is of no use without its value. The bytes that are used are verified by their frames, the
     * lengths are held against the interval, the keys against each other (Pairs).
     */
    private static final int WINDOW_BYTES = RecordFormat.MAX_HEADER_BYTES + RecordFormat.MAX_KEY_BYTES;
    private static final int FIRST_BYTES = 512; // of an interval, and of what follows a skipped value
    private static final int LEAST_BYTES = 4 << 10; // of memory
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final ReadContext context;
    private SpaceReads reads;
    private FlexTreeView space;
    private long logicalOffset;
    private int dataBytes;
    private ByteBuffer window = NONE;
    private int windowFrom; // in the interval
    private int windowBytes;

    /** @param context gives memory */
    PairHeads(ReadContext context) {
        this.context = context;
    }

    /** Takes an interval of so many bytes, and reads nothing yet. */
    void begin(SpaceReads ofSpace, FlexTreeView view, long ofInterval, int bytes) {
        reads = ofSpace;
        space = view;
        logicalOffset = ofInterval;
        dataBytes = bytes;
        windowBytes = 0;
    }

    /**
     * The header of the pair that begins at a place in the interval.
     *
     * @throws BadRecordException if no pair of the interval begins there
     */
    long header(int at) {
        int left = dataBytes - at;
        int length = Math.min(RecordFormat.MAX_HEADER_BYTES, left);
        int position = load(at, length);
        long header = RecordFormat.readHeader(window, position, position + length);
        if (header < 0 || RecordFormat.recordBytes(header) > left) {
            throw new BadRecordException(at, "a record within " + left + " bytes", RecordFormat.found(header));
        }
        return header;
    }

    /** Copies so many bytes of the pair that begins at a place in the interval, which are its part before the value. */
    void copy(int at, int headBytes, ByteBuffer to, int position) {
        int from = load(at, headBytes);
        to.put(position, window, from, headBytes);
    }

    /** Has the window hold bytes of the interval from a place on, and returns where. */
    private int load(int at, int bytes) {
        if (at < windowFrom || at + bytes > windowFrom + windowBytes) {
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
        return at - windowFrom;
    }

    /** Lets go of what has become large. Allocates nothing. */
    void shrink() {
        reads = null;
        space = null;
        if (window.capacity() > LEAST_BYTES) {
            window = NONE;
        }
    }
}
