package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations that fail, and forces that are left out. */
class FaultTest {
    private static final int SEEDS = 300;
    private static final Path ROOT = Path.of("/store");
    private static final Path FILE = ROOT.resolve("a");

    private final SimulatedVfs vfs = new SimulatedVfs(ROOT);
    private VfsFile file;

    @BeforeEach
    void makeFile() {
        file = vfs.open(FILE, OpenMode.CREATE);
        file.write(filled(1024, 1), 0);
        file.force();
        vfs.syncDirectory(ROOT);
    }

    private static ByteBuffer filled(int bytes, int value) {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) value);
        return ByteBuffer.wrap(content);
    }

    private static int sector(SimulatedVfs vfs, int index) {
        return vfs.content(FILE)[index * 512];
    }

    private Set<String> firstTwoSectorsAfterCuts() {
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedVfs cut = vfs.copy().crash(seed);
            seen.add(sector(cut, 0) + " " + sector(cut, 1));
        }
        return seen;
    }

    private void failNext(Fault fault) {
        vfs.failAt(vfs.operationCount() + 1, fault);
    }

    @Test
    void everyOperationCanFailWithoutEffect() {
        List<Runnable> operations = List.of(
                () -> file.write(filled(10, 2), 0),
                () -> file.truncate(0),
                () -> vfs.open(FILE, OpenMode.READ),
                () -> vfs.open(ROOT.resolve("b"), OpenMode.CREATE),
                () -> vfs.createDirectories(ROOT.resolve("d")),
                () -> vfs.rename(FILE, ROOT.resolve("c")),
                () -> vfs.delete(FILE),
                () -> vfs.syncDirectory(ROOT),
                () -> vfs.lock(ROOT.resolve("LOCK")));
        for (Runnable operation : operations) {
            failNext(Fault.EIO);
            assertThrows(StoreIoException.class, operation::run);
            assertEquals(Set.of(FILE), vfs.files());
            assertArrayEquals(filled(1024, 1).array(), vfs.content(FILE));
        }
        assertEquals(operations.size(), vfs.faultsFired());
        operations.get(0).run();
        assertEquals(2, vfs.content(FILE)[9]);
    }

    @Test
    void missingSpaceFailsTheNextOperationThatNeedsSome() {
        failNext(Fault.ENOSPC);
        file.truncate(600);
        vfs.open(FILE, OpenMode.READ).close();
        assertThrows(StoreFullException.class, () -> file.write(filled(10, 2), 0));
        failNext(Fault.ENOSPC);
        assertThrows(StoreFullException.class, file::force);
    }

    @Test
    void aShortWriteLeavesItsFirstPart() {
        failNext(Fault.SHORT_WRITE);
        assertThrows(StoreIoException.class, () -> file.write(filled(1024, 2), 0));
        assertEquals("2 1", sector(vfs, 0) + " " + sector(vfs, 1));
    }

    @Test
    void aStickyFaultStaysUntilItIsCleared() {
        vfs.failAt(vfs.operationCount() + 2, Fault.EIO, true);
        file.write(filled(1, 2), 0);
        for (int i = 0; i < 3; i++) {
            assertThrows(StoreIoException.class, () -> file.write(filled(1, 3), 0));
            assertThrows(StoreIoException.class, file::force);
        }
        assertEquals(6, vfs.faultsFired());
        vfs.clearFaults();
        file.write(filled(1, 4), 0);
    }

    @Test
    void readsFailByTheirOwnCount() {
        file.read(ByteBuffer.allocate(1), 0);
        vfs.failReadAt(vfs.readCount() + 2, false);
        file.read(ByteBuffer.allocate(1), 0);
        assertThrows(StoreIoException.class, () -> file.read(ByteBuffer.allocate(1), 0));
        file.read(ByteBuffer.allocate(1), 0);
        vfs.failReadAt(0, true);
        assertThrows(StoreIoException.class, () -> file.read(ByteBuffer.allocate(1), 0));
        assertThrows(StoreIoException.class, () -> vfs.list(ROOT));
        file.write(filled(1, 2), 0);
        vfs.clearFaults();
        assertEquals(List.of("a"), vfs.list(ROOT));
        assertEquals(3, vfs.faultsFired());
    }

    @Test
    void afterAFailedForceNothingIsSureAndALaterForceProvesNothing() {
        for (Fault fault : List.of(Fault.FORCE_FAILS, Fault.EIO)) {
            file.write(filled(1024, 1), 0);
            file.force();
            file.write(filled(1024, 2), 0);
            failNext(fault);
            assertThrows(StoreIoException.class, file::force);
            file.force();
            assertEquals("2 2", sector(vfs, 0) + " " + sector(vfs, 1), "the cache has it");
            assertEquals(Set.of("1 1", "1 2", "2 1", "2 2"), firstTwoSectorsAfterCuts());
            SimulatedVfs killed = vfs.copy().kill();
            assertEquals(2, sector(killed, 0), "the next process reads it from the cache");
            assertEquals(1, sector(killed.crash(0), 0), "and loses it all the same");
            file.write(filled(512, 3), 0);
            file.force();
            assertEquals(Set.of("3 1", "3 2"), firstTwoSectorsAfterCuts(), "what is written again is clean");
            file.write(filled(512, 1), 512);
        }
    }

    @Test
    void afterAFailedForceGrowthMayHaveNoData() {
        file.write(filled(512, 2), 1024);
        failNext(Fault.FORCE_FAILS);
        assertThrows(StoreIoException.class, file::force);
        file.write(filled(512, 3), 1536);
        file.force();
        Set<Integer> seen = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedVfs cut = vfs.crash(seed);
            assertEquals(3, sector(cut, 3));
            seen.add(sector(cut, 2));
        }
        assertEquals(Set.of(0, 2), seen);
    }

    @Test
    void aFailedDirectorySyncLeavesTheNamesUnsynced() {
        vfs.open(ROOT.resolve("b"), OpenMode.CREATE).close();
        failNext(Fault.FORCE_FAILS);
        assertThrows(StoreIoException.class, () -> vfs.syncDirectory(ROOT));
        assertEquals(Set.of(FILE), vfs.copy().crash(0).files());
        vfs.syncDirectory(ROOT);
        assertEquals(2, vfs.crash(0).files().size());
    }

    @Test
    void aFullDiskStillTakesWhatNeedsNoSpace() {
        vfs.setCapacity(2000);
        assertThrows(StoreFullException.class, () -> file.write(filled(2001, 2), 0));
        assertArrayEquals(filled(1024, 1).array(), vfs.content(FILE));
        file.write(filled(2000, 2), 0);
        file.write(filled(2000, 3), 0);
        file.force();
        VfsFile other = vfs.open(ROOT.resolve("b"), OpenMode.CREATE);
        assertThrows(StoreFullException.class, () -> other.write(filled(1, 1), 0));
        vfs.delete(FILE);
        other.write(filled(1, 1), 0);
    }

    @Test
    void aForceCanBeLeftOut() {
        vfs.ignoreForce(name -> name.endsWith("/a"), 2);
        file.write(filled(512, 2), 0);
        file.force();
        file.write(filled(512, 3), 0);
        file.force();
        assertEquals(2, sector(vfs.copy().crash(0), 0));
        file.force();
        assertEquals(3, sector(vfs.copy().crash(0), 0));
        vfs.ignoreForce(name -> true, SimulatedVfs.ALL);
        file.write(filled(512, 4), 0);
        file.force();
        file.force();
        vfs.open(ROOT.resolve("b"), OpenMode.CREATE).close();
        vfs.syncDirectory(ROOT);
        assertEquals(3, sector(vfs.copy().crash(0), 0));
        assertEquals(Set.of(FILE), vfs.crash(0).files());
        assertEquals(4, vfs.ignoredForceCount());
        assertEquals(6, vfs.forceCount(name -> name.equals("/store/a")));
        assertEquals(2, vfs.forceCount(name -> name.equals("/store")));
    }

    private void forceHere() {
        file.force();
    }

    private void forceThere() {
        file.force();
    }

    @Test
    void theForcesOfOneSiteCanBeLeftOut() {
        vfs.recordForceSites(1);
        forceHere();
        forceThere();
        forceHere();
        vfs.syncDirectory(ROOT);
        assertEquals(3, vfs.forceSites().size());
        String here = vfs.forceSites().iterator().next();
        assertTrue(here.startsWith(FaultTest.class.getName() + ".forceHere:"), here);
        vfs.ignoreForcesFrom(here);
        file.write(filled(512, 2), 0);
        forceHere();
        assertEquals(1, sector(vfs.copy().crash(0), 0));
        forceThere();
        assertEquals(2, sector(vfs.copy().crash(0), 0));
        vfs.recordForceSites(2);
        forceHere();
        assertTrue(vfs.forceSites().stream().anyMatch(site -> site.startsWith(here + " < ")));
    }

    @Test
    void operationsCanBeTraced() {
        assertEquals(List.of(), vfs.trace());
        vfs.startTrace();
        vfs.ignoreForce(name -> true, 1);
        try (VfsFile other = vfs.open(ROOT.resolve("d/../b"), OpenMode.CREATE)) {
            other.write(filled(7, 1), 3);
            other.force();
            other.force();
            other.truncate(4);
        }
        vfs.allocateUnwritten();
        try (VfsFile other = vfs.open(ROOT.resolve("b"), OpenMode.READ_WRITE)) {
            assertTrue(other.allocateUnwritten(0, 9));
        }
        vfs.createDirectories(ROOT.resolve("d"));
        vfs.rename(ROOT.resolve("b"), ROOT.resolve("d/c"));
        vfs.syncDirectory(ROOT);
        vfs.lock(ROOT.resolve("LOCK")).close();
        vfs.open(ROOT.resolve("d/c"), OpenMode.READ).close();
        vfs.delete(ROOT.resolve("d/c"));
        assertEquals(
                List.of(
                        "create /store/b",
                        "write /store/b 3+7",
                        "force /store/b (ignored)",
                        "force /store/b",
                        "truncate /store/b 4",
                        "open /store/b",
                        "allocate /store/b 0+9",
                        "mkdir /store/d",
                        "rename /store/b /store/d/c",
                        "sync /store",
                        "lock /store/LOCK",
                        "open /store/d/c",
                        "delete /store/d/c"),
                vfs.trace());
        assertEquals(7, vfs.bytesWritten(name -> name.equals("/store/b")));
        assertEquals(1031, vfs.bytesWritten(name -> true));
    }

    @Test
    void contentCanBePutInPlace() {
        file.write(filled(512, 2), 0);
        vfs.setContent(FILE, filled(600, 3).array());
        vfs.setContent(ROOT.resolve("new"), new byte[0]);
        assertArrayEquals(filled(600, 3).array(), vfs.content(FILE));
        SimulatedVfs cut = vfs.crash(0);
        assertArrayEquals(filled(600, 3).array(), cut.content(FILE));
        assertEquals(0, cut.content(ROOT.resolve("new")).length);
        assertThrows(StoreIoException.class, () -> cut.content(ROOT));
        assertThrows(StoreIoException.class, () -> cut.setContent(ROOT.resolve("none/x"), new byte[1]));
    }

    @Test
    void aReplacementThatIsNotForcedIsFoundByCuts() {
        // Replace a file by writing another, forcing it, renaming it and syncing the directory; then leave each out.
        assertEquals(0, violations(name -> false));
        assertTrue(violations(name -> name.endsWith(".new")) > 0);
        assertTrue(violations(name -> name.equals("/store")) > 0);
    }

    private static int violations(Predicate<String> leftOut) {
        int violations = 0;
        for (long operation = 1; operation < 12; operation++) {
            SimulatedVfs machine = new SimulatedVfs(ROOT);
            machine.ignoreForce(leftOut, SimulatedVfs.ALL);
            machine.crashAt(operation);
            int acknowledged = 0;
            try {
                for (int value = 1; value <= 2; value++) {
                    replace(machine, value);
                    acknowledged = value;
                }
            } catch (SimulatedCrash e) {
                assertTrue(machine.isDead());
            }
            for (long seed = 0; seed < 50; seed++) {
                int found = valueOf(machine.crash(seed));
                if (found != acknowledged && found != acknowledged + 1) {
                    violations++;
                }
            }
        }
        return violations;
    }

    private static void replace(SimulatedVfs machine, int value) {
        Path next = ROOT.resolve("a.new");
        try (VfsFile file = machine.open(next, OpenMode.CREATE)) {
            file.write(filled(1024, value), 0);
            file.force();
        }
        machine.rename(next, FILE);
        machine.syncDirectory(ROOT);
    }

    /** The value of a whole file, 0 for none, -1 for one that is not whole. */
    private static int valueOf(SimulatedVfs machine) {
        if (!machine.exists(FILE)) {
            return 0;
        }
        byte[] content = machine.content(FILE);
        return content.length == 1024
                        && Arrays.equals(content, filled(1024, content[0]).array())
                ? content[0]
                : -1;
    }

    @Test
    void failuresAreStorageExceptions() {
        vfs.failAt(0, Fault.EIO, true);
        assertThrows(StorageException.class, () -> vfs.deleteIfExists(FILE));
        assertFalse(vfs.deleteIfExists(ROOT.resolve("none")));
        assertEquals("SimulatedFile[/store/a]", file.toString());
    }
}
