package io.flexdb.flexspace.internal.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.segment.StagedBytes;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The scrub on the test's thread, by a clock that stands still unless somebody waits for it. */
class ScrubberTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final Path DATA = DIRECTORY.resolve("data");
    private static final int FRAME = 8192;
    private static final int SEGMENT = 128 * FRAME; // four reads, the last of them shorter
    private static final int DATA_FRAMES = 127;
    private static final int RECORD = SEGMENT / 32;
    private static final long RATE = 10_000_000;
    private static final int MAX_AT_ONCE = (256 << 10) + FRAME;
    private static final FlexSpaceOptions OPTIONS =
            FlexSpaceOptions.defaults().withSegments(SEGMENT, FRAME).withMinimumUtilization(0);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final Epochs epochs = new Epochs();
    private final Random random = new Random(3);
    private final Clock clock = new Clock();
    private SpaceEngine engine;
    private volatile FlexTreeView published;
    private Scrubber scrubber;

    /** Ends what waits for it after some passes. */
    private final class Clock implements Scrubber.Time {
        long now = Long.MAX_VALUE - 5; // overflows soon
        long waited;
        int passes = 1;
        Runnable whileWaiting = () -> {};

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public boolean waitUntil(long nanoTime) {
            assertEquals(0, epochs.pinnedVersionCount(), "S2");
            if (nanoTime - now > 0) {
                waited += nanoTime - now;
                now = nanoTime;
            }
            assertTrue(
                    scrubber.bytesRead() <= MAX_AT_ONCE + (double) RATE * waited / TimeUnit.SECONDS.toNanos(1),
                    scrubber.bytesRead() + " bytes in " + waited + " ns");
            whileWaiting.run();
            return scrubber.passes() < passes;
        }
    }

    ScrubberTest() {
        SpaceEngine.create(vfs, DIRECTORY, 1, OwnedSpaces.settings(OPTIONS), List.of());
        open();
    }

    private void open() {
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(OPTIONS), epochs);
        scrubber = new Scrubber(engine.store(), epochs, RATE, clock);
        publish();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void publish() {
        published = engine.current();
        epochs.advance();
        engine.reclaim();
    }

    private long pin() {
        int ticket = epochs.enter();
        try {
            long version = published.version();
            epochs.pin(version);
            return version;
        } finally {
            epochs.exit(ticket);
        }
    }

    private void append(int records) {
        byte[] bytes = new byte[RECORD];
        for (int i = 0; i < records; i++) {
            random.nextBytes(bytes);
            engine.insert(engine.size(), ByteBuffer.wrap(bytes), 0, RECORD, 0);
        }
        engine.sync(0);
        publish();
    }

    private static long positionOf(int segment, int frame) {
        return 4096 + (long) segment * SEGMENT + (long) frame * FRAME;
    }

    private void damage(int segment, int frame) {
        try (VfsFile file = vfs.open(DATA, OpenMode.READ_WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}), positionOf(segment, frame) + 10);
        }
    }

    @Test
    void allSealedSegmentsAreReadAtTheRate() {
        append(31 * 5 + 3);
        clock.passes = 2;
        scrubber.run(this::pin);
        assertEquals(2, scrubber.passes());
        assertEquals(2 * 5 * SEGMENT, scrubber.bytesRead());
        assertEquals(0, scrubber.findingCount());
        // One pass takes a second at this rate: from its beginning on there was an hour to the next one.
        assertTrue(clock.waited >= Scrubber.PASS_NANOS, clock.waited + " ns");
        assertTrue(clock.waited <= 2 * Scrubber.PASS_NANOS, clock.waited + " ns");
    }

    @Test
    void aPassThatTakesLongerThanTheShortestPauseIsFollowedByTheNextAtOnce() {
        append(31 * 2);
        scrubber = new Scrubber(engine.store(), epochs, 1, clock);
        clock.passes = 3;
        scrubber.run(this::pin);
        long bytes = scrubber.bytesRead();
        assertEquals(3L * SEGMENT, bytes, "one segment is sealed");
        long nanos = TimeUnit.SECONDS.toNanos(bytes);
        assertTrue(clock.waited >= nanos - TimeUnit.SECONDS.toNanos(MAX_AT_ONCE) && clock.waited <= nanos);
    }

    @Test
    void everyDamagedFrameIsFoundInEachPass() {
        append(31 * 4 + 3);
        int[][] places = {{0, 0}, {0, 31}, {0, 32}, {1, DATA_FRAMES - 1}, {3, 64}};
        for (int[] place : places) {
            damage(place[0], place[1]);
        }
        damage(2, DATA_FRAMES); // the footer: its frames are verified by what is in memory, if it is
        engine.close();
        open();
        clock.passes = 3;
        scrubber.run(this::pin);
        assertEquals(3 * (places.length + 1), scrubber.findingCount());
    }

    @Test
    void whatWasStagedAndGivenUpIsNoDamage() {
        append(31 * 2 + 3);
        StagedBytes staged = engine.stage();
        staged.append(ByteBuffer.wrap(new byte[RECORD]));
        publish();
        staged.close();
        assertTrue(engine.store().takeGivenBack());
        scrubber.run(this::pin);
        assertEquals(0, scrubber.findingCount());
        assertEquals(2 * SEGMENT, scrubber.bytesRead());
    }

    @Test
    void whatCannotBeReadIsFoundAndTheRestIsRead() {
        append(31 * 3 + 3);
        vfs.failReadAt(vfs.readCount() + 2, false);
        vfs.failReadAt(vfs.readCount() + 3, false);
        scrubber.run(this::pin);
        assertEquals(1, scrubber.findingCount());
        assertEquals(3 * SEGMENT - FRAME, scrubber.bytesRead());
    }

    @Test
    void segmentsThatAreEmptyOrReleasedMeanwhileAreLeftAlone() {
        append(31 * 4 + 3);
        long[] waits = {0};
        clock.whileWaiting = () -> {
            if (++waits[0] == 3) {
                engine.collapse(0, engine.size());
                engine.sync(0);
                publish();
                // They may be written to now.
                for (int segment = 0; segment < 4; segment++) {
                    damage(segment, 0);
                    damage(segment, 100);
                }
            }
        };
        scrubber.run(this::pin);
        assertEquals(0, scrubber.findingCount());
        assertTrue(scrubber.bytesRead() < SEGMENT, scrubber.bytesRead() + " bytes");
        assertTrue(scrubber.bytesRead() > 0);
    }

    @Test
    void aPinKeepsASegmentThatIsReleasedLater() {
        append(31 * 4);
        long pinned = pin();
        engine.collapse(0, engine.size());
        engine.sync(0);
        for (int i = 0; i < 5; i++) {
            publish();
        }
        assertEquals(0, engine.freeSegmentCount());
        epochs.unpin(pinned);
        publish();
        assertEquals(3, engine.freeSegmentCount());
    }

    @Test
    void theEndOfTheOwnerIsTheEndOfTheScrub() {
        append(31 * 3);
        clock.passes = Integer.MAX_VALUE;
        int[] pins = {0};
        scrubber.run(() -> {
            if (++pins[0] == 5) {
                throw new StoreClosedException("the space");
            }
            return pin();
        });
        assertEquals(0, scrubber.passes());
        assertTrue(scrubber.bytesRead() > 0);
        assertEquals(0, epochs.pinnedVersionCount());
    }

    /** Deterministic, where the test below depends on luck: the writer does the worst while a read is under way. */
    @Test
    void whatIsBeingReadIsNotUsedAgain() {
        append(31 * 4 + 3);
        engine.close();
        boolean[] reading = {false};
        int[] reads = {0};
        ForwardingVfs hooked = new ForwardingVfs(vfs) {
            @Override
            public VfsFile open(Path path, OpenMode mode) {
                return new ForwardingVfsFile(super.open(path, mode)) {
                    @Override
                    public int read(ByteBuffer destination, long position) {
                        if (reading[0] && ++reads[0] == 4) {
                            engine.collapse(0, engine.size());
                            for (int i = 0; i < 5; i++) {
                                engine.sync(0);
                                publish();
                                append(31);
                            }
                        }
                        return super.read(destination, position);
                    }
                };
            }
        };
        engine = SpaceEngine.open(hooked, DIRECTORY, 1, OwnedSpaces.settings(OPTIONS), epochs);
        scrubber = new Scrubber(engine.store(), epochs, RATE, clock);
        publish();
        int[] generations = generations();
        reading[0] = true;
        scrubber.run(this::pin);
        assertEquals(0, scrubber.findingCount());
        assertEquals(0, usedAgainSince(generations));
        publish();
        append(31 * 5);
        assertEquals(4, usedAgainSince(generations), "they were free, but for the pin");
    }

    /** Of the first five segments. */
    private int[] generations() {
        return IntStream.range(0, 5)
                .map(number -> engine.store().segment(number).generation)
                .toArray();
    }

    private long usedAgainSince(int[] before) {
        int[] now = generations();
        return IntStream.range(0, 5)
                .filter(number -> now[number] != before[number])
                .count();
    }

    /** The writer overwrites, collects and uses segments again as fast as it can. */
    @Test
    void nothingIsFoundInSegmentsThatAreUsedAgain() throws Exception {
        engine.close();
        FlexSpaceOptions small = OPTIONS.withMinimumUtilization(0.8);
        engine = SpaceEngine.open(vfs, DIRECTORY, 1, OwnedSpaces.settings(small), epochs);
        publish();
        append(31 * 6);
        AtomicBoolean done = new AtomicBoolean();
        Scrubber beside = new Scrubber(engine.store(), epochs, Long.MAX_VALUE, new Scrubber.Time() {
            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public boolean waitUntil(long nanoTime) {
                return !done.get();
            }
        });
        AtomicReference<Throwable> problem = new AtomicReference<>();
        Thread thread = new Thread(() -> beside.run(this::pin));
        thread.setUncaughtExceptionHandler((where, e) -> problem.set(e));
        thread.start();
        byte[] bytes = new byte[RECORD];
        for (int i = 0; i < Effort.times(2000) || beside.passes() < 20; i++) {
            random.nextBytes(bytes);
            engine.overwrite((long) random.nextInt(31 * 6) * RECORD, ByteBuffer.wrap(bytes), 0, RECORD, 0);
            if (i % 7 == 0) {
                engine.sync(0);
            }
            if (i % 50 == 0) {
                engine.collectGarbage();
            }
            publish();
        }
        done.set(true);
        thread.join();
        assertNull(problem.get(), () -> "" + problem.get());
        assertEquals(0, beside.findingCount());
        assertEquals(0, epochs.pinnedVersionCount());
        int used = 0;
        for (int number = 0; number < engine.figures().segmentCount(); number++) {
            used += engine.store().segment(number).generation;
        }
        assertTrue(used > 2 * engine.figures().segmentCount(), "segments were used again");
        assertFalse(thread.isAlive());
    }
}
