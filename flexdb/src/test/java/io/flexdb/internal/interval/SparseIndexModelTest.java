package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.testing.Effort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparseIndexModelTest {

    private record Kept(IndexView view, IndexModel model) {}

    private final Epochs epochs = new Epochs();
    private final IndexModel model = new IndexModel();
    private final IntervalReplacement replacement = new IntervalReplacement();
    private final List<Kept> kept = new ArrayList<>();
    private SparseIndex index;
    private KeySource source;
    private Random random;
    private long nextContent = 1;

    @ParameterizedTest
    @CsvSource({
        "NUMBERED, 4, 4, 2000",
        "NUMBERED, 63, 84, 4000",
        "TANGLED, 4, 5, 3000",
        "TANGLED, 63, 84, 3000",
        "UNIFORM, 5, 4, 2000",
        "UNIFORM, 63, 84, 4000",
        "LONG, 4, 4, 300",
        "LONG, 63, 84, 400"
    })
    void viewsAgreeWithASortedMapWhateverTheWriterDoesLater(
            KeySource keys, int leafCapacity, int internalCapacity, int operations) {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        System.out.println("-Dflexdb.test.seed=" + seed + " " + keys + " " + leafCapacity);
        random = new Random(seed);
        source = keys;
        index = new SparseIndex(epochs, leafCapacity, internalCapacity, new OffHeap());
        int checkEvery = Math.max(1, operations / 16);
        for (int i = 0; i < Effort.times(operations); i++) {
            boolean shrinking = (i / (operations / 4)) % 2 == 1;
            change(shrinking);
            if (random.nextInt(10) == 0) {
                publish();
            }
            if (i % checkEvery == 0) {
                IndexChecker.check(index);
                model.assertSame(index, index.current());
                checkKept();
            }
            checkFinds(3);
        }
        checkKept();
        kept.forEach(k -> epochs.unpin(k.view.epoch()));
        kept.clear();
        shrinkToOne();
        assertEverythingReclaimed();
    }

    private void change(boolean shrinking) {
        byte[] key = source.next(random);
        int kind = random.nextInt(10);
        if (kind < (shrinking ? 2 : 0)) {
            removeFollowing(key);
        } else if (kind < (shrinking ? 7 : 1)) {
            long content = nextContent++;
            if (random.nextBoolean()) {
                model.mergeWithPrevious(key, content);
                index.mergeWithPrevious(key, 0, key.length, content);
            } else {
                model.mergeWithNext(key, content);
                index.mergeWithNext(key, 0, key.length, content);
            }
        } else {
            int count = shrinking || kind < 4 ? 1 : random.nextInt(60) == 0 ? 1000 : 2 + random.nextInt(3);
            replace(key, count);
        }
    }

    private void removeFollowing(byte[] key) {
        IntervalCursor cursor = index.cursor();
        cursor.seek(index.current(), key, 0, key.length);
        if (!cursor.hasNext()) {
            return;
        }
        int most = 0;
        while (cursor.isInLeafWithNext() && cursor.next()) {
            most++;
        }
        int count = most == 0 ? 1 : 1 + random.nextInt(most);
        model.removeFollowing(key, count);
        index.removeFollowing(key, 0, key.length, count);
    }

    /** Replaces the interval of a key by as many as keys can be found for, up to a number. */
    private void replace(byte[] key, int count) {
        byte[] lower = model.anchorOf(key);
        byte[] upper = model.upperAnchorOf(key);
        TreeSet<byte[]> anchors = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < 2 * count && anchors.size() < count - 1; i++) {
            byte[] candidate = i == 0 ? key : source.next(random);
            if (Arrays.compareUnsigned(candidate, lower) > 0
                    && (upper == null || Arrays.compareUnsigned(candidate, upper) < 0)) {
                anchors.add(candidate);
            }
        }
        IndexModel.ModelInterval first = randomInterval();
        replacement.clear().first(first.bytes(), first.pairs(), first.content());
        model.put(lower, first);
        for (byte[] anchor : anchors) {
            IndexModel.ModelInterval next = randomInterval();
            replacement.add(anchor, 0, anchor.length, next.bytes(), next.pairs(), next.content());
            model.put(anchor, next);
        }
        index.replace(key, 0, key.length, replacement);
    }

    private IndexModel.ModelInterval randomInterval() {
        long bytes = random.nextInt(50) == 0 ? random.nextLong() >>> 24 : random.nextInt(20_000);
        return new IndexModel.ModelInterval(random.nextInt(20) == 0 ? 0 : bytes, random.nextInt(20), nextContent++);
    }

    private void publish() {
        IndexView view = index.current();
        if (random.nextInt(20) == 0 && kept.size() < 8) {
            int ticket = epochs.enter();
            epochs.pin(view.epoch());
            epochs.exit(ticket);
            kept.add(new Kept(view, model.copy()));
        }
        epochs.advance();
        index.reclaim();
        // What goes on in a new epoch must not change a view of an older one.
        if (kept.size() == 8 && random.nextInt(10) == 0) {
            Kept gone = kept.remove(random.nextInt(8));
            gone.model.assertSame(index, gone.view);
            epochs.unpin(gone.view.epoch());
        }
    }

    private void checkKept() {
        for (Kept k : kept) {
            IndexChecker.check(index, k.view);
            k.model.assertSame(index, k.view);
        }
    }

    private void checkFinds(int count) {
        Interval found = new Interval();
        IntervalCursor cursor = index.cursor();
        for (int i = 0; i < count; i++) {
            byte[] key = source.next(random);
            model.assertFinds(index, index.current(), key, found, cursor);
            if (!kept.isEmpty()) {
                Kept k = kept.get(random.nextInt(kept.size()));
                k.model.assertFinds(index, k.view, key, found, cursor);
            }
        }
    }

    private void shrinkToOne() {
        while (model.size() > 1) {
            byte[] key = source.next(random);
            long content = nextContent++;
            model.mergeWithPrevious(key, content);
            assertTrue(index.mergeWithPrevious(key, 0, key.length, content));
            if (random.nextInt(10) == 0) {
                publish();
            }
            if (random.nextInt(100) == 0) {
                IndexChecker.check(index);
            }
        }
        model.assertSame(index, index.current());
        kept.forEach(k -> epochs.unpin(k.view.epoch()));
        kept.clear();
    }

    private void assertEverythingReclaimed() {
        for (int i = 0; i < 4; i++) {
            epochs.advance();
            index.reclaim();
        }
        IndexChecker.check(index);
        assertEquals(0, index.retiredCount());
        assertEquals(1, index.nodes.pool.liveCount());
        assertEquals(0, index.nodes.keys.liveCount());
    }
}
