package io.flexdb.internal.store;

import io.flexdb.flexspace.internal.SpaceEngine;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.RecordFormat;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/** Builds the sparse index of a space whose anchors are not known: one key every so many bytes (section 5.4). */
final class IndexSampler {
    /*
     * An extent without the flag CONTINUATION begins with a pair, so the first pair of an extent near the wanted place
     * gives an anchor. Nothing else of the data is read. What lies between two anchors is counted when it is read first.
     */
    private static final int STRIDE_BYTES = Committer.MAX_INTERVAL_BYTES;
    private static final int FIRST_READ_BYTES = 128;

    private final SpaceEngine engine;
    private final Path dataFile;
    private final FlexTreeView view;
    private final ExtentCursor extents = new ExtentCursor();
    private ByteBuffer record = ByteBuffer.allocateDirect(FIRST_READ_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private byte[] key = new byte[256];
    private byte[] anchor = new byte[256];

    private IndexSampler(SpaceEngine engine, Path dataFile) {
        this.engine = engine;
        this.dataFile = dataFile;
        this.view = engine.current();
    }

    static void sample(SpaceEngine engine, SparseIndex index, Committer contents, Path dataFile) {
        new IndexSampler(engine, dataFile).run(index, contents);
    }

    private void run(SparseIndex index, Committer contents) {
        long size = view.size();
        int anchorLength = 0;
        long start = 0;
        while (start < size) {
            long next = nextRecordStart(start + STRIDE_BYTES);
            int keyLength = next < size ? readKey(next) : 0;
            if (next < size && compareWithAnchor(keyLength, anchorLength) <= 0) {
                throw new CorruptionException(
                        dataFile, next, "a key above that at logical offset " + start, "one that is not");
            }
            index.appendInterval(
                    anchor, 0, anchorLength, next - start, IntervalReader.UNKNOWN_PAIRS, contents.newContent());
            byte[] free = anchor;
            anchor = key;
            key = free;
            anchorLength = keyLength;
            start = next;
        }
    }

    private int compareWithAnchor(int keyLength, int anchorLength) {
        return Arrays.compareUnsigned(key, 0, keyLength, anchor, 0, anchorLength);
    }

    /** The logical offset at or behind the one given at which an extent begins with a pair, or the size. */
    private long nextRecordStart(long from) {
        extents.reset(view);
        boolean found = from < view.size() && extents.seek(from);
        if (found && extents.logicalOffset() < from) {
            found = extents.next();
        }
        while (found && (extents.flags() & Committer.CONTINUATION) != 0) {
            found = extents.next();
        }
        return found ? extents.logicalOffset() : view.size();
    }

    /** Reads the key of the pair with which the extent under the cursor begins. */
    private int readKey(long logicalOffset) {
        int bytes = read(FIRST_READ_BYTES);
        long header = RecordFormat.readHeader(record, 0, bytes);
        if (header < 0 || RecordFormat.keyLength(header) == 0) {
            throw new CorruptionException(dataFile, logicalOffset, "a pair at the beginning of an extent", "none");
        }
        int length = RecordFormat.keyLength(header);
        int end = RecordFormat.headerBytes(header) + length;
        if (end > bytes) {
            if (record.capacity() < end) {
                record = ByteBuffer.allocateDirect(2 * end).order(ByteOrder.LITTLE_ENDIAN);
            }
            // The key may go on in further extents of the same pair.
            long left = view.size() - logicalOffset;
            if (end > left) {
                throw new CorruptionException(dataFile, logicalOffset, "a key of " + length + " bytes", "the end");
            }
            engine.read(view, new ExtentCursor(), logicalOffset, record, 0, end);
        }
        if (key.length < length) {
            key = new byte[RecordFormat.MAX_KEY_BYTES];
        }
        record.get(RecordFormat.headerBytes(header), key, 0, length);
        return length;
    }

    private int read(int atMost) {
        int bytes = Math.min(atMost, extents.length());
        engine.readExtent(extents, 0, record, 0, bytes);
        return bytes;
    }
}
