package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SegmentStoreTest {
    private static final int EXTENT = 512;

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final SegmentFormat format = new SegmentFormat(32 * 512, 512, 9);
    private final SegmentStore store =
            new SegmentStore(vfs.open(Path.of("/data"), OpenMode.CREATE), format, epochs, vfs.worker("seal"));

    private long append(int fill) {
        byte[] bytes = new byte[EXTENT];
        Arrays.fill(bytes, (byte) fill);
        long address = store.append(ByteBuffer.wrap(bytes), 0, EXTENT);
        store.addLive(address, EXTENT);
        return address;
    }

    private void fillSegments(int count, int fill) {
        for (int i = 0; i < count * format.dataFrames; i++) {
            append(fill);
        }
    }

    private void publish() {
        epochs.advance();
        store.reclaim();
    }

    /** A reader may have taken the memory of an open segment just before it was sealed. */
    @Test
    void memoryIsNotUsedAgainWhileAReaderMayCopyFromIt() {
        fillSegments(1, 1);
        ByteBuffer memory = store.segment(0).memory;
        publish();
        store.buffers().reserve(1, 20); // or the writer would wait for the reader
        int ticket = epochs.enter();
        for (int segment = 0; segment < 10; segment++) {
            fillSegments(1, 2);
            publish();
        }
        assertNull(store.segment(0).memory);
        for (int i = 0; i < format.dataBytes; i++) {
            assertEquals(1, memory.get(i), "byte " + i);
        }
        epochs.exit(ticket);
        for (int i = 0; i < 4; i++) {
            publish();
        }
        Set<ByteBuffer> used = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int segment = 0; segment < 40; segment++) {
            fillSegments(1, 3);
            used.add(store.openSegment().memory);
            publish();
        }
        assertTrue(used.size() < 10, used.size() + " buffers for one open segment after the other");
    }

    @Test
    void whatWasForcedIsNeverWrittenAgain() {
        byte[] some = new byte[100];
        store.append(ByteBuffer.wrap(some), 0, 100);
        SegmentStores.force(store);
        assertEquals(1, store.openFramesInFile());
        long next = store.append(ByteBuffer.wrap(some), 0, 100);
        assertEquals(512, format.positionOf(next));
        vfs.startTrace();
        SegmentStores.force(store);
        assertEquals("write /data " + (4096 + 512) + "+512", vfs.trace().get(0));
        SegmentStores.force(store);
        assertEquals(2, vfs.trace().size(), "nothing new, nothing to force: " + vfs.trace());
        assertEquals(1024, store.bytesWritten());
    }

    private void assertHolds(long address, int fill) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(EXTENT);
        store.read(address, bytes, 0, EXTENT, store.newScratch(null));
        for (int i = 0; i < EXTENT; i++) {
            assertEquals(fill, bytes.get(i), "byte " + i);
        }
    }

    @Test
    void theOpenSegmentGivesItsMemoryBackOnceAllOfItIsInTheFile() {
        long first = append(1);
        store.giveBackBuffers();
        assertNotNull(store.openSegment().memory, "it has what the file has not");
        SegmentStores.force(store);
        int ticket = epochs.enter();
        ByteBuffer seen = store.openSegment().memory;
        store.giveBackBuffers();
        assertNull(store.openSegment().memory);
        assertEquals(format.segmentBytes, store.buffers().memoryBytes(), "a reader may copy from it still");
        assertEquals(1, seen.get(0));
        epochs.exit(ticket);
        store.giveBackBuffers();
        assertEquals(0, store.buffers().memoryBytes());
        assertHolds(first, 1);
        long second = append(2);
        assertEquals(format.segmentOf(first), format.segmentOf(second));
        assertHolds(first, 1);
        assertHolds(second, 2);
        fillSegments(2, 3);
        SegmentStores.force(store);
        publish();
        assertHolds(first, 1);
        assertHolds(second, 2);
    }

    @Test
    void addressesThatAreNotOfDataAreNoExtents() {
        fillSegments(1, 1);
        append(1);
        SegmentStores.force(store);
        assertTrue(store.isExtent(0, EXTENT));
        assertTrue(store.isExtent(format.address(1, 0), EXTENT));
        assertFalse(store.isExtent(format.address(1, 0), EXTENT + 1), "longer than an extent may be");
        assertFalse(store.isExtent(format.address(1, 1), EXTENT), "beyond what was written");
        assertFalse(store.isExtent(format.address(0, format.dataBytes), 1), "in the footer");
        assertFalse(store.isExtent(format.address(2, 0), 1), "in no segment");
        assertFalse(store.isExtent((1L << 48) - 2, 1), "in no segment");
    }
}
