package io.flexdb.flextree.internal;

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
