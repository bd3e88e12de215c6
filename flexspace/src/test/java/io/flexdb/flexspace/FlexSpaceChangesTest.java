package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What stops a space, and what is only refused. */
class FlexSpaceChangesTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final int SEGMENT = CrashHistory.SMALL.segmentBytes();

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexSpace space = FlexSpace.open(
            vfs, DIRECTORY, CrashHistory.SMALL.withFrameTableBytes(8 << 10).withMaxDataBytes(32L * SEGMENT));

    /** Each of them as it is refused by a full space, whatever was refused before it. */
    private List<Runnable> badCalls() {
        ByteBuffer one = ByteBuffer.allocate(1);
        long size = space.size();
        return List.of(
                () -> space.insertRange(size + 1, one),
                () -> space.insertHole(size + 1, 1),
                () -> space.write(-1, one),
                () -> space.collapseRange(size, 1),
                () -> space.moveRange(0, size, size + 1),
                () -> space.punchHole(size, 1),
                () -> space.defragment(size, 1));
    }

    @Test
    void whatIsRefusedForWantOfRoomOrForItsArgumentsStopsNothing() {
        byte[] much = new byte[5000];
        assertThrows(StoreFullException.class, () -> {
            while (true) {
                space.insertRange(0, ByteBuffer.wrap(much));
            }
        });
        byte[] content = SpaceOracle.contentOf(space);
        for (Runnable bad : badCalls()) {
            assertThrows(StoreFullException.class, () -> space.insertRange(3, ByteBuffer.wrap(much)));
            assertThrows(IndexOutOfBoundsException.class, bad::run);
            assertThrows(IllegalArgumentException.class, () -> space.moveRange(0, 10, 5));
        }
        assertArrayEquals(content, SpaceOracle.contentOf(space));
        space.checkInvariants();
        space.collapseRange(0, content.length / 2);
        space.insertRange(0, ByteBuffer.wrap(much));
        assertEquals(content.length - content.length / 2 + much.length, space.size());
        space.close();
    }

    @Test
    void whatFailsInTheMiddleOfAChangeStopsTheSpace() {
        space.insertRange(0, ByteBuffer.allocate(1000));
        space.sync();
        vfs.failAt(vfs.operationCount() + 1, Fault.EIO, false);
        StorageException failure = assertThrows(StorageException.class, () -> {
            while (true) {
                space.insertRange(0, ByteBuffer.allocate(400));
            }
        });
        for (Runnable bad : List.<Runnable>of(space::size, space::sync, () -> space.collapseRange(0, 1))) {
            assertSame(
                    failure, assertThrows(StoreFailedException.class, bad::run).getCause());
        }
        space.close();
    }
}
