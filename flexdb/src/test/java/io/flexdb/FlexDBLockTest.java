package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.simulation.RobbedVfs;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreLockedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two who want the same store. */
class FlexDBLockTest {
    private static final Path DIRECTORY = StoreDriver.DIRECTORY;
    private static final byte[] KEY = {'k'};

    @TempDir
    private Path root;

    /** Has somebody else come in between when a directory is first listed. */
    private static final class Interrupted extends ForwardingVfs {
        private Runnable meanwhile;

        Interrupted(Vfs vfs, Runnable meanwhile) {
            super(vfs);
            this.meanwhile = meanwhile;
        }

        @Override
        public List<String> list(Path directory) {
            Runnable first = meanwhile;
            meanwhile = () -> {};
            first.run();
            return super.list(directory);
        }
    }

    @Test
    void whoeverLosesTheRaceForANewStoreIsToldThatItIsInUse() {
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.createDirectories(DIRECTORY);
        List<FlexDB> opened = new ArrayList<>();
        Vfs loser = new Interrupted(vfs, () -> opened.add(FlexDB.open(vfs, DIRECTORY, StoreDriver.SMALL, true)));
        assertThrows(StoreLockedException.class, () -> FlexDB.open(loser, DIRECTORY, StoreDriver.SMALL, true));
        opened.get(0).put(KEY, KEY);
        opened.get(0).close();
    }

    @Test
    void whoeverComesBehindTheEndOfTheFirstOpensTheStore() {
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.createDirectories(DIRECTORY);
        Vfs second = new Interrupted(vfs, () -> {
            try (FlexDB db = FlexDB.open(vfs, DIRECTORY, StoreDriver.SMALL, true)) {
                db.put(KEY, KEY);
            }
        });
        try (FlexDB db = FlexDB.open(second, DIRECTORY, StoreDriver.SMALL, true)) {
            assertArrayEquals(KEY, db.get(KEY));
        }
    }

    private interface Opening {
        AutoCloseable open(Path directory);
    }

