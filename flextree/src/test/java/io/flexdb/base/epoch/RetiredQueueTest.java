package io.flexdb.base.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RetiredQueueTest {
    private final Epochs epochs = new Epochs();
    private final List<Long> freed = new ArrayList<>();
    private final RetiredQueue queue = new RetiredQueue(epochs, freed::add);

    private int advanceAndReclaim(int times) {
        int count = 0;
        for (int i = 0; i < times; i++) {
            epochs.advance();
            count += queue.reclaim();
        }
        return count;
    }

    @Test
    void whatNoVersionEverHadIsFreeAtOnce() {
        queue.retire(7, epochs.writerEpoch());
        assertEquals(List.of(7L), freed);
        assertEquals(0, queue.size());
    }

    @Test
    void thingsAreFreedInTheOrderTheyWereRetired() {
        epochs.advance();
        for (long handle = 0; handle < 1000; handle++) {
            queue.retire(handle, epochs.writerEpoch() - 1);
        }
        assertEquals(1000, queue.size());
        assertEquals(1000, advanceAndReclaim(4));
        assertEquals(1000, freed.size());
        for (int i = 0; i < 1000; i++) {
            assertEquals(i, freed.get(i));
        }
    }

    @Test
    void onePinDoesNotHoldBackWhatCameAfterIt() {
        epochs.advance();
        long pinned = epochs.writerEpoch() - 1;
        epochs.pin(pinned);
        for (long handle = 0; handle < 100; handle++) {
            queue.retire(handle, pinned); // held
            epochs.advance();
            queue.retire(1000 + handle, epochs.writerEpoch() - 1); // made after the pin
            queue.reclaim();
        }
        advanceAndReclaim(4);
        assertEquals(100, freed.size());
        assertTrue(freed.stream().allMatch(handle -> handle >= 1000));
        assertEquals(100, queue.heldByPins());
        epochs.unpin(pinned);
        assertEquals(100, queue.reclaim());
        assertEquals(0, queue.size());
        assertEquals(200, freed.size());
    }

    /** One old snapshot, and cursors that come and go. */
    @Test
    void whatAPinHoldsIsNotVisitedWhileOtherPinsComeAndGo() {
        epochs.advance();
        long old = epochs.writerEpoch() - 1;
        epochs.pin(old);
        for (long handle = 0; handle < 100_000; handle++) {
            queue.retire(handle, old);
        }
        while (queue.heldByPins() < 100_000) {
            advanceAndReclaim(1);
        }
        int rounds = 1000;
        long before = queue.visits();
        for (int i = 0; i < rounds; i++) {
            long version = epochs.writerEpoch() - 1;
            epochs.pin(version);
            queue.retire(200_000 + i, version - 1);
            advanceAndReclaim(1);
            epochs.unpin(version);
            advanceAndReclaim(1);
        }
        advanceAndReclaim(4);
        assertEquals(rounds, freed.size());
        assertEquals(100_000, queue.heldByPins());
        long visits = queue.visits() - before;
        assertTrue(visits <= 4L * rounds, visits + " visits");
        epochs.unpin(old);
        int freedAtOnce = advanceAndReclaim(1);
        assertTrue(freedAtOnce > 0 && freedAtOnce < 10_000, freedAtOnce + " freed by one call");
        advanceAndReclaim(100);
        assertEquals(0, queue.size());
        assertEquals(rounds + 100_000, freed.size());
    }

    /** Each goes as the oldest, so that what it holds goes on to the next one, again and again. */
    @Test
    void pinsThatGoOneAfterTheOtherVisitWhatTheyShareOnce() {
        epochs.advance();
        long first = epochs.writerEpoch() - 1;
        int pinCount = 200;
        for (int i = 0; i < pinCount; i++) {
            epochs.pin(first + i);
            epochs.advance();
        }
        for (long handle = 0; handle < 50_000; handle++) {
            queue.retire(handle, first);
        }
        while (queue.heldByPins() < 50_000) {
            advanceAndReclaim(1);
        }
        long before = queue.visits();
        for (int i = 0; i < pinCount; i++) {
            assertEquals(0, freed.size());
            epochs.unpin(i % 2 == 0 ? first + i / 2 : first + pinCount - 1 - i / 2); // from both ends
            advanceAndReclaim(1);
        }
        advanceAndReclaim(50);
        assertEquals(50_000, freed.size());
        long visits = queue.visits() - before;
        assertTrue(visits <= 50_000 + 2 * pinCount, visits + " visits");
    }

    /** A reader may pin a version that is not the newest any more. */
    @Test
    void slowReadersAndPinsHoldWhatTheirVersionsHaveAndNothingElse() {
        for (long seed = 0; seed < 30; seed++) {
            new HeldExactly(seed).run();
        }
    }

    private static final class HeldExactly {
        private final long seed;
        private final SplittableRandom random;
        private final Epochs readers = new Epochs();
        private final TreeMap<Long, Integer> pins = new TreeMap<>();
        private final TreeMap<Long, long[]> retired = new TreeMap<>(); // handle to birth and retirement
        private final List<long[]> reads = new ArrayList<>(); // ticket and version found
        private final RetiredQueue queue = new RetiredQueue(readers, this::freed);
        private long handles;

        HeldExactly(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        private void freed(long handle) {
            long[] lived = retired.remove(handle);
            assertTrue(lived != null, () -> "seed " + seed + ": freed twice");
            assertTrue(pins.subMap(lived[0], lived[1]).isEmpty(), () -> "seed " + seed + ": freed though pinned");
            for (long[] read : reads) {
                assertTrue(read[1] < lived[0] || read[1] >= lived[1], () -> "seed " + seed + ": freed though read");
            }
        }

        void run() {
            for (int round = 0; round < 3000; round++) {
                long epoch = readers.writerEpoch();
                if (random.nextInt(4) == 0) {
                    reads.add(new long[] {readers.enter(), epoch - 1});
                }
                for (int i = random.nextInt(4); i > 0; i--) {
                    long birth = Math.max(0, epoch - 1 - random.nextLong(1 + random.nextLong(1 + epoch)));
                    retired.put(handles, new long[] {birth, epoch});
                    queue.retire(handles++, birth);
                }
                if (random.nextInt(8) == 0) {
                    readers.seal();
                } else {
                    readers.advance();
                }
                if (!reads.isEmpty() && random.nextInt(3) == 0) {
                    endRead();
                }
                if (pins.size() > random.nextInt(20)) {
                    unpinAny();
                }
                queue.reclaim();
                if (random.nextInt(100) == 0) {
                    checkHeld();
                }
            }
            while (!pins.isEmpty()) {
                unpinAny();
                checkHeld();
            }
            assertEquals(0, queue.size());
        }

        private void endRead() {
            long[] read = reads.remove(random.nextInt(reads.size()));
            if (random.nextBoolean()) {
                readers.pin(read[1]);
                pins.merge(read[1], 1, Integer::sum);
            }
            readers.exit((int) read[0]);
        }

        private void unpinAny() {
            Long at = pins.floorKey(pins.firstKey() + random.nextLong(1 + pins.lastKey() - pins.firstKey()));
            readers.unpin(at);
            pins.computeIfPresent(at, (version, times) -> times == 1 ? null : times - 1);
        }

        private void checkHeld() {
            while (!reads.isEmpty()) {
                endRead();
            }
            for (int i = 0; i < 4; i++) {
                readers.advance();
                queue.reclaim();
            }
            for (long[] lived : retired.values()) {
                assertTrue(!pins.subMap(lived[0], lived[1]).isEmpty(), () -> "seed " + seed + ": held by nothing");
            }
            assertEquals(retired.size(), queue.size(), "seed " + seed);
            assertEquals(retired.size(), queue.heldByPins(), "seed " + seed);
        }
    }

    @Test
    void randomPinsHoldExactlyWhatLivesInTheirVersions() {
        SplittableRandom random = new SplittableRandom(3);
        TreeMap<Long, Integer> pins = new TreeMap<>();
        List<long[]> retired = new ArrayList<>();
        BitSet free = new BitSet();
        RetiredQueue checked = new RetiredQueue(epochs, handle -> {
            long[] lived = retired.get((int) handle);
            assertTrue(pins.subMap(lived[0], lived[1]).isEmpty(), "freed although a pinned version has it");
            assertTrue(!free.get((int) handle), "freed twice");
            free.set((int) handle);
        });
        for (int round = 0; round < 20_000; round++) {
            long epoch = epochs.writerEpoch();
            for (int i = random.nextInt(3); i > 0; i--) {
                long birth = 1 + random.nextLong(epoch);
                retired.add(new long[] {birth, epoch});
                checked.retire(retired.size() - 1, birth);
            }
            epochs.advance();
            if (random.nextInt(10) == 0) {
                epochs.pin(epoch);
                pins.merge(epoch, 1, Integer::sum);
            }
            if (pins.size() > random.nextInt(12)) {
                long version = random.nextBoolean() ? pins.firstKey() : pins.lastKey();
                epochs.unpin(version);
                pins.computeIfPresent(version, (key, count) -> count == 1 ? null : count - 1);
            }
            checked.reclaim();
        }
        for (long version : pins.keySet()) {
            epochs.unpin(version);
        }
        pins.clear();
        for (int i = 0; i < 4; i++) {
            epochs.advance();
            checked.reclaim();
        }
        assertEquals(retired.size(), free.cardinality());
        assertEquals(0, checked.size());
    }
}
