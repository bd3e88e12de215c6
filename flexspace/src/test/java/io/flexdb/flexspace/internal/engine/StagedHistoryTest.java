package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.testing.Effort;
import org.junit.jupiter.api.Test;

/** Bytes that are staged while a space is changed: models, power cuts, kills, errors, caps and full disks. */
class StagedHistoryTest {
    private static final int LONG = Effort.times(30);

    private static void repeat(String name, long seed, Runnable history) {
        try {
            history.run();
        } catch (Throwable e) {
            throw new AssertionError(name + ", seed " + seed, e);
        }
    }

    @Test
    void aSpaceHoldsWhatAnArrayDoes() {
        int links = 0;
        for (long seed = 0; seed < LONG; seed++) {
            StagedHistory history = new StagedHistory(seed, new SimulatedVfs());
            repeat("model", seed, () -> {
                history.open();
                for (int i = 0; i < 600; i++) {
                    history.step();
                }
                assertArrayEquals(history.now(), history.content());
                history.engine.checkInvariants();
                history.engine.closeCleanly();
                history.synced();
                history.survive(history.vfs.kill());
                history.engine.close();
            });
            links += history.links;
        }
        assertTrue(links > 100 * LONG / 10, links + " links");
    }

    @Test
    void cutsAndKillsLeaveAStateSinceTheLastSync() {
        for (long seed = 0; seed < 4L * LONG; seed++) {
            StagedHistory history = new StagedHistory(seed, new SimulatedVfs());
            long s = seed;
            repeat("cuts", seed, () -> {
                history.vfs.delayBackground((int) s % 4);
                history.open();
                for (int life = 0; life < 8; life++) {
                    history.vfs.crashAt(history.vfs.operationCount() + 1 + history.random.nextInt(300));
                    try {
                        while (true) {
                            history.step();
                        }
                    } catch (SimulatedCrash e) {
                        // and now the next life
                    }
                    boolean killed = history.random.nextInt(3) == 0;
                    history.survive(killed ? history.vfs.kill() : history.vfs.crash(s * 100 + life));
                }
                history.engine.close();
            });
        }
    }

    /** Everything that a short life does to files, with a cut before each of it and each of the recovery. */
    @Test
    void aCutBeforeEachOperationLeavesAStateSinceTheLastSync() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(3); seed++) {
            for (long operation = 1; ; operation++) {
                StagedHistory history = new StagedHistory(seed, new SimulatedVfs());
                history.vfs.crashAt(operation);
                boolean finished = false;
                try {
                    history.open();
                    for (int i = 0; i < 200; i++) {
                        history.step();
                    }
                    history.sync();
                    finished = true;
                } catch (SimulatedCrash e) {
                    // as it should be
                }
                if (SpaceEngine.exists(history.vfs.crash(operation), StagedHistory.DIRECTORY)) {
                    SimulatedVfs image = operation % 3 == 0 ? history.vfs.kill() : history.vfs.crash(operation);
                    long at = operation;
                    repeat("cut before operation " + at, seed, () -> {
                        history.survive(image);
                        for (int i = 0; i < 10; i++) {
                            history.step();
                        }
                        history.survive(history.vfs.crash(at));
                        history.engine.close();
                    });
                    points++;
                }
                if (finished) {
                    break;
                }
            }
        }
        assertTrue(points > Effort.times(300), points + " points");
    }

    @Test
    void anErrorAtAnyOperationLosesNothingSynced() {
        int failures = 0;
        for (Fault fault : Fault.values()) {
            for (long operation = 1; ; operation += Effort.step(3)) {
                StagedHistory history = new StagedHistory(5, new SimulatedVfs());
                history.open();
                history.vfs.failAt(operation, fault);
                try {
                    for (int i = 0; i < 150; i++) {
                        history.step();
                    }
                } catch (StorageException e) {
                    failures++;
                }
                if (history.vfs.faultsFired() == 0) {
                    break;
                }
                history.vfs.clearFaults();
                long at = operation;
                repeat(fault + " at " + at, 5, () -> history.survive(history.vfs.crash(at)));
                history.engine.close();
            }
        }
        assertTrue(failures > Effort.times(100), failures + " failures");
    }

    @Test
    void underACapBothFindRoomAndNeitherTakesWhatTheOtherNeeds() {
        int refusals = 0;
        int links = 0;
        for (long seed = 0; seed < LONG / 3; seed++) {
            StagedHistory history = new StagedHistory(seed, new SimulatedVfs());
            history.mostBytes = 340_000 + (int) seed % 4 * 20_000;
            history.options = StagedHistory.SMALL.withMaxDataBytes(32L * 32 * StagedHistory.FRAME);
            repeat("cap", seed, () -> {
                history.open();
                history.fill(400_000);
                for (int i = 0; i < 2000; i++) {
                    history.step();
                    long bytes = history.vfs.content(StagedHistory.DIRECTORY.resolve("data")).length;
                    assertTrue(bytes <= 4096 + 32L * 32 * StagedHistory.FRAME, bytes + " bytes of data file");
                }
                assertArrayEquals(history.now(), history.content());
                history.survive(history.vfs.crash(1));
                history.engine.close();
            });
            refusals += history.refusals;
            links += history.links;
        }
        assertTrue(
                refusals > Effort.times(20) && links > Effort.times(200), refusals + " refusals, " + links + " links");
    }

    @Test
    void onAFullDiskWhatIsStagedIsRefusedAndRemovingIsNot() {
        int refusals = 0;
        int links = 0;
        for (long seed = 0; seed < LONG / 3; seed++) {
            StagedHistory history = new StagedHistory(seed, new SimulatedVfs());
            history.mostBytes = 100_000 + (int) seed % 4 * 40_000;
            repeat("full disk", seed, () -> {
                history.open();
                history.vfs.setCapacity(900_000);
                history.fill(800_000);
                for (int i = 0; i < 2000; i++) {
                    history.step();
                }
                assertArrayEquals(history.now(), history.content());
                history.survive(history.vfs.crash(1));
                history.engine.close();
            });
            refusals += history.refusals;
            links += history.links;
        }
        assertTrue(
                refusals > Effort.times(20) && links > Effort.times(200), refusals + " refusals, " + links + " links");
    }
}
