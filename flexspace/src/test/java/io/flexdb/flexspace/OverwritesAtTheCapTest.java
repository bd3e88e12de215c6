package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A space near its cap that is overwritten, against an array, with everybody who may look at it meanwhile. */
class OverwritesAtTheCapTest {
    private static final int MIN_READS =
            Effort.times(20_000); // of a thread, even if it does not run before the writer has ended
    private static final Path DIRECTORY = Path.of("/space");
    private static final int FRAME = 1024;
    private static final int SEGMENT = 32 * FRAME;
    private static final int SEGMENTS = 100;
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults()
            .withSegments(SEGMENT, FRAME)
            .withCheckpointLogBytes(64 << 10)
            .withLogBufferBytes(8 << 10)
            .withMinimumUtilization(0.1)
            .withMaxDataBytes((long) SEGMENTS * SEGMENT);

    private final Random random = new Random(9);
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexSpace space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
    private byte[] model = new byte[0];

    private void write(int offset, int length) {
        byte[] bytes = SpaceOracle.randomBytes(random, length);
        space.write(offset, ByteBuffer.wrap(bytes));
        if (offset + length > model.length) {
            model = Arrays.copyOf(model, offset + length);
        }
        System.arraycopy(bytes, 0, model, offset, length);
    }

    /** Frames, one in each extent, up to a share of what may be live. */
    private void fill(double share) {
        int most = (int) (share * (SEGMENTS - SEGMENTS / 8) * 31 * FRAME / 32 * 30);
        while (model.length + FRAME <= most) {
            write(model.length, FRAME);
        }
        space.sync();
    }

    private void overwriteFrame() {
        write(random.nextInt(model.length / FRAME) * FRAME, FRAME);
    }

    private void assertSame() {
        assertArrayEquals(model, SpaceOracle.contentOf(space));
        space.checkInvariants();
        long dataBytes = vfs.content(DIRECTORY.resolve("data")).length;
        assertTrue(dataBytes <= 4096 + (long) SEGMENTS * SEGMENT, dataBytes + " bytes in the data file");
    }

    private void assertSound() {
        CheckReport report = space.check();
        assertTrue(report.isSound(), report::toString);
    }

    /** A cap leaves room to gain more by each sweep than it takes, however the dead frames are scattered. */
    @Test
    void framesAreOverwrittenForEver() {
        fill(0.99);
        FlexSpaceStats before = space.stats();
        int rounds = Effort.times(20_000);
        for (int round = 0; round < rounds; round++) {
            overwriteFrame();
            if (round % 2000 == 0) {
                assertSame();
                assertSound();
            }
        }
        FlexSpaceStats after = space.stats();
        System.out.println("overwritten: " + after);
        long written = (long) rounds * FRAME;
        long data = after.written().dataBytes() - before.written().dataBytes();
        assertTrue(data < 20 * written, data + " bytes written to segments for " + written);
        space.close();
        space = FlexSpace.open(vfs, DIRECTORY, OPTIONS);
        assertSame();
        assertSound();
        space.close();
    }

    @Test
    void soAreLengthsOfAllKinds() {
        fill(0.97);
        IntSupplier[] lengths = {
            () -> FRAME,
            () -> 1 + random.nextInt(FRAME),
            () -> 1 + random.nextInt(100),
            () -> 1 + random.nextInt(20 * FRAME),
            () -> 5 * FRAME
        };
        long moved = 0;
        for (int round = 0; round < Effort.times(30); round++) {
            IntSupplier kind = lengths[random.nextInt(lengths.length)];
            for (int i = 0; i < 250; i++) {
                int length = kind.getAsInt();
                int offset = random.nextInt(model.length - length);
                write(random.nextBoolean() ? offset / FRAME * FRAME : offset, length);
                if (random.nextInt(40) == 0) {
                    space.sync();
                }
            }
            assertSame();
            switch (random.nextInt(6)) {
                case 0 -> {
                    moved += space.stats().collection().bytesMoved();
                    space.close();
                    space = FlexSpace.open(vfs, DIRECTORY, OPTIONS.withCacheBytes(round % 2 * 300 * FRAME));
                }
                case 1 -> {
                    moved += space.stats().collection().bytesMoved();
                    vfs = vfs.kill();
                    space = FlexSpace.open(vfs, DIRECTORY, OPTIONS.withCacheBytes(round % 2 * 3000 * FRAME));
                    model = SpaceOracle.contentOf(space); // an earlier state, which other tests look at
                }
                case 2 -> space.checkpoint();
                default -> assertSound();
            }
        }
        assertTrue(
                moved + space.stats().collection().bytesMoved() > 0,
                space.stats().toString());
        space.close();
    }

    private record Moment(FlexSpaceSnapshot snapshot, byte[] content) {}

