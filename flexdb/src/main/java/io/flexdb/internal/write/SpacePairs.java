package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/** The pairs that the space of one version has, in key order, as they are stored. For one thread. */
final class SpacePairs {
    /*
     * Bytes come from frames that were verified. A pair longer than a piece is never brought as a whole: only its key
     * is asked for.
     */
    private static final int PIECE_BYTES = 256 << 10;

    private final StoreVersions versions;
    private final SpaceReads reads;
    private final PinnedVersion pin;
    private final Path dataFile;
    private final IntervalCursor cursor;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final SlidingReader reader = new SlidingReader(this::read, piece, 0);
    private long pair; // logical offset
    private int position; // of the pair in the piece
    private long intervalEnd;
    private int pairBytes;
    private int keyFrom; // behind the beginning of the pair
    private byte[] key = new byte[256];
    private int keyLength;
    private boolean valid;
    private boolean ended; // there is no pair any more

    SpacePairs(StoreVersions versions, SpaceReads reads, SparseIndex index, PinnedVersion pin, Path dataFile) {
        this.versions = versions;
        this.reads = reads;
        this.pin = pin;
        this.dataFile = dataFile;
        this.cursor = index.cursor();
        reader.begin(pin.version().index().totalBytes());
    }

    private void read(ByteBuffer destination, long logicalOffset) {
        int ticket = versions.enter(); // the bytes may be in the memory of a segment that is being written
        try {
            reads.read(pin.version().space(), logicalOffset, destination, 0, destination.limit());
        } finally {
            versions.exit(ticket);
        }
    }

    /** Goes to the first pair with a key not below this one, which is not below that of the pair it is at. */
    void seek(byte[] to) {
        if (valid && !cursor.isBelowUpperAnchor(to, 0, to.length)) {
            valid = false;
        }
        if (!valid && !ended) {
            cursor.seek(pin.version().index(), to, 0, to.length);
            enterInterval();
        }
        while (valid && compare(to) < 0) {
            next();
        }
    }

    /** Whether it is at a pair. */
    boolean isValid() {
        return valid;
    }

    /** Goes one pair on. */
    void next() {
        pair += pairBytes;
        if (pair < intervalEnd) {
            load();
        } else if (cursor.next()) {
            enterInterval();
        } else {
            valid = false;
            ended = true;
        }
    }

    private void enterInterval() {
        while (cursor.lengthBytes() == 0) {
            if (!cursor.next()) {
                valid = false;
                ended = true;
                return;
            }
        }
        pair = cursor.logicalOffset();
        intervalEnd = pair + cursor.lengthBytes();
        load();
    }

    private void load() {
        int headerBytes = bring(RecordFormat.MAX_HEADER_BYTES);
        long header = RecordFormat.readHeader(piece, position, position + headerBytes);
        long bytes = header < 0 ? 0 : RecordFormat.recordBytes(header);
        if (header < 0 || bytes > intervalEnd - pair) {
            throw new CorruptionException(
                    dataFile,
                    0,
                    "a pair at logical offset " + pair + " that ends before " + intervalEnd,
                    header < 0 ? RecordFormat.found(header) : "one of " + bytes + " bytes");
        }
        pairBytes = (int) bytes;
        keyFrom = RecordFormat.headerBytes(header);
        keyLength = RecordFormat.keyLength(header);
        bring(isWhole() ? pairBytes : keyFrom + keyLength);
        if (key.length < keyLength) {
            key = new byte[RecordFormat.MAX_KEY_BYTES];
        }
        piece.get(position + keyFrom, key, 0, keyLength);
        valid = true;
    }

    /** Has the piece hold so many bytes of the pair, or those that the interval has, and returns how many. */
    private int bring(int bytes) {
        int wanted = (int) Math.min(bytes, intervalEnd - pair);
        position = reader.load(pair, wanted, intervalEnd - pair);
        return wanted;
    }

    // ---- the pair that it is at

    /** Bytes of the pair. */
    int bytes() {
        return pairBytes;
    }

    /** Whether the buffer has all of it. */
    boolean isWhole() {
        return pairBytes <= PIECE_BYTES;
    }

    /** Has the pair, at {@link #position()}. */
    ByteBuffer buffer() {
        return piece;
    }

    int position() {
        return position;
    }

    /** Holds the key from index 0 on. */
    byte[] key() {
        return key;
    }

    int keyLength() {
        return keyLength;
    }

    /** How its key compares with another. */
    int compare(byte[] other) {
        return Arrays.compareUnsigned(key, 0, keyLength, other, 0, other.length);
    }
}
