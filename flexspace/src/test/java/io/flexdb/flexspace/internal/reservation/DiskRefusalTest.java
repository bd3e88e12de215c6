package io.flexdb.flexspace.internal.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a disk did not have is not tried again before it may have more. */
class DiskRefusalTest {
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final SegmentStore store = new SegmentStore(
            vfs.open(Path.of("/data"), OpenMode.CREATE),
            new SegmentFormat(32 * 512, 512, 1),
            new Epochs(),
            vfs.worker("seal"));
    private final SegmentReservation disk = new SegmentReservation(store, new WriterPauses(() -> 0), Long.MAX_VALUE);
    private long left = 1000;
    private int tried;

    private boolean claim(long bytes) {
        return disk.claim(bytes, () -> {
            tried++;
            if (bytes > left) {
                throw new StoreFullException("there are no " + bytes + " bytes");
            }
            left -= bytes;
        });
    }

    @Test
    void whatThereIsIsTaken() {
        assertTrue(claim(600));
        assertTrue(claim(400));
        assertEquals(0, left);
        assertNull(disk.diskRefusal());
    }

    @Test
    void whatThereWasNotIsNotTriedAgainAndNorIsMore() {
        assertFalse(claim(1001));
        StoreFullException refusal = disk.diskRefusal();
        assertEquals("there are no 1001 bytes", refusal.getMessage());
        left = 5000;
        assertFalse(claim(1001));
        assertFalse(claim(2000));
        assertEquals(1, tried);
        assertSame(refusal, disk.diskRefusal());
    }

    @Test
    void lessIsTriedEvenSo() {
        assertFalse(claim(2000));
        assertFalse(claim(1500));
        assertFalse(claim(1500));
        assertTrue(claim(1000));
        assertEquals(3, tried);
        assertEquals("there are no 1500 bytes", disk.diskRefusal().getMessage());
    }

    @Test
    void anythingIsTriedAgainOnceThereMayBeMore() {
        assertFalse(claim(2000));
        left = 2000;
        disk.retryRefused();
        assertTrue(claim(2000));
    }

    @Test
    void anotherFailureIsNoWantOfRoom() {
        assertThrows(
                StoreIoException.class,
                () -> disk.claim(10, () -> {
                    throw new StoreIoException("allocation", Path.of("/data"), new IOException("Input/output error"));
                }));
        assertTrue(claim(10));
    }
}
