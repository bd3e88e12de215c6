package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** File operations that fail, one at a time and each of them once. */
class FlexSpaceFaultTest {
    private static final List<SpaceStep> SCRIPT = List.of(
            SpaceStep.INSERT_MUCH,
            SpaceStep.SYNC,
            SpaceStep.OVERWRITE,
            SpaceStep.INSERT_LITTLE,
            SpaceStep.CHECKPOINT,
            SpaceStep.COLLAPSE,
            SpaceStep.INSERT_MUCH,
            SpaceStep.SYNC,
            SpaceStep.INSERT_MUCH,
            SpaceStep.DEFRAGMENT,
            SpaceStep.MOVE,
            SpaceStep.PUNCH_HOLE,
            SpaceStep.WRITE_BEYOND_END);

    /** A space with garbage, so that the script makes it collect. */
    private static CrashHistory past() {
        CrashHistory past = new CrashHistory(3, new SimulatedVfs(), vfs -> {});
        past.live(List.of());
        byte[] bytes = SpaceOracle.randomBytes(past.random, 100_000);
        past.oracle.begins(bytes);
        past.space.insertRange(0, ByteBuffer.wrap(bytes));
        for (int offset = 60_000; offset >= 0; offset -= 1500) {
            past.oracle.begins(SpaceOracle.collapsed(past.oracle.now(), offset, 1000));
            past.space.collapseRange(offset, 1000);
        }
        past.space.sync();
        past.oracle.synced();
        return past;
    }

    @Test
    void anErrorAtAnyOperationStopsTheSpaceAndLosesNothingSynced() {
        CrashHistory past = past();
        SimulatedVfs base = past.vfs.kill();
        int failures = 0;
        for (Fault fault : Fault.values()) {
            failures += failEverywhere(base, past.oracle, fault, false, 0);
            failures += failEverywhere(base, past.oracle, fault, true, 0);
            failures += failEverywhere(base, past.oracle, fault, false, 3);
            failures += failEverywhere(base, past.oracle, fault, true, 3);
            failures += failEverywhere(new SimulatedVfs(), new SpaceOracle(), fault, false, 0);
        }
        System.out.println(failures + " failed operations");
        assertTrue(failures > Effort.times(500), "only " + failures);
    }

    /** But for a full disk, which the space may go on with. */
    @Test
    void anErrorAtAnyOperationOfASpaceAtItsCapLosesNothingSynced() {
        CrashHistory past = CrashScenarios.atTheCapInBlocks(2, vfs -> {});
        SimulatedVfs base = past.vfs.kill();
        List<SpaceStep> script = new ArrayList<>(Collections.nCopies(40, SpaceStep.OVERWRITE_BLOCKS));
        script.add(20, SpaceStep.SYNC);
        script.add(SpaceStep.CHECKPOINT);
        int failures = 0;
        for (Fault fault : List.of(Fault.EIO, Fault.SHORT_WRITE, Fault.FORCE_FAILS)) {
            for (long operation = 1; ; operation += Effort.step(1)) {
                CrashHistory history = new CrashHistory(11, base.copy(), vfs -> {});
                history.options = past.options;
                history.oracle = past.oracle.copy();
                history.vfs.failAt(operation, fault, false);
                Throwable failure = null;
                try {
                    history.live(script);
                    assertTrue(history.space.stats().collection().bytesMoved() > 0, "" + history.space.stats());
                    history.space.close();
                    history.oracle.synced();
                } catch (StorageException e) {
                    failure = e;
                }
                if (history.vfs.faultsFired() == 0) {
                    break;
                }
                try {
                    assertTrue(failure != null, "an operation failed and nobody heard of it");
                    checkFailed(history, failure, fault);
                } catch (Throwable e) {
                    throw new AssertionError(fault + " at operation " + operation, e);
                }
                failures++;
            }
        }
        assertTrue(failures > Effort.times(200), "only " + failures);
    }

