package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pieces for which the volume has no space. */
class StagedPiecesTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int FRAME = 4096;

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final SpaceEngine engine;
    private final AtomicInteger asked = new AtomicInteger();

    StagedPiecesTest() {
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withSegments(32 * FRAME, FRAME);
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(options), new Epochs());
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    /** The piece was taken by half: begun anew it would be there twice. */
    @Test
    void aWriteWithoutSpaceIsNotTriedAgain() {
        try (StagedPieces pieces = pieces()) {
            do {
                pieces.append(ByteBuffer.allocate(FRAME));
            } while (pieces.room() >= FRAME);
            vfs.failAt(vfs.operationCount() + 2, Fault.ENOSPC); // behind the new segment, the full one is written
            assertThrows(StoreFullException.class, () -> pieces.append(ByteBuffer.allocate(FRAME)));
            assertEquals(1, vfs.faultsFired());
            assertEquals(0, asked.get());
        }
    }

    private StagedPieces pieces() {
        return new StagedPieces(engine, new LongTasks("the store"), () -> asked.incrementAndGet() < 10);
    }
}
