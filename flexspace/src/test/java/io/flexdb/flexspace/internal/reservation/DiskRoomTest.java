package io.flexdb.flexspace.internal.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DiskRoomTest {
    private final DiskRoom disk = new DiskRoom(new WriterPauses(() -> 0));
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
        assertNull(disk.refusal());
    }

    @Test
    void whatThereWasNotIsNotTriedAgainAndNorIsMore() {
        assertFalse(claim(1001));
        StoreFullException refusal = disk.refusal();
        assertEquals("there are no 1001 bytes", refusal.getMessage());
        left = 5000;
        assertFalse(claim(1001));
        assertFalse(claim(2000));
        assertEquals(1, tried);
        assertSame(refusal, disk.refusal());
    }

    @Test
    void lessIsTriedEvenSo() {
        assertFalse(claim(2000));
        assertFalse(claim(1500));
        assertFalse(claim(1500));
        assertTrue(claim(1000));
        assertEquals(3, tried);
        assertEquals("there are no 1500 bytes", disk.refusal().getMessage());
    }

    @Test
    void anythingIsTriedAgainOnceThereMayBeMore() {
        assertFalse(claim(2000));
        left = 2000;
        disk.mayHaveGrown();
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
