package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whole segments, footers included, as they were before a crash, in the place of those written after it: as when a disk
 * loses writes that it has acknowledged.
 */
class StaleSegmentsTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path DATA = DIRECTORY.resolve("data");
    private static final int SEGMENT = 32 * 512;
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults().withSegments(SEGMENT, 512);

    private final Random random = new Random(3);

    /** So much that it fills some segments, none of which the log knows. */
    private byte[] fillSegments(FlexSpace space) {
        byte[] bytes = SpaceOracle.randomBytes(random, 5 * SEGMENT);
        space.insertRange(space.size(), ByteBuffer.wrap(bytes));
        return bytes;
    }

    /** @param openings that end in a crash before anything they have written is durable */
    private void oldBytesAreNeverRead(int durableBytes, boolean free, int openings) {
        SimulatedVfs vfs = new SimulatedVfs();
        byte[] kept = SpaceOracle.randomBytes(random, durableBytes);
        try (FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS)) {
            if (durableBytes > 0) {
                space.insertRange(0, ByteBuffer.wrap(kept));
            }
            if (free) { // segments that are used again
                fillSegments(space);
                space.sync();
                space.collapseRange(kept.length, space.size() - kept.length);
            }
            space.sync();
            space.checkpoint();
        }
        byte[][] old = new byte[openings][];
        for (int i = 0; i < openings; i++) {
            FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
            fillSegments(space);
            space.check(); // waits for segments being written
            vfs = vfs.kill();
            old[i] = vfs.content(DATA);
        }
        byte[] content = kept;
        try (FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS)) {
            content = SpaceOracle.inserted(content, content.length, fillSegments(space));
            space.sync();
        }
        byte[] now = vfs.content(DATA);
        int refused = 0;
        for (byte[] before : old) {
            int segments = (Math.min(before.length, now.length) - SegmentFormat.FIRST_SEGMENT_POSITION) / SEGMENT;
            for (int segment = 0; segment < segments; segment++) {
                refused += reads(vfs, now, before, segment, content) ? 0 : 1;
            }
        }
        assertTrue(refused >= 4 * openings, refused + " segments were refused");
    }

    /** Whether everything can be read with a segment as it was; what is read is right. */
    private boolean reads(SimulatedVfs vfs, byte[] now, byte[] before, int segment, byte[] content) {
        int from = SegmentFormat.FIRST_SEGMENT_POSITION + segment * SEGMENT;
        byte[] mixed = now.clone();
        System.arraycopy(before, from, mixed, from, SEGMENT);
        if (Arrays.equals(mixed, now)) {
            return true;
        }
        SimulatedVfs copy = vfs.copy();
        copy.setContent(DATA, mixed);
        boolean all = true;
        try (FlexSpace space = FlexSpace.open(copy, DIRECTORY, OPTIONS)) {
            for (int at = 0; at < content.length; at += 100) {
                ByteBuffer found = ByteBuffer.allocate(Math.min(100, content.length - at));
                try {
                    space.read(at, found);
                    assertArrayEquals(
                            Arrays.copyOfRange(content, at, at + found.capacity()),
                            found.array(),
                            "segment " + segment);
                } catch (CorruptionException e) {
                    all = false;
                }
            }
        } catch (CorruptionException e) {
            return false; // what was written last is not there, so it is not the data file of this tree
        }
        return all;
    }

    @Test
    void bytesOfNewSegmentsWrittenBeforeACrashAreNeverTakenForThoseWrittenAfter() {
        oldBytesAreNeverRead(0, false, 1);
        oldBytesAreNeverRead(0, false, 3);
    }

    @Test
    void bytesOfSegmentsUsedAgainBeforeACrashAreNeverTakenForThoseWrittenAfter() {
        oldBytesAreNeverRead(0, true, 1);
        oldBytesAreNeverRead(5000, true, 3);
    }

    @Test
    void aSegmentThatWasOpenAtACrashIsNotTakenForWhatItWasFilledWithBefore() {
        oldBytesAreNeverRead(5000, false, 1);
        oldBytesAreNeverRead(700, false, 3);
    }

    /** The generation of an open segment changes with each opening, and what is in it stays readable. */
    @Test
    void anOpenSegmentIsFilledAcrossManyCrashes() {
        SimulatedVfs vfs = new SimulatedVfs();
        byte[] content = new byte[0];
        for (int i = 0; i < 60; i++) {
            FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
            byte[] found = SpaceOracle.contentOf(space); // what was not made durable may be behind it
            assertArrayEquals(content, Arrays.copyOf(found, content.length), "opening " + i);
            space.truncate(content.length);
            assertTrue(space.check().isSound(), "opening " + i);
            byte[] bytes = SpaceOracle.randomBytes(random, 1 + random.nextInt(2000));
            int at = random.nextInt(content.length + 1);
            space.insertRange(at, ByteBuffer.wrap(bytes));
            content = SpaceOracle.inserted(content, at, bytes);
            if (random.nextInt(3) == 0) {
                space.checkpoint();
            } else {
                space.sync();
            }
            if (random.nextBoolean()) {
                fillSegments(space); // not durable, as a rule
            }
            if (random.nextInt(4) == 0) {
                space.truncate(content.length);
                space.close();
            } else {
                vfs = vfs.crash(i);
            }
        }
        SimulatedVfs last = vfs;
        assertThrows(CorruptionException.class, () -> {
            byte[] data = last.content(DATA);
            Arrays.fill(data, SegmentFormat.FIRST_SEGMENT_POSITION, data.length, (byte) 7);
            last.setContent(DATA, data);
            try (FlexSpace space = FlexSpace.open(last, DIRECTORY, OPTIONS)) {
                SpaceOracle.contentOf(space);
            }
        });
    }
}
