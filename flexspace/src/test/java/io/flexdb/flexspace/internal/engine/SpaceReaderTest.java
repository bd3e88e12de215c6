package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.segment.SegmentRestore;
import io.flexdb.flexspace.internal.segment.SegmentStore;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is prefetched of a file on a slow disk with a page cache, and how often a reader waits for it all the same. */
class SpaceReaderTest {
    private static final int EXTENT = 512;
    private static final int EXTENTS = 8192;
    private static final long DISK_NANOS = 100_000;
    private static final int EXTENTS_PER_MIB = (1 << 20) / EXTENT;

    private final Epochs epochs = new Epochs();
    private final SegmentFormat format = new SegmentFormat(32 * EXTENT, EXTENT, 9);
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Disk disk = new Disk(vfs.open(Path.of("/data"), OpenMode.CREATE));
    private final SegmentStore store = new SegmentStore(disk, format, epochs, vfs.worker("seal"));
    private final FlexTree tree =
            OwnedTrees.create(FlexTreeOptions.defaults().withMaxExtentBytes(EXTENT), epochs, new OffHeap());
    private final List<Long> addresses = new ArrayList<>(); // in the order of the address space
    private long now;
    private long appended;
    private int looks;

    /** Counts prefetches, and the reads that have to wait. */
    private final class Disk extends ForwardingVfsFile {
        private final BitSet cached = new BitSet(); // by frame of the file
        private int waits;
        private int prefetches;
        private int nanosPerByte; // of a copy

        Disk(VfsFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            if (bring(position, dst.remaining())) {
                waits++;
                now += DISK_NANOS;
            }
            now += 500 + nanosPerByte * dst.remaining();
            return super.read(dst, position);
        }

        @Override
        public void prefetch(long position, long bytes) {
            prefetches++;
            bring(position, bytes);
        }

        private boolean bring(long position, long bytes) {
            int from = (int) (position / EXTENT);
            int to = (int) ((position + bytes + EXTENT - 1) / EXTENT);
            boolean missing = cached.nextClearBit(from) < to;
            cached.set(from, to);
            return missing;
        }
    }

    /** Fills the space with extents that each lie elsewhere, in segments that are all sealed, and begins to read it. */
    private SpaceReader scattered() {
        return reader(true);
    }

    private SpaceReader reader(boolean scattered) {
        for (int i = 0; i < EXTENTS; i++) {
            addresses.add(append());
        }
        while (store.roomInOpenSegment() > 0) {
            append();
        }
        append(); // which seals the last segment that is read
        if (scattered) {
            Collections.shuffle(addresses, new Random(1));
        }
        for (long address : addresses) {
            tree.append(EXTENT, address);
        }
        disk.cached.clear();
        return new SpaceReader(store, this::look);
    }

    private long append() {
        long number = appended++;
        long address = store.append(ByteBuffer.allocate(EXTENT).putLong(0, number), 0, EXTENT);
        assertEquals(number, numberOf(address));
        return address;
    }

    /** What the bytes of an extent begin with. */
    private long numberOf(long address) {
        return (long) format.segmentOf(address) * format.dataFrames + format.positionOf(address) / EXTENT;
    }

    private long look() {
        looks++;
        return now;
    }

