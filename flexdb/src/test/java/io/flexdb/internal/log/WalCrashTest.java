package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Power cuts at every file operation of random histories: what is recovered is a prefix that holds all that was forced.
 */
class WalCrashTest {
    private static final int SURVIVALS = 5;

    @Test
    void aCutAtAnyFileOperationLeavesAPrefixWithAllThatWasForced() {
        for (long seed = 0; seed < Effort.times(12); seed++) {
            long operations = WalHistory.operationCount(seed);
            for (long cut = 1; cut <= operations; cut++) {
                WalHistory history = WalHistory.runUntilCut(seed, cut);
                for (long survival = 0; survival < SURVIVALS; survival++) {
                    history.check(history.vfs.crash(survival + (survival > 1 ? 100 * seed + cut : 0)));
                }
            }
        }
    }

    /** Or the others would say nothing of logs that are zeroed as they fill, W5. */
    @Test
    void historiesHaveLogsThatAreZeroedByAppendsAndRecycledBeforeAllOfThemIs() {
        for (long first : new long[] {0, 100, 200}) { // those of the tests above and below
            int zeroed = 0;
            int recycled = 0;
            for (long seed = first; seed < first + 10; seed++) {
                WalHistory history = WalHistory.runUntilCut(seed, Long.MAX_VALUE);
                zeroed += history.zeroedByAppends;
                recycled += history.recycledPartlyZeroed;
            }
            assertTrue(zeroed > 3, "zeroed by appends " + zeroed);
            assertTrue(recycled > 1, "recycled " + recycled);
        }
    }

    @Test
    void afterTheDeathOfTheProcessNothingIsLost() {
        for (long seed = 100; seed < 100 + Effort.times(10); seed++) {
            long operations = WalHistory.operationCount(seed);
            for (long cut = 1; cut <= operations; cut++) {
                WalHistory history = WalHistory.runUntilCut(seed, cut);
                List<WalHistory.Frame> recovered = history.check(history.vfs.kill());
                assertTrue(
                        history.lastOf(recovered) >= history.acknowledged,
                        () -> history + " recovered only to " + history.lastOf(recovered));
            }
        }
    }

    @Test
    void aCleanCloseKeepsEverything() {
        for (long seed = 200; seed < 200 + Effort.times(20); seed++) {
            WalHistory history = WalHistory.runUntilCut(seed, Long.MAX_VALUE);
            assertEquals(history.acknowledged, history.lastOf(history.check(history.vfs.crash(0))));
            history.dump();
        }
    }

    @Test
    void aCutDuringRecoveryChangesNothing() {
        for (long seed = 300; seed < 300 + Effort.times(3); seed++) {
            long operations = WalHistory.operationCount(seed);
            for (long cut = 3 + seed % 3; cut <= operations; cut += 5) {
                WalHistory history = WalHistory.runUntilCut(seed, cut);
                SimulatedVfs image = history.vfs.crash(seed + cut);
                List<WalHistory.Frame> expected = history.check(image);
                long steps = history.recover(image.copy(), Long.MAX_VALUE);
                for (long step = 1; step <= steps; step++) {
                    SimulatedVfs recovering = image.copy();
                    history.recover(recovering, step);
                    for (long survival = 0; survival < 4; survival++) {
                        SimulatedVfs again = recovering.crash(survival);
                        assertEquals(expected, history.check(again), history::toString);
                        history.recover(again.copy(), Long.MAX_VALUE);
                    }
                }
            }
        }
    }

    @Test
    void everyForceIsNeeded() {
        WalHistory observed = new WalHistory(0);
        observed.vfs.recordForceSites(2);
        for (long seed = 0; seed < 6; seed++) {
            WalHistory history = new WalHistory(seed);
            history.vfs.recordForceSites(2);
            history.run();
            observed.sites.addAll(history.vfs.forceSites());
        }
        Set<String> sites = observed.sites;
        assertTrue(sites.size() >= 4, sites::toString);
        List<String> unnoticed = new ArrayList<>();
        for (String site : sites) {
            if (!isNoticed(site)) {
                unnoticed.add(site);
            }
        }
        assertEquals(List.of(), unnoticed);
    }

    private static boolean isNoticed(String site) {
        for (long seed = 0; seed < 40; seed++) {
            long operations = WalHistory.operationCount(seed);
            for (long cut = 1; cut <= operations + 1; cut++) {
                WalHistory history = new WalHistory(seed);
                history.vfs.recordForceSites(2);
                history.vfs.ignoreForcesFrom(site);
                history.vfs.crashAt(cut);
                history.run();
                for (long survival = 0; survival < 4; survival++) {
                    try {
                        SimulatedVfs after = history.vfs.crash(survival + (survival > 1 ? seed : 0));
                        history.check(after);
                        history.checkMark(after);
                    } catch (AssertionError | RuntimeException e) {
                        assertFalse(e.getMessage().isEmpty());
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
