package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;
import io.flexdb.internal.mem.WritePayload;
import java.util.Arrays;

/**
 * Estimates the bytes and pairs of a range of keys from memory alone. For one use, by one thread inside a short read.
 */
public final class RangeEstimator {
    /*
     * Intervals lie in key order, so the bytes between two keys are the difference of where their intervals begin,
     * which the index finds in O(log n). A key that does not begin its interval counts as if it stood in the middle, so
     * that each end is wrong by half an interval at most. The pairs of an interval are counted in the index, in its
     * leaves only: few intervals are added up, many are sampled at places spread evenly over their bytes. Each place
     * stands for as many bytes as any other, however long its intervals are, which have the more bytes the larger their
     * pairs are: so what a byte has is averaged, and not all intervals together.
     *
     * The last interval counts whole up to the end of the default keyspace: mostly there are no others.
     */
    private static final int ADDED_UP = 256;
    private static final int PLACES = 32;
    private static final int AT_EACH_PLACE = 8;
    private static final int WALKED_ENTRIES = 1000;

    private final IndexView view;
    private final IntervalCursor cursor;
    private long bytes;
    private long pairs;

    /**
     * Estimates what a range of a version holds, as of a sequence number.
     *
     * @param from the first key; null for the first of all
     * @param to the first key behind it; null if there is none
     */
    public RangeEstimator(SparseIndex index, Version version, long sequence, byte[] from, byte[] to) {
        this.view = version.index();
        this.cursor = index.cursor();
        addSpace(from == null ? 0 : offset(from), to == null ? view.totalBytes() : offset(to));
        for (MemLog log : version.logs()) {
            addMemtable(log.table(), sequence, from, to);
        }
    }

    private long offset(byte[] key) {
        cursor.seek(view, key, 0, key.length);
        byte[] anchor = new byte[cursor.anchorLength()];
        cursor.anchor(anchor);
        long start = cursor.logicalOffset();
        if (Arrays.equals(anchor, key)) {
            return start;
        }
        long length = cursor.lengthBytes();
        return KeyHeads.isBehindDefault(key) && start + length == view.totalBytes() && isOfDefault(anchor)
                ? start + length
                : start + length / 2;
    }

    private static boolean isOfDefault(byte[] anchor) {
        return Arrays.compareUnsigned(anchor, KeyHeads.DEFAULT.end()) < 0;
    }

    private void addSpace(long from, long to) {
        if (from >= to) {
            return;
        }
        bytes += to - from;
        double sum = 0;
        int intervals = 0;
        cursor.seekOffset(view, from);
        do {
            long start = cursor.logicalOffset();
            long length = cursor.lengthBytes();
            long within = Math.min(to, start + length) - Math.max(from, start);
            if (within > 0) {
                sum += (double) pairsHere() * within / length;
            }
            if (start + length >= to) {
                pairs += Math.round(sum);
                return;
            }
        } while (++intervals < ADDED_UP && cursor.next());
        pairs += sample(from, to);
    }

    private long sample(long from, long to) {
        double pairsOfAByte = 0; // the sum over all places
        for (int place = 0; place < PLACES; place++) {
            cursor.seekOffset(view, from + (long) ((to - from) * (place + 0.5) / PLACES));
            long sampledBytes = 0;
            long sampledPairs = 0;
            for (int i = 0; i < AT_EACH_PLACE; i++) {
                sampledBytes += cursor.lengthBytes();
                sampledPairs += pairsHere();
                if (!cursor.next()) {
                    break;
                }
            }
            pairsOfAByte += (double) sampledPairs / sampledBytes;
        }
        return Math.round((to - from) * pairsOfAByte / PLACES);
    }

    /** Pairs of the interval; as many as one of its size may have at most if nobody has counted them yet. */
    private long pairsHere() {
        int counted = cursor.pairCount();
        return counted < Interval.UNKNOWN_PAIRS
                ? counted
                : 1 + cursor.lengthBytes() * Interval.MAX_PAIRS / Interval.MAX_BYTES;
    }

    private void addMemtable(MemTable table, long sequence, byte[] from, byte[] to) {
        MemTableCursor entries = new MemTableCursor();
        entries.reset(table, sequence);
        if (from == null) {
            entries.seekToFirst();
        } else {
            entries.seek(from, 0, from.length);
        }
        long walkedBytes = 0;
        int puts = 0;
        for (int walked = 0; entries.isValid(); walked++) {
            int ref = entries.ref();
            if (to != null && table.compareKey(ref, to, 0, to.length) >= 0) {
                break;
            }
            if (walked == WALKED_ENTRIES) { // as many more as there may be, of which these are typical
                long all = Math.max(walked, table.keyCount());
                walkedBytes = walkedBytes * all / walked;
                puts = (int) (puts * all / walked);
                break;
            }
            if (table.type(ref) != WritePayload.DELETE) {
                walkedBytes += RecordFormat.recordBytes(table.keyLength(ref), table.valueLength(ref));
                puts++;
            }
            entries.next();
        }
        bytes += walkedBytes;
        pairs += puts;
    }

    /** Bytes of the range, as records. */
    public long bytes() {
        return bytes;
    }

    /** Pairs in the range. */
    public long pairs() {
        return pairs;
    }
}
