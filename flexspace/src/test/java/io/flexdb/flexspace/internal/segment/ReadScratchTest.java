package io.flexdb.flexspace.internal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What small reads take from the file, and what they leave for the next ones. */
class ReadScratchTest {
    private static final int FRAME = 512;
    private static final int SEGMENT = 256 << 10;

    private final Epochs epochs = new Epochs();
    private final SegmentFormat format = new SegmentFormat(SEGMENT, FRAME, 9);
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final CountingFile file = new CountingFile(vfs.open(Path.of("/data"), OpenMode.CREATE));
    private final SegmentStore store = new SegmentStore(file, format, epochs, vfs.worker("seal"));
    private final ReadScratch scratch = store.newScratch(cache(format));
    private final Random random = new Random(3);

    /** A cache in front of the file, or null. */
    FrameCache cache(SegmentFormat ofFormat) {
        return null;
    }

    /** Counts reads, and fails those that reach a damaged place. */
    private static final class CountingFile extends ForwardingVfsFile {
        private int reads;
        private long bytes;
        private long unreadable = Long.MAX_VALUE; // position

        CountingFile(VfsFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            if (position <= unreadable && unreadable < position + dst.remaining()) {
                throw new StoreIoException("read", path(), new IOException("a bad block"));
            }
            int done = super.read(dst, position);
            reads++;
            bytes += done;
            return done;
        }
    }

    /** What is in every segment at this position, in its so manieth use. */
    private static byte byteAt(int position, int use) {
        return (byte) (position * 31 + (position >> 8) + 77 * use);
    }

    /** Fills so many segments in turn, and begins one more. */
    private void fillSegments(int count, int use) {
        for (int i = 0; i <= count * format.dataFrames; i++) {
            int start = i % format.dataFrames * FRAME;
            ByteBuffer bytes = ByteBuffer.allocate(FRAME);
            for (int j = 0; j < FRAME; j++) {
                bytes.put(j, byteAt(start + j, use));
            }
            store.addLive(store.append(bytes, 0, FRAME), FRAME);
        }
        publish();
        file.reads = 0;
        file.bytes = 0;
    }

    private void publish() {
        for (int i = 0; i < 4; i++) {
            epochs.advance();
            store.reclaim();
        }
    }

    private void read(int segment, int position, int length) {
        read(segment, position, length, 1);
    }

    private void read(int segment, int position, int length, int use) {
        ByteBuffer destination = random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
        store.read(format.address(segment, position), destination, 0, length, scratch);
        for (int i = 0; i < length; i++) {
            assertEquals(byteAt(position + i, use), destination.get(i), "position " + (position + i));
        }
    }

    private void readInSteps(int segment, int from, int end, int length) {
        for (int at = from; at + length <= end; at += length) {
            read(segment, at, length);
        }
    }

    private void damage(int segment, int position) {
        ByteBuffer one = ByteBuffer.allocate(1).put(0, (byte) ~byteAt(position, 1));
        file.write(one, format.filePosition(segment, position));
    }

    @Test
    void aSequenceOfSmallReadsTakesFewReadsOfTheFile() {
        readSegmentWithFewReads(100);
        assertTrue(file.bytes < format.dataBytes + 2 * FRAME * file.reads, file.bytes + " bytes");
    }

    @Test
    void soDoWholeFrames() {
        readSegmentWithFewReads(4096);
        assertTrue(file.bytes <= format.dataBytes, file.bytes + " bytes");
    }

    private void readSegmentWithFewReads(int length) {
        fillSegments(1, 1);
        readInSteps(0, 0, format.dataBytes, length);
        int most = (format.dataBytes + ReadScratch.READ_BYTES - 1) / ReadScratch.READ_BYTES;
        assertTrue(file.reads <= most + 3, file.reads + " reads, and at most 3 to come to the full length");
    }

    @Test
    void partsOfAFrameThatWasReadAreNotReadAgain() {
        fillSegments(1, 1);
        read(0, 1000, 10);
        read(0, 700, 20);
        read(0, 512, 512);
        assertEquals(1, file.reads);
        assertEquals(FRAME, file.bytes);
        read(0, 900, 200);
        assertEquals(2, file.reads, "of its end");
    }

    @Test
    void readsHereAndThereTakeTheirFramesOnly() {
        fillSegments(3, 1);
        for (int i = 0; i < 100; i++) {
            read(i % 3, i * 7919 % (format.dataBytes - FRAME) & -FRAME, FRAME);
        }
        assertEquals(100 * FRAME, file.bytes);
    }

    @Test
    void largeReadsInSequenceTakeWhatTheyWant() {
        fillSegments(1, 1);
        readInSteps(0, 0, format.dataBytes, ReadScratch.WORTH_A_CALL_BYTES);
        assertEquals(format.dataBytes / ReadScratch.WORTH_A_CALL_BYTES, file.reads);
        assertEquals((long) file.reads * ReadScratch.WORTH_A_CALL_BYTES, file.bytes);
    }

    @Test
    void aDamagedFrameFailsWhoAsksForItAndNobodyBefore() {
        fillSegments(1, 1);
        int damaged = 70 * FRAME;
        damage(0, damaged + 5);
        readInSteps(0, 0, damaged, 128);
        CorruptionException e = assertThrows(CorruptionException.class, () -> read(0, damaged, 128));
        assertTrue(e.getMessage().contains("frame 70 of segment 0"), e.getMessage());
        assertThrows(CorruptionException.class, () -> read(0, damaged + 128, 128));
        readInSteps(0, damaged + FRAME, format.dataBytes, 128);
    }

    @Test
    void soDoesABlockThatCanNotBeRead() {
        fillSegments(1, 1);
        int damaged = 70 * FRAME;
        file.unreadable = format.filePosition(0, damaged + 5);
        readInSteps(0, 0, damaged, 128);
        assertThrows(StoreIoException.class, () -> read(0, damaged, 128));
        assertThrows(StoreIoException.class, () -> read(0, damaged + 128, 128));
        readInSteps(0, damaged + FRAME, format.dataBytes, 128);
    }

    @Test
    void aReadThatFailsLeavesNothingToTheNextOnes() {
        fillSegments(1, 1);
        read(0, 10 * FRAME, 100);
        damage(0, 20 * FRAME);
        assertThrows(CorruptionException.class, () -> read(0, 20 * FRAME, 100));
        read(0, 10 * FRAME, 100);
        assertEquals(scratch.cache == null ? 3 : 2, file.reads);
    }

    /** The other use of a segment has other bytes at the same place. */
    @Test
    void aSegmentThatIsUsedAgainIsReadAgain() {
        fillSegments(2, 1);
        readInSteps(0, 0, 40 * FRAME, FRAME);
        for (int frame = 0; frame < format.dataFrames; frame++) {
            store.removeLive(format.address(0, frame * FRAME), FRAME);
        }
        SegmentStores.force(store);
        store.releaseEmptied();
        publish();
        assertTrue(store.isFree(0));
        fillRestOfOpenSegment();
        fillSegments(1, 2);
        assertTrue(store.segment(0).isSealed());
        assertEquals(2, store.segment(0).generation);
        read(0, 40 * FRAME, FRAME, 2);
        read(0, 39 * FRAME, FRAME, 2);
        read(0, 41 * FRAME, FRAME, 2);
    }

    private void fillRestOfOpenSegment() {
        while (store.roomInOpenSegment() > 0) {
            store.addLive(store.append(ByteBuffer.allocate(FRAME), 0, FRAME), FRAME);
        }
    }
}
