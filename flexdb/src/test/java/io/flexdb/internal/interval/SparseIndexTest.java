package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SparseIndexTest {
    private final Epochs epochs = new Epochs();
    private SparseIndex index = new SparseIndex(epochs, 4, 4, new OffHeap());
    private final Interval found = new Interval();

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.ISO_8859_1);
    }

    private Interval find(String key) {
        index.find(index.current(), bytes(key), 0, key.length(), found);
        return found;
    }

    private void replace(String key, IntervalReplacement r) {
        index.replace(bytes(key), 0, key.length(), r);
    }

    private void append(String anchor, long bytes) {
        index.appendInterval(bytes(anchor), 0, anchor.length(), bytes, 1, bytes);
    }

    private static IntervalReplacement add(IntervalReplacement r, String anchor, long bytes) {
        return r.add(bytes(anchor), 0, anchor.length(), bytes, 1, bytes);
    }

    @AfterEach
    void checkInvariants() {
        IndexChecker.check(index);
    }

    @Test
    void aNewIndexIsOneEmptyIntervalThatEveryKeyBelongsTo() {
        assertEquals(0, find("").lengthBytes());
        assertEquals(0, find("\u00ff\u00ff").lengthBytes());
        assertEquals(0, found.anchorLength());
        assertFalse(found.hasNext());
        assertEquals(-1, found.upperAnchorLength());
        assertEquals(1, index.current().intervalCount());
        assertFalse(index.mergeWithPrevious(bytes("a"), 0, 1, 1));
        assertFalse(index.mergeWithNext(bytes("a"), 0, 1, 1));
    }

    /** Figure 10 of the paper. */
    @Test
    void aLargerIntervalShiftsThoseBehindIt() {
        IntervalReplacement r = new IntervalReplacement().clear().first(42, 1, 1);
        add(add(add(r, "bit", 22), "foo", 10), "pin", 5);
        replace("", r);
        assertEquals(64, find("kit").logicalOffset());
        assertEquals(42, find("cat").logicalOffset());
        replace("cat", new IntervalReplacement().first(31, 2, 99));
        assertEquals(42, find("cat").logicalOffset());
        assertEquals(31, found.lengthBytes());
        assertEquals(99, found.contentNumber());
        assertEquals(73, find("kit").logicalOffset());
        assertEquals(83, find("zoo").logicalOffset());
        assertEquals(88, index.current().totalBytes());
    }

    @Test
    void anAscendingLoadFillsItsNodes() {
        index = new SparseIndex(epochs, new OffHeap());
        IntervalReplacement r = new IntervalReplacement();
        for (int i = 0; i < 6300; i++) {
            String last = String.format(Locale.ROOT, "k%06d", i);
            replace(last, add(r.clear().first(10, 1, i), last, 10));
        }
        // 6301 intervals are 100 full leaves and one interval more; two levels lie above.
        assertEquals(101 + 2 + 1, index.nodes.pool.liveCount() - index.retiredCount());
        assertEquals(63_000, find("k006299").logicalOffset());
    }

    @Test
    void anIndexBuiltByAppendingIsTheSameAsOneBuiltAtOnce() {
        SparseIndex appended = new SparseIndex(epochs, 4, 4, new OffHeap());
        IntervalReplacement all = new IntervalReplacement().first(7, 1, 7);
        appended.appendInterval(bytes("ignored"), 0, 7, 7, 1, 7);
        for (int i = 0; i < 500; i++) {
            byte[] anchor = bytes(String.format(Locale.ROOT, "%04d", i));
            appended.appendInterval(anchor, 0, 4, i, 1, i);
            all.add(anchor, 0, 4, i, 1, i);
        }
        index.replace(bytes(""), 0, 0, all);
        IndexChecker.check(appended);
        assertEquals(IndexDump.of(index), IndexDump.of(appended));
        assertThrows(IllegalArgumentException.class, () -> appended.appendInterval(bytes("0499"), 0, 4, 1, 1, 1));
    }

    @Test
    void joiningAllIntervalsLeavesOneWithAllBytes() {
        append("", 1);
        for (int i = 0; i < 300; i++) {
            append(String.format(Locale.ROOT, "%03d", i), 1);
        }
        for (int i = 299; i >= 0; i -= 2) {
            String key = String.format(Locale.ROOT, "%03d", i);
            assertTrue(index.mergeWithPrevious(bytes(key), 0, 3, 1000 + i));
            IndexChecker.check(index);
        }
        assertEquals(2, find("150").lengthBytes());
        assertEquals(151, found.logicalOffset());
        while (index.mergeWithPrevious(bytes(""), 0, 0, 5)) {
            IndexChecker.check(index);
        }
        assertEquals(301, find("x").lengthBytes());
        assertEquals(301, found.pairCount());
        assertEquals(5, found.contentNumber());
        assertEquals(1, index.nodes.pool.liveCount());
    }

    @Test
    void aPinnedViewStaysWhatItWasAndItsMemoryIsKeptUntilThePinIsGone() {
        append("", 1);
        for (int i = 0; i < 200; i++) {
            append(String.format(Locale.ROOT, "%03d", i), 1);
        }
        IndexView old = index.current();
        String before = IndexDump.of(index, old);
        epochs.pin(old.epoch());
        epochs.advance();
        for (int i = 0; i < 200; i++) {
            replace(String.format(Locale.ROOT, "%03d", i), new IntervalReplacement().first(5 + i, 1, 9));
            index.current();
            epochs.advance();
            index.reclaim();
        }
        while (index.mergeWithNext(bytes(""), 0, 0, 5)) {
            epochs.advance();
            index.reclaim();
        }
        assertEquals(before, IndexDump.of(index, old));
        IndexChecker.check(index, old);
        assertTrue(index.nodes.keys.liveCount() >= 200);
        epochs.unpin(old.epoch());
        for (int i = 0; i < 3; i++) {
            epochs.advance();
            index.reclaim();
        }
        assertEquals(1, index.nodes.pool.liveCount());
        assertEquals(0, index.nodes.keys.liveCount());
        assertEquals(0, index.retiredCount());
    }

    @Test
    void memoryIsReusedFromEpochToEpoch() {
        append("", 1);
        for (int i = 0; i < 1000; i++) {
            append(String.format(Locale.ROOT, "%04d", i), 1);
        }
        long bytes = 0;
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 1000; i++) {
                String key = String.format(Locale.ROOT, "%04d", i);
                replace(key, add(new IntervalReplacement().first(1, 1, 9), key + "+", 1));
                index.mergeWithPrevious(bytes(key + "+"), 0, 5, 9);
                epochs.advance();
                index.reclaim();
            }
            if (round == 0) {
                bytes = index.memoryBytes();
            }
        }
        assertEquals(bytes, index.memoryBytes());
    }

    @Test
    void theViewIsTheSameObjectUntilSomethingChanges() {
        IndexView view = index.current();
        assertSame(view, index.current());
        replace("", new IntervalReplacement().first(3, 1, 1));
        assertEquals(0, view.totalBytes());
        assertEquals(3, index.current().totalBytes());
        assertTrue(index.toString().contains("bytes=3"), index.toString());
        assertTrue(index.current().toString().contains("bytes=3"));
        assertTrue(find("").toString().contains("bytes=3"));
    }

    @Test
    void theDumpShowsRelativeAndLogicalOffsets() {
        IntervalReplacement r = new IntervalReplacement().first(10, 1, 1);
        for (String anchor : new String[] {"a", "b\"", "c\u0001", "d"}) {
            add(r, anchor, 20);
        }
        replace("", r);
        String dump = IndexDump.of(index);
        assertTrue(dump.contains("+50 (50) \"c\\x01\" bytes=20 pairs=1 content=20"), dump);
        assertTrue(dump.contains("+0 (70) \"d\" bytes=20"), dump);
        assertTrue(dump.contains("\"b\\x22\""), dump);
        IntervalCursor cursor = index.cursor();
        assertEquals("IntervalCursor[invalid]", cursor.toString());
        cursor.last(index.current());
        assertTrue(cursor.toString().contains("offset=70"), cursor.toString());
        cursor.reset();
        assertFalse(cursor.isValid());
    }

    @Test
    void badArgumentsAreNamed() {
        IntervalReplacement r = new IntervalReplacement();
        assertThrows(IllegalArgumentException.class, () -> replace("", r));
        assertThrows(IllegalStateException.class, () -> add(r, "a", 1));
        assertThrows(IllegalArgumentException.class, () -> r.first(-1, 0, 1));
        r.first(1, 1, 1);
        assertThrows(IllegalStateException.class, () -> r.first(1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> add(r, "", 1));
        assertThrows(IllegalArgumentException.class, () -> r.add(new byte[0x10000], 0, 0x10000, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> append("", -1));
        assertThrows(IllegalArgumentException.class, () -> new SparseIndex(epochs, 3, 4, new OffHeap()));
        assertThrows(IllegalArgumentException.class, () -> new SparseIndex(epochs, 4, 85, new OffHeap()));
        add(add(r, "b", 1), "a", 1);
        assertThrows(AssertionError.class, () -> replace("", r));
        index = new SparseIndex(epochs, new OffHeap());
    }
}