    private void read(SpaceReader reader, int first, int count) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(count * EXTENT);
        reader.read(tree.current(), (long) first * EXTENT, buffer, 0, count * EXTENT);
        for (int i = 0; i < count; i++) {
            assertEquals(numberOf(addresses.get(first + i)), buffer.getLong(i * EXTENT), "extent " + (first + i));
        }
    }

    private void readInSequence(SpaceReader reader, int first, int end, int count) {
        for (int i = first; i < end; i += count) {
            read(reader, i, count);
        }
    }

    @Test
    void aReadOfManyPiecesWaitsOnce() {
        SpaceReader reader = scattered();
        read(reader, 100, 16);
        assertEquals(1, disk.waits);
        assertEquals(15, disk.prefetches);
        read(reader, 1000, 200);
        assertEquals(2 + 200 - 1 - 64, disk.waits, "what can be prefetched at once has a limit");
    }

    @Test
    void readsInSequenceSeldomWait() {
        for (int count : new int[] {1, 16}) {
            SpaceReader reader = scattered();
            readInSequence(reader, 0, EXTENTS, count);
            assertTrue(disk.waits < 10, disk.waits + " reads have waited, of " + EXTENTS / count);
            assertTrue(disk.prefetches <= EXTENTS, "each extent once: " + disk.prefetches);
            disk.prefetches = 0;
            readInSequence(reader, 0, EXTENTS, count);
            assertEquals(0, disk.prefetches, "everything is in memory");
            addresses.clear();
            tree.collapseRange(0, tree.size());
            disk.waits = 0;
        }
    }

    @Test
    void theKernelIsNotToldWhatItSees() {
        SpaceReader reader = reader(false);
        readInSequence(reader, 0, EXTENTS, 1);
        int segments = store.segmentCount();
        assertTrue(disk.prefetches > 0, "the next segment");
        assertTrue(disk.prefetches <= segments, disk.prefetches + " prefetches, " + segments + " segments");
    }

    @Test
    void nothingIsBroughtBehindTheEndOfAWalk() {
        SpaceReader reader = reader(false); // in the order of the file
        SpaceRange range = new SpaceRange();
        ByteBuffer buffer = ByteBuffer.allocateDirect(3 * EXTENT);
        for (int first = 0; first < 9; first += 3) {
            range.set(tree.current(), (long) first * EXTENT, 3 * EXTENT).last(true);
            reader.read(range, buffer, 0);
        }
        assertEquals(9, disk.cached.cardinality());
        assertEquals(0, disk.prefetches);
        read(reader, 9, 3);
        assertTrue(disk.cached.cardinality() > 12, "a walk that goes on has more brought");
    }

    @Test
    void whatIsInMemoryIsNotPrefetched() {
        SpaceReader reader = scattered();
        disk.cached.set(0, disk.cached.size() + 2 * EXTENTS);
        for (int i = 0; i < EXTENTS; i++) {
            if (i % 20 == 0) {
                now += DISK_NANOS; // between two reads
            }
            read(reader, i, 1);
        }
        readInSequence(reader, 0, EXTENTS, 4);
        assertEquals(0, disk.prefetches);
        assertTrue(looks < (EXTENTS + EXTENTS / 4 * 2), "the clock was read " + looks + " times");
    }

    @Test
    void whatIsReadAheadTakesItsTimeAndIsNoDisk() {
        SpaceReader reader = reader(false);
        disk.cached.set(0, 2 * EXTENTS);
        disk.nanosPerByte = 1; // so that a segment takes longer than a disk would for an extent
        readInSequence(reader, 0, EXTENTS, 4);
        assertEquals(0, disk.prefetches);
    }

    /** A thread may lose its processor in any read. */
    @Test
    void aSlowReadNowAndThenIsNoDisk() {
        SpaceReader reader = scattered();
        for (int i = 0; i < EXTENTS; i++) {
            disk.cached.set(0, 2 * EXTENTS, i % 20 != 0);
            read(reader, i, 1);
        }
        assertEquals(0, disk.prefetches);
    }

    @Test
    void prefetchesEndWhereTheRestIsInMemory() {
        SpaceReader reader = scattered();
        readInSequence(reader, 0, 100, 1);
        assertTrue(disk.prefetches > 100, disk.prefetches + " prefetches");
        disk.cached.set(0, 2 * EXTENTS);
        readInSequence(reader, 100, EXTENTS, 1);
        assertTrue(disk.prefetches < EXTENTS_PER_MIB + 1000, disk.prefetches + " prefetches");
    }

    @Test
    void readsAtRandomDoNotLookAtTheClock() {
        SpaceReader reader = scattered();
        Random random = new Random(2);
        for (int i = 0; i < 1000; i++) {
            read(reader, random.nextInt(EXTENTS), 1);
        }
        assertTrue(looks < 20, looks + " looks: some are neighbours by chance");
        assertEquals(0, disk.prefetches);
    }

    /** After opening, checksums are in the footers, which would each be waited for. */
    @Test
    void footersThatAreNotKnownArePrefetchedToo() {
        scattered();
        SegmentStore opened = new SegmentStore(disk, format, epochs, vfs.worker("seal"));
        for (int number = 0; number < store.segmentCount(); number++) {
            new SegmentRestore(opened).restore(number, store.segment(number).generation);
        }
        read(new SpaceReader(opened, this::look), 50, 16);
        assertEquals(2, disk.waits, "the first extent and its footer");
    }

    @Test
    void neitherHolesNorMemoryIsPrefetched() {
        SpaceReader reader = scattered();
        long end = tree.size();
        tree.insertHole(end, 4 * EXTENT);
        long open = append();
        tree.insertRange(end + 2 * EXTENT, EXTENT, open, 0);
        ByteBuffer buffer = ByteBuffer.allocateDirect(7 * EXTENT);
        reader.read(tree.current(), end - 2 * EXTENT, buffer, 0, 7 * EXTENT);
        assertEquals(1, disk.prefetches);
        assertEquals(0, buffer.getLong(2 * EXTENT));
        assertEquals(numberOf(open), buffer.getLong(4 * EXTENT));
        assertEquals(0, buffer.getLong(5 * EXTENT));
    }
}