    /** @param delay how many operations what is done in the background waits */
    private static int failEverywhere(SimulatedVfs base, SpaceOracle start, Fault fault, boolean sticky, int delay) {
        int failures = 0;
        for (long operation = 1; ; operation += Effort.step(1)) {
            String where = fault + (sticky ? ", sticky" : "") + " from operation " + operation + ", delay " + delay;
            CrashHistory history = new CrashHistory(11, base.copy(), vfs -> {});
            history.delayBackground(delay);
            history.oracle = start.copy();
            history.vfs.failAt(operation, fault, sticky);
            history.vfs.startTrace();
            Throwable failure = null;
            try {
                history.live(SCRIPT);
                assertArrayEquals(history.oracle.now(), SpaceOracle.contentOf(history.space));
                history.space.close();
                history.oracle.synced();
            } catch (StorageException e) {
                failure = e;
            }
            if (history.vfs.faultsFired() == 0) {
                return failures;
            }
            try {
                boolean claiming = fault == Fault.ENOSPC && claimedAt(history.vfs.trace(), operation, base);
                assertTrue(failure != null || claiming, "an operation failed and nobody heard of it");
                boolean goesOn = claiming && !sticky && history.space != null;
                assertTrue(failure == null || !goesOn, "a file did not grow, and that was not known in time");
                checkFailed(history, failure, fault);
            } catch (Throwable e) {
                throw new AssertionError(
                        where + ": "
                                + history.vfs.trace().stream()
                                        .skip(Math.max(0, operation - 12))
                                        .limit(14)
                                        .toList(),
                        e);
            }
            failures++;
        }
    }

    /**
     * Whether the operation that found no space made a file longer, or the next log, or took space that a file may have
     * already, at its end or in the segment that was open when the space was opened. The space does that early: it can
     * go on without. And an opening makes its log once more in the place of the spare one.
     */
    private static boolean claimedAt(List<String> trace, long operation, SimulatedVfs base) {
        Map<String, Long> sizes = new HashMap<>();
        base.files().forEach(file -> sizes.put(file.toString(), (long) base.content(file).length));
        int segment = CrashHistory.SMALL.segmentBytes();
        boolean dataWritten = false;
        for (int i = 0; i < trace.size(); i++) {
            String[] words = trace.get(i).split(" ");
            boolean failed = i >= operation - 1 && words[0].matches("create|write|force|mkdir|rename");
            if (failed && words[1].endsWith("/log.recovered")) {
                return true;
            }
            switch (words[0]) {
                case "create" -> {
                    if (failed) {
                        return words[1].endsWith("/log.new");
                    }
                    sizes.put(words[1], 0L);
                }
                case "write" -> {
                    long position = Long.parseLong(words[2].replaceAll("\\+.*", ""));
                    long end = position + Long.parseLong(words[2].replaceAll(".*\\+", ""));
                    if (failed) {
                        boolean rest = words[1].endsWith("/data") && end % segment == 4096 % segment;
                        String undone = "truncate " + words[1] + " " + position;
                        boolean taken = i + 1 < trace.size() && trace.get(i + 1).equals(undone);
                        return end > sizes.get(words[1]) || taken || rest && !dataWritten;
                    }
                    dataWritten |= words[1].endsWith("/data");
                    sizes.merge(words[1], end, Math::max);
                }
                case "truncate" -> sizes.merge(words[1], Long.parseLong(words[2]), Math::min);
                case "rename" -> sizes.put(words[2], sizes.remove(words[1]));
                default -> {}
            }
            if (failed) {
                return false;
            }
        }
        throw new AssertionError("no operation that takes space from " + operation + " on");
    }

    private static void checkFailed(CrashHistory history, Throwable failure, Fault fault) {
        if (failure != null) {
            checkStopped(history, failure, fault);
        }
        history.vfs.clearFaults();
        // The same boot, then a power cut; and a power cut at once.
        SimulatedVfs left = history.vfs.copy();
        SpaceOracle oracle = history.oracle.copy();
        history.vfs = history.vfs.kill();
        history.live(List.of(SpaceStep.INSERT_LITTLE, SpaceStep.OVERWRITE, SpaceStep.SYNC));
        history.survive(2);
        CrashHistory cut = new CrashHistory(5, left, vfs -> {});
        cut.oracle = oracle;
        cut.survive(2);
    }

