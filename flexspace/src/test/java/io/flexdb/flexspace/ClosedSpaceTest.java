package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.NativeIo;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A closed space has no more of the disk than it needs, and loses nothing over that. */
class ClosedSpaceTest {
    private static final Path DIRECTORY = CrashHistory.DIRECTORY;
    private static final Path DATA = DIRECTORY.resolve("data");
    private static final Path TREE = DIRECTORY.resolve("tree");
    private static final int SEGMENT = CrashHistory.SMALL.segmentBytes();

    private final Random random = new Random(3);
    private SimulatedVfs vfs = new SimulatedVfs();

    private static FlexSpace open(ForwardingVfs files) {
        return FlexSpace.open(files, DIRECTORY, CrashHistory.SMALL);
    }

    private static FlexSpace open(SimulatedVfs files) {
        return FlexSpace.open(files, DIRECTORY, CrashHistory.SMALL);
    }

    /** Many extents, changed all over between checkpoints, so that the FlexTree file has two versions of each node. */
    private static void fragment(FlexSpace space, Random random) {
        for (int i = 0; i < 3000; i++) {
            long offset = space.size() == 0 ? 0 : random.nextInt((int) space.size());
            space.insertRange(offset, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 20)));
        }
        space.checkpoint();
        for (int i = 0; i < 400; i++) {
            space.write(random.nextInt((int) space.size() - 20), ByteBuffer.wrap(SpaceOracle.randomBytes(random, 10)));
        }
    }

    private int bytes(Path file) {
        return vfs.content(file).length;
    }

    @Test
    void theFlexTreeFileHasOneVersionAndNoGaps() {
        FlexSpace space = open(vfs);
        fragment(space, random);
        int before = bytes(TREE);
        long extents = space.stats().tree().extents();
        byte[] content = SpaceOracle.contentOf(space);
        space.close();
        int after = bytes(TREE);
        assertTrue(after < 0.6 * before, before + " bytes of FlexTree file, then " + after);
        assertTrue(after < 30 * extents, after + " bytes for " + extents + " extents");
        assertTrue(
                vfs.files().stream().noneMatch(file -> file.endsWith("tree.new")),
                vfs.files().toString());
        FlexSpace again = open(vfs);
        assertArrayEquals(content, SpaceOracle.contentOf(again));
        again.checkInvariants();
        assertEquals(List.of(), again.check().findings());
        again.write(5, ByteBuffer.wrap(new byte[100])); // it is a file like any other
        again.checkpoint();
        System.arraycopy(new byte[100], 0, content, 5, 100);
        again.close();
        again = open(vfs);
        assertArrayEquals(content, SpaceOracle.contentOf(again));
        again.close();
    }

    @Test
    void withoutMemoryForACopyOfTheFlexTreeItIsWrittenInPlace() {
        boolean[] armed = {false};
        int[] refusals = {0};
        FlexSpace space = open(new ForwardingVfs(vfs) {
            @Override
            public VfsFile open(Path file, OpenMode mode) {
                if (armed[0] && file.endsWith("tree.new")) {
                    refusals[0]++;
                    throw new OutOfMemoryError("for a copy");
                }
                return super.open(file, mode);
            }
        });
        fragment(space, random);
        byte[] content = SpaceOracle.contentOf(space);
        armed[0] = true;
        space.close();
        assertEquals(1, refusals[0]);
        assertFound(content, vfs);
    }

    @Test
    void segmentsAtTheEndInWhichNothingLivesAreCutOff() {
        FlexSpace space = open(vfs);
        space.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 40 * SEGMENT)));
        space.sync();
        space.collapseRange(1000, 40 * SEGMENT - 1000);
        space.sync();
        space.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 3 * SEGMENT)));
        space.collapseRange(0, 2 * SEGMENT); // the rest of which lies in segments at the beginning
        byte[] content = SpaceOracle.contentOf(space);
        space.close();
        assertTrue(bytes(DATA) < 8 * SEGMENT, bytes(DATA) + " bytes for " + content.length);
        FlexSpace again = open(vfs);
        assertArrayEquals(content, SpaceOracle.contentOf(again));
        again.close();
    }

    /** Cuts the power, or lets an operation fail, at each operation of a close that gives everything back. */
    @Test
    void nothingIsLostWhereverAClosingIsCut() {
        FlexSpace first = open(vfs);
        fragment(first, random);
        first.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 10 * SEGMENT)));
        first.sync();
        first.collapseRange(100, 9 * SEGMENT);
        byte[] content = SpaceOracle.contentOf(first);
        first.sync();
        SimulatedVfs base = vfs.kill();
        int cuts = 0;
        for (long operation = 1; ; operation++) {
            SimulatedVfs cut = base.copy();
            FlexSpace space = open(cut);
            space.write(7, ByteBuffer.wrap(content, 7, 30)); // or there would be nothing to close
            space.sync();
            fragmentTree(space, content);
            cut.crashAt(cut.operationCount() + operation);
            try {
                space.close();
                break;
            } catch (SimulatedCrash e) {
                cuts++;
            }
            for (long seed = 0; seed < 6; seed++) {
                assertFound(content, cut.crash(seed));
            }
        }
        assertTrue(cuts > 10, cuts + " operations");
        for (Fault fault : Fault.values()) {
            for (long operation = 1; operation <= cuts; operation++) {
                SimulatedVfs failing = base.copy();
                FlexSpace space = open(failing);
                fragmentTree(space, content);
                failing.failAt(failing.operationCount() + operation, fault);
                try {
                    space.close();
                } catch (StorageException e) {
                    assertTrue(failing.faultsFired() > 0, e.toString());
                }
                failing.clearFaults();
                SimulatedVfs found = failing.kill();
                assertFound(content, found.copy());
                assertFound(content, found.crash(2));
            }
        }
    }

    /** Changes all leaves, but not the content. */
    private static void fragmentTree(FlexSpace space, byte[] content) {
        for (int offset = 0; offset < content.length - 10; offset += 400) {
            space.write(offset, ByteBuffer.wrap(content, offset, 10));
        }
        space.sync();
    }

    private static void assertFound(byte[] content, SimulatedVfs found) {
        FlexSpace space = open(found);
        assertArrayEquals(content, SpaceOracle.contentOf(space));
        space.checkInvariants();
        assertEquals(List.of(), space.check().findings());
        space.close();
        assertTrue(
                found.files().stream().noneMatch(file -> file.endsWith("tree.new")),
                found.files().toString());
    }

    /** A disk on which what was given back is gone, and where nothing is left for whoever wants it again. */
    private static final class SparseVfs extends ForwardingVfs {
        private final List<long[]> holes = new ArrayList<>();
        private boolean full;

        SparseVfs(SimulatedVfs vfs) {
            super(vfs);
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            if (!file.endsWith("data")) {
                return super.open(file, mode);
            }
            return new ForwardingVfsFile(super.open(file, mode)) {
                @Override
                public void giveBack(long position, long bytes) {
                    for (long at = position; at < position + bytes; at += SEGMENT) {
                        super.write(ByteBuffer.allocate(SEGMENT), at);
                        holes.add(new long[] {at, at + SEGMENT});
                    }
                }

                @Override
                public void allocate(long position, long bytes) {
                    if (full && (overlaps(position, bytes) || position + bytes > size())) {
                        throw new StoreFullException("allocation", path(), new IOException("full"));
                    }
                    holes.removeIf(hole -> hole[0] >= position && hole[1] <= position + bytes);
                    super.allocate(position, bytes);
                }

                @Override
                public void write(ByteBuffer src, long position) {
                    assertTrue(!overlaps(position, src.remaining()), "written to a place that was given back");
                    super.write(src, position);
                }

                private boolean overlaps(long position, long bytes) {
                    return holes.stream().anyMatch(hole -> position < hole[1] && position + bytes > hole[0]);
                }
            };
        }
    }

    @Test
    void whatWasGivenBackIsTakenAgainBeforeItIsWritten() {
        SparseVfs sparse = new SparseVfs(vfs);
        FlexSpace space = open(sparse);
        space.insertRange(0, ByteBuffer.wrap(SpaceOracle.randomBytes(random, 40 * SEGMENT)));
        space.sync();
        space.collapseRange(2 * SEGMENT, 30 * SEGMENT);
        space.close();
        assertTrue(sparse.holes.size() >= 20, sparse.holes.size() + " segments given back");
        int holes = sparse.holes.size();

        space = open(sparse);
        byte[] content = SpaceOracle.contentOf(space);
        assertEquals(List.of(), space.check().findings());
        sparse.full = true;
        FlexSpace opened = space;
        byte[] much = SpaceOracle.randomBytes(random, 3 * SEGMENT);
        assertThrows(StoreFullException.class, () -> opened.insertRange(10, ByteBuffer.wrap(much)));
        assertArrayEquals(content, SpaceOracle.contentOf(space));
        space.collapseRange(0, 100);
        space.sync();

        sparse.full = false;
        for (int i = 0; i < 5; i++) {
            space.insertRange(10, ByteBuffer.wrap(much));
        }
        space.sync();
        assertTrue(sparse.holes.size() <= holes - 12, "free segments are used again: " + sparse.holes.size());
        content = SpaceOracle.contentOf(space);
        space.checkInvariants();
        space.close();
        space = open(sparse);
        assertArrayEquals(content, SpaceOracle.contentOf(space));
        space.close();
    }

    @Test
    void segmentsInsideTakeNoBlocksWhereTheSystemCanTakeThemBack(@TempDir Path directory) throws Exception {
        assumeTrue(NativeIo.isAvailable());
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withSegments(1 << 18, 4096);
        Path data = directory.resolve("space/data");
        FlexSpace space = FlexSpace.open(new RealVfs(), directory.resolve("space"), options);
        byte[] bytes = SpaceOracle.randomBytes(random, 10 << 20);
        space.insertRange(0, ByteBuffer.wrap(bytes));
        space.sync();
        space.collapseRange(1 << 20, 8 << 20);
        space.close();
        long size = Files.size(data);
        assertTrue(size > 9 << 20, "cut at the end only: " + size);
        long allocated = allocated(data);
        assumeTrue(allocated > 0, "stat tells nothing");
        assertTrue(allocated < 4 << 20, allocated + " bytes of blocks");
        space = FlexSpace.open(new RealVfs(), directory.resolve("space"), options);
        assertArrayEquals(SpaceOracle.collapsed(bytes, 1 << 20, 8 << 20), SpaceOracle.contentOf(space));
        assertEquals(List.of(), space.check().findings());
        space.close();
    }

    private static long allocated(Path file) throws IOException, InterruptedException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        return stat.waitFor() == 0 ? Long.parseLong(blocks) * 512 : 0;
    }
}
