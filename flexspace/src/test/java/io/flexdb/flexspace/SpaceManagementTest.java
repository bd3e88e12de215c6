package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Segments, slots and logs are used again, and what that costs stays within bounds. */
class SpaceManagementTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults()
            .withSegments(32 * 512, 512)
            .withCheckpointLogBytes(64 << 10)
            .withLogBufferBytes(8 << 10)
            .withMinimumUtilization(0.6);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Random random = new Random(6);
    private FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);

    @Test
    void overwritingForEverTakesALimitedNumberOfSegments() {
        byte[] model = SpaceOracle.randomBytes(random, 600_000);
        space.insertRange(0, ByteBuffer.wrap(model));
        long written = 0;
        for (int round = 0; round < 12_000; round++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 1 + random.nextInt(500));
            int offset = random.nextInt(model.length - bytes.length);
            System.arraycopy(bytes, 0, model, offset, bytes.length);
            space.write(offset, ByteBuffer.wrap(bytes));
            written += bytes.length;
            if (round % 1000 == 999) {
                space.checkInvariants();
                assertArrayEquals(model, SpaceOracle.contentOf(space));
                assertUtilization();
            }
        }
        FlexSpaceStats stats = space.stats();
        assertEquals(model.length, stats.data().liveBytes());
        assertTrue(stats.collection().bytesMoved() > 0, stats.toString());
        double amplification = (double) (stats.written().dataBytes() - model.length) / written;
        assertTrue(amplification < 4, "write amplification " + amplification + ", " + stats);
        space.close();
        space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.checkInvariants();
        space.close();
    }

    /**
     * Each checkpoint makes the writer copy the nodes it changes; those replaced are used again, although nobody reads.
     */
    @Test
    void nodesReplacedAfterCheckpointsAreUsedAgain() {
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 10);
            space.insertRange(random.nextInt(10 * i + 1), ByteBuffer.wrap(bytes));
        }
        FlexSpaceStats stats = space.stats();
        assertTrue(stats.checkpoints().count() > 30, stats.toString());
        assertTrue(stats.tree().memoryBytes() < 2.5 * 20 * stats.tree().extents(), stats.toString());
        space.close();
    }

    private void assertUtilization() {
        FlexSpaceStats stats = space.stats();
        long inUse = (long) (stats.data().segments() - stats.data().freeSegments())
                * stats.data().segmentBytes();
        // Sixteen segments are collected at once, or wait for readers, or are being filled.
        assertTrue(
                inUse
                        <= stats.data().liveBytes() / 0.6 * 1.05
                                + 24L * stats.data().segmentBytes(),
                stats.toString());
    }

    @Test
    void aSpaceThatShrinksAndIsOverwrittenThenIsStillCollected() {
        space.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 1_500_000)));
        space.sync();
        space.collapseRange(100_000, 1_400_000);
        space.sync();
        for (int round = 0; round < 6000; round++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 300);
            space.write(random.nextInt(99_000), ByteBuffer.wrap(bytes));
            assertEquals(100_000, space.size()); // a read, after which older versions can go
            if (round > 2000) {
                FlexSpaceStats stats = space.stats();
                assertTrue(stats.data().segments() - stats.data().freeSegments() < 40, round + ": " + stats);
            }
        }
        space.close();
    }

    /** Whole segments become empty without any being moved; they wait for the log only, which is not long. */
    @Test
    void segmentsOverwrittenWholeAreUsedAgainWithoutASync() {
        space.close();
        space = FlexSpace.open(vfs, DIRECTORY, OPTIONS.withLogBufferBytes(64 << 20));
        byte[] bytes = SpaceOracle.randomBytes(random, 200_000);
        space.insertRange(0, ByteBuffer.wrap(bytes));
        for (int round = 0; round < 200; round++) {
            space.write(0, ByteBuffer.wrap(bytes));
        }
        FlexSpaceStats stats = space.stats();
        assertTrue(stats.data().segments() < 100, stats.toString());
        assertArrayEquals(bytes, SpaceOracle.contentOf(space));
        space.close();
    }

    @Test
    void syncingAfterEachChangeKeepsTheLogShort() {
        for (int round = 0; round < 3000; round++) {
            space.insertRange(0, ByteBuffer.wrap(new byte[10]));
            space.sync();
        }
        assertTrue(space.stats().checkpoints().count() > 3, space.stats().toString());
        for (Path file : vfs.files()) {
            if (file.getFileName().toString().startsWith("log-")) {
                assertTrue(vfs.content(file).length < 80 << 10, file + " of " + vfs.content(file).length);
            }
        }
        space.close();
    }

    @Test
    void theFilesKeepTheirSizesOverAThousandCheckpoints() {
        byte[] model = new byte[0];
        for (int i = 0; i < 800; i++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 40);
            int offset = random.nextInt(model.length + 1);
            model = SpaceOracle.inserted(model, offset, bytes);
            space.insertRange(offset, ByteBuffer.wrap(bytes));
        }
        int treeBytesAfterWarmUp = 0;
        for (int round = 0; round < 1000; round++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 40);
            int offset = random.nextInt(model.length);
            space.collapseRange(offset / 2, 40);
            space.insertRange(offset / 2, ByteBuffer.wrap(bytes));
            model = SpaceOracle.inserted(SpaceOracle.collapsed(model, offset / 2, 40), offset / 2, bytes);
            space.checkpoint();
            if (round == 100) {
                treeBytesAfterWarmUp = vfs.content(DIRECTORY.resolve("tree")).length;
            }
        }
        int treeBytes = vfs.content(DIRECTORY.resolve("tree")).length;
        assertTrue(treeBytes <= treeBytesAfterWarmUp * 2, treeBytesAfterWarmUp + " grew to " + treeBytes);
        assertEquals(
                "[/space/LOCK, /space/data, /space/log-1002, /space/log.new, /space/tree]",
                vfs.files().toString());
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.close();
        space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.close();
    }

    @Test
    void defragmentingLeavesFewExtentsAndTheContent() {
        byte[] model = new byte[0];
        for (int i = 0; i < 500; i++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 20);
            int offset = random.nextInt(model.length + 1);
            model = SpaceOracle.inserted(model, offset, bytes);
            space.insertRange(offset, ByteBuffer.wrap(bytes));
        }
        space.write(12_000, ByteBuffer.wrap(new byte[] {1}));
        model = SpaceOracle.written(model, 12_000, new byte[] {1});
        long before = space.stats().tree().extents();
        space.defragment(0, model.length);
        assertTrue(space.stats().tree().extents() < before / 5, before + " extents, then " + space.stats());
        assertEquals(10_001, space.stats().data().liveBytes(), "the hole stays a hole");
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.checkInvariants();
        space.close();
    }

    /** What is moved meanwhile would lie between the pieces, and be written once more when they come to it. */
    @Test
    void nothingIsMovedWhileASpaceIsDefragmented() {
        int block = 500;
        byte[] model = new byte[3000 * block];
        space.insertHole(0, model.length);
        List<Integer> order = new ArrayList<>(IntStream.range(0, 3000).boxed().toList());
        Collections.shuffle(order, random);
        for (int number : order) {
            byte[] bytes = SpaceOracle.randomBytes(random, block);
            System.arraycopy(bytes, 0, model, number * block, block);
            space.write(number * block, ByteBuffer.wrap(bytes));
        }
        FlexSpaceStats before = space.stats();
        space.defragment(0, model.length);
        FlexSpaceStats after = space.stats();
        assertEquals(before.collection().bytesMoved(), after.collection().bytesMoved());
        long written = after.written().dataBytes() - before.written().dataBytes();
        assertTrue(written < 1.1 * model.length, written + " bytes written of " + model.length);
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        for (int i = 0; i < 6000; i++) {
            byte[] bytes = SpaceOracle.randomBytes(random, block);
            int offset = random.nextInt(3000) * block;
            System.arraycopy(bytes, 0, model, offset, block);
            space.write(offset, ByteBuffer.wrap(bytes));
        }
        assertTrue(space.stats().collection().bytesMoved() > before.collection().bytesMoved(), "but by later changes");
        assertUtilization();
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.checkInvariants();
        space.close();
    }
}
