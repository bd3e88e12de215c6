package io.flexdb.flexspace.internal.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.owner.OwnedSpaces;
import io.flexdb.flexspace.internal.prefetch.ReadAhead;
import io.flexdb.flexspace.internal.segment.Segment;
import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a check asks the disk for, and what it does beside that. */
class SpaceCheckerTest {
    private static final Path DIRECTORY = Path.of("/space");
    private static final int FRAME = 8192;
    private static final int SEGMENT = 32 * FRAME;
    private static final int RECORD = SEGMENT / 32;
    private static final int PAGE = 4096;
    private static final FlexSpaceOptions OPTIONS =
            FlexSpaceOptions.defaults().withSegments(SEGMENT, FRAME).withMinimumUtilization(0);

    private final SimulatedVfs files = new SimulatedVfs();
    private final Recorder vfs = new Recorder(files);
    private final Random random = new Random(1);
    private SpaceEngine engine;

    /** Reads and prefetches of a file, in their order. */
    private record Event(boolean prefetches, long from, long end) {}

    private static final class Recorder extends ForwardingVfs {
        private String name = "none"; // of the file whose events are recorded
        private final List<Event> events = new ArrayList<>();

        Recorder(Vfs vfs) {
            super(vfs);
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            VfsFile opened = super.open(file, mode);
            if (mode != OpenMode.READ || !file.endsWith(name)) {
                return opened;
            }
            return new ForwardingVfsFile(opened) {
                @Override
                public int read(ByteBuffer dst, long position) {
                    events.add(new Event(false, position, position + dst.remaining()));
                    return super.read(dst, position);
                }

                @Override
                public void prefetch(long position, long bytes) {
                    assertTrue(bytes > 0 && position + bytes <= size(), position + "+" + bytes + " of " + size());
                    events.add(new Event(true, position, position + bytes));
                }
            };
        }
    }

