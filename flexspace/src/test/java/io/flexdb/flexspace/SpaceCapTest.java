package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A space that may not become larger than so much is filled, goes on when it is full, and takes more when it is not.
 */
class SpaceCapTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final int SEGMENT = 32 * 512;
    private static final int EXTENT = 512;
    private static final int SEGMENTS = 200;
    private static final int RESERVE = SEGMENTS / 8;
    private static final long MAX_LIVE = (SEGMENTS - RESERVE) * 31L * 512 * 30 / 32;
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults()
            .withSegments(SEGMENT, 512)
            .withCheckpointLogBytes(64 << 10)
            .withLogBufferBytes(8 << 10)
            .withMaxDataBytes((long) SEGMENTS * SEGMENT);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Random random = new Random(6);
    private FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
    private byte[] model = new byte[4 << 20];
    private int size;

    private void insert(int offset, int length) {
        byte[] bytes = SpaceOracle.randomBytes(random, length);
        space.insertRange(offset, ByteBuffer.wrap(bytes));
        System.arraycopy(model, offset, model, offset + length, size - offset);
        System.arraycopy(bytes, 0, model, offset, length);
        size += length;
    }

    private void overwrite(int offset, int length) {
        byte[] bytes = SpaceOracle.randomBytes(random, length);
        space.write(offset, ByteBuffer.wrap(bytes));
        System.arraycopy(bytes, 0, model, offset, length);
    }

    private void collapse(int offset, int length) {
        space.collapseRange(offset, length);
        System.arraycopy(model, offset + length, model, offset, size - offset - length);
        size -= length;
    }

    private StoreFullException fill(int most) {
        while (true) {
            try {
                insert(random.nextInt(size + 1), 1 + random.nextInt(most));
            } catch (StoreFullException e) {
                return e;
            }
        }
    }

    private void assertSame() {
        assertArrayEquals(Arrays.copyOf(model, size), SpaceOracle.contentOf(space));
        space.checkInvariants();
        long dataBytes = vfs.content(DIRECTORY.resolve("data")).length;
        assertTrue(dataBytes <= 4096 + (long) SEGMENTS * SEGMENT, dataBytes + " bytes in the data file");
    }

    private void reopen(FlexSpaceOptions options) {
        space.close();
        space = FlexSpace.open(vfs, DIRECTORY, options);
    }

    @Test
    void aSpaceIsFilledUpToTheShareThatMayBeLive() {
        StoreFullException full = fill(500);
        assertTrue(full.getMessage().contains("200 segments"), full.getMessage());
        long live = space.stats().data().liveBytes();
        assertTrue(live <= MAX_LIVE && live > MAX_LIVE - 500, live + " of " + MAX_LIVE + " live bytes");
        assertEquals(size, live, "what was refused has changed nothing");
        assertSame();
    }

    @Test
    void fullSpacesAreOverwrittenForEverInBoundedSteps() {
        fill(500);
        long most = 0;
        FlexSpaceStats before = space.stats();
        long written = 0;
        for (int round = 0; round < 8000; round++) {
            long movedBefore = space.stats().collection().bytesMoved();
            int length = 1 + random.nextInt(500);
            overwrite(random.nextInt(size - length), length);
            written += length;
            most = Math.max(most, space.stats().collection().bytesMoved() - movedBefore);
            if (round % 1000 == 0) {
                assertSame();
            }
        }
        assertSame();
        FlexSpaceStats after = space.stats();
        System.out.println("at the cap: " + after + ", at most " + most + " bytes moved by one of 8000 overwrites");
        assertTrue(most <= 8 * SEGMENT + EXTENT, most + " bytes moved in one call");
        long moved = after.collection().bytesMoved() - before.collection().bytesMoved();
        assertTrue(moved > written && moved < 60 * written, moved + " bytes moved for " + written + " written");
        assertTrue(
                after.collection().segmentsFreed() > 100 && after.collection().bytesFreed() > 0, after.toString());
        reopen(OPTIONS);
        assertSame();
        overwrite(0, 500);
        space.close();
    }

    @Test
    void whatIsFreedCanBeFilledAgain() {
        for (int round = 0; round < 6; round++) {
            fill(2000);
            assertSame();
            long live = space.stats().data().liveBytes();
            assertTrue(live > MAX_LIVE - 2000, live + " of " + MAX_LIVE + " live bytes in round " + round);
            space.sync();
            while (size > MAX_LIVE / 2) {
                int length = 1 + random.nextInt(5000);
                collapse(random.nextInt(size - length), length);
            }
            if (round % 2 == 0) {
                reopen(OPTIONS);
            }
        }
        assertSame();
    }

    @Test
    void aChangeThatDoesNotFitWholeChangesNothing() {
        insert(0, 1_000_000);
        byte[] tooMuch = new byte[2_000_000];
        assertThrows(StoreFullException.class, () -> space.insertRange(500, ByteBuffer.wrap(tooMuch)));
        assertThrows(StoreFullException.class, () -> space.write(500, ByteBuffer.wrap(tooMuch)));
        assertSame();
        insert(3, 100_000);
        space.sync();
        assertSame();
    }

    @Test
    void bytesInTheRoomOfAHoleAreNewOnes() {
        ByteBuffer one = ByteBuffer.allocate(1);
        space.write(999_999, one);
        size = 1_000_000;
        fill(20_000);
        fill(300);
        assertThrows(StoreFullException.class, () -> {
            for (int offset = 0; offset < size; offset += 20_000) {
                space.write(offset, ByteBuffer.allocate(20_000));
            }
        });
        assertTrue(space.stats().data().liveBytes() <= MAX_LIVE, space.stats().toString());
        space.checkInvariants();
    }

    @Test
    void everythingThatNeedsNoRoomGoesOnWhenASpaceIsFull() {
        fill(500);
        space.sync();
        space.checkpoint();
        overwrite(17, 300);
        space.defragment(0, size);
        collapse(40_000, 20_000);
        insert(100, 15_000);
        assertSame();
        space.close();
    }

    @Test
    void aSmallerCapThanTheFileRefusesWhatAppends() {
        fill(500);
        reopen(OPTIONS.withMaxDataBytes(100L * SEGMENT));
        assertThrows(StoreFullException.class, () -> space.insertRange(0, ByteBuffer.allocate(1000)));
        assertArrayEquals(Arrays.copyOf(model, size), SpaceOracle.contentOf(space));
        collapse(1000, size - 2000);
        insert(0, 1000);
        assertSame();
        space.close();
    }

    @Test
    void aCapBelowThirtyTwoSegmentsIsRefused() {
        FlexSpaceOptions small = OPTIONS.withMaxDataBytes(32L * SEGMENT - 1);
        insert(0, 100);
        space.close();
        assertThrows(IllegalArgumentException.class, () -> FlexSpace.open(vfs, DIRECTORY, small));
        assertThrows(IllegalArgumentException.class, () -> FlexSpace.open(vfs, Path.of("/other"), small));
        assertFalse(vfs.exists(Path.of("/other/tree")));
        space = FlexSpace.open(vfs, DIRECTORY, OPTIONS.withMaxDataBytes(32L * SEGMENT));
        fill(500);
        for (int i = 0; i < 500; i++) {
            overwrite(random.nextInt(size - 100), 100);
        }
        assertSame();
    }

    @Test
    void theFileBecomesShorterWhenMuchIsRemoved() {
        fill(500);
        space.checkpoint();
        long full = vfs.content(DIRECTORY.resolve("data")).length;
        collapse(1000, size - 2000);
        for (int i = 0; i < 3000; i++) {
            overwrite(random.nextInt(1900), 100);
            space.size();
        }
        space.sync();
        long left = vfs.content(DIRECTORY.resolve("data")).length;
        assertTrue(left < full / 4, full + " bytes, then " + left);
        assertSame();
        reopen(OPTIONS);
        assertSame();
        fill(500);
        assertTrue(
                space.stats().data().liveBytes() > MAX_LIVE - 500, space.stats().toString());
        assertSame();
        space.close();
    }
}
