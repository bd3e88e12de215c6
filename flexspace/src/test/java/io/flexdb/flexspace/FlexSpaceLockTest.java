package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.RobbedVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreLockedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A space that is used alone and loses its lock. */
class FlexSpaceLockTest {
    private static final Path DIRECTORY = Path.of("/space");

    private final SimulatedVfs files = new SimulatedVfs();
    private final RobbedVfs vfs = new RobbedVfs(files, DIRECTORY);
    private final AtomicLong clock = new AtomicLong();
    private final FlexSpace space = FlexSpace.open(vfs, DIRECTORY, CrashHistory.SMALL, clock::get);

    private void insert() {
        space.insertRange(0, ByteBuffer.wrap(new byte[100]));
    }

    @Test
    void aSpaceWhoseLockIsLostAcknowledgesNothingMore() {
        insert();
        space.sync();
        vfs.rob();
        insert();
        space.sync(); // within the second after it was opened
        clock.addAndGet(2_000_000_000L);
        insert();
        StoreLockedException told = assertThrows(StoreLockedException.class, space::sync);
        assertEquals("process 4711", told.holder());
        assertThrows(StoreFailedException.class, this::insert);
        long operations = files.operationCount();
        space.close();
        assertEquals(operations, files.operationCount());
    }

    @Test
    void batchesThatNobodyAskedForNoticeItToo() {
        vfs.rob();
        clock.addAndGet(2_000_000_000L);
        assertThrows(StoreLockedException.class, () -> {
            for (int i = 0; i < 100_000; i++) {
                insert();
            }
        });
        assertTrue(vfs.hasRefused());
        space.close();
    }

    @Test
    void aSpaceWhoseLockIsLostWritesNothingWhenItIsClosed() {
        insert();
        vfs.rob();
        long operations = files.operationCount();
        assertThrows(StoreLockedException.class, space::close);
        assertEquals(operations, files.operationCount());
        space.close();
    }
}