    private void open(Vfs through, Path directory) {
        SpaceEngine.create(through, directory, 1, OwnedSpaces.settings(OPTIONS), List.of());
        engine = SpaceEngine.open(through, directory, 1, OwnedSpaces.settings(OPTIONS), new Epochs());
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void append(int bytes) {
        byte[] record = new byte[bytes];
        random.nextBytes(record);
        engine.insert(engine.size(), ByteBuffer.wrap(record), 0, bytes, 0);
    }

    /** Segments of 31 records, the last one open. */
    private void fill(int segments) {
        for (int i = 0; i < 31 * (segments - 1) + 5; i++) {
            append(RECORD);
        }
        engine.checkpoint();
        append(100);
        engine.sync(0);
    }

    private CheckResult check() {
        return engine.beginCheck(engine.current()).check((bytes, ofBytes) -> {});
    }

    private static long positionOf(int segment, int frame) {
        return 4096 + (long) segment * SEGMENT + (long) frame * FRAME;
    }

    private void damage(String file, long position) {
        try (VfsFile opened = files.open(DIRECTORY.resolve(file), OpenMode.READ_WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            opened.readFully(one, position);
            one.put(0, (byte) (one.get(0) ^ 4)).flip();
            opened.write(one, position);
        }
    }

    // ---- what is prefetched

    @Test
    void whatIsReadNextIsPrefetchedBeforeWhatWasReadLastIsVerified() {
        open(vfs, DIRECTORY);
        fill(40);
        engine.collapse(3L * 31 * RECORD, 2L * 31 * RECORD); // nobody needs these two
        engine.sync(0);
        vfs.name = "data";
        assertEquals(List.of(), check().findings());
        List<Event> reads = new ArrayList<>();
        BitSet prefetched = new BitSet(); // by frame's half, which is the preamble's length
        int half = FRAME / 2;
        long ahead = 0;
        assertEquals(new Event(false, 0, 4096), vfs.events.remove(0), "the preamble");
        for (Event event : vfs.events) {
            int from = (int) (event.from / half);
            int end = (int) (event.end / half);
            if (event.prefetches) {
                assertEquals(-1, nextSet(prefetched, from, end), "twice");
                prefetched.set(from, end);
                ahead += event.end - event.from;
                assertTrue(event.end - event.from <= ReadAhead.PIECE_BYTES);
            } else {
                assertTrue(prefetched.nextClearBit(from) >= end, event + " was not prefetched");
                reads.add(event);
                ahead -= event.end - event.from;
                boolean all = prefetched.get((int) ((positionOf(39, 6)) / half) - 1);
                assertTrue(all || ahead >= ReadAhead.AHEAD_BYTES, ahead + " bytes ahead of " + event);
                assertTrue(ahead < ReadAhead.AHEAD_BYTES + ReadAhead.PIECE_BYTES, ahead + " bytes ahead");
            }
        }
        assertEquals(0, ahead, "what is prefetched is read");
        assertTrue(reads.size() > 37 * 3, reads.size() + " reads");
        int gap = (int) (positionOf(3, 0) / half);
        assertEquals(-1, nextSet(prefetched, gap, gap + 2 * SEGMENT / half), "a segment that nobody needs");
        assertTrue(prefetched.get((int) (positionOf(37, 31) / half)), "a footer");
    }

    private static int nextSet(BitSet bits, int from, int end) {
        int next = bits.nextSetBit(from);
        return next < 0 || next >= end ? -1 : next;
    }

    /** Nodes that are changed now and then, some at a time, come to lie anywhere in the file. */
    @Test
    void nodesArePrefetchedTogetherBeforeTheyAreRead() {
        open(vfs, DIRECTORY);
        for (int i = 0; i < 100_000; i++) {
            engine.insert((long) (random.nextDouble() * engine.size()), ByteBuffer.wrap(new byte[9]), 0, 1 + i % 9, 0);
        }
        for (int i = 0; i < 50; i++) {
            engine.checkpoint();
            for (int change = 0; change < 100; change++) {
                engine.collapse((long) (random.nextDouble() * (engine.size() - 1)), 1);
            }
        }
        engine.checkpoint();
        vfs.name = "tree";
        assertEquals(List.of(), check().findings());
        int without =
                waits(vfs.events.stream().filter(event -> !event.prefetches).toList());
        int with = waits(vfs.events);
        assertTrue(without > 500, without + " reads that would wait for the disk");
        assertTrue(with < without / 10, with + " reads that wait, " + without + " without prefetches");
    }

    /** How many reads find pages that were neither prefetched nor read before. */
    private static int waits(List<Event> events) {
        BitSet pages = new BitSet();
        int waits = 0;
        for (Event event : events) {
            int from = (int) (event.from / PAGE);
            int end = (int) ((event.end + PAGE - 1) / PAGE);
            if (!event.prefetches && pages.nextClearBit(from) < end) {
                waits++;
            }
            pages.set(from, end);
        }
        return waits;
    }

    @Test
    void theLogIsPrefetchedToo() {
        open(vfs, DIRECTORY);
        for (int i = 0; i < 60_000; i++) {
            append(1);
        }
        engine.sync(0);
        vfs.name = "log-" + engine.logGeneration();
        assertEquals(List.of(), check().findings());
        List<Event> frames = vfs.events.stream()
                .filter(event -> event.from >= LogFormat.FRAMES_OFFSET)
                .toList();
        assertTrue(frames.get(0).prefetches && frames.get(1).prefetches, "more than the first window: " + frames);
        long prefetched = frames.stream()
                .filter(Event::prefetches)
                .mapToLong(event -> event.end - event.from)
                .sum();
        assertTrue(prefetched > 60_000 * 24, prefetched + " bytes");
    }

    // ---- what is checked beside that

    /** The account of one segment is wrong, which only a check in memory finds, and so is one byte of each file. */
    private List<String> findingsInOrder(int backgroundDelay) {
        random.setSeed(6);
        open(files, DIRECTORY);
        fill(6);
        engine.store().segment(2).liveBytes -= 10;
        damage("data", positionOf(4, 3) + 7);
        damage("data", positionOf(1, 9) + 7);
        damage("tree", TreeFileFormat.headerPosition(engine.treeVersion()) + 50);
        damage("log-" + engine.logGeneration(), LogFormat.FRAMES_OFFSET + 40);
        files.delayBackground(backgroundDelay);
        List<String> found = check().findings().stream()
                .map(finding -> finding.file().getFileName() + " " + finding.position() + " " + finding.expected())
                .toList();
        engine.store().segment(2).liveBytes += 10;
        return found;
    }

    @Test
    void findingsAreListedInTheSameOrderWhateverIsDoneFirst() {
        List<String> expected = findingsInOrder(0);
        assertEquals(5, expected.size(), expected::toString);
        assertTrue(expected.get(0).endsWith("live bytes of segment 2"), expected::toString);
        assertTrue(expected.get(1).startsWith("tree "), expected::toString);
        assertTrue(expected.get(2).startsWith("log-"), expected::toString);
        assertTrue(expected.get(3).startsWith("data " + positionOf(1, 9)), expected::toString);
        assertTrue(expected.get(4).startsWith("data " + positionOf(4, 3)), expected::toString);
        for (int delay : new int[] {1, 2, 1000}) {
            engine.close();
            files.files().forEach(files::delete);
            assertEquals(expected, findingsInOrder(delay), "put off by " + delay);
        }
    }

    @Test
    void aSegmentThatOnlyTheTreeKnowsToBeInUseIsReadAllTheSame() {
        open(files, DIRECTORY);
        fill(4);
        Segment segment = engine.store().segment(1);
        int live = segment.liveBytes;
        segment.liveBytes = 0;
        damage("data", positionOf(1, 9) + 7);
        CheckResult report = check();
        assertEquals(2, report.findingCount(), report::toString);
        assertEquals("0 live bytes of segment 1", report.findings().get(0).expected());
        assertEquals(positionOf(1, 9), report.findings().get(1).position());
        assertEquals(4, report.segments());
        segment.liveBytes = live;
    }

    @Test
    void whatFailsInTheBackgroundFailsTheCheck() {
        open(files, DIRECTORY);
        fill(3);
        FlexTreeView closed = new FlexTree().view();
        closed.close(); // so nothing can be asked of it
        for (int delay : new int[] {0, 1000}) {
            files.delayBackground(delay);
            SpaceChecker checker = engine.beginCheck(closed);
            assertThrows(IllegalStateException.class, () -> checker.check((bytes, ofBytes) -> {}));
        }
        files.delayBackground(0);
        assertEquals(List.of(), check().findings());
    }

    /** What is done beside must not go on when nobody keeps the version any more. */
    @Test
    void whoeverEndsACheckFindsNothingOfItLeft() {
        BackgroundTask[] started = new BackgroundTask[1];
        open(
                new ForwardingVfs(files) {
                    @Override
                    public BackgroundTask start(String name, Runnable task) {
                        started[0] = super.start(name, task);
                        return started[0];
                    }
                },
                DIRECTORY);
        fill(3);
        files.delayBackground(1_000_000);
        assertThrows(
                ArithmeticException.class,
                () -> engine.beginCheck(engine.current()).check((bytes, ofBytes) -> {
                    assertFalse(started[0].isDone(), "it is done beside the reads");
                    throw new ArithmeticException();
                }));
        assertTrue(started[0].isDone());
        files.delayBackground(0);
    }

    @Test
    void noThreadIsLeft(@TempDir Path directory) {
        open(new RealVfs(), directory.resolve("space"));
        fill(3);
        assertEquals(List.of(), check().findings());
        assertEquals(0, checkThreads());
        for (int i = 0; i < 20; i++) {
            SpaceChecker checker = engine.beginCheck(engine.current());
            assertThrows(
                    ArithmeticException.class,
                    () -> checker.check((bytes, ofBytes) -> {
                        throw new ArithmeticException();
                    }));
            assertEquals(0, checkThreads());
        }
    }

    private static long checkThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("flexdb-check"))
                .count();
    }
}
