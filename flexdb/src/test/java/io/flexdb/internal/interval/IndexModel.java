package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A sparse index that is too simple to be wrong: a sorted map, and offsets found by adding up. */
final class IndexModel {
    record ModelInterval(long bytes, int pairs, long content) {}

    private final TreeMap<byte[], ModelInterval> intervals;

    IndexModel() {
        intervals = new TreeMap<>(Arrays::compareUnsigned);
        intervals.put(new byte[0], new ModelInterval(0, 0, 0));
    }

    private IndexModel(IndexModel other) {
        intervals = new TreeMap<>(other.intervals);
    }

    IndexModel copy() {
        return new IndexModel(this);
    }

    int size() {
        return intervals.size();
    }

    byte[] anchorOf(byte[] key) {
        return intervals.floorKey(key);
    }

    /** The next interval's anchor, or null. */
    byte[] upperAnchorOf(byte[] key) {
        return intervals.higherKey(key);
    }

    void put(byte[] anchor, ModelInterval interval) {
        intervals.put(anchor, interval);
    }

    void mergeWithPrevious(byte[] key, long content) {
        byte[] anchor = intervals.floorKey(key);
        byte[] left = intervals.lowerKey(anchor);
        if (left == null) {
            mergeWithNext(key, content);
            return;
        }
        ModelInterval joined = intervals.remove(anchor);
        ModelInterval kept = intervals.get(left);
        intervals.put(left, new ModelInterval(kept.bytes + joined.bytes, kept.pairs + joined.pairs, content));
    }

    void mergeWithNext(byte[] key, long content) {
        byte[] next = intervals.higherKey(key);
        if (next != null) {
            mergeWithPrevious(next, content);
        }
    }

    /** Removes intervals that follow that of a key. */
    void removeFollowing(byte[] key, int count) {
        for (int i = 0; i < count; i++) {
            intervals.remove(intervals.higherKey(key));
        }
    }

    /** Checks everything that a view can be asked. */
    void assertSame(SparseIndex index, IndexView view) {
        assertEquals(intervals.size(), view.intervalCount());
        IntervalCursor cursor = index.cursor();
        Interval found = new Interval();
        cursor.first(view);
        long offset = 0;
        for (Map.Entry<byte[], ModelInterval> entry : intervals.entrySet()) {
            byte[] anchor = entry.getKey();
            assertAt(entry, offset, cursor);
            index.find(view, anchor, 0, anchor.length, found);
            assertFound(entry, offset, found);
            assertFoundByOffset(index, view, entry, offset);
            byte[] behind = Arrays.copyOf(anchor, anchor.length + 1);
            byte[] upper = intervals.higherKey(anchor);
            if (anchor.length < KeyArena.MAX_KEY_BYTES && (upper == null || !Arrays.equals(upper, behind))) {
                index.find(view, behind, 0, behind.length, found);
                assertFound(entry, offset, found);
            }
            offset += entry.getValue().bytes;
            assertEquals(upper != null, cursor.hasNext());
            assertEquals(upper != null, cursor.next());
        }
        assertEquals(offset, view.totalBytes());
        assertFalse(cursor.isValid());
        assertBackwards(index, view, offset);
    }

    private void assertBackwards(SparseIndex index, IndexView view, long end) {
        IntervalCursor cursor = index.cursor();
        cursor.last(view);
        long offset = end;
        for (Map.Entry<byte[], ModelInterval> entry : intervals.descendingMap().entrySet()) {
            offset -= entry.getValue().bytes;
            assertAt(entry, offset, cursor);
            assertEquals(entry.getKey().length > 0, cursor.previous());
        }
    }

    private void assertAt(Map.Entry<byte[], ModelInterval> expected, long offset, IntervalCursor cursor) {
        byte[] anchor = expected.getKey();
        assertTrue(cursor.isValid());
        assertEquals(offset, cursor.logicalOffset());
        assertEquals(expected.getValue().bytes, cursor.lengthBytes());
        assertEquals(expected.getValue().pairs, cursor.pairCount());
        assertEquals(expected.getValue().content, cursor.contentNumber());
        byte[] copy = new byte[cursor.anchorLength()];
        assertEquals(anchor.length, cursor.anchor(copy));
        assertArrayEquals(anchor, copy);
        byte[] upper = intervals.higherKey(anchor);
        byte[] upperCopy = new byte[Math.max(0, cursor.upperAnchorLength())];
        assertEquals(upper == null ? -1 : upper.length, cursor.upperAnchor(upperCopy));
        assertArrayEquals(upper == null ? new byte[0] : upper, upperCopy);
    }

    /** An interval without bytes has no offset to be found by. */
    private void assertFoundByOffset(
            SparseIndex index, IndexView view, Map.Entry<byte[], ModelInterval> entry, long offset) {
        long bytes = entry.getValue().bytes();
        if (bytes > 0) {
            IntervalCursor cursor = index.cursor();
            cursor.seekOffset(view, offset);
            assertAt(entry, offset, cursor);
            cursor.seekOffset(view, offset + bytes - 1);
            assertAt(entry, offset, cursor);
        }
    }

    private void assertFound(Map.Entry<byte[], ModelInterval> expected, long offset, Interval found) {
        assertEquals(offset, found.logicalOffset());
        assertEquals(expected.getValue().bytes, found.lengthBytes());
        assertEquals(expected.getValue().pairs, found.pairCount());
        assertEquals(expected.getValue().content, found.contentNumber());
        byte[] copy = new byte[found.anchorLength()];
        found.anchor(copy);
        assertArrayEquals(expected.getKey(), copy);
        byte[] upper = intervals.higherKey(expected.getKey());
        assertEquals(upper != null, found.hasNext());
        byte[] upperCopy = new byte[Math.max(0, found.upperAnchorLength())];
        assertEquals(upper == null ? -1 : upper.length, found.upperAnchor(upperCopy));
        assertArrayEquals(upper == null ? new byte[0] : upper, upperCopy);
        assertEquals(upper != null, found.hasNext());
        assertTrue(upper == null || !found.isBelowUpperAnchor(upper, 0, upper.length));
        assertTrue(found.isBelowUpperAnchor(expected.getKey(), 0, expected.getKey().length));
    }

    /** Checks where any key is found. */
    void assertFinds(SparseIndex index, IndexView view, byte[] key, Interval found, IntervalCursor cursor) {
        Map.Entry<byte[], ModelInterval> floor = intervals.floorEntry(key);
        index.find(view, key, 0, key.length, found);
        assertEquals(floor.getValue().content, found.contentNumber());
        assertEquals(floor.getKey().length, found.anchorLength());
        cursor.seek(view, key, 0, key.length);
        assertEquals(floor.getValue().content, cursor.contentNumber());
        assertEquals(found.logicalOffset(), cursor.logicalOffset());
        byte[] anchor = new byte[cursor.anchorLength()];
        cursor.anchor(anchor);
        assertTrue(Arrays.compareUnsigned(anchor, key) <= 0);
        assertTrue(cursor.isBelowUpperAnchor(key, 0, key.length));
    }

    NavigableMap<byte[], ModelInterval> intervals() {
        return intervals;
    }
}
