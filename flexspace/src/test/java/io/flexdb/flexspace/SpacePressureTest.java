package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Uniform random overwrites of 4 KiB in a space with a cap: what each call moves, and what all of them move. */
class SpacePressureTest {
    private static final int BLOCK = 4096;
    private static final int MAX_MOVED_BYTES = 2 << 20;
    private static final int MAX_SCANNED_EXTENTS = 20_000;

    private final Random random = new Random(93);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
    private FlexSpace space;
    private int[] versions;

    private void write(int block) {
        buffer.clear();
        fill(buffer, block, ++versions[block]);
        space.write((long) block * BLOCK, buffer.flip());
    }

    private static void fill(ByteBuffer buffer, int block, int version) {
        for (int at = 0; at < BLOCK; at += Long.BYTES) {
            buffer.putLong((block * 0x9E3779B97F4A7C15L ^ version) + at);
        }
    }

    private static List<Arguments> spaces() {
        return Effort.some(List.of(
                Arguments.of(131072, 512, 50, 2),
                Arguments.of(131072, 512, 80, 3),
                Arguments.of(131072, 512, 93, 8),
                Arguments.of(1048576, 96, 93, 8)));
    }

    @ParameterizedTest
    @MethodSource("spaces")
    void overwritesNeverStopAndNoCallMovesMuch(int segmentBytes, int segments, int percent, int mostMoved) {
        FlexSpaceOptions options = FlexSpaceOptions.defaults()
                .withSegments(segmentBytes, BLOCK)
                .withCheckpointLogBytes(1 << 20)
                .withLogBufferBytes(64 << 10)
                .withMaxDataBytes((long) segments * segmentBytes);
        SimulatedVfs vfs = new SimulatedVfs();
        space = FlexSpace.open(vfs, Path.of("/space"), options);
        int dataBytes = segmentBytes - segmentBytes / 32;
        long usable = (segments - Math.min(64, segments / 8)) * (long) dataBytes;
        int blocks = (int) (usable * percent / 100 / BLOCK);
        versions = new int[blocks];
        for (int block = 0; block < blocks; block++) {
            write(block);
        }
        long mostMovedByACall = 0;
        long mostScannedByACall = 0;
        FlexSpaceStats first = null;
        FlexSpaceStats before = space.stats();
        int overwrites = 4 * blocks;
        for (int i = 0; i < overwrites; i++) {
            if (i == overwrites / 2) {
                first = before; // in balance by now
            }
            write(random.nextInt(blocks));
            FlexSpaceStats after = space.stats();
            mostMovedByACall = Math.max(
                    mostMovedByACall,
                    after.collection().bytesMoved() - before.collection().bytesMoved());
            mostScannedByACall = Math.max(
                    mostScannedByACall,
                    after.collection().extentsScanned() - before.collection().extentsScanned());
            before = after;
        }
        double written = (double) (overwrites - overwrites / 2) * BLOCK;
        double moved = (before.collection().bytesMoved() - first.collection().bytesMoved()) / written;
        double scanned =
                (before.collection().extentsScanned() - first.collection().extentsScanned()) / (written / BLOCK);
        System.out.printf(
                Locale.ROOT,
                "%d segments of %d at %d %%: %.2f bytes moved per byte written, %.1f extents scanned per write;"
                        + " at most %d bytes, %d extents in a call%n",
                segments,
                segmentBytes,
                percent,
                moved,
                scanned,
                mostMovedByACall,
                mostScannedByACall);
        assertTrue(mostMovedByACall <= MAX_MOVED_BYTES, mostMovedByACall + " bytes moved by one call");
        assertTrue(mostScannedByACall <= MAX_SCANNED_EXTENTS, mostScannedByACall + " extents scanned by one call");
        assertTrue(moved <= mostMoved, moved + " bytes moved per byte written");
        verify(blocks);
        space.checkInvariants();
        space.close();
        overwriteAndReopen(vfs, options, blocks);
    }

    /** A sweep under way is forgotten when a space is closed, and the reserve that it was lent is not whole then. */
    private void overwriteAndReopen(SimulatedVfs vfs, FlexSpaceOptions options, int blocks) {
        for (int round = 0; round < 6; round++) {
            space = FlexSpace.open(vfs, Path.of("/space"), options);
            FlexSpaceStats before = space.stats();
            for (int i = random.nextInt(blocks / 2); i >= 0; i--) {
                write(random.nextInt(blocks));
                FlexSpaceStats after = space.stats();
                long moved =
                        after.collection().bytesMoved() - before.collection().bytesMoved();
                assertTrue(moved <= MAX_MOVED_BYTES, moved + " bytes moved by one call after an opening");
                long scanned = after.collection().extentsScanned()
                        - before.collection().extentsScanned();
                assertTrue(scanned <= MAX_SCANNED_EXTENTS, scanned + " extents scanned by one call after an opening");
                before = after;
            }
            space.close();
        }
        space = FlexSpace.open(vfs, Path.of("/space"), options);
        verify(blocks);
        space.checkInvariants();
        space.close();
    }

    private void verify(int blocks) {
        ByteBuffer found = ByteBuffer.allocate(BLOCK);
        ByteBuffer expected = ByteBuffer.allocate(BLOCK);
        for (int block = 0; block < blocks; block++) {
            space.read((long) block * BLOCK, found.clear());
            fill(expected.clear(), block, versions[block]);
            assertArrayEquals(expected.array(), found.array(), "block " + block);
        }
    }
}
