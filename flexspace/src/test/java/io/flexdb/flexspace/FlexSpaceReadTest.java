package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which bytes a read touches, in the buffer and in the file. */
class FlexSpaceReadTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path DATA = DIRECTORY.resolve("data");
    private static final int FRAME = 4096;
    private static final FlexSpaceOptions LARGE = FlexSpaceOptions.defaults().withSegments(2 << 20, FRAME);
    private static final byte UNTOUCHED = 0x55;

    private final Random random = new Random(1);
    private final SimulatedVfs vfs = new SimulatedVfs();
    private final List<String> reads = new ArrayList<>(); // of the data file

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer untouched(boolean direct, int capacity) {
        byte[] bytes = new byte[capacity];
        Arrays.fill(bytes, UNTOUCHED);
        return direct ? ByteBuffer.allocateDirect(capacity).put(bytes).clear() : ByteBuffer.wrap(bytes);
    }

    /** Parts of frames at both ends or none, few frames and many, one extent and several, in the file and in memory. */
    @Test
    void aReadFillsItsPartOfAnyBufferAndNothingElse() {
        try (FlexSpace space = FlexSpace.open(vfs, DIRECTORY, LARGE)) {
            byte[] content = randomBytes(3_000_000);
            for (int done = 0; done < content.length; ) {
                int length = Math.min(content.length - done, 1 + random.nextInt(random.nextBoolean() ? 300 : 200_000));
                space.write(done, ByteBuffer.wrap(content, done, length));
                done += length;
                if (random.nextInt(8) == 0) {
                    space.sync();
                }
            }
            for (int i = 0; i < 20; i++) {
                int at = random.nextInt(content.length - 5000);
                byte[] other = randomBytes(1 + random.nextInt(5000));
                System.arraycopy(other, 0, content, at, other.length);
                space.write(at, ByteBuffer.wrap(other));
            }
            for (int i = 0; i < 2000; i++) {
                int length = 1 + random.nextInt(1 << 8 + random.nextInt(11));
                int at = random.nextInt(content.length - length);
                if (random.nextBoolean()) {
                    at &= -FRAME;
                }
                readsAs(space, content, at, length);
            }
        }
    }

    private void readsAs(FlexSpace space, byte[] content, int at, int length) {
        int before = random.nextInt(100);
        ByteBuffer buffer = untouched(random.nextBoolean(), before + length + 50);
        space.read(at, buffer.limit(before + length).position(before));
        String what = length + " bytes at " + at;
        assertEquals(before + length, buffer.position(), what);
        assertEquals(before + length, buffer.limit(), what);
        byte[] found = new byte[buffer.capacity()];
        buffer.clear().get(found);
        byte[] expected = new byte[found.length];
        Arrays.fill(expected, UNTOUCHED);
        System.arraycopy(content, at, expected, before, length);
        assertArrayEquals(expected, found, what);
    }

    /** Whichever frame is damaged, and wherever it is in the read. */
    @Test
    void noReadOfADamagedFrameReturns() {
        byte[] content = randomBytes(40 * FRAME);
        try (FlexSpace space = FlexSpace.open(vfs, DIRECTORY, LARGE)) {
            space.write(0, ByteBuffer.wrap(content));
        }
        byte[] good = vfs.content(DATA);
        for (int damaged : new int[] {3, 4, 10, 26, 27, 35}) {
            byte[] bad = good.clone();
            int position = SegmentFormat.FIRST_SEGMENT_POSITION + damaged * FRAME;
            bad[position + random.nextInt(FRAME)] ^= 1;
            SimulatedVfs vfsOfDamage = vfs.copy();
            vfsOfDamage.setContent(DATA, bad);
            try (FlexSpace space = FlexSpace.open(vfsOfDamage, DIRECTORY, LARGE)) {
                for (int i = 0; i < 100; i++) {
                    int length = 1 + random.nextInt(20 * FRAME);
                    int at = random.nextInt(content.length - length);
                    if (i % 2 == 0) {
                        at &= -FRAME;
                    }
                    if (at / FRAME <= damaged && damaged <= (at + length - 1) / FRAME) {
                        fails(space, at, length, position);
                    } else {
                        readsAs(space, content, at, length);
                    }
                }
            }
        }
    }

    private void fails(FlexSpace space, int at, int length, int position) {
        ByteBuffer buffer =
                untouched(random.nextBoolean(), length + 100).position(33).limit(33 + length);
        CorruptionException e = assertThrows(CorruptionException.class, () -> space.read(at, buffer));
        assertEquals(position, e.position());
        assertEquals(33, buffer.position());
        assertEquals(33 + length, buffer.limit());
    }

    @Test
    void whatLiesTogetherInTheFileIsReadTogether() {
        FlexSpaceOptions small = FlexSpaceOptions.defaults().withSegments(64 << 10, 512); // extents of 2 KiB
        try (FlexSpace space = FlexSpace.open(new ReadsVfs(vfs, reads), DIRECTORY, small)) {
            space.write(0, ByteBuffer.wrap(randomBytes(100_000)));
            space.sync();
            assertTrue(space.stats().tree().extents() >= 50, space.stats().toString());
            assertReads(space, 0, 8192, "0+8192");
            assertReads(space, 1024, 512, "1024+512");
            assertReads(space, 1000, 100, "512+1024"); // the frames that hold them
            space.write(4096, ByteBuffer.wrap(randomBytes(512)));
            space.sync();
            assertReads(space, 0, 8192, "0+4096", "4608+3584"); // what is between is in memory
        }
    }

    private void assertReads(FlexSpace space, int at, int length, String... expected) {
        reads.clear();
        space.read(at, ByteBuffer.allocateDirect(length));
        assertEquals(List.of(expected), reads);
    }

    /** A part of a frame is worth a system call of its own only beside many whole ones. */
    @Test
    void aReadThatIsNotAlignedTakesFewCalls() {
        try (FlexSpace space = FlexSpace.open(new ReadsVfs(vfs, reads), DIRECTORY, LARGE)) {
            space.write(0, ByteBuffer.wrap(randomBytes(60_000)));
            space.write(60_000, ByteBuffer.wrap(randomBytes(4 << 20)));
            space.read(50_000, ByteBuffer.allocateDirect(1)); // the footer
            assertReads(space, 100, FRAME, "0+" + 2 * FRAME);
            assertReads(space, 0, 100); // which is here
            assertReads(space, 3 * FRAME, 100, "12288+" + FRAME);
            assertReads(space, 100, 12 * FRAME, "0+4096", "4096+45056", "49152+4096");
            assertReads(space, 4096, 12 * FRAME + 1, "4096+49152", "53248+4096");
        }
    }

    /** Those of other segments are read from the file, each time. */
    @Test
    void ofManySegmentsTheChecksumsOfAFewAreInMemory() {
        FlexSpaceOptions few =
                FlexSpaceOptions.defaults().withSegments(128 << 10, FRAME).withFrameTableBytes(0);
        int segments = 60;
        byte[] content = randomBytes(segments * 31 * FRAME);
        try (FlexSpace space = FlexSpace.open(new ReadsVfs(vfs, reads), DIRECTORY, few)) {
            space.write(0, ByteBuffer.wrap(content));
            space.sync();
            for (int i = 0; i < 2000; i++) {
                int at = random.nextInt(content.length / FRAME) * FRAME;
                reads.clear();
                readsAs(space, content, at, FRAME);
                assertTrue(reads.size() <= 2, () -> "to read a frame: " + reads);
                assertTrue(reads.size() < 2 || reads.get(0).endsWith("+" + FRAME), () -> "no footer: " + reads);
            }
            assertTrue(space.stats().data().frameTableBytes() <= 10 * 31 * 4, () -> "" + space.stats());
            for (int i = 0; i < 100; i++) {
                reads.clear();
                readsAs(space, content, (i % 3 * 10 * 31 + i / 3 % 31) * FRAME, FRAME);
                assertTrue(i < 3 || reads.size() <= 1, () -> "what is needed again stays: " + reads);
            }
            assertTrue(space.check().isSound());
        }
    }
}
