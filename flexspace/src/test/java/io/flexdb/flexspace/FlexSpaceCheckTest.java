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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class FlexSpaceCheckTest {
    private static final int EFFORT = Integer.getInteger("flexdb.test.effort", 1);
    private static final int FRAME = 512;
    private static final int SEGMENT = 32 * FRAME;
    private static final Path DATA = CrashHistory.DIRECTORY.resolve("data");
    private static final Path TREE = CrashHistory.DIRECTORY.resolve("tree");

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);

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
        for (int i = 0; i < 600 * EFFORT; i++) {
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
        assertEquals(space.stats().extents(), report.extents());
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
        space.insertRange(0, ByteBuffer.wrap(new byte[10]));
        assertThrows(RuntimeException.class, space::sync);
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
        for (int i = 0; i < 4000 * EFFORT && problem.get() == null; i++) {
            SpaceStep step = SpaceStep.any(random);
            if (step != SpaceStep.CLOSE_AND_OPEN && step != SpaceStep.KILL) {
                step.apply(space, oracle, random);
            }
        }
        done.set(true);
        checker.join();
        assertNull(problem.get(), () -> "" + problem.get());
        assertTrue(space.stats().bytesMoved() > 0 && space.stats().checkpoints() > 10);
        space.close();
    }

    @Test
    void closingTheSpaceEndsACheck() throws Exception {
        for (int round = 0; round < 20 * EFFORT; round++) {
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
