package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreLockedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FlexSpaceTest {
    private static final Path DIRECTORY = Path.of("/space");

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexSpace space = FlexSpace.open(vfs, DIRECTORY, CrashHistory.SMALL);

    private void insert(long offset, String text) {
        space.insertRange(offset, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private String content() {
        return new String(SpaceOracle.contentOf(space), StandardCharsets.UTF_8);
    }

    @Test
    void insertingShiftsAndCollapsingClosesTheGap() {
        insert(0, "worlds");
        insert(0, "hello, ");
        insert(7, "many ");
        assertEquals("hello, many worlds", content());
        space.collapseRange(5, 6);
        assertEquals("hello worlds", content());
        space.write(6, ByteBuffer.wrap("planet, and more".getBytes(StandardCharsets.UTF_8)));
        assertEquals("hello planet, and more", content());
        assertEquals(22, space.size());
        space.collapseRange(0, 22);
        assertEquals(0, space.size());
    }

    @Test
    void aGapBeyondTheEndReadsAsZerosAndTakesNoDisk() {
        space.write(100_000, ByteBuffer.wrap(new byte[] {7}));
        byte[] expected = new byte[100_001];
        expected[100_000] = 7;
        assertArrayEquals(expected, SpaceOracle.contentOf(space));
        assertEquals(1, space.stats().data().liveBytes());
        space.write(50_000, ByteBuffer.wrap(new byte[] {8}));
        expected[50_000] = 8;
        ByteBuffer direct = ByteBuffer.allocateDirect(expected.length);
        space.read(0, direct);
        direct.flip();
        assertEquals(ByteBuffer.wrap(expected), direct);
        space.checkInvariants();
    }

    @Test
    void aRangeMovesToTheLeftAndToTheRightWithoutACopy() {
        insert(0, "0123456789");
        space.sync();
        FlexSpaceStats before = space.stats();
        space.moveRange(2, 3, 8);
        assertEquals("0156723489", content());
        space.moveRange(7, 2, 0);
        assertEquals("4801567239", content());
        space.moveRange(0, 1, 10);
        assertEquals("8015672394", content());
        for (long target : new long[] {3, 5}) {
            space.moveRange(3, 2, target);
            assertEquals("8015672394", content(), "at its own end nothing moves");
        }
        space.sync();
        FlexSpaceStats after = space.stats();
        assertEquals(before.data().liveBytes(), after.data().liveBytes());
        assertEquals(before.written().dataBytes(), after.written().dataBytes());
        space.checkInvariants();
        reopenAfterCut("8015672394");
    }

    private void reopenAfterCut(String expected) {
        try (FlexSpace again = FlexSpace.open(vfs.crash(0), DIRECTORY, CrashHistory.SMALL)) {
            assertEquals(expected, new String(SpaceOracle.contentOf(again), StandardCharsets.UTF_8));
            again.checkInvariants();
        }
    }

    @Test
    void aMovedHoleStaysAHoleAndAMovedSegmentStaysInUse() {
        byte[] bytes = SpaceOracle.randomBytes(new Random(1), 40_000);
        space.insertRange(0, ByteBuffer.wrap(bytes));
        space.insertHole(10_000, 5000);
        byte[] model = SpaceOracle.inserted(bytes, 10_000, new byte[5000]);
        space.moveRange(0, 40_000, 45_000);
        model = SpaceOracle.moved(model, 0, 40_000, 45_000);
        assertEquals(40_000, space.stats().data().liveBytes());
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.sync();
        for (int round = 0; round < 100; round++) { // of which some would go to a segment freed too early
            space.insertRange(0, ByteBuffer.wrap(new byte[2000]));
            space.collapseRange(0, 2000);
            space.sync();
        }
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.checkInvariants();
    }

    @Test
    void aHoleTakesNoDiskAndAHoleOfManyGigabytesFewExtents() {
        insert(0, "abcdef");
        space.insertHole(3, 1L << 40);
        assertEquals(6 + (1L << 40), space.size());
        assertTrue(space.stats().tree().extents() < 70_000, space.stats().toString());
        ByteBuffer buffer = ByteBuffer.allocate(4);
        space.read((1L << 40) + 1, buffer);
        assertArrayEquals(new byte[] {0, 0, 'd', 'e'}, buffer.array());
        space.collapseRange(4, (1L << 40) - 2);
        assertEquals("abc\0\0def", content());
        space.punchHole(1, 6);
        assertEquals("a\0\0\0\0\0\0f", content());
        assertEquals(2, space.stats().data().liveBytes());
        assertEquals(3, space.stats().tree().extents());
        space.checkInvariants();
        space.sync();
        reopenAfterCut("a\0\0\0\0\0\0f");
    }

    @Test
    void truncatingCutsTheEndOrAddsAHole() {
        insert(0, "abcdef");
        space.truncate(4);
        assertEquals("abcd", content());
        space.truncate(4);
        space.truncate(6);
        assertEquals("abcd\0\0", content());
        assertEquals(4, space.stats().data().liveBytes());
        space.truncate(0);
        assertEquals(0, space.size());
        space.truncate(1);
        assertEquals("\0", content());
        space.checkInvariants();
    }

    @Test
    void buffersOfEveryKindAreUsedBetweenPositionAndLimit() {
        byte[] bytes = "xxabcyy".getBytes(StandardCharsets.UTF_8);
        ByteBuffer heap = ByteBuffer.wrap(bytes, 2, 3);
        ByteBuffer direct = ByteBuffer.allocateDirect(7).put(bytes).position(2).limit(5);
        ByteBuffer readOnly =
                ByteBuffer.wrap(bytes).asReadOnlyBuffer().position(2).limit(5);
        ByteBuffer slice = ByteBuffer.wrap(bytes).position(2).slice().limit(3);
        for (ByteBuffer buffer : List.of(heap, direct, readOnly, slice)) {
            space.insertRange(0, buffer);
            assertFalse(buffer.hasRemaining());
        }
        assertEquals("abcabcabcabc", content());
        ByteBuffer target = ByteBuffer.allocate(8).position(3).limit(6);
        space.read(4, target);
        assertEquals(6, target.position());
        assertArrayEquals(new byte[] {0, 0, 0, 'b', 'c', 'a', 0, 0}, target.array());
        assertThrows(IllegalArgumentException.class, () -> space.read(0, readOnly.rewind()));
        assertThrows(IllegalArgumentException.class, () -> space.readExtent(0, readOnly.rewind()));
    }

    @Test
    void aBadArgumentIsRefusedAndChangesNothing() {
        insert(0, "0123456789");
        ByteBuffer empty = ByteBuffer.allocate(0);
        ByteBuffer two = ByteBuffer.wrap("ab".getBytes(StandardCharsets.UTF_8));
        List<Runnable> outOfBounds = List.of(
                () -> space.insertRange(-1, two),
                () -> space.insertRange(11, two),
                () -> space.insertRange(Long.MAX_VALUE, two),
                () -> space.write(-1, two),
                () -> space.collapseRange(-1, 1),
                () -> space.collapseRange(10, 1),
                () -> space.collapseRange(0, 11),
                () -> space.collapseRange(5, Long.MAX_VALUE),
                () -> space.moveRange(-1, 1, 0),
                () -> space.moveRange(9, 2, 0),
                () -> space.moveRange(0, Long.MAX_VALUE, 0),
                () -> space.moveRange(0, 1, 11),
                () -> space.moveRange(0, 1, -1),
                () -> space.insertHole(11, 1),
                () -> space.insertHole(-1, 1),
                () -> space.punchHole(9, 2),
                () -> space.punchHole(-1, 2),
                () -> space.defragment(9, 2),
                () -> space.defragment(-1, 2),
                () -> space.read(9, two),
                () -> space.read(-1, two),
                () -> space.read(Long.MAX_VALUE, two),
                () -> space.readExtent(10, two),
                () -> space.readExtent(-1, two));
        for (Runnable call : outOfBounds) {
            assertThrows(IndexOutOfBoundsException.class, call::run);
        }
        List<Runnable> illegal = List.of(
                () -> space.insertRange(0, empty),
                () -> space.write(0, empty),
                () -> space.write(Long.MAX_VALUE, two),
                () -> space.write(Long.MAX_VALUE - 1, two),
                () -> space.write((1L << 61) - 1, two),
                () -> space.write(1L << 50, two),
                () -> space.moveRange(2, 4, 3),
                () -> space.moveRange(2, 4, 5),
                () -> space.moveRange(2, 0, 5),
                () -> space.insertHole(0, 0),
                () -> space.insertHole(0, (1L << 46) + 1),
                () -> space.insertHole(0, Long.MAX_VALUE),
                () -> space.punchHole(0, 0),
                () -> space.truncate(-1),
                () -> space.truncate((1L << 46) + 11),
                () -> space.truncate(Long.MAX_VALUE),
                () -> space.collapseRange(0, 0),
                () -> space.collapseRange(0, -1),
                () -> space.defragment(0, 0),
                () -> space.defragment(0, Long.MIN_VALUE),
                () -> space.read(0, empty),
                () -> space.readExtent(0, empty));
        for (Runnable call : illegal) {
            assertThrows(IllegalArgumentException.class, call::run);
        }
        List<Runnable> missing =
                List.of(() -> space.insertRange(0, null), () -> space.write(0, null), () -> space.read(0, null));
        for (Runnable call : missing) {
            assertThrows(NullPointerException.class, call::run);
        }
        assertEquals("0123456789", content());
        assertEquals(2, two.remaining());
        space.checkInvariants();
        space.sync();
    }

    @Test
    void anExtentIsReadFromItsBeginning() {
        insert(0, "first");
        insert(0, "second");
        ByteBuffer buffer = ByteBuffer.allocate(20);
        FlexSpace.Extent extent = space.readExtent(8, buffer);
        assertEquals(new FlexSpace.Extent(6, 5), extent);
        assertEquals("first", new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8));
        ByteBuffer small = ByteBuffer.allocate(2);
        assertEquals(new FlexSpace.Extent(0, 6), space.readExtent(5, small));
        assertEquals("se", new String(small.array(), StandardCharsets.UTF_8));
        space.write(13, ByteBuffer.wrap(new byte[] {1}));
        ByteBuffer hole = ByteBuffer.wrap(new byte[] {9, 9, 9, 9});
        assertEquals(new FlexSpace.Extent(11, 2), space.readExtent(12, hole));
        assertArrayEquals(new byte[] {0, 0, 9, 9}, hole.array());
    }

    @Test
    void aSecondOpeningIsRefusedAndTheFirstGoesOn() {
        insert(0, "abc");
        assertThrows(StoreLockedException.class, () -> FlexSpace.open(vfs, DIRECTORY, CrashHistory.SMALL));
        assertEquals("abc", content());
        space.close();
        try (FlexSpace again = FlexSpace.open(vfs, DIRECTORY, CrashHistory.SMALL)) {
            assertEquals(3, again.size());
        }
    }

    @Test
    void aDirectoryWithOtherFilesIsRefusedAndLeftAlone() {
        Path other = Path.of("/other");
        vfs.createDirectories(other);
        vfs.open(other.resolve("letter.txt"), OpenMode.CREATE).close();
        NotAStoreException e =
                assertThrows(NotAStoreException.class, () -> FlexSpace.open(vfs, other, CrashHistory.SMALL));
        assertTrue(e.getMessage().contains("letter.txt"), e.getMessage());
        assertEquals(List.of("letter.txt"), vfs.list(other));
        assertThrows(
                NotAStoreException.class, () -> FlexSpace.open(vfs, other.resolve("letter.txt"), CrashHistory.SMALL));
    }

    @Test
    void filesThatHaveTheNamesOfASpacesAreNotTakenForSuch() {
        for (String name : List.of("data", "log-1", "log.new", "log.recovered", "tree.new", "LOCK")) {
            Path other = Path.of("/other/" + name);
            vfs.createDirectories(other.getParent());
            try (VfsFile file = vfs.open(other, OpenMode.CREATE)) {
                file.write(ByteBuffer.wrap(new byte[] {'m', 'i', 'n', 'e'}), 0);
            }
            NotAStoreException e = assertThrows(
                    NotAStoreException.class, () -> FlexSpace.open(vfs, other.getParent(), CrashHistory.SMALL));
            assertTrue(e.getMessage().contains("found " + name), e.getMessage());
            assertEquals(List.of(name), vfs.list(other.getParent()));
            vfs.delete(other);
        }
    }

    @Test
    void theDataOfASpaceWithoutItsTreeIsNotTakenForAnEmptyDirectory() {
        insert(0, "abc");
        space.close();
        vfs.delete(DIRECTORY.resolve("tree"));
        List<String> names = vfs.list(DIRECTORY);
        assertThrows(CorruptionException.class, () -> FlexSpace.open(vfs, DIRECTORY, CrashHistory.SMALL));
        assertEquals(names, vfs.list(DIRECTORY));
    }

    @Test
    void afterCloseEverythingButCloseIsRefused() {
        insert(0, "abc");
        space.close();
        space.close();
        ByteBuffer one = ByteBuffer.allocate(1);
        List<Runnable> calls = List.of(
                () -> space.insertRange(0, one),
                () -> space.write(0, one),
                () -> space.collapseRange(0, 1),
                () -> space.moveRange(0, 1, 2),
                () -> space.insertHole(0, 1),
                () -> space.punchHole(0, 1),
                () -> space.truncate(0),
                () -> space.openChannel(true),
                space::snapshot,
                () -> space.defragment(0, 1),
                () -> space.read(0, one),
                () -> space.readExtent(0, one),
                space::size,
                space::sync,
                space::checkpoint,
                space::stats);
        for (Runnable call : calls) {
            assertThrows(StoreClosedException.class, call::run);
        }
        assertEquals(1, one.remaining());
    }

    @Test
    void closingWithoutChangesWritesNothing() {
        insert(0, "abc");
        space.close();
        FlexSpace again = FlexSpace.open(vfs, DIRECTORY, CrashHistory.SMALL);
        long operations = vfs.operationCount();
        again.sync();
        again.checkpoint();
        again.close();
        assertEquals(operations, vfs.operationCount());
    }

    @Test
    void figuresTellWhatWasWritten() {
        insert(0, "abcdef");
        space.collapseRange(1, 2);
        space.checkpoint();
        FlexSpaceStats stats = space.stats();
        assertEquals(4, stats.size());
        assertEquals(2, stats.tree().extents());
        assertEquals(4, stats.data().liveBytes());
        assertEquals(1, stats.data().segments());
        assertEquals(0, stats.data().freeSegments());
        assertEquals(32 * 512, stats.data().segmentBytes());
        assertEquals(512, stats.written().dataBytes());
        assertEquals(1, stats.checkpoints().count());
        assertTrue(stats.written().logBytes() > 4096 && stats.written().treeBytes() > 4096, stats.toString());
        assertTrue(stats.tree().memoryBytes() > 0 && stats.collection().bytesMoved() == 0, stats.toString());
    }

    @Test
    void sizesOfAnExistingSpaceAreThoseItWasMadeWith() {
        insert(0, "abc");
        space.close();
        try (FlexSpace again = FlexSpace.open(vfs, DIRECTORY, FlexSpaceOptions.defaults())) {
            assertEquals(32 * 512, again.stats().data().segmentBytes());
            assertEquals(3, again.size());
        }
    }

    @Test
    void optionsRefuseWhatDoesNotWork() {
        FlexSpaceOptions options = FlexSpaceOptions.defaults();
        List<Runnable> bad = List.of(
                () -> options.withSegments(4 << 20, 500),
                () -> options.withSegments(4 << 20, 256),
                () -> options.withSegments(1 << 27, 4096),
                () -> options.withSegments(16 * 4096, 4096),
                () -> options.withSegments(3 << 20, 4096),
                () -> options.withCheckpointLogBytes(4095),
                () -> options.withLogBufferBytes(1023),
                () -> options.withLogBufferBytes((256 << 20) + 1),
                () -> options.withMinimumUtilization(-0.1),
                () -> options.withMinimumUtilization(0.91),
                () -> options.withMinimumUtilization(Double.NaN),
                () -> options.withMaxDataBytes(0),
                () -> options.withScrubBytesPerSecond(-1),
                () -> options.withCacheBytes(-1),
                () -> options.withSegmentBuffers(1),
                () -> options.withSegmentBuffers(1025),
                () -> options.withFrameTableBytes(-1));
        for (Runnable call : bad) {
            assertThrows(IllegalArgumentException.class, call::run);
        }
        assertEquals(
                "FlexSpaceOptions[segmentBytes=65536, frameBytes=1024, checkpointLogBytes=4096, logBufferBytes=1024, "
                        + "minimumUtilization=0.5, maxDataBytes=4194304, scrubBytesPerSecond=0, cacheBytes=12345, "
                        + "mappedReads=false, segmentBuffers=7, frameTableBytes=12, healthListener=null]",
                options.withSegments(65536, 1024)
                        .withCheckpointLogBytes(4096)
                        .withLogBufferBytes(1024)
                        .withMinimumUtilization(0.5)
                        .withMaxDataBytes(4 << 20)
                        .withCacheBytes(12345)
                        .withMappedReads(false)
                        .withSegmentBuffers(7)
                        .withFrameTableBytes(12)
                        .toString());
        assertEquals(4 << 20, options.segmentBytes());
        assertEquals(4096, options.frameBytes());
        assertEquals(16L << 20, options.checkpointLogBytes());
        assertEquals(4 << 20, options.logBufferBytes());
        assertEquals(0.6, options.minimumUtilization());
        assertEquals(Long.MAX_VALUE, options.maxDataBytes());
        assertEquals(0, options.cacheBytes());
    }
}
