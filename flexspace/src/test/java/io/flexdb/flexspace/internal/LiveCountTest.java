package io.flexdb.flexspace.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.internal.Epochs;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LiveCountTest {
    private static final int FRAME = 512;
    private static final int SEGMENTS = 5;

    private final SegmentFormat format = new SegmentFormat(64 * FRAME, FRAME, 9);
    private final Random random = new Random(1);

    /** All but the last segment are sealed; the last has two frames. */
    private SegmentStore store(boolean refills) {
        SimulatedVfs vfs = new SimulatedVfs();
        SegmentStore store =
                new SegmentStore(vfs.open(Path.of("/data"), OpenMode.CREATE), format, new Epochs(), vfs.worker("seal"));
        if (refills) {
            store.enableRefills();
        }
        for (int number = 0; number < SEGMENTS; number++) {
            store.restore(number, 1);
        }
        store.segment(SEGMENTS - 1).usedBytes = 2 * FRAME;
        return store;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void partsThatAreCountedApartAddUp(boolean refills) {
        SegmentStore oneByOne = store(refills);
        SegmentStore inParts = store(refills);
        LiveCount[] parts = {new LiveCount(inParts), new LiveCount(inParts), new LiveCount(inParts)};
        for (int number = 0; number < SEGMENTS - 1; number++) {
            int length;
            for (int position = 0; position < format.dataBytes - format.maxExtentBytes; position += length) {
                length = 1 + random.nextInt(format.maxExtentBytes);
                long address = format.address(number, position);
                if (number != 2 && random.nextBoolean()) {
                    assertTrue(oneByOne.addLive(address, length));
                    assertTrue(parts[random.nextInt(number == 1 ? 1 : 3)].add(address, length));
                }
            }
        }
        for (LiveCount part : parts) {
            assertNull(inParts.addLive(part));
        }
        assertTrue(inParts.liveBytes() > 0);
        assertEquals(oneByOne.liveBytes(), inParts.liveBytes());
        for (int number = 0; number < SEGMENTS; number++) {
            assertEquals(oneByOne.segment(number).liveBytes, inParts.segment(number).liveBytes);
            assertEquals(oneByOne.segment(number).liveFrames, inParts.segment(number).liveFrames);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatLiesInNoSegmentIsRefused(boolean refills) {
        SegmentStore store = store(refills);
        LiveCount count = new LiveCount(store);
        int last = SEGMENTS - 1;
        assertTrue(count.add(format.address(last, FRAME), FRAME));
        assertFalse(count.add(format.address(last, FRAME + 1), FRAME), "beyond what was written");
        assertFalse(count.add(format.address(0, format.dataBytes), 1), "in the footer");
        assertFalse(count.add(format.address(0, 0), format.maxExtentBytes + 1), "longer than an extent may be");
        assertFalse(count.add(format.address(SEGMENTS, 0), 1), "in no segment");
        assertFalse(count.add((1L << 48) - 2, 1), "in no segment");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void extentsThatOverlapAreNoticedWhenTheyAreMoreThanThereIsRoom(boolean refills) {
        SegmentStore store = store(refills);
        LiveCount[] parts = {new LiveCount(store), new LiveCount(store)};
        long address = format.address(SEGMENTS - 1, 0);
        assertTrue(parts[0].add(address, 2 * FRAME));
        assertFalse(parts[0].add(address, 1));
        assertTrue(parts[1].add(address + FRAME - 1, 1));
        LiveCount whole = new LiveCount(store);
        assertTrue(whole.add(address, 2 * FRAME));
        assertNull(store.addLive(whole));
        assertSame(store.segment(SEGMENTS - 1), store.addLive(parts[1]));
    }
}
