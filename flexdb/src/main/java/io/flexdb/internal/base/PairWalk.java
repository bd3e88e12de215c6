package io.flexdb.internal.base;

import io.flexdb.flexspace.internal.base.SlidingReader;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Goes through all pairs of a space in logical order, which is that of their keys, without the sparse index. It reports
 * bytes that can't be read, or are no pair, and passes them over. For one thread, while the view is good for reading.
 */
public final class PairWalk {
    /*
     * A pair begins where the one before it ends. Behind a damaged pair the next known beginning is that of an extent
     * that is no continuation (O7).
     *
     * All bytes come from verified frames, so a length can be no wild number; it is checked against the space all the
     * same before anything is read by it. Bytes come in large pieces; where one of these can't be read, only as many as
     * a pair needs. A pair that is longer than a piece is verified part by part. A visitor that wants its value reads
     * it once more.
     */
    private static final int PIECE_BYTES = 1 << 20;

    /** Receives the pairs, and the bytes that are lost. */
    public interface Visitor {
        /** Takes a sound pair, whose key is above the one before it. The walk's methods describe it. */
        void pair();

        /**
         * Takes a stretch that can't be read as pairs.
         *
         * @param from where it begins in the space
         * @param to where the next sound pair begins, or the space ends
         * @param keyBefore the key of the last pair before it, null if there is none
         * @param keyAfter that of the next, null if there is none
         * @param cause what was wrong first
         */
        void lost(long from, long to, byte[] keyBefore, byte[] keyAfter, StorageException cause);

        /** Tells that the walk has passed so many more bytes of the space; may throw to end the walk. */
        void passed(long bytes);
    }

    private final Path dataFile;
    private final Visitor visitor;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final SlidingReader reader;
    private final ExtentCursor extents = new ExtentCursor();
    private final long size;
    private byte[] key = new byte[64];
    private int keyLength;
    private byte[] lastKey = new byte[64];
    private int lastKeyLength = -1; // none yet
    private long pairOffset;
    private long valueOffset;
    private int valueLength;
    private long expiry;
    private long mergedThrough;
    private boolean hasWaiting;

    /** @param dataFile for messages */
    public PairWalk(SpaceReads reads, FlexTreeView view, Path dataFile, Visitor visitor) {
        this.dataFile = dataFile;
        this.visitor = visitor;
        this.size = view.size();
        SlidingReader.Source space = (to, from) -> reads.read(view, from, to, 0, to.limit());
        this.reader = new SlidingReader(space, piece, PIECE_BYTES, true).begin(size);
        extents.reset(view);
    }

    /** Goes through all of it. */
    public void run() {
        long lostFrom = -1;
        StorageException cause = null;
        long at = 0;
        while (at < size) {
            long next;
            try {
                next = readPair(at);
            } catch (CorruptionException | StoreIoException e) {
                if (lostFrom < 0) {
                    lostFrom = at;
                    cause = e;
                }
                next = nextBeginning(at);
                visitor.passed(next - at);
                at = next;
                continue;
            }
            if (lostFrom >= 0) {
                visitor.lost(lostFrom, at, keyBefore(), Arrays.copyOf(key, keyLength), cause);
                lostFrom = -1;
            }
            visitor.pair();
            keepKey();
            visitor.passed(next - at);
            at = next;
        }
        if (lostFrom >= 0) {
            visitor.lost(lostFrom, size, keyBefore(), null, cause);
        }
    }

    private void keepKey() {
        byte[] free = lastKey;
        lastKey = key;
        lastKeyLength = keyLength;
        key = free;
    }

    /** The first beginning of an extent behind a place that is one of a pair; the size if there is none. */
    private long nextBeginning(long after) {
        boolean found = extents.seek(after) && extents.next();
        while (found && ((extents.flags() & RecordFormat.CONTINUATION) != 0 || extents.isHole())) {
            found = extents.next();
        }
        return found ? extents.logicalOffset() : size;
    }

    /** Reads the pair that begins at a place, and returns where it ends. */
    private long readPair(long at) {
        int headerBytes = (int) Math.min(RecordFormat.MAX_HEADER_BYTES, size - at);
        int position = reader.load(at, headerBytes);
        long header = RecordFormat.readHeader(piece, position, position + headerBytes);
        if (header < 0 || RecordFormat.recordBytes(header) > size - at) {
            throw noPair(at, "lengths of a pair within the space", "others");
        }
        int bytes = RecordFormat.recordBytes(header);
        keyLength = RecordFormat.keyLength(header);
        valueLength = RecordFormat.valueLength(header);
        valueOffset = at + RecordFormat.headerBytes(header) + keyLength;
        pairOffset = at;
        int keyFrom = RecordFormat.headerBytes(header);
        position = reader.load(at, Math.min(bytes, keyFrom + keyLength));
        if (key.length < keyLength) {
            key = new byte[Math.max(keyLength, 2 * key.length)];
        }
        piece.get(position + keyFrom, key, 0, keyLength);
        expiry = RecordFormat.expiry(piece, position, header);
        mergedThrough = RecordFormat.mergedThrough(piece, position, header);
        hasWaiting = RecordFormat.hasWaiting(header);
        int expected = RecordFormat.checksum(piece, position);
        int found = reader.checksum(at + Integer.BYTES, bytes - Integer.BYTES);
        if (found != expected) {
            throw noPair(at, "a pair with checksum " + Integer.toHexString(expected), Integer.toHexString(found));
        }
        if (keyLength == 0) {
            throw noPair(at, "a key", "none");
        }
        if (lastKeyLength >= 0 && Arrays.compareUnsigned(lastKey, 0, lastKeyLength, key, 0, keyLength) >= 0) {
            throw noPair(at, "a key above that of the pair before", "one that is not");
        }
        return at + bytes;
    }

    private CorruptionException noPair(long at, String expected, String found) {
        return new CorruptionException(dataFile, 0, expected + " at logical offset " + at, found);
    }

    /** Where the pair begins in the space. */
    public long pairOffset() {
        return pairOffset;
    }

    /** Holds the key from index 0 on, until the walk goes on. */
    public byte[] key() {
        return key;
    }

    /** Bytes of the key. */
    public int keyLength() {
        return keyLength;
    }

    /** Bytes of the value. */
    public int valueLength() {
        return valueLength;
    }

    private byte[] keyBefore() {
        return lastKeyLength < 0 ? null : Arrays.copyOf(lastKey, lastKeyLength);
    }

    /** When the pair expires, in milliseconds since 1970, or {@link RecordFormat#NEVER}. */
    public long expiry() {
        return expiry;
    }

    /** The sequence number through which operands are in the value; 0 if there are none. */
    public long mergedThrough() {
        return mergedThrough;
    }

    /** Fills a buffer with a part of the value, from some place in it on, which is read once more. */
    public void copyValue(int from, ByteBuffer destination) {
        reader.copy(valueOffset + from, destination);
    }

    /** Whether a list of waiting operands stands in the place of the value. */
    public boolean hasWaiting() {
        return hasWaiting;
    }

    /** Reads the value once more, into an array, from an index on. */
    public void copyValue(byte[] destination, int index) {
        reader.copy(valueOffset, ByteBuffer.wrap(destination, index, valueLength));
    }
}