    /** Threads that open a new directory at the same time, and close it at once, until each has had it. */
    private void race(Opening opening) throws Exception {
        int threads = 3;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (int i = 0; i < 15; i++) {
                Path directory = root.resolve("store" + i);
                CyclicBarrier start = new CyclicBarrier(threads);
                Callable<Integer> task = () -> {
                    start.await();
                    for (int refused = 0; ; refused++) {
                        try {
                            opening.open(directory).close();
                            return refused;
                        } catch (StoreLockedException e) {
                            Thread.onSpinWait();
                        }
                    }
                };
                List<Future<Integer>> results = new ArrayList<>();
                for (int thread = 0; thread < threads; thread++) {
                    results.add(executor.submit(task));
                }
                for (Future<Integer> result : results) {
                    result.get(); // nobody got anything but the store, or word that it is in use
                }
            }
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void racesForNewStoresEndWithTheStore() throws Exception {
        race(directory -> FlexDB.open(directory, StoreDriver.SMALL));
    }

    @Test
    void racesForNewSpacesEndWithTheSpace() throws Exception {
        race(directory -> FlexSpace.open(directory, StoreDriver.SMALL.settings().space));
    }

    private static FlexDB open(Vfs vfs, AtomicLong clock) {
        StoreSettings settings = StoreDriver.SMALL.settings().copy();
        settings.nanoClock = clock::get;
        return FlexDB.open(vfs, DIRECTORY, FlexDBOptions.of(settings), true);
    }

    @Test
    void aStoreWhoseLockIsLostAcknowledgesNothingMore() {
        SimulatedVfs files = new SimulatedVfs();
        RobbedVfs vfs = new RobbedVfs(files, DIRECTORY);
        AtomicLong clock = new AtomicLong();
        FlexDB db = open(vfs, clock);
        long durable = db.put(KEY, KEY, WriteOptions.durability(Durability.SYNC));
        clock.addAndGet(2_000_000_000L);
        vfs.rob();
        StoreFailedException told = assertThrows(
                StoreFailedException.class, () -> db.put(KEY, new byte[1], WriteOptions.durability(Durability.SYNC)));
        assertTrue(told.getMessage().contains("process 4711"), told.getMessage());
        assertThrows(StoreFailedException.class, () -> db.put(KEY, KEY));
        long operations = files.operationCount();
        db.close();
        assertEquals(operations, files.operationCount());
        assertEquals(1, durable);
    }

    @Test
    void aStoreWhoseLockIsLostWritesNothingWhenItIsClosed() {
        SimulatedVfs files = new SimulatedVfs();
        RobbedVfs vfs = new RobbedVfs(files, DIRECTORY);
        FlexDB db = open(vfs, new AtomicLong());
        db.put(KEY, KEY);
        vfs.rob();
        long operations = files.operationCount();
        assertThrows(StoreLockedException.class, db::close);
        assertEquals(operations, files.operationCount());
    }

    /** An action in a directory that is another process's from some look at the lock on. */
    private interface Action {
        void run(RobbedVfs vfs, Runnable rob);
    }

    /** Robs an action at each of its looks, until it looks no more. */
    private static void robAtEachLook(Path directory, Supplier<Vfs> files, Action action) {
        for (int look = 0; ; look++) {
            int at = look;
            RobbedVfs vfs = new RobbedVfs(files.get(), directory);
            try {
                action.run(vfs, () -> vfs.robAfter(at));
                assertFalse(vfs.hasRefused(), "look " + look);
                assertTrue(look > 0);
                return;
            } catch (StoreLockedException e) {
                assertTrue(vfs.hasRefused(), "look " + look);
                assertEquals("process 4711", e.holder());
                assertEquals(0, vfs.changesAfterRefusal(), "look " + look);
            }
        }
    }

    @Test
    void aBackupInADirectoryThatIsAnothersByNowChangesNothingMore() {
        Path directory = Path.of("/backups");
        robAtEachLook(directory, SimulatedVfs::new, (vfs, rob) -> {
            try (FlexDB db = FlexDB.open(vfs, DIRECTORY, StoreDriver.SMALL, true)) {
                db.put(KEY, KEY);
                try (FlexDBBackups backups = FlexDBBackups.open(vfs, directory)) {
                    backups.create(db);
                    db.put(KEY, new byte[1]);
                    rob.run();
                    backups.create(db);
                } catch (StoreLockedException e) {
                    try (FlexDBBackups another = FlexDBBackups.open(vfs, directory)) {
                        vfs.robAfter(Long.MAX_VALUE);
                        assertEquals(1, another.list().size());
                        assertEquals(List.of(), another.verify(1));
                    }
                    throw e;
                }
            }
        });
    }

    @Test
    void noBackupIsDeletedInADirectoryThatIsAnothersByNow() {
        Path directory = Path.of("/backups");
        for (boolean byCount : new boolean[] {false, true}) {
            robAtEachLook(directory, SimulatedVfs::new, (vfs, rob) -> {
                try (FlexDB db = FlexDB.open(vfs, DIRECTORY, StoreDriver.SMALL, true);
                        FlexDBBackups backups = FlexDBBackups.open(vfs, directory)) {
                    db.put(KEY, KEY);
                    backups.create(db);
                    db.put(KEY, new byte[1]);
                    backups.create(db);
                    rob.run();
                    if (byCount) {
                        backups.keepLast(1);
                    } else {
                        backups.delete(1);
                    }
                }
            });
        }
    }

    @Test
    void aCopyInADirectoryThatIsAnothersByNowBecomesNoStore() {
        Path copy = Path.of("/copy");
        Path directory = Path.of("/backups");
        for (boolean restored : new boolean[] {false, true}) {
            robAtEachLook(copy, SimulatedVfs::new, (vfs, rob) -> {
                try (FlexDB db = FlexDB.open(vfs, DIRECTORY, StoreDriver.SMALL, true);
                        FlexDBBackups backups = FlexDBBackups.open(vfs, directory)) {
                    db.put(KEY, KEY);
                    long backup = backups.create(db).id();
                    rob.run();
                    if (restored) {
                        backups.restore(backup, copy);
                    } else {
                        db.checkpoint(copy);
                    }
                } catch (StoreLockedException e) {
                    assertThrows(CorruptionException.class, () -> FlexDB.open(vfs, copy, StoreDriver.SMALL, true));
                    throw e;
                }
            });
        }
    }
}