    private static void checkStopped(CrashHistory history, Throwable failure, Fault fault) {
        boolean full = fault == Fault.ENOSPC;
        assertTrue(full ? failure instanceof StoreFullException : failure instanceof StoreIoException, "" + failure);
        if (history.space != null && !isClosed(history.space)) {
            assertOnlyCloseWorks(history.space, failure);
            long operations = history.vfs.operationCount();
            history.space.close();
            assertEquals(operations, history.vfs.operationCount(), "closing a failed space touched files");
        }
    }

    private static boolean isClosed(FlexSpace space) {
        return assertThrows(StorageException.class, space::size) instanceof StoreClosedException;
    }

    private static void assertOnlyCloseWorks(FlexSpace space, Throwable failure) {
        ByteBuffer buffer = ByteBuffer.allocate(1);
        List<Runnable> calls = List.of(
                () -> space.insertRange(0, buffer),
                () -> space.write(0, buffer),
                () -> space.collapseRange(0, 1),
                () -> space.defragment(0, 1),
                () -> space.read(0, buffer),
                () -> space.readExtent(0, buffer),
                space::size,
                space::sync,
                space::checkpoint,
                space::stats);
        for (Runnable call : calls) {
            assertSame(
                    failure, assertThrows(StoreFailedException.class, call::run).getCause());
        }
    }

    @Test
    void aReadThatFailsFailsAloneWhenItIsOfData() {
        CrashHistory history = past();
        history.space.close();
        history.live(List.of());
        SimulatedVfs vfs = history.vfs;
        byte[] content = history.oracle.now();
        vfs.failReadAt(vfs.readCount() + 1, false);
        assertThrows(StoreIoException.class, () -> SpaceOracle.contentOf(history.space));
        assertArrayEquals(content, SpaceOracle.contentOf(history.space));
        vfs.failReadAt(vfs.readCount() + 1, false);
        assertThrows(StoreIoException.class, () -> history.space.defragment(0, 1000));
        assertArrayEquals(content, SpaceOracle.contentOf(history.space));
        history.space.checkInvariants();
        history.space.close();
        history.oracle.synced();
        history.live(List.of());
    }

