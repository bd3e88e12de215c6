package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.check.CheckResult;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A space that was cut while dead frames of its segments were written again, which FlexDB once did. */
class FoundRefillsTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final FlexSpaceOptions OPTIONS =
            FlexSpaceOptions.defaults().withSegments(32 * 512, 512).withMinimumUtilization(0.1);

    private SimulatedVfs vfs = RefilledSpace.load(DIRECTORY);
    private final Epochs epochs = new Epochs();
    private final byte[] content = RefilledSpace.content();

    private SpaceEngine open() {
        return SpaceEngine.open(vfs, DIRECTORY, 0, OPTIONS.settings(), epochs);
    }

    private static int footersThatDoNotCount(SpaceEngine engine) {
        int count = 0;
        for (int number = 0; number < engine.figures().segmentCount(); number++) {
            Segment segment = engine.store().segment(number);
            count += segment.footerCounts || segment.liveBytes == 0 ? 0 : 1;
        }
        return count;
    }

    private void assertSound(SpaceEngine engine) {
        ByteBuffer found = ByteBuffer.allocate(content.length);
        engine.reads().read(engine.current(), 0, found, 0, content.length);
        assertArrayEquals(content, found.array());
        engine.checkInvariants();
        epochs.pin(engine.current().version());
        try {
            CheckResult result = engine.beginCheck(engine.current()).check((bytes, ofBytes) -> {});
            assertEquals(0, result.findings().size(), result::toString);
        } finally {
            epochs.unpin(engine.current().version());
        }
    }

    private void overwrite(SpaceEngine engine, long offset, byte value) {
        Arrays.fill(content, (int) offset, (int) offset + 512, value);
        engine.overwrite(offset, ByteBuffer.wrap(content, (int) offset, 512).slice(), 0, 512, 1);
    }

    @Test
    void itsContentIsThereAndIsSoundBeforeAndAfterItsFootersAreWritten() {
        try (SpaceEngine engine = open()) {
            assertTrue(footersThatDoNotCount(engine) > 3, footersThatDoNotCount(engine) + " footers");
            assertSound(engine);
            engine.sync(7);
            assertEquals(0, footersThatDoNotCount(engine));
            assertSound(engine);
        }
        try (SpaceEngine engine = open()) {
            assertEquals(7, engine.tag());
            assertEquals(0, footersThatDoNotCount(engine), "the log says so");
            assertSound(engine);
        }
    }

    @Test
    void aCheckpointThatFollowsKnowsFootersThatCount() {
        try (SpaceEngine engine = open()) {
            engine.checkpoint();
            assertEquals(0, footersThatDoNotCount(engine));
        }
        try (SpaceEngine engine = open()) {
            assertEquals(0, footersThatDoNotCount(engine));
            assertSound(engine);
        }
    }

    /** All that lives there is overwritten, so that they are free before the log says that they are sealed. */
    @Test
    void segmentsThatAreEmptiedFirstAreUsedAgain() {
        try (SpaceEngine engine = open()) {
            for (int offset = 0; offset < content.length; offset += 512) {
                overwrite(engine, offset, (byte) (offset >>> 9));
            }
            engine.sync(1);
            for (int i = 0; i < 3; i++) {
                epochs.advance();
                engine.reclaim();
            }
            assertEquals(0, footersThatDoNotCount(engine));
            assertTrue(engine.freeSegmentCount() > 40, engine.freeSegmentCount() + " free");
            for (int offset = 0; offset < content.length; offset += 512) {
                overwrite(engine, offset, (byte) (offset >>> 10));
            }
            engine.sync(2);
            assertSound(engine);
        }
        try (SpaceEngine engine = open()) {
            assertSound(engine);
        }
    }

    /** Torn footers included: they count only once the log says so. */
    @Test
    void anOpeningCanBeCutAnywhere() {
        Random random = new Random(1);
        byte[] before = content.clone();
        int cuts = 0;
        for (long operation = 1; ; operation++) {
            vfs = RefilledSpace.load(DIRECTORY);
            vfs.crashAt(operation);
            boolean finished = false;
            try {
                SpaceEngine engine = open();
                engine.sync(9);
                engine.closeCleanly();
                finished = true;
            } catch (SimulatedCrash e) {
                cuts++;
            }
            for (int variant = 0; variant < 3 && !finished; variant++) {
                SimulatedVfs cut = vfs.copy().crash(random.nextLong());
                SimulatedVfs kept = vfs;
                vfs = cut;
                try (SpaceEngine engine = open()) {
                    System.arraycopy(before, 0, content, 0, before.length);
                    assertSound(engine);
                    engine.sync(3);
                    assertSound(engine);
                }
                vfs = kept;
            }
            if (finished) {
                break;
            }
        }
        assertTrue(cuts > 20, cuts + " cuts");
    }
}