    @Test
    void snapshotsKeepWhatTheyShow() {
        fill(0.93);
        Deque<Moment> moments = new ArrayDeque<>();
        int refusals = 0;
        for (int round = 0; round < Effort.times(12_000); round++) {
            try {
                overwriteFrame();
            } catch (StoreFullException e) {
                refusals++; // what snapshots hold can't be written
                verify(moments.removeFirst());
            }
            if (random.nextInt(150) == 0) {
                moments.add(new Moment(space.snapshot(), model.clone()));
            }
            if (moments.size() > 3 || !moments.isEmpty() && random.nextInt(100) == 0) {
                verify(moments.removeFirst());
            }
        }
        moments.forEach(this::verify);
        assertSame();
        space.sync(); // which finds that nobody reads any more what the last snapshots showed
        FlexSpaceStats stats = space.stats();
        System.out.println(refusals + " refused beside snapshots: " + stats);
        assertTrue(stats.collection().segmentsFreed() > Effort.times(100), stats.toString());
        assertEquals(0, stats.data().pinnedSegments());
        space.close();
    }

    private void verify(Moment moment) {
        byte[] found = new byte[moment.content.length];
        moment.snapshot.read(0, ByteBuffer.wrap(found));
        assertArrayEquals(moment.content, found);
        moment.snapshot.close();
    }

    /**
     * Blocks name themselves, so that a reader knows a whole one; checks and the scrub look at all that is in the file.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 10_000})
    void readersChecksAndTheScrubFindNothingWrong(int cachedFrames) throws InterruptedException {
        space.close();
        int cacheBytes = cachedFrames * FRAME;
        space = FlexSpace.open(
                vfs, DIRECTORY, OPTIONS.withScrubBytesPerSecond(1 << 30).withCacheBytes(cacheBytes));
        int blocks = (int) (0.95 * (SEGMENTS - SEGMENTS / 8) * 31 / 32 * 30);
        for (int block = 0; block < blocks; block++) {
            writeNamed(block, 0);
        }
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Throwable> problem = new AtomicReference<>();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int seed = i;
            threads[i] = new Thread(() -> {
                Random places = new Random(seed);
                int[] versions = new int[blocks];
                ByteBuffer found = ByteBuffer.allocateDirect(3 * FRAME);
                for (int reads = 0; !done.get() || seed > 0 && reads < MIN_READS; reads++) {
                    if (seed == 0) {
                        assertSound();
                        await(space.stats().collection().segmentsFreed() + 20, done);
                        continue;
                    }
                    boolean inSequence = seed == 1; // who reads ahead meets frames before they are used again
                    int block = inSequence ? reads * 3 % (blocks - 2) : places.nextInt(blocks - 2);
                    space.read((long) block * FRAME, found.clear());
                    for (int at = 0; at < 3; at++) {
                        int version = assertNamed(found, at * FRAME, block + at);
                        assertTrue(version >= versions[block + at], "an earlier version of block " + (block + at));
                        versions[block + at] = version;
                    }
                }
            });
            threads[i].setUncaughtExceptionHandler((thread, e) -> problem.set(e));
            threads[i].start();
        }
        for (int version = 1; version < Effort.times(60_000) && problem.get() == null; version++) {
            writeNamed(random.nextInt(blocks), version);
            if (version % 100 == 0) {
                space.sync();
            }
        }
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(problem.get(), () -> "" + problem.get());
        FlexSpaceStats stats = space.stats();
        System.out.println("beside readers: " + stats);
        assertTrue(stats.collection().segmentsFreed() > Effort.times(100), stats.toString());
        assertEquals(0, stats.scrub().findings());
        // 100 of these frames are a twenty-fourth of all.
        long lookedFor = stats.cache().hits() + stats.cache().misses();
        assertTrue(
                stats.cache().hits() > Math.max(Effort.times(1000), lookedFor / 100) || cachedFrames == 0,
                stats.toString());
        space.close();
    }

    /** What a check holds can't be written until it has ended. */
    private void writeNamed(int block, int version) {
        ByteBuffer bytes = ByteBuffer.allocate(FRAME);
        while (bytes.hasRemaining()) {
            bytes.putInt(block).putInt(version);
        }
        bytes.flip();
        while (true) {
            try {
                space.write((long) block * FRAME, bytes);
                return;
            } catch (StoreFullException e) {
                Thread.yield();
            }
        }
    }

    private void await(long segmentsFreed, AtomicBoolean done) {
        Waiting.whileTrue(() -> !done.get() && space.stats().collection().segmentsFreed() < segmentsFreed);
    }

    /** Returns the version. */
    private static int assertNamed(ByteBuffer bytes, int from, int block) {
        long first = bytes.getLong(from);
        assertEquals(block, (int) (first >>> 32));
        for (int at = from; at < from + FRAME; at += Long.BYTES) {
            assertEquals(first, bytes.getLong(at), "block " + block + " in part");
        }
        return (int) first;
    }
}
