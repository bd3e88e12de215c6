package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A space that keeps frames which were verified: what it reads from the file, and what not. */
class FlexSpaceCacheTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path DATA = DIRECTORY.resolve("data");
    private static final int FRAME = 512;
    private static final int SEGMENT = 128 * FRAME; // of which the last one is the footer, so extents are 2 KiB at most
    private static final int DATA_BYTES = 127 * FRAME;
    private static final FlexSpaceOptions LARGE =
            FlexSpaceOptions.defaults().withSegments(SEGMENT, FRAME).withCacheBytes(1 << 20);

    private final Random random = new Random(1);
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final List<String> reads = new ArrayList<>(); // of the data file
    private final byte[] content = SpaceOracle.randomBytes(random, 3 * DATA_BYTES);
    private FlexSpace space;

    /** Three segments and no more, all of them in the file. */
    @BeforeEach
    void fill() {
        try (FlexSpace filled = FlexSpace.open(vfs, DIRECTORY, LARGE)) {
            filled.write(0, ByteBuffer.wrap(content));
        }
        open(LARGE);
    }

    private void open(FlexSpaceOptions options) {
        space = FlexSpace.open(new ReadsVfs(vfs, reads), DIRECTORY, options);
    }

    @AfterEach
    void close() {
        space.close();
    }

    private void readsAs(int at, int length) {
        ByteBuffer buffer = random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
        space.read(at, buffer);
        byte[] found = new byte[length];
        buffer.flip().get(found);
        assertArrayEquals(Arrays.copyOfRange(content, at, at + length), found, length + " bytes at " + at);
    }

    private void assertReads(int at, int length, String... expected) {
        reads.clear();
        readsAs(at, length);
        assertEquals(List.of(expected), reads);
    }

    /** Turns a bit of a frame of the first segment, under whoever has the file open. */
    private void damage(int frame) {
        long position = SegmentFormat.FIRST_SEGMENT_POSITION + frame * FRAME + 17;
        try (VfsFile file = vfs.open(DATA, OpenMode.READ_WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.readFully(one, position);
            file.write(one.put(0, (byte) (one.get(0) ^ 1)).clear(), position);
        }
    }

    @Test
    void whatWasReadIsNotReadFromTheFileAgain() {
        readsAs(DATA_BYTES - 1, 1); // the footer, and the last frame
        assertReads(0, 8 * FRAME, "0+4096");
        assertReads(0, 8 * FRAME);
        assertReads(700, 3000);
        assertReads(7 * FRAME, 2 * FRAME, "4096+16384"); // goes on where the first one ended
        assertReads(DATA_BYTES - 100, 100);
        FlexSpaceStats stats = space.stats();
        assertEquals(1 + 8 + 1, stats.cache().misses());
        assertEquals(8 + 7 + 1 + 1, stats.cache().hits());
        assertEquals(1 << 20, stats.cache().memoryBytes());
    }

    @Test
    void whatIsMissingIsReadByOneCallForEachRunOfFrames() {
        readsAs(0, 1);
        readsAs(5 * FRAME, 2 * FRAME);
        readsAs(9 * FRAME + 10, 10);
        assertReads(100, 14 * FRAME, "512+2048", "3584+1024", "5120+2560");
        assertReads(100, 14 * FRAME);
    }

    /** 16 KiB and then twice as much each time, up to the end of the segment; only what was asked for is kept. */
    @Test
    void aSequenceOfSmallReadsIsReadAhead() {
        for (int step : new int[] {100, FRAME, 3 * FRAME}) {
            close();
            open(LARGE);
            readsAs(DATA_BYTES - 1, 1);
            reads.clear();
            for (int at = 0; at + step <= 96 * FRAME; at += step) {
                readsAs(at, step);
            }
            int first = (step + FRAME - 1) / FRAME * FRAME;
            int second = first + 32 * FRAME;
            assertEquals(
                    List.of("0+" + first, first + "+" + 32 * FRAME, second + "+" + 64 * FRAME),
                    reads,
                    step + " bytes at once");
            assertEquals(97, space.stats().cache().misses(), step + " bytes at once");
            assertReads(0, 96 * FRAME);
            readsAs(DATA_BYTES + 1, 1); // and the buffer of reads ahead has something else
            assertReads(110 * FRAME, FRAME, "56320+512");
        }
    }

    @Test
    void aReadOfAPartKeepsItsFrame() {
        readsAs(0, 1);
        assertReads(3 * FRAME + 50, 10, "1536+512");
        assertReads(3 * FRAME, FRAME);
        assertReads(3 * FRAME - 5, 10, "1024+512");
    }

    @Test
    void withoutACacheNothingIsKeptButWhatWasReadLast() {
        space.close();
        for (int bytes : new int[] {0, FRAME - 1}) {
            open(LARGE.withCacheBytes(bytes));
            readsAs(0, 1);
            for (int i = 0; i < 3; i++) {
                assertReads(2 * FRAME + 1, 10, "1024+512");
                assertReads(5 * FRAME + 1, FRAME - 1, "2560+512");
                assertReads(5 * FRAME, FRAME);
            }
            FlexSpaceStats stats = space.stats();
            assertEquals(
                    0,
                    stats.cache().hits()
                            + stats.cache().misses()
                            + stats.cache().memoryBytes());
            space.close();
        }
    }

    @Test
    void readsOfAnyPartsAreRightWhateverTheCacheHolds() {
        for (int frames : new int[] {1, 7, 60, 1000}) {
            space.close();
            open(LARGE.withCacheBytes(frames * FRAME));
            for (int i = 0; i < 3000; i++) {
                int length = 1 + random.nextInt(1 << random.nextInt(16));
                readsAs(random.nextInt(content.length - length), length);
            }
            FlexSpaceStats stats = space.stats();
            assertTrue(stats.cache().hits() > 0 && stats.cache().misses() > 300, stats.toString());
            assertEquals(frames * FRAME, stats.cache().memoryBytes());
        }
    }

    @Test
    void damageThatIsThereBeforeTheFirstReadIsReportedAlways() {
        space.close();
        damage(5);
        open(LARGE);
        for (int i = 0; i < 3; i++) {
            CorruptionException e =
                    assertThrows(CorruptionException.class, () -> space.read(0, ByteBuffer.allocateDirect(8 * FRAME)));
            assertEquals(SegmentFormat.FIRST_SEGMENT_POSITION + 5 * FRAME, e.position());
        }
        damage(5); // and whole again
        assertReads(5 * FRAME, FRAME, "2560+512");
    }

    /** What was verified is what is returned; but nobody who looks for damage, or writes data anew, is fooled. */
    @Test
    void damageThatComesLaterIsFoundByThoseWhoReadTheFile() {
        readsAs(0, 8 * FRAME);
        damage(5);
        readsAs(0, 8 * FRAME);
        CheckReport report = space.check();
        assertEquals(1, report.findings().size(), report::toString);
        CorruptionException e = assertThrows(CorruptionException.class, () -> space.defragment(0, 8 * FRAME));
        assertEquals(SegmentFormat.FIRST_SEGMENT_POSITION + 5 * FRAME, e.position());
        readsAs(0, 8 * FRAME);
    }

    @Test
    void checksAndRewritingLeaveTheCacheAlone() {
        assertTrue(space.check().isSound());
        space.defragment(0, 8 * FRAME);
        FlexSpaceStats stats = space.stats();
        assertEquals(
                0, stats.cache().hits() + stats.cache().misses() + stats.cache().memoryBytes());
    }

    @Test
    void aFailedReadKeepsNothing() {
        readsAs(0, 1);
        vfs.failReadAt(vfs.readCount() + 1, false);
        assertThrows(StoreIoException.class, () -> space.read(2 * FRAME, ByteBuffer.allocate(FRAME)));
        assertReads(2 * FRAME, FRAME, "1024+512");
        assertReads(2 * FRAME, FRAME);
    }

    @Test
    void whatHasBeenOverwrittenIsNotFound() {
        readsAs(0, content.length);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = SpaceOracle.randomBytes(random, 1 + random.nextInt(4 * FRAME));
            int at = random.nextInt(content.length - bytes.length);
            space.write(at, ByteBuffer.wrap(bytes));
            System.arraycopy(bytes, 0, content, at, bytes.length);
            readsAs(0, content.length);
            if (i % 20 == 0) {
                space.sync();
            }
        }
        assertTrue(space.stats().cache().hits() > 1000, space.stats().toString());
    }

    /** Segments are emptied, freed and used again and again. */
    @Test
    void segmentsThatAreUsedAgainBringNothingBack() {
        for (int round = 0; round < 60; round++) {
            byte[] bytes = SpaceOracle.randomBytes(random, content.length);
            space.write(0, ByteBuffer.wrap(bytes));
            System.arraycopy(bytes, 0, content, 0, bytes.length);
            space.sync();
            readsAs(0, content.length);
            readsAs(0, content.length);
        }
        FlexSpaceStats stats = space.stats();
        assertTrue(stats.data().segments() < 20, stats.toString());
        assertTrue(stats.cache().hits() > 60 * 200, stats.toString());
    }

    @Test
    void aSnapshotReadsWhatItHeld() {
        byte[] before = content.clone();
        try (FlexSpaceSnapshot snapshot = space.snapshot()) {
            readsAs(0, 20 * FRAME);
            space.write(0, ByteBuffer.wrap(new byte[10 * FRAME]));
            byte[] found = new byte[before.length];
            for (int i = 0; i < 2; i++) {
                snapshot.read(0, ByteBuffer.wrap(found));
                assertArrayEquals(before, found);
            }
        }
    }

    @Test
    void whatIsCachedIsNoMoreReadableThanTheRestOnceTheSpaceHasFailedOrIsClosed() {
        readsAs(0, FRAME);
        vfs.failAt(vfs.operationCount() + 1, Fault.EIO, true);
        assertThrows(StoreIoException.class, () -> {
            space.write(0, ByteBuffer.wrap(new byte[10]));
            space.sync();
        });
        assertThrows(StoreFailedException.class, () -> space.read(100, ByteBuffer.allocate(10)));
        space.close();
        assertThrows(StoreClosedException.class, () -> space.read(100, ByteBuffer.allocate(10)));
    }

    @Test
    void readsMakeNoGarbage(@TempDir Path real) {
        try (FlexSpace filled = FlexSpace.open(real, LARGE)) {
            filled.write(0, ByteBuffer.wrap(content));
        }
        for (int frames : new int[] {40, 1000}) { // most come from the file; all from the cache
            space.close();
            space = FlexSpace.open(real, LARGE.withCacheBytes(frames * FRAME));
            ByteBuffer buffer = ByteBuffer.allocateDirect(700);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long id = Thread.currentThread().getId();
            long least = Long.MAX_VALUE;
            for (int window = 0; window < 1000 && least >= 1000; window++) {
                long before = threads.getThreadAllocatedBytes(id);
                for (int i = 0; i < 1000; i++) {
                    space.read(random.nextInt(content.length - 700), buffer.clear());
                }
                least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
            }
            System.out.println("at least " + least + " bytes for 1,000 reads");
            assertTrue(least < 1000, least + " bytes for 1,000 reads"); // asking for it makes some
        }
    }

    @Test
    void theOptionIsChecked() {
        assertEquals(0, FlexSpaceOptions.defaults().cacheBytes());
        assertEquals(1 << 20, LARGE.withMinimumUtilization(0.3).cacheBytes());
        String message = assertThrows(IllegalArgumentException.class, () -> LARGE.withCacheBytes(-1))
                .getMessage();
        assertEquals("cacheBytes must not be negative: -1", message);
    }
}
