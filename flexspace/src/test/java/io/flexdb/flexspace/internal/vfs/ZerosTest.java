package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Disk space that is taken by writing, as where there is no native access. */
class ZerosTest {
    private static final int BYTES = 300_000; // more than is written at a time

    private final SimulatedVfs vfs = new SimulatedVfs();

    private VfsFile newFile() {
        Path directory = Path.of("/store");
        vfs.createDirectories(directory);
        return vfs.open(directory.resolve("file"), OpenMode.CREATE);
    }

    @Test
    void aRangeThatIsTakenHasZerosAndWhatIsBesideItStays() {
        try (VfsFile file = newFile()) {
            byte[] expected = new byte[BYTES + 20];
            Arrays.fill(expected, (byte) 7);
            file.write(ByteBuffer.wrap(expected), 0);
            file.allocate(10, BYTES);
            Arrays.fill(expected, 10, 10 + BYTES, (byte) 0);
            ByteBuffer found = ByteBuffer.allocate(expected.length);
            file.readFully(found, 0);
            assertArrayEquals(expected, found.array());
            file.allocate(BYTES, 0);
            file.allocate(BYTES + 20, 1);
            assertEquals(BYTES + 21, file.size());
        }
    }

    @Test
    void spaceIsTakenWithoutDirectMemory() {
        try (VfsFile file = newFile()) {
            long before = directBytes();
            for (int i = 0; i < 200; i++) {
                file.allocate(0, BYTES);
            }
            long taken = directBytes() - before; // or less than nothing, if others have let go of some
            assertTrue(taken < BYTES, () -> taken + " bytes");
        }
    }

    @Test
    void aBufferHasZerosAloneIfEveryByteIsOne() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
        assertTrue(Zeros.are(buffer, 0, BYTES));
        for (int other : new int[] {0, 5, BYTES / 2, BYTES - 1}) {
            buffer.put(other, (byte) 1);
            assertFalse(Zeros.are(buffer, 0, BYTES));
            assertFalse(Zeros.are(buffer, other, 1));
            assertTrue(Zeros.are(buffer, 0, other));
            assertTrue(Zeros.are(buffer, other + 1, BYTES - other - 1));
            buffer.put(other, (byte) 0);
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
