package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** No force is there for nothing, and none could be left out without the crash tests seeing it. */
class FlexSpaceBarrierTest {
    private static final int DEPTH = 2; // a force and who wants it

    @Test
    void leavingOutAnyForceIsNoticed() {
        TreeMap<String, String> unnoticed = new TreeMap<>();
        Set<String> sites = sites();
        for (String site : Effort.some(sites)) {
            if (!isNoticed(site)) {
                unnoticed.put(site, "unnoticed");
            }
        }
        assertTrue(sites.size() >= 14, "sites: " + sites);
        assertEquals(new TreeMap<>(), unnoticed);
    }

    private static Set<String> sites() {
        Set<SimulatedVfs> used = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<String> sites = new TreeSet<>();
        Consumer<SimulatedVfs> record = vfs -> {
            used.forEach(other -> sites.addAll(other.forceSites()));
            used.clear();
            used.add(vfs);
            vfs.recordForceSites(DEPTH);
        };
        CrashScenarios.randomHistory(1, record);
        CrashScenarios.killAndCutEverywhere(1, record);
        CrashScenarios.killCreationAndCutEverywhere(record);
        CrashScenarios.atTheCapInBlocks(1, record);
        used.forEach(other -> sites.addAll(other.forceSites()));
        return sites;
    }

    private static boolean isNoticed(String site) {
        Consumer<SimulatedVfs> leaveOut = vfs -> {
            vfs.recordForceSites(DEPTH);
            vfs.ignoreForcesFrom(site);
        };
        try {
            CrashScenarios.killCreationAndCutEverywhere(leaveOut);
            CrashScenarios.damageAfterClose(leaveOut);
            CrashScenarios.cutEverywhere(List.of(SpaceStep.SYNC), new SimulatedVfs(), new SpaceOracle(), 40, leaveOut);
            CrashScenarios.cutCheckpointEverywhere(16, leaveOut);
            CrashScenarios.killAndCutEverywhere(0, leaveOut);
            CrashScenarios.cutGarbageCollectionEverywhere(0, 4, leaveOut);
            for (long seed = 0; seed < 20; seed++) {
                CrashScenarios.randomHistory(seed, leaveOut);
                CrashScenarios.randomHistory(seed, 10, leaveOut);
            }
            CrashScenarios.cutBlocksAtTheCapEverywhere(0, 2, leaveOut);
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }
}
