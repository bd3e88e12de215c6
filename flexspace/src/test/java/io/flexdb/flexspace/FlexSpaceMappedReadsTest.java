package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.MappedFile;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.CutUnderReaders;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames come out of mappings of the data file, verified, and whatever happens to the file there. */
class FlexSpaceMappedReadsTest {
    private static final int FRAME = 4096;
    private static final int BYTES = 6 << 20;
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults().withSegments(1 << 20, FRAME);

    @TempDir
    private Path root;

    private final AtomicInteger calls = new AtomicInteger(); // that read the data file
    private final byte[] content = new byte[BYTES];

    @BeforeEach
    void mappingIsSafe() {
        assumeTrue(new RealVfs().mapsSafely(root), "the directory for temporary files maps safely");
    }

    private final class CountingVfs extends ForwardingVfs {
        CountingVfs() {
            super(new RealVfs());
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            VfsFile opened = super.open(file, mode);
            return !file.endsWith("data")
                    ? opened
                    : new ForwardingVfsFile(opened) {
                        @Override
                        public int read(ByteBuffer dst, long position) {
                            calls.incrementAndGet();
                            return super.read(dst, position);
                        }

                        @Override
                        public MappedFile mapForReading(long position, long bytes) {
                            return opened.mapForReading(position, bytes);
                        }
                    };
        }
    }

    /** A space of extents of many lengths, in any order. */
    private Path newSpace(Random random) {
        Path directory = root.resolve("space");
        random.nextBytes(content);
        try (FlexSpace space = FlexSpace.open(directory, OPTIONS)) {
            space.write(0, ByteBuffer.wrap(content));
            for (int i = 0; i < 300; i++) {
                int length = 1 + random.nextInt(random.nextBoolean() ? 200 : 20_000);
                int at = random.nextInt(BYTES - length);
                space.write(at, ByteBuffer.wrap(content, at, length));
            }
        }
        return directory;
    }

    private ByteBuffer read(FlexSpace space, int at, int length, boolean direct) {
        ByteBuffer found = direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
        space.read(at, found);
        return found.flip();
    }

    private void assertReads(FlexSpace space, int at, int length, boolean direct) {
        byte[] found = new byte[length];
        read(space, at, length, direct).get(found);
        assertArrayEquals(Arrays.copyOfRange(content, at, at + length), found, () -> length + " bytes at " + at);
    }

