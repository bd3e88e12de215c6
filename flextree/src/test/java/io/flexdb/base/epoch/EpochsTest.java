package io.flexdb.base.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class EpochsTest {
    private final Epochs epochs = new Epochs();

    private void advance(int times) {
        for (int i = 0; i < times; i++) {
            epochs.advance();
        }
    }

    @Test
    void whatIsRetiredPassesTheShortReadsWhenThereAreNone() {
        long retired = epochs.writerEpoch();
        assertFalse(epochs.isPastShortReads(retired));
        advance(1);
        assertFalse(epochs.isPastShortReads(retired));
        for (int i = 0; i < 3; i++) {
            epochs.tryNextPhase();
        }
        assertTrue(epochs.isPastShortReads(retired));
        assertFalse(epochs.isPastShortReads(epochs.writerEpoch()));
    }

    @Test
    void whatIsInTheVersionPublishedLastIsKeptHoweverManyEpochsAreSealed() {
        advance(3);
        long retired = epochs.writerEpoch(); // after the publication, so the version published last has it
        for (int i = 0; i < 5; i++) {
            epochs.seal();
            epochs.tryNextPhase();
        }
        assertEquals(retired + 5, epochs.writerEpoch());
        int ticket = epochs.enter(); // finds that version
        for (int i = 0; i < 5; i++) {
            epochs.advance();
            assertFalse(epochs.isPastShortReads(retired), "while a short read has it");
        }
        epochs.exit(ticket);
        for (int i = 0; i < 3; i++) {
            epochs.tryNextPhase();
        }
        assertTrue(epochs.isPastShortReads(retired));
    }

    @Test
    void aShortReadHoldsBackWhatWasRetiredAfterItBegan() {
        for (int warmUp = 0; warmUp < 5; warmUp++) {
            int ticket = epochs.enter();
            assertTrue(epochs.hasReaders());
            long retired = epochs.writerEpoch();
            advance(10);
            assertFalse(epochs.isPastShortReads(retired));
            epochs.exit(ticket);
            assertFalse(epochs.hasReaders());
            advance(3);
            assertTrue(epochs.isPastShortReads(retired));
        }
    }

    @Test
    void shortReadsThatOverlapForEverDoNotHoldThingsBackForEver() {
        long retired = epochs.writerEpoch();
        int ticket = epochs.enter();
        advance(1);
        int rounds = 0;
        while (!epochs.isPastShortReads(retired)) {
            int next = epochs.enter();
            epochs.exit(ticket);
            ticket = next;
            epochs.tryNextPhase();
            assertTrue(rounds++ < 10);
        }
        epochs.exit(ticket);
    }

    @Test
    void aPinKeepsWhatLivesInItsVersion() {
        epochs.pin(5);
        assertTrue(epochs.isPinned(5, 6));
        assertTrue(epochs.isPinned(1, 9));
        assertFalse(epochs.isPinned(1, 5), "retired in that version: not in it any more");
        assertFalse(epochs.isPinned(6, 9));
        epochs.unpin(5);
        assertFalse(epochs.isPinned(5, 6));
    }

    @Test
    void pinsAreCountedByVersion() {
        long events = epochs.pinEvents();
        for (int version = 40; version > 0; version -= 2) {
            epochs.pin(version);
            epochs.pin(version);
        }
        assertEquals(20, epochs.pinnedVersionCount());
        assertEquals(2, epochs.pinnedVersions(new long[3])[0]);
        assertEquals(40, epochs.pinnedVersions(new long[3])[19]);
        assertEquals(Long.MAX_VALUE, epochs.pinnedVersions(new long[30])[20]);
        assertEquals(events + 20, epochs.pinEvents());
        epochs.unpin(8);
        assertTrue(epochs.isPinned(8, 9));
        assertEquals(events + 20, epochs.pinEvents());
        epochs.unpin(8);
        assertFalse(epochs.isPinned(7, 10));
        assertTrue(epochs.isPinned(7, 11));
        assertEquals(events + 21, epochs.pinEvents());
        assertEquals(19, epochs.pinnedVersionCount());
        assertThrows(IllegalStateException.class, () -> epochs.unpin(8));
        assertTrue(epochs.toString().contains("pinned=19"), epochs.toString());
    }

    /**
     * The writer replaces one node again and again and spoils what it reuses; readers must never see a spoiled one,
     * neither in short reads nor in versions they pinned.
     */
    @Test
    void readersNeverSeeANodeThatIsUsedAgain() throws Exception {
        int versions = Effort.times(100_000);
        SharedNode shared = new SharedNode(epochs);
        shared.replace();
        ExecutorService readers = Executors.newFixedThreadPool(3);
        AtomicBoolean done = new AtomicBoolean();
        try {
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                boolean pins = i > 0;
                results.add(readers.submit(() -> {
                    long reads = 0;
                    do {
                        reads += pins ? shared.readPinned() : shared.readShortly();
                    } while (!done.get());
                    return reads;
                }));
            }
            for (int i = 0; i < versions; i++) {
                shared.replace();
            }
            done.set(true);
            for (Future<Long> result : results) {
                assertTrue(result.get(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES) > 0);
            }
        } finally {
            done.set(true);
            readers.shutdownNow();
        }
        for (int i = 0; i < 4; i++) {
            shared.replace();
        }
        assertTrue(shared.pool.retiredCount() <= 4, "all but the last few are free");
    }

    private static final class SharedNode {
        private record Version(long id, int node) {}

        private final Epochs epochs;
        final NodePool pool;
        private volatile Version current;

        SharedNode(Epochs epochs) {
            this.epochs = epochs;
            this.pool = new NodePool(epochs, 64, new OffHeap(), OffHeap.Use.TREE);
        }

        void replace() {
            int node = pool.allocate();
            long epoch = epochs.writerEpoch();
            write(node, ~epoch); // spoiled until it is published
            write(node, epoch);
            Version old = current;
            current = new Version(epoch, node);
            if (old != null) {
                pool.retire(old.node, old.id);
            }
            epochs.advance();
            pool.reclaim();
        }

        private void write(int node, long value) {
            ByteBuffer buffer = pool.chunk(node);
            for (int i = 0; i < 64; i += 8) {
                buffer.putLong(pool.base(node) + i, value);
            }
        }

        private void check(Version version) {
            ByteBuffer buffer = pool.chunk(version.node);
            for (int i = 0; i < 64; i += 8) {
                assertEquals(version.id, buffer.getLong(pool.base(version.node) + i));
            }
        }

        long readShortly() {
            int ticket = epochs.enter();
            try {
                Version version = current;
                for (int i = 0; i < 5; i++) {
                    check(version);
                }
            } finally {
                epochs.exit(ticket);
            }
            return 1;
        }

        long readPinned() {
            int ticket = epochs.enter();
            Version version = current;
            epochs.pin(version.id);
            epochs.exit(ticket);
            for (int i = 0; i < 50; i++) {
                check(version);
            }
            epochs.unpin(version.id);
            return 1;
        }
    }
}
