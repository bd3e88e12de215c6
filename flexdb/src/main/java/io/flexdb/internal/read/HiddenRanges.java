package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyBytes;
import io.flexdb.internal.mem.DeletedRanges;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The deleted ranges that a cursor sees, of all its memtables. For one thread. */
final class HiddenRanges {
    /*
     * Each memtable has fragments of its own. The one around a key is where those of all memtables overlap: no range
     * begins or ends in it, so one number holds for all of it. It is kept until a key lies beyond it.
     *
     * Thousands of ranges that overlap make thousands of fragments side by side. Where it does not matter which of the
     * ranges covers a key, all of them are passed at once.
     */
    private final List<DeletedRanges> tables = new ArrayList<>(3);
    private final List<Long> limits = new ArrayList<>(3); // numbers above hide nothing
    private boolean found; // a fragment
    private byte[] start; // null if nothing was found yet
    private byte[] end; // null if there is none behind it
    private long number;

    /**
     * Adds those of a memtable.
     *
     * @param maxSequence ranges with a higher number hide nothing
     */
    void add(DeletedRanges ranges, long maxSequence) {
        tables.add(ranges);
        limits.add(maxSequence);
    }

    /** Finds the fragment around a key, and returns the highest number of the ranges that cover it; 0 if none does. */
    long numberAt(ByteBuffer key, int position, int length) {
        if (!found || !isInside(key, position, length)) {
            find(key, position, length);
        }
        return number;
    }

    private boolean isInside(ByteBuffer key, int position, int length) {
        return (start == null || KeyBytes.compare(start, 0, start.length, key, position, length) <= 0)
                && (end == null || KeyBytes.compare(end, 0, end.length, key, position, length) > 0);
    }

    private void find(ByteBuffer key, int position, int length) {
        found = true;
        start = null;
        end = null;
        number = 0;
        for (int i = 0; i < tables.size(); i++) {
            DeletedRanges ranges = tables.get(i);
            int fragment = ranges.find(key, position, length);
            byte[] from = ranges.start(fragment);
            byte[] to = ranges.end(fragment);
            if (from != null && (start == null || Arrays.compareUnsigned(from, start) > 0)) {
                start = from;
            }
            if (to != null && (end == null || Arrays.compareUnsigned(to, end) < 0)) {
                end = to;
            }
            number = Math.max(number, ranges.newest(fragment, limits.get(i)));
        }
    }

    /** Where the fragment begins; there is a beginning if its number is not 0. */
    byte[] start() {
        return start;
    }

    /** Where the fragment ends, null if it does not. */
    byte[] end() {
        return end;
    }

    /** Where all that is covered begins which the fragment belongs to, if any range covers it. */
    byte[] startOfCovered() {
        byte[] at = start;
        for (boolean moved = true; moved; ) {
            moved = false;
            for (int i = 0; i < tables.size(); i++) {
                byte[] from = tables.get(i).coveredFrom(at, limits.get(i));
                moved |= from != at;
                at = from;
            }
        }
        return at;
    }

    /** Where it ends, null if it does not. */
    byte[] endOfCovered() {
        byte[] at = end;
        for (boolean moved = true; moved; ) {
            moved = false;
            for (int i = 0; i < tables.size() && at != null; i++) {
                byte[] to = tables.get(i).coveredTo(at, limits.get(i));
                moved |= to != at;
                at = to;
            }
        }
        return at;
    }

    /** Its number. */
    long number() {
        return number;
    }
}