    @Test
    void anErrorAtAnyReadOfARecoveryLeavesTheFilesAsTheyAre() {
        CrashHistory past = past();
        SimulatedVfs base = past.vfs.kill();
        for (long read = 1; ; read++) {
            SimulatedVfs vfs = base.copy();
            vfs.failReadAt(read, false);
            try {
                FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL).close();
                assertEquals(0, vfs.faultsFired());
                assertTrue(read > 10, "only " + read + " reads");
                return;
            } catch (StoreIoException e) {
                assertEquals(1, vfs.faultsFired());
                vfs.clearFaults();
                CrashHistory history = new CrashHistory(read, vfs, v -> {});
                history.oracle = past.oracle.copy();
                history.live(List.of(SpaceStep.INSERT_LITTLE, SpaceStep.SYNC));
            }
        }
    }

    /** However little room there is: it is used up, refused, made by removing, and used up again. */
    @Test
    void aDiskThatIsFullRefusesWritesAndLosesNothing() {
        fillDisks(past());
    }

    @Test
    void aSpaceThatWasJustCreatedGoesOnWhenItsDiskIsFull() {
        CrashHistory empty = new CrashHistory(1, new SimulatedVfs(), vfs -> {});
        empty.live(List.of());
        fillDisks(empty);
    }

    private static void fillDisks(CrashHistory past) {
        past.space.close();
        past.oracle.synced();
        int refusals = 0;
        int resumed = 0;
        for (long room = 0; room < 240_000; room += 3777) {
            CrashHistory history = new CrashHistory(room, past.vfs.copy(), vfs -> {});
            history.oracle = past.oracle.copy();
            try {
                history.live(List.of());
                history.vfs.setCapacity(used(history.vfs) + room);
                for (int round = 0; round < 3; round++) {
                    resumed += fillAndFree(history) ? 1 : 0;
                }
                refusals += history.refusals;
                history.liveStep(SpaceStep.CLOSE_AND_OPEN); // on a full disk, too
                history.liveStep(SpaceStep.COLLAPSE);
                history.liveStep(SpaceStep.SYNC);
                assertArrayEquals(history.oracle.now(), SpaceOracle.contentOf(history.space));
                history.vfs.setCapacity(Long.MAX_VALUE);
                int before = history.refusals;
                history.liveStep(SpaceStep.INSERT_MUCH);
                history.liveStep(SpaceStep.CHECKPOINT);
                assertEquals(before, history.refusals, "refused although there is room again");
                history.space.close();
                history.oracle.synced();
                history.live(List.of());
                history.space.close();
            } catch (Throwable e) {
                throw new AssertionError(room + " bytes of room", e);
            }
        }
        System.out.println(refusals + " refusals, wrote again " + resumed + " times after having removed");
        assertTrue(resumed > 64, resumed + " times");
    }

    private static long used(SimulatedVfs vfs) {
        long used = 0;
        for (Path file : vfs.files()) {
            used += vfs.content(file).length;
        }
        return used;
    }

    /** Returns whether there was so much to remove that writing had to go on afterwards. */
    private static boolean fillAndFree(CrashHistory history) {
        int last = history.refusals;
        while (history.refusals < last + 3) {
            history.liveStep(SpaceStep.INSERT_MUCH);
            history.liveStep(SpaceStep.SYNC);
        }
        assertArrayEquals(history.oracle.now(), SpaceOracle.contentOf(history.space));
        last = history.refusals;
        int sizeWhenFull = history.oracle.now().length;
        for (int i = 0; i < 40; i++) {
            history.liveStep(SpaceStep.COLLAPSE);
            history.liveStep(SpaceStep.SYNC);
        }
        int size = history.oracle.now().length;
        if (size > 20) {
            history.oracle.begins(SpaceOracle.collapsed(history.oracle.now(), 10, size / 2));
            history.space.collapseRange(10, size / 2);
        }
        history.liveStep(SpaceStep.SYNC);
        assertEquals(last, history.refusals, "what removes was refused");
        assertArrayEquals(history.oracle.now(), SpaceOracle.contentOf(history.space));
        history.space.checkInvariants();
        int removed = sizeWhenFull - history.oracle.now().length;
        boolean removedMuch = removed > 3 * CrashHistory.SMALL.segmentBytes();
        for (int i = 0; i < 5; i++) {
            history.liveStep(SpaceStep.INSERT_LITTLE);
        }
        assertTrue(
                !removedMuch || history.refusals == last,
                "refused although half of it was removed: " + history.lastRefusal + history.space.stats());
        return removedMuch;
    }

    /** Damage in what is moved is no reason to refuse what is written. */
    @Test
    void garbageCollectionLeavesDamagedDataWhereItIs() {
        CrashHistory history = past();
        history.space.close();
        Path data = CrashHistory.DIRECTORY.resolve("data");
        byte[] bytes = history.vfs.content(data);
        bytes[4096 + 16384 + 3 * 512 + 7] ^= 4;
        history.vfs.setContent(data, bytes);
        SimulatedVfs vfs = history.vfs.copy();
        FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);
        assertThrows(CorruptionException.class, () -> SpaceOracle.contentOf(space));
        int damaged = 0;
        for (int i = 0; i < 60; i++) {
            space.write(space.size() / 2, ByteBuffer.wrap(new byte[5000]));
        }
        assertTrue(space.stats().collection().bytesMoved() > 0, "nothing was collected");
        space.checkInvariants();
        for (int offset = 0; offset < space.size(); offset += 100) {
            try {
                space.read(offset, ByteBuffer.allocate((int) Math.min(100, space.size() - offset)));
            } catch (CorruptionException e) {
                damaged++;
            }
        }
        assertTrue(damaged > 0 && damaged < 20, "damaged reads: " + damaged);
        space.sync();
        space.close();
    }
}