    private static int randomLength(Random random) {
        return 1 + random.nextInt(1 << 7 + random.nextInt(9));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1 << 20})
    void bytesOfAnyPlaceAndLengthAreReadRight(long cacheBytes) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path directory = newSpace(random);
        for (boolean mapped : new boolean[] {true, false}) {
            FlexSpaceOptions options = OPTIONS.withCacheBytes(cacheBytes).withMappedReads(mapped);
            try (FlexSpace space = FlexSpace.open(directory, options)) {
                for (int i = 0; i < 3000; i++) {
                    int length = randomLength(random);
                    assertReads(space, random.nextInt(BYTES - length), length, random.nextBoolean());
                }
                int step = 1 + random.nextInt(9000);
                for (int at = 0; at + step <= BYTES; at += step) {
                    assertReads(space, at, step, at % 2 == 0);
                }
                assertEquals(mapped, space.stats().data().mappedBytes() > 0, "seed " + seed);
            }
        }
    }

    @Test
    void whatIsInMemoryIsReadWithoutSystemCalls() {
        Path directory = newSpace(new Random(1));
        try (FlexSpace space = FlexSpace.open(new CountingVfs(), directory, OPTIONS)) {
            int first = readAllInSteps(space, 1000);
            int small = readAllInSteps(space, 100);
            int frames = readAllInSteps(space, FRAME);
            assertTrue(first <= 20, first + " calls for checksums, and what came slowly all the same");
            assertTrue(small + frames <= 2000, small + " and " + frames + " calls; most of the time there are none");
        }
        try (FlexSpace space = FlexSpace.open(new CountingVfs(), directory, OPTIONS.withMappedReads(false))) {
            int frames = readAllInSteps(space, FRAME);
            assertTrue(frames > 500, frames + " calls");
            assertEquals(0, space.stats().data().mappedBytes());
        }
    }

    private int readAllInSteps(FlexSpace space, int step) {
        calls.set(0);
        for (int at = 0; at + step <= BYTES; at += step) {
            assertReads(space, at, step, true);
        }
        return calls.get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDamagedFrameIsReportedInTheSameWay(boolean mapped) throws IOException {
        Random random = new Random(2);
        Path directory = root.resolve("space");
        random.nextBytes(content);
        try (FlexSpace space = FlexSpace.open(directory, OPTIONS)) {
            space.write(0, ByteBuffer.wrap(content));
        }
        int damaged = 77;
        long position = SegmentFormat.FIRST_SEGMENT_POSITION + damaged * FRAME;
        try (FlexSpace space = FlexSpace.open(directory, OPTIONS.withMappedReads(mapped))) {
            assertReads(space, damaged * FRAME, FRAME, true);
            assertReads(space, 0, FRAME, true);
            flip(directory.resolve("data"), position + 1234);
            for (int[] range :
                    new int[][] {{damaged * FRAME, FRAME}, {damaged * FRAME + 5, 1}, {76 * FRAME + 9, 5000}}) {
                for (boolean direct : new boolean[] {true, false}) {
                    CorruptionException e =
                            assertThrows(CorruptionException.class, () -> read(space, range[0], range[1], direct));
                    assertEquals(position, e.position());
                    assertReads(space, 76 * FRAME, FRAME, direct);
                }
            }
            flip(directory.resolve("data"), position + 1234);
            assertReads(space, damaged * FRAME, FRAME, true);
        }
    }

    private static void flip(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            channel.write(one.put(0, (byte) (one.get(0) ^ 16)).flip(), position);
        }
    }

    @Test
    void aDataFileCutShortUnderItsReadersFailsTheirReadsAndNothingElse() throws Exception {
        long seed = System.nanoTime();
        Path directory = newSpace(new Random(seed));
        CutUnderReaders.Subject<FlexSpace> readers = new CutUnderReaders.Subject<>() {
            @Override
            public FlexSpace open() {
                FlexSpace space = FlexSpace.open(directory, OPTIONS);
                assertReads(space, 0, FRAME, true);
                assertTrue(space.stats().data().mappedBytes() > 0);
                return space;
            }

            @Override
            public void read(FlexSpace space, Random random) {
                int length = randomLength(random);
                assertReads(space, random.nextInt(BYTES - length), length, random.nextInt(4) > 0);
            }

            @Override
            public void verify(FlexSpace space, String at) {
                assertReads(space, 0, BYTES, true);
                assertTrue(space.check().isSound(), at);
            }
        };
        new CutUnderReaders<>(directory.resolve("data"), readers).run(root.resolve("whole"), seed);
    }

    @Test
    void aSpaceWhoseFileIsWholeAgainGoesOn() throws IOException {
        Path directory = newSpace(new Random(3));
        Path data = directory.resolve("data");
        byte[] whole = Files.readAllBytes(data);
        try (FlexSpace space = FlexSpace.open(directory, OPTIONS)) {
            assertReads(space, 0, BYTES, true);
            for (int round = 0; round < 3; round++) {
                int failed = 0;
                try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE)) {
                    channel.truncate(FRAME);
                    for (int at = 0; at < BYTES - 100; at += 5000) {
                        failed += isReadable(space, at) ? 0 : 1;
                    }
                    channel.write(ByteBuffer.wrap(whole), 0);
                }
                assertTrue(failed > 1000, failed + " reads failed");
                for (int at = 0; at < BYTES - 100; at += 5000) {
                    assertReads(space, at, 100, true);
                }
            }
            space.write(17, ByteBuffer.wrap(content, 17, 100));
            space.sync();
            assertTrue(space.check().isSound());
        }
    }

    private boolean isReadable(FlexSpace space, int at) {
        try {
            assertReads(space, at, 100, true);
            return true;
        } catch (StoreIoException | CorruptionException e) {
            return false;
        }
    }
}
