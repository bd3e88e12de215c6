package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/** Samples the keys of one range of a space after the other. Reused; for one thread at a time. */
final class RangeSampler {
    /*
     * An extent without the flag CONTINUATION begins with a pair, so the first pair of an extent near the wanted place
     * gives an anchor. Nothing else of the data is read.
     *
     * An anchor has the whole key, since nothing is known of the key before it. So the distance to the next one grows
     * with its length, and all anchors together are a small part of the space, whatever the length of keys.
     *
     * Each key may cost a read of the disk. So in a space of more than a gigabyte keys are farther apart, up to
     * twice as far. The first read of an interval takes longer for it.
     */
    private static final int LEAST_STRIDE_BYTES = Interval.MAX_BYTES;
    private static final int MOST_STRIDE_BYTES = 2 * LEAST_STRIDE_BYTES;
    private static final int USUAL_KEYS = 1 << 16; // of a space, while strides can grow
    private static final int KEY_SHARE = 64; // of the bytes of a space, for each of an anchor
    private static final int FIRST_READ_BYTES = 128;

    private final SpaceReads reads;
    private final Path dataFile;
    private final FlexTreeView view;
    private final ExtentCursor extents = new ExtentCursor();
    private ByteBuffer record = ByteBuffer.allocateDirect(FIRST_READ_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private long[] offsets = new long[256];
    private int[] keyEnds = new int[256];
    private byte[] keys = new byte[8 << 10];
    private int count;
    private int keyBytes;

    RangeSampler(SpaceEngine engine, Path dataFile) {
        this.reads = engine.reads();
        this.dataFile = dataFile;
        this.view = engine.current();
    }

    /** Samples the pairs that begin in a range. */
    RangeSampler sample(long from, long to) {
        count = 0;
        keyBytes = 0;
        long end = Math.min(to, view.size());
        for (long at = nextRecordStart(from); at < end; ) {
            // Unreadable bytes become a part of the interval before them: only reads of that fail.
            at = nextRecordStart(readKey(at) ? at + strideBytes() : at + 1);
        }
        return this;
    }

    /** The distance from the last key read to the next one. */
    private int strideBytes() {
        return Math.max(stride(view.size()), KEY_SHARE * (keyBytes - keyStart(count - 1)));
    }

    /** The distance between two keys of a space, at least. */
    static int stride(long spaceBytes) {
        return (int) Math.max(LEAST_STRIDE_BYTES, Math.min(MOST_STRIDE_BYTES, spaceBytes / USUAL_KEYS));
    }

    int count() {
        return count;
    }

    long logicalOffset(int sample) {
        return offsets[sample];
    }

    byte[] keys() {
        return keys;
    }

    /** The beginning of a sampled key; behind the last one, the end of that. */
    int keyStart(int sample) {
        return sample == 0 ? 0 : keyEnds[sample - 1];
    }

    /** The logical offset at or behind the one given at which an extent begins with a pair, or the size. */
    private long nextRecordStart(long from) {
        extents.reset(view);
        boolean found = from < view.size() && extents.seek(from);
        if (found && extents.logicalOffset() < from) {
            found = extents.next();
        }
        while (found && (extents.flags() & RecordFormat.CONTINUATION) != 0) {
            found = extents.next();
        }
        return found ? extents.logicalOffset() : view.size();
    }

    /** Reads the key of the pair with which the extent under the cursor begins; false if its bytes can't be read. */
    private boolean readKey(long logicalOffset) {
        int bytes = Math.min(FIRST_READ_BYTES, extents.length());
        if (!canRead(() -> reads.readExtent(extents, record, 0, bytes))) {
            return false;
        }
        long header = RecordFormat.readHeader(record, 0, bytes);
        if (header < 0) {
            throw new CorruptionException(
                    dataFile, logicalOffset, "a pair at the beginning of an extent", RecordFormat.found(header));
        }
        int length = RecordFormat.keyLength(header);
        int end = RecordFormat.headerBytes(header) + length;
        if (end > bytes) {
            if (record.capacity() < end) {
                record = ByteBuffer.allocateDirect(2 * end).order(ByteOrder.LITTLE_ENDIAN);
            }
            // The key may go on in further extents of the same pair.
            if (end > view.size() - logicalOffset) {
                throw new CorruptionException(dataFile, logicalOffset, "a key of " + length + " bytes", "the end");
            }
            if (!canRead(() -> reads.read(view, logicalOffset, record, 0, end))) {
                return false;
            }
        }
        makeRoom(length);
        record.get(RecordFormat.headerBytes(header), keys, keyBytes, length);
        keyBytes += length;
        offsets[count] = logicalOffset;
        keyEnds[count] = keyBytes;
        count++;
        return true;
    }

    private static boolean canRead(Runnable read) {
        try {
            read.run();
            return true;
        } catch (CorruptionException | StoreIoException e) {
            return false;
        }
    }

    private void makeRoom(int keyLength) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
            keyEnds = Arrays.copyOf(keyEnds, 2 * count);
        }
        if (keys.length - keyBytes < keyLength) {
            keys = Arrays.copyOf(keys, Math.max(2 * keys.length, keyBytes + keyLength));
        }
    }
}
