package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.PrefetchVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sweeps in slices, between which the space changes. */
class GarbageCollectorTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final FlexSpaceOptions SMALL = FlexSpaceOptions.defaults()
            .withSegments(32 * 512, 512)
            .withCheckpointLogBytes(1 << 20)
            .withMinimumUtilization(0.7);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(4);
    private final SpaceEngine engine;
    private final GarbageCollector collector;

    GarbageCollectorTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), List.of());
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs);
        collector = engine.collector();
    }

    private void insert(long offset, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        engine.insert(offset, ByteBuffer.wrap(bytes), 0, length, 1); // of a kind that is not joined
    }

    private byte[] content() {
        byte[] bytes = new byte[(int) engine.size()];
        engine.reads().read(engine.current(), 0, ByteBuffer.wrap(bytes), 0, bytes.length);
        return bytes;
    }

    /** Extents in a random order, of which then many go, here and there. */
    private void makeGarbage(int extents, int length) {
        for (int i = 0; i < extents; i++) {
            insert((long) random.nextInt(i + 1) * length, length);
        }
        for (int i = extents - 1; i >= 0; i--) {
            if (random.nextInt(10) < 4) {
                engine.collapse((long) i * length, length);
            }
        }
        engine.sync(1);
    }

    private int victimCount() {
        return (int) IntStream.range(0, engine.store().segmentCount())
                .filter(number -> engine.store().segment(number).victim)
                .count();
    }

    @Test
    void whateverChangesBetweenSlicesNoExtentOfAVictimIsMissed() {
        makeGarbage(4000, 100);
        int sweeps = 0;
        int slices = 0;
        while (sweeps < 5) {
            assertTrue(collector.begin(true));
            int victims = victimCount();
            long freedBefore = collector.segmentsFreed();
            while (collector.isSweeping()) {
                insert(random.nextInt((int) engine.size() / 100) * 100L, 100);
                insert(random.nextInt((int) engine.size() / 100) * 100L, 100);
                int length = 1 + random.nextInt(190);
                engine.collapse(random.nextInt((int) engine.size() - length), length);
                collector.keepPace();
                slices++;
            }
            assertEquals(victims, collector.segmentsFreed() - freedBefore, "victims emptied in sweep " + sweeps);
            engine.checkInvariants();
            engine.sync(2 + sweeps++);
            makeGarbage(500, 100);
        }
        assertTrue(slices > 50, slices + " slices");
        byte[] content = content();
        engine.close();
        SpaceEngine again = SpaceEngine.open(vfs.kill(), DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        again.checkInvariants();
        assertEquals(content.length, again.size());
        again.close();
    }

    /**
     * What is moved towards the end has been seen or will be; only what is moved towards the beginning may be missed.
     */
    @Test
    void movesOfRangesTowardsTheEndHideNoExtentOfAVictim() {
        makeGarbage(4000, 100);
        for (int sweep = 0; sweep < 5; sweep++) {
            assertTrue(collector.begin(true));
            int victims = victimCount();
            long freedBefore = collector.segmentsFreed();
            int slices = 0;
            while (collector.isSweeping()) {
                assertTrue(slices < 5000, "the sweep does not end");
                int size = (int) engine.size();
                int length = 1 + random.nextInt(2000);
                int from = slices % 2 == 0 ? 0 : random.nextInt(size - length - 1);
                int target = from + length + 1 + random.nextInt(size - from - length);
                engine.move(from, length, target);
                insert(random.nextInt((int) engine.size()), 100);
                collector.keepPace();
                slices++;
            }
            assertTrue(slices > 5, slices + " slices");
            assertEquals(victims, collector.segmentsFreed() - freedBefore, "victims emptied in sweep " + sweep);
            engine.checkInvariants();
            engine.sync(2 + sweep);
            makeGarbage(500, 100);
        }
        engine.close();
    }

    @Test
    void movingChangesNoByte() {
        makeGarbage(2000, 100);
        byte[] before = content();
        assertTrue(engine.collectGarbage() > 0);
        assertFalse(collector.isSweeping());
        assertArrayEquals(before, content());
        assertEquals(0, engine.collectGarbage(), "nothing more is worth doing");
        engine.checkInvariants();
        engine.close();
    }

    /** Whoever collects in slices has as much in the end, and can stop in between as often as he likes. */
    @Test
    void slicesMoveNoMoreThanTheyMayAndLetSegmentsGoLikeACollectionToItsEnd() {
        makeGarbage(4000, 100);
        int before = segmentsInUse();
        int slices = 0;
        long moved = engine.figures().bytesMoved();
        while (engine.collectSlice(2000)) {
            long movedNow = engine.figures().bytesMoved() - moved;
            assertTrue(movedNow <= 2000 + 512, movedNow + " bytes moved in one slice");
            publish();
            insert(random.nextInt((int) engine.size() / 100) * 100L, 100);
            moved = engine.figures().bytesMoved();
            slices++;
        }
        assertFalse(collector.isSweeping());
        assertTrue(slices > 20, slices + " slices");
        publish();
        int inUse = segmentsInUse();
        assertTrue(inUse < 0.8 * before, inUse + " segments in use after " + before);
        assertEquals(0, engine.collectGarbage(), "nothing more is worth doing");
        engine.checkInvariants();
        engine.sync(2);
        byte[] content = content();
        engine.close();
        SpaceEngine again = SpaceEngine.open(vfs.crash(0), DIRECTORY, 1, OwnedSpaces.settings(SMALL), new Epochs());
        again.checkInvariants();
        assertEquals(content.length, again.size());
        again.close();
    }

    @Test
    void whatCouldNotBeReadOnceIsMovedLater() {
        boolean[] failing = {false};
        SimulatedVfs files = new SimulatedVfs();
        ForwardingVfs broken = new ForwardingVfs(files) {
            @Override
            public VfsFile open(Path file, OpenMode mode) {
                return new ForwardingVfsFile(super.open(file, mode)) {
                    @Override
                    public int read(ByteBuffer dst, long position) {
                        if (failing[0]) {
                            throw new StoreIoException("read", path(), new IOException("for a while"));
                        }
                        return super.read(dst, position);
                    }
                };
            }
        };
        SpaceEngine.create(broken, DIRECTORY, 1, OwnedSpaces.settings(SMALL), List.of());
        try (SpaceEngine other = SpaceEngine.open(broken, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs)) {
            for (int i = 0; i < 4000; i++) {
                other.insert(random.nextInt(i + 1) * 100L, ByteBuffer.allocate(100), 0, 100, 1);
            }
            for (int i = 3999; i >= 0; i -= 2) {
                other.collapse(i * 100L, 100);
            }
            other.sync(1);
            failing[0] = true;
            for (int i = 0; i < 5; i++) {
                assertEquals(0, other.collectGarbage());
            }
            failing[0] = false;
            for (int i = 0; i < 20 && other.figures().bytesMoved() == 0; i++) {
                other.collectGarbage();
            }
            assertTrue(other.figures().bytesMoved() > 100_000, other.figures().bytesMoved() + " bytes moved");
            other.checkInvariants();
        }
    }

    private int segmentsInUse() {
        return engine.figures().segmentCount() - engine.freeSegmentCount();
    }

    private void publish() {
        for (int phase = 0; phase < 3; phase++) {
            engine.current();
            epochs.advance();
            engine.reclaim();
        }
    }

    @Test
    void noSliceLooksAtMoreThanItsShareOfExtents() {
        makeGarbage(40_000, 40);
        long most = 0;
        long writtenFor = 0;
        int calls = 0;
        long sweeps = collector.sweepsEnded();
        while (collector.sweepsEnded() == sweeps) {
            long scanned = engine.figures().extentsScanned();
            long moved = engine.figures().bytesMoved();
            insert(engine.size(), 400);
            engine.collapse(engine.size() - 400, 400);
            writtenFor += 400;
            collector.keepPace();
            most = Math.max(most, engine.figures().extentsScanned() - scanned);
            long spent = engine.figures().bytesMoved() - moved;
            assertTrue(spent <= collector.maxSliceBytes() + 512, spent + " bytes moved in one call");
            assertTrue(calls++ < 20_000, "the sweep does not end");
        }
        assertTrue(most > 0 && most <= GarbageCollector.MAX_SLICE_EXTENTS, most + " extents in one call");
        assertTrue(calls > 10, calls + " calls");
        assertTrue(
                writtenFor < 2 * engine.figures().bytesFreed(),
                writtenFor + " bytes until " + engine.figures().bytesFreed() + " were free");
        engine.checkInvariants();
        engine.close();
    }

    /** A sweep reads of all its victims in turn, and would wait for a disk at each page. */
    @Test
    void aSweepHasTheKernelBringWhatItMoves() {
        PrefetchVfs counting = new PrefetchVfs(vfs);
        makeGarbage(5000, 100);
        engine.close();
        try (SpaceEngine again = SpaceEngine.open(counting, DIRECTORY, 1, OwnedSpaces.settings(SMALL), epochs)) {
            GarbageCollector sweeping = again.collector();
            assertTrue(sweeping.begin(false));
            counting.told.set(0);
            sweeping.finishSweep();
            long moved = sweeping.bytesMoved();
            assertTrue(moved > 50_000, moved + " bytes moved");
            long told = counting.told.get();
            assertTrue(told > moved / 2, told + " bytes told of " + moved + " that were moved");
        }
    }
}
