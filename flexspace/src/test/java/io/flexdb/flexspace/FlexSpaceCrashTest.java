package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Power cuts at every moment: afterwards a space holds what it held after some change, the last one synced or a later
 * one. A seed in a message repeats the history: {@code CrashScenarios} makes them.
 */
class FlexSpaceCrashTest {

    @Test
    void randomHistoriesSurviveRandomCuts() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(20); seed++) {
            points += CrashScenarios.randomHistory(seed, vfs -> {});
        }
        report("random histories", points);
        assertTrue(points > Effort.times(2000), "only " + points + " crash points");
    }

    @Test
    void historiesSurviveCutsWhileCheckpointsAreUnderWay() {
        int points = 0;
        int continuedLogs = 0;
        for (long seed = 0; seed < Effort.times(20); seed++) {
            CrashHistory history = CrashScenarios.randomHistory(seed, 3 + (int) seed % 40, vfs -> {});
            points += history.crashPoints;
            continuedLogs += history.continuedLogs;
        }
        report("checkpoints under way", points);
        assertTrue(
                continuedLogs > Effort.times(100),
                "only " + continuedLogs + " of " + points + " cuts left a log that continues one");
    }

    @Test
    void shortHistoriesSurviveACutAtEveryOperation() {
        int points = 0;
        for (List<SpaceStep> steps : Effort.some(CrashScenarios.shortHistories(Effort.times(1) == 1 ? 2 : 3))) {
            points += CrashScenarios.cutEverywhere(steps, new SimulatedVfs(), new SpaceOracle(), 4, vfs -> {});
        }
        report("short histories", points);
        assertTrue(points > Effort.times(2000), "only " + points + " crash points");
    }

    @Test
    void garbageCollectionSurvivesACutAtEveryOperation() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(2); seed++) {
            points += CrashScenarios.cutGarbageCollectionEverywhere(seed, 4, vfs -> {});
        }
        report("garbage collection", points);
        assertTrue(points > Effort.times(200), "only " + points + " crash points");
    }

    @Test
    void aSpaceAtItsCapSurvivesACutAtEveryOperation() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(3); seed++) {
            points += CrashScenarios.cutAtTheCapEverywhere(seed, 4, vfs -> {});
        }
        report("at the cap", points);
        assertTrue(points > Effort.times(300), "only " + points + " crash points");
    }

    @Test
    void blocksOverwrittenAtTheCapSurviveACutAtEveryOperation() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(2); seed++) {
            points += CrashScenarios.cutBlocksAtTheCapEverywhere(seed, 4, vfs -> {});
        }
        report("blocks at the cap", points);
        assertTrue(points > Effort.times(300), "only " + points + " crash points");
    }

    /** Among them with a checkpoint under way, and with recoveries that are cut. */
    @Test
    void randomHistoriesAtTheCapSurviveRandomCuts() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(6); seed++) {
            points += CrashScenarios.randomHistoryAtTheCap(seed, (int) (seed % 3) * 12, vfs -> {}).crashPoints;
        }
        report("random histories at the cap", points);
        assertTrue(points > Effort.times(100), "only " + points + " crash points");
    }

    @Test
    void aFileThatBecomesShorterSurvivesACutAtEveryOperation() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(2); seed++) {
            points += CrashScenarios.cutShrinkingEverywhere(seed, 4, vfs -> {});
        }
        report("shrinking", points);
        assertTrue(points > Effort.times(100), "only " + points + " crash points");
    }

    @Test
    void recoverySurvivesACutAtEveryOperationTwice() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(3); seed++) {
            points += CrashScenarios.cutRecoveryEverywhere(seed, vfs -> {});
        }
        report("recovery", points);
        assertTrue(points > Effort.times(1000), "only " + points + " crash points");
    }

    /** A killed process may have written a header that is not durable: the next one must not rely on it. */
    @Test
    void aHeaderLeftByAKilledProcessIsMadeDurableBeforeTheOlderLogGoes() {
        int points = 0;
        for (long seed = 0; seed < Effort.times(3); seed++) {
            points += CrashScenarios.killAndCutEverywhere(seed, vfs -> {});
        }
        points += CrashScenarios.killCreationAndCutEverywhere(vfs -> {});
        report("cuts after kills", points);
        assertTrue(points > Effort.times(500), "only " + points + " crash points");
    }

    @Test
    void damageOfTheLogThatACloseHasLeftIsToldFromWhatACutHasTorn() {
        CrashScenarios.damageAfterClose(vfs -> {});
    }

    private static void report(String what, int points) {
        System.out.println(what + ": " + points + " crash points");
    }

    static List<SpaceStep> withSync(List<SpaceStep> steps) {
        List<SpaceStep> longer = new ArrayList<>(steps);
        longer.add(SpaceStep.SYNC);
        return longer;
    }
}
