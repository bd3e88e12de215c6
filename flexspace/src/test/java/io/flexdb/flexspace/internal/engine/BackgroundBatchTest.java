package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are written to the log beside the writer, and may take as long as they like. */
class BackgroundBatchTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final int FOREVER = 1_000_000;
    private static final int BATCH_BYTES = 1024;
    private static final FlexSpaceOptions SMALL =
            FlexSpaceOptions.defaults().withSegments(32 * 512, 512).withLogBufferBytes(BATCH_BYTES);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(3);
    private final SpaceEngine engine;

    BackgroundBatchTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs);
    }

    private void append(int extents, int bytes) {
        byte[] content = new byte[bytes];
        for (int i = 0; i < extents; i++) {
            random.nextBytes(content);
            engine.insert(engine.size(), ByteBuffer.wrap(content), 0, bytes, 0);
        }
    }

    /** Small changes until a batch has been begun to be written. */
    private void fillBatch() {
        long before = engine.figures().logBytesWritten();
        while (engine.figures().logBytesWritten() == before) {
            append(1, 1);
        }
    }

    /** After this, nothing but a commit keeps what was emptied before. */
    private void publishForReuse() {
        for (int phase = 0; phase < 3; phase++) {
            engine.current();
            epochs.advance();
            engine.reclaim();
        }
    }

    private static byte[] contentOf(SpaceEngine engine) {
        FlexTreeView view = engine.current();
        byte[] bytes = new byte[(int) view.size()];
        engine.reads().read(view, 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    private static byte[] recovered(SimulatedVfs vfs) {
        try (SpaceEngine engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs())) {
            return contentOf(engine);
        }
    }

    @Test
    void theWriterGoesOnWhileABatchIsWrittenAndACommitWaitsForIt() {
        vfs.delayBackground(FOREVER);
        fillBatch();
        append(3, 100);
        byte[] content = contentOf(engine);
        assertEquals(0, recovered(vfs.copy().crash(0)).length, "nothing was durable");
        engine.sync(0);
        assertArrayEquals(content, recovered(vfs.crash(0)));
    }

    /** There may be nothing else left to commit. */
    @Test
    void aCommitOfNothingWaitsForTheBatchBefore() {
        vfs.delayBackground(FOREVER);
        fillBatch();
        byte[] content = contentOf(engine);
        engine.sync(engine.tag());
        assertArrayEquals(content, recovered(vfs.crash(0)));
    }

    @Test
    void aCheckpointWaitsForTheBatchAndWhatItNames() {
        vfs.delayBackground(FOREVER);
        fillBatch();
        byte[] content = contentOf(engine);
        engine.checkpoint();
        assertArrayEquals(content, recovered(vfs.crash(0)));
    }

    @Test
    void aSegmentIsUsedAgainOnlyWhenTheBatchThatEmptiedItIsDurable() {
        append(40, 500); // one segment and a part of another
        engine.sync(0);
        byte[] durable = contentOf(engine);
        vfs.delayBackground(FOREVER);
        engine.collapse(0, 35 * 500);
        fillBatch();
        publishForReuse();
        append(30, 500); // fewer entries than a batch has, and another segment
        assertEquals(3, engine.figures().segmentCount(), "not used again yet");
        for (int seed = 0; seed < 50; seed++) {
            assertArrayEquals(durable, recovered(vfs.copy().crash(seed)));
        }
        engine.sync(0);
        publishForReuse();
        append(40, 500);
        assertEquals(3, engine.figures().segmentCount(), "used again now");
        engine.sync(0);
        assertArrayEquals(contentOf(engine), recovered(vfs.crash(0)));
    }

    /**
     * There is a batch under way each time that there could be a checkpoint, and another one is full when it has ended.
     */
    @ParameterizedTest
    @ValueSource(ints = {BATCH_BYTES, 4 << 20})
    void aDueCheckpointGetsItsTurnHoweverSlowTheDiskIs(int logBufferBytes) {
        int checkpointBytes = 16 << 10;
        FlexSpaceOptions options = SMALL.withCheckpointLogBytes(checkpointBytes).withLogBufferBytes(logBufferBytes);
        Path directory = Path.of("/slow");
        SpaceEngine.create(vfs, directory, 1, OwnedSpaces.settings(options), List.of());
        long longest = 0;
        try (SpaceEngine slow = SpaceEngine.open(vfs, directory, 1, OwnedSpaces.settings(options), epochs)) {
            vfs.delayBackground(FOREVER);
            for (int i = 0; i < 10_000; i++) {
                slow.insert(random.nextInt((int) slow.size() + 1), ByteBuffer.allocate(10), 0, 10, 0);
                longest = Math.max(longest, slow.figures().logBytes());
            }
            assertTrue(
                    slow.figures().checkpoints() > 5,
                    slow.figures().checkpoints() + " checkpoints, a log of " + longest + " bytes");
            slow.checkInvariants();
        }
        long most = 5L * checkpointBytes / 2 + 2 * 4096; // and two headers
        assertTrue(longest <= most, "logs of " + longest + " bytes, more than " + most);
    }

    @Test
    void closingWaitsForTheBatch() {
        vfs.delayBackground(FOREVER);
        fillBatch();
        byte[] content = contentOf(engine);
        engine.close();
        assertArrayEquals(content, recovered(vfs.crash(0)));
    }

    @Test
    void aBatchThatCannotBeWrittenStopsTheWriter() {
        vfs.delayBackground(1);
        vfs.failAt(vfs.operationCount() + 3, Fault.EIO);
        assertThrows(StoreIoException.class, () -> append(BATCH_BYTES, 1));
        assertTrue(vfs.faultsFired() > 0);
        engine.close();
    }
}
