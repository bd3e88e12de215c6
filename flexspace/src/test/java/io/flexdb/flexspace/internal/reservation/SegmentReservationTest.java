package io.flexdb.flexspace.internal.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.log.LogBatch;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.segment.SegmentStores;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentReservationTest {
    private static final int FRAME = 512;
    private static final int SEGMENT = 32 * FRAME;
    private static final int SEGMENTS = 40;

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();

    /** As with 2^48 bytes, but sooner. */
    @Test
    void aSpaceWithoutACapIsFullWhereAddressesEnd() {
        SegmentFormat format = new SegmentFormat(SEGMENT, FRAME, 1, (long) SEGMENTS * SEGMENT);
        SegmentStore store =
                new SegmentStore(vfs.open(Path.of("/data"), OpenMode.CREATE), format, epochs, vfs.worker("seal"));
        SegmentReservation segments = new SegmentReservation(store, new WriterPauses(() -> 0), Long.MAX_VALUE);
        List<Long> addresses = new ArrayList<>();
        while (segments.reserve(FRAME, 0)) {
            long address = store.append(ByteBuffer.allocate(FRAME), 0, FRAME);
            assertTrue(store.addLive(address, FRAME));
            assertTrue(address + FRAME <= (long) SEGMENTS * SEGMENT, "address " + address);
            addresses.add(address);
        }
        assertTrue(store.segmentCount() > SEGMENTS * 3 / 4, store.segmentCount() + " segments");
        assertTrue(
                segments.refusal().getMessage().contains("48 bits"),
                segments.refusal().getMessage());
        assertFalse(segments.reserve(FRAME, 0));
        for (int i = 0; i < 5 * format.dataFrames; i++) { // whole segments
            store.removeLive(addresses.get(i), FRAME);
        }
        SegmentStores.force(store);
        store.noteTouched(new LogBatch());
        for (int i = 0; i < 4; i++) {
            store.releaseEmptied();
            epochs.advance();
            store.reclaim();
        }
        assertTrue(segments.reserve(FRAME, 0));
    }

    @Test
    void theDefaultSegmentsEndBeforeTheAddressOfHoles() {
        SegmentFormat format = new SegmentFormat(4 << 20, 4096, 1);
        assertEquals((1 << 26) - 1, format.maxSegments);
        assertTrue(format.address(format.maxSegments - 1, format.segmentBytes - 1) < (1L << 48) - 1);
    }

    @Test
    void aCapBeyondAllAddressesIsRefusedBeforeAnythingIsMade() {
        for (long bytes : new long[] {1L << 48, 1L << 60, Long.MAX_VALUE - 1}) {
            FlexSpaceOptions options = FlexSpaceOptions.defaults().withMaxDataBytes(bytes);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> SpaceEngine.create(vfs, Path.of("/space"), 1, OwnedSpaces.settings(options), List.of()));
        }
        assertTrue(vfs.files().isEmpty(), () -> "" + vfs.files());
    }
}
