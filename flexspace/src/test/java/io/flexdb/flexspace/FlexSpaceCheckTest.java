package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FlexSpaceCheckTest {
    private static final int FRAME = 512;
    private static final int SEGMENT = 32 * FRAME;
    private static final Path DATA = CrashHistory.DIRECTORY.resolve("data");
    private static final Path TREE = CrashHistory.DIRECTORY.resolve("tree");

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);
    private long endOfLog; // which fillLog has made

    /** Five segments that are sealed and full, and one that is open. */
    private void fill() {
        byte[] bytes = SpaceOracle.randomBytes(new Random(1), 5 * 31 * FRAME + 700);
        space.insertRange(0, ByteBuffer.wrap(bytes));
        space.checkpoint();
        space.insertRange(0, ByteBuffer.wrap(new byte[300]));
        space.sync();
    }

    private static long positionOf(int segment, int frame) {
        return 4096 + (long) segment * SEGMENT + (long) frame * FRAME;
    }

    /** Changes a bit under the open space. */
    private void damage(Path path, long position) {
        try (VfsFile file = vfs.open(path, OpenMode.READ_WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.readFully(one, position);
            one.put(0, (byte) (one.get(0) ^ 4)).flip();
            file.write(one, position);
        }
    }

    private static Set<Long> positions(CheckReport report) {
        return report.findings().stream()
                .map(CheckReport.Finding::position)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void assertSound(CheckReport report) {
        assertTrue(report.isSound() && report.findings().isEmpty(), report.toString());
    }

    @Test
    void aSpaceThatIsSoundHasNoFindingsWhateverIsDoneToIt() {
        Random random = new Random(8);
        SpaceOracle oracle = new SpaceOracle();
        for (int i = 0; i < Effort.times(600); i++) {
            SpaceStep step = SpaceStep.any(random);
            if (step != SpaceStep.CLOSE_AND_OPEN && step != SpaceStep.KILL) {
                step.apply(space, oracle, random);
            }
            if (i % 5 == 0) {
                assertSound(space.check());
            }
        }
        assertEquals(0, space.stats().snapshots());
        space.close();
        try (FlexSpace again = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
            assertSound(again.check());
            assertArrayEquals(oracle.now(), SpaceOracle.contentOf(again));
        }
    }

    @Test
    void theFiguresAreThoseOfTheSpace() {
        assertSound(space.check());
        fill();
        CheckReport report = space.check();
        assertEquals(space.stats().tree().extents(), report.extents());
        assertEquals(6, report.segments());
        assertTrue(report.bytesRead() > 5 * SEGMENT + 2 * FRAME, report.toString());
        assertTrue(report.toString().startsWith("CheckReport[findings=0, bytesRead="), report.toString());
        space.close();
    }

    @Test
    void everyDamagedFrameIsListedAndTheSpaceGoesOn() {
        fill();
        Set<Long> expected = new TreeSet<>();
        for (int[] place : new int[][] {{0, 0}, {0, 1}, {2, 30}, {3, 7}, {4, 0}, {5, 0}, {5, 1}}) {
            damage(DATA, positionOf(place[0], place[1]) + 100);
            expected.add(positionOf(place[0], place[1]));
        }
        CheckReport report = space.check();
        assertEquals(expected, positions(report), report.toString());
        assertEquals(7, report.findingCount());
        for (CheckReport.Finding finding : report.findings()) {
            assertEquals(DATA, finding.file());
        }
        assertEquals(8, report.toString().lines().count());
        space.insertRange(0, ByteBuffer.wrap(new byte[10]));
        space.sync();
        assertEquals(expected, positions(space.check()));
        space.close();
    }

    @Test
    void aDamagedFooterDoesNotHideDamagedFrames() {
        fill();
        damage(DATA, positionOf(1, 31) + 3);
        damage(DATA, positionOf(1, 4));
        CheckReport report = space.check();
        assertEquals(Set.of(positionOf(1, 4), positionOf(1, 31)), positions(report), report.toString());
        space.close();
    }

    @Test
    void theTreeAndTheLogAndThePreambleAreReadToo() {
        fill();
        damage(DATA, 8);
        assertEquals(Set.of(8L), positions(space.check()));
        damage(DATA, 8);
        Path log = vfs.files().stream()
                .filter(path -> path.getFileName().toString().startsWith("log-"))
                .findFirst()
                .orElseThrow();
        damage(log, 4096 + 40);
        CheckReport report = space.check();
        assertEquals(Set.of(4096L), positions(report), report.toString());
        assertEquals(log, report.findings().get(0).file());
        damage(log, 4096 + 40);
        assertSound(space.check());
        boolean[] found = new boolean[1];
        for (int at = 8192; at < vfs.content(TREE).length; at += 1024) {
            damage(TREE, at + 20);
            for (CheckReport.Finding finding : space.check().findings()) {
                assertEquals(TREE, finding.file());
                assertEquals(at, finding.position());
                found[0] = true;
            }
            damage(TREE, at + 20);
        }
        assertTrue(found[0], "no unit of the FlexTree file is in use");
        assertSound(space.check());
        space.close();
    }

    /** A FlexTree of three levels. */
    private void fillWithManyExtents() {
        Random random = new Random(2);
        for (int i = 0; i < 8000; i++) {
            space.insertRange(
                    random.nextInt((int) space.size() + 1),
                    ByteBuffer.wrap(SpaceOracle.randomBytes(random, 1 + i % 7)));
        }
        space.checkpoint();
    }

    /** The positions of all nodes that can be reached, each found by damaging it, and their levels. */
    private Map<Long, Integer> nodes() {
        byte[] tree = vfs.content(TREE);
        Map<Long, Integer> levels = new TreeMap<>();
        for (long at = 8192; at < tree.length; at += 1024) {
            if (isNode(at)) {
                levels.put(at, (int) tree[(int) at + 4]);
            }
        }
        return levels;
    }

    private boolean isNode(long at) {
        damage(TREE, at + 20);
        List<CheckReport.Finding> found = space.check().findings();
        damage(TREE, at + 20);
        assertTrue(found.size() <= 1, found::toString);
        return !found.isEmpty()
                && found.get(0).position() == at
                && !found.get(0).expected().contains("segment table");
    }

    private long firstLeaf() {
        byte[] tree = vfs.content(TREE);
        long at = 8192;
        while (!isNode(at) || tree[(int) at + 4] != 0) {
            at += 1024;
        }
        return at;
    }

    @Test
    void everyDamagedNodeIsListed() {
        fillWithManyExtents();
        Map<Long, Integer> levels = nodes();
        List<Long> leaves = new ArrayList<>();
        List<Long> inner = new ArrayList<>();
        levels.forEach((at, level) -> (level == 0 ? leaves : inner).add(at));
        assertTrue(leaves.size() > 100 && inner.size() >= 3, levels::toString);
        Random random = new Random(4);
        for (int round = 0; round < Effort.times(20); round++) {
            Set<Long> damaged = new TreeSet<>();
            for (int i = 1 + random.nextInt(10); i > 0; i--) {
                damaged.add(leaves.get(random.nextInt(leaves.size())));
            }
            damaged.forEach(at -> damage(TREE, at + 20));
            CheckReport report = space.check();
            assertEquals(damaged, positions(report), report::toString);
            assertEquals(damaged.size(), report.findingCount());
            damaged.forEach(at -> damage(TREE, at + 20));
        }
        for (long at : inner) {
            damage(TREE, at + 20);
            CheckReport report = space.check();
            assertEquals(Set.of(at), positions(report), report::toString);
            String found = report.findings().get(0).found();
            assertTrue(found.endsWith("; nothing below it can be reached"), found);
            damage(TREE, at + 20);
        }
        assertSound(space.check());
        space.close();
    }

    /** Where the header is that counts; the other slot holds a version that is not needed. */
    private long headerOfTree() {
        int version = (int) (space.stats().checkpoints().count() + 1);
        return (version & 1) * 4096L;
    }

    @Test
    void aDamagedHeaderHidesNoDamagedNode() {
        fillWithManyExtents();
        long leaf = firstLeaf();
        long header = headerOfTree();
        damage(TREE, header + 40);
        assertEquals(1, space.check().findingCount());
        damage(TREE, leaf + 100);
        CheckReport report = space.check();
        assertEquals(2, report.findingCount(), report::toString);
        assertTrue(positions(report).contains(leaf), report::toString);
        damage(TREE, header + 40);
        damage(TREE, leaf + 100);
        damage(TREE, 4096 - header + 40);
        assertSound(space.check());
        space.close();
    }

    private Path log() {
        List<Path> logs = vfs.files().stream()
                .filter(path -> path.getFileName().toString().startsWith("log-"))
                .toList();
        return logs.get(logs.size() - 1);
    }

    /** A log of some frames, and where they are. */
    private List<Long> fillLog(int frames) {
        space.checkpoint();
        for (int i = 0; i < frames; i++) {
            space.insertRange(0, ByteBuffer.wrap(new byte[100 + 50 * i]));
            space.sync();
        }
        ByteBuffer content = ByteBuffer.wrap(vfs.content(log())).order(ByteOrder.LITTLE_ENDIAN);
        List<Long> positions = new ArrayList<>();
        int at = 4096;
        while (at < content.capacity() && content.getInt(at) > 0) { // behind the frames are zeros, claimed for more
            positions.add((long) at);
            at += (32 + content.getInt(at) + 7) / 8 * 8;
        }
        endOfLog = at;
        assertEquals(frames, positions.size());
        return positions;
    }

    @Test
    void everyDamagedFrameOfTheLogIsListed() {
        List<Long> frames = fillLog(20);
        Path log = log();
        assertSound(space.check());
        damage(log, frames.get(1) + 40); // a payload: its length is known
        damage(log, frames.get(2) + 33);
        damage(log, frames.get(5) + 2); // a header: the next is looked for
        damage(log, frames.get(8) + 10);
        damage(log, frames.get(9) + 20);
        damage(log, frames.get(10) + 40); // nobody can tell where it begins
        damage(log, frames.get(12) + 50);
        damage(log, frames.get(19) + 28);
        damage(log, 516); // the mark
        damage(log, 50); // the header
        CheckReport report = space.check();
        Set<Long> expected = new TreeSet<>(Set.of(512L));
        for (int frame : new int[] {1, 2, 5, 8, 10, 12, 19}) {
            expected.add(frames.get(frame));
        }
        Set<Long> found = positions(report);
        assertEquals(9, found.size(), report::toString);
        assertTrue(found.containsAll(expected), report::toString);
        assertEquals(9, report.findingCount());
        assertEquals(
                "a damaged header; frame 7 at " + frames.get(6) + " is the next that can be told",
                foundAt(report, frames.get(5)));
        assertEquals(
                "a damaged header; frame 11 at " + frames.get(10) + " is the next that can be told",
                foundAt(report, frames.get(8)));
        assertEquals(
                "a damaged header; no other can be told from there to the end at " + endOfLog,
                foundAt(report, frames.get(19)));
        space.close();
    }

    private static String foundAt(CheckReport report, long position) {
        return report.findings().stream()
                .filter(finding -> finding.position() == position)
                .findFirst()
                .orElseThrow()
                .found();
    }

    @Test
    void framesOfAnotherLogAreNotTakenForThoseOfThisOne() {
        fillLog(5);
        byte[] other = vfs.content(log());
        List<Long> frames = fillLog(8);
        Path log = log();
        byte[] content = vfs.content(log);
        // Whole frames of an earlier generation, in the place of the third one, and one of this log that came before.
        int third = frames.get(2).intValue();
        int fourth = frames.get(3).intValue();
        System.arraycopy(other, third, content, third, fourth - third);
        int sixth = frames.get(5).intValue();
        System.arraycopy(content, 4096, content, sixth, frames.get(1).intValue() - 4096);
        vfs.setContent(log, content);
        CheckReport report = space.check();
        assertEquals(Set.of((long) third, (long) sixth), positions(report), report::toString);
        assertTrue(foundAt(report, third).contains("frame 4 at " + fourth), report::toString);
        assertTrue(foundAt(report, sixth).contains("frame 7 at " + frames.get(6)), report::toString);
        space.close();
    }

    @Test
    void theLogThatACheckpointUnderWayStillNeedsIsReadToo() {
        fill();
        vfs.delayBackground(1000);
        Path before = log();
        while (log().equals(before)) {
            space.insertRange(0, ByteBuffer.wrap(new byte[500]));
            space.sync();
        }
        assertSound(space.check());
        damage(before, 4096 + 40);
        damage(log(), 4096 - 3);
        assertEquals(Set.of(4096L), positions(space.check()), "zeros behind a header are not looked at");
        damage(log(), 520);
        CheckReport report = space.check();
        assertEquals(Set.of(512L, 4096L), positions(report), report::toString);
        damage(log(), 520);
        damage(before, 4096 + 40);
        vfs.delayBackground(0);
        space.close();
    }

    @Test
    void aBatchOnItsWayToTheLogIsWaitedFor() {
        fill();
        vfs.delayBackground(1000);
        long before = space.stats().written().logBytes();
        while (space.stats().written().logBytes() == before) {
            space.insertRange(0, ByteBuffer.wrap(new byte[1]));
        }
        assertSound(space.check());
        vfs.delayBackground(0);
        space.close();
    }

    @Test
    void damageInAllFilesIsListedAtOnce() {
        fillWithManyExtents();
        List<Long> frames = fillLog(4);
        Path log = log();
        long leaf = firstLeaf();
        damage(TREE, leaf + 30);
        damage(log, frames.get(0) + 60);
        damage(log, frames.get(3) + 60);
        damage(DATA, 8);
        damage(DATA, positionOf(0, 1) + 5);
        damage(DATA, positionOf(1, 30) + 5);
        CheckReport report = space.check();
        assertEquals(6, report.findingCount(), report::toString);
        assertEquals(
                Set.of(leaf, frames.get(0), frames.get(3), 8L, positionOf(0, 1), positionOf(1, 30)),
                positions(report),
                report::toString);
        space.close();
    }

    @Test
    void aLogThatIsTooShortIsAFinding() {
        List<Long> frames = fillLog(6);
        try (VfsFile file = vfs.open(log(), OpenMode.READ_WRITE)) {
            file.truncate(frames.get(4) + 50);
        }
        CheckReport report = space.check();
        assertEquals(Set.of(frames.get(4), frames.get(4) + 50), positions(report), report::toString);
        space.close();
    }

    @Test
    void aFileThatIsTooShortIsAFinding() {
        fill();
        try (VfsFile file = vfs.open(DATA, OpenMode.READ_WRITE)) {
            file.truncate(positionOf(4, 10));
        }
        CheckReport report = space.check();
        assertFalse(report.isSound());
        for (CheckReport.Finding finding : report.findings()) {
            assertTrue(finding.position() >= positionOf(4, 0), finding.toString());
        }
        space.close();
    }

    @Test
    void eachFrameThatCannotBeReadIsListed() {
        fill();
        assertSound(space.check());
        long before = vfs.readCount();
        space.check();
        long reads = vfs.readCount() - before;
        for (long read = 1; read <= reads; read++) {
            vfs.clearFaults();
            vfs.failReadAt(vfs.readCount() + read, false);
            CheckReport report = space.check();
            // One failure may be made good by reading again what could not be read with others.
            assertTrue(report.findingCount() <= 1, report.toString());
        }
        vfs.clearFaults();
        vfs.failReadAt(vfs.readCount() + 1, true);
        CheckReport report = space.check();
        assertTrue(report.findingCount() >= 5 * 31, report.toString());
        vfs.clearFaults();
        assertSound(space.check());
        space.close();
    }

    @Test
    void progressGrowsUpToAllAndWhatItThrowsEndsTheCheck() {
        fill();
        List<long[]> steps = new ArrayList<>();
        CheckReport report = space.check((bytes, ofBytes) -> steps.add(new long[] {bytes, ofBytes}));
        assertTrue(steps.size() > 6, steps.size() + " steps");
        for (int i = 1; i < steps.size(); i++) {
            assertTrue(steps.get(i)[0] >= steps.get(i - 1)[0] && steps.get(i)[0] <= steps.get(i)[1]);
        }
        assertArrayEquals(new long[] {report.bytesRead(), report.bytesRead()}, steps.get(steps.size() - 1));
        assertThrows(
                ArithmeticException.class,
                () -> space.check((bytes, ofBytes) -> {
                    throw new ArithmeticException();
                }));
        assertEquals(0, space.stats().snapshots());
        assertThrows(NullPointerException.class, () -> space.check(null));
        assertSound(space.check());
        space.close();
        assertThrows(StoreClosedException.class, space::check);
    }

    @Test
    void aFailedSpaceIsNotChecked() {
        fill();
        vfs.failAt(vfs.operationCount() + 1, Fault.EIO, true);
        assertThrows(StoreIoException.class, () -> {
            space.insertRange(0, ByteBuffer.wrap(new byte[10]));
            space.sync();
        });
        assertThrows(StoreFailedException.class, space::check);
        vfs.clearFaults();
        space.close();
    }

    /** The writer changes, collects, checkpoints and reuses what it likes meanwhile. */
    @Test
    void aCheckFindsNothingWhileTheWriterGoesOn() throws Exception {
        AtomicReference<Throwable> problem = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        fill();
        Thread checker = new Thread(() -> {
            try {
                while (!done.get()) {
                    assertSound(space.check());
                }
            } catch (Throwable e) {
                problem.set(e);
            }
        });
        checker.start();
        Random random = new Random(5);
        SpaceOracle oracle = new SpaceOracle();
        oracle.startFrom(SpaceOracle.contentOf(space));
        for (int i = 0; i < Effort.times(4000) && problem.get() == null; i++) {
            SpaceStep step = SpaceStep.any(random);
            if (step != SpaceStep.CLOSE_AND_OPEN && step != SpaceStep.KILL) {
                step.apply(space, oracle, random);
            }
        }
        done.set(true);
        checker.join();
        assertNull(problem.get(), () -> "" + problem.get());
        assertTrue(space.stats().collection().bytesMoved() > 0
                && space.stats().checkpoints().count() > 10);
        space.close();
    }

    @Test
    void closingTheSpaceEndsACheck() throws Exception {
        for (int round = 0; round < Effort.times(20); round++) {
            FlexSpace closing = FlexSpace.open(new SimulatedVfs(), CrashHistory.DIRECTORY, CrashHistory.SMALL);
            closing.insertRange(0, ByteBuffer.wrap(new byte[200_000]));
            closing.sync();
            AtomicReference<Throwable> problem = new AtomicReference<>();
            Thread checker = new Thread(() -> {
                try {
                    while (true) {
                        assertSound(closing.check());
                    }
                } catch (StoreClosedException e) {
                    // as it should be
                } catch (Throwable e) {
                    problem.set(e);
                }
            });
            checker.start();
            Thread.yield();
            closing.close();
            checker.join();
            assertNull(problem.get(), () -> "" + problem.get());
        }
        space.close();
    }
}
