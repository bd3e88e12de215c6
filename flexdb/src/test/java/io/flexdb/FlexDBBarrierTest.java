package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.testing.Effort;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Leaves out one barrier at a time: the crash test must miss every force of a file and sync of a directory that the
 * store needs, or it would see nothing. A barrier that is in neither list here is a new one, and belongs into one of
 * them.
 */
class FlexDBBarrierTest {
    private static final int DEPTH = 4; // the first frame is that of HookedVfs

    private static final Set<String> NEEDED = Set.of(
            // creation
            "sync StoreFiles.beginCreation < StoreFiles.create < StoreFiles.openOrCreate",
            "force SpaceFiles.createPart < SpaceEngine.createPart < StoreFiles.create",
            "sync SpaceFiles.createPart < SpaceEngine.createPart < StoreFiles.create",
            "force StoreFiles.create < StoreFiles.openOrCreate < StoreOpener.open",
            "sync StoreFiles.create < StoreFiles.openOrCreate < StoreOpener.open",
            "sync SpaceFiles.syncName < SpaceEngine.syncName < StoreFiles.create",
            "sync StoreFiles.publishOptions < StoreFiles.create < StoreFiles.openOrCreate",
            // opening
            "force LogicalLog.begin < LogicalLog.create < LogRenewal.createLog",
            "sync LogicalLog.begin < LogicalLog.create < LogRenewal.createLog",
            // the write-ahead log, and its place before the space (O6, O10)
            "force WalFiles.name < WalWriter.create < MemLogs.makeWal",
            "sync WalFiles.name < WalWriter.create < MemLogs.makeWal",
            "force WalWriter.forceLocked < WalWriter.force < SharedForce.forceAll",
            "sync WalFiles.takeName < WalWriter.recycle < MemLogs.makeWal",
            // the large values that it refers to (O11)
            "force LargeValues.force < WalWriter.forceLocked < WalWriter.force",
            "force WalFiles.name < WalWriter.recycle < MemLogs.makeWal",
            // commit and checkpoint
            "force BatchWrite.forceData < BatchWrite.get < SpaceDurability.writeBatch",
            "force LogicalLog.force < BatchWrite.get < SpaceDurability.writeBatch",
            "force BatchWrite.forceData < BatchWrite.get < BatchWrite.get",
            "force LogicalLog.force < BatchWrite.get < BatchWrite.get",
            "force LogicalLog.begin < LogicalLog.createNext < SpaceDurability.startCheckpoint",
            "sync LogicalLog.begin < LogicalLog.createNext < SpaceDurability.startCheckpoint",
            "force TreeFile.writeVersion < Checkpoint.save < Checkpoint$1.get",
            "force TreeFile.writeHeader < Checkpoint.save < Checkpoint$1.get",
            // closing, with another FlexTree file
            "force TreeFile.writeCopy < SpaceDurability.checkpointToCopy < SpaceDurability.lastCheckpoint",
            "force LogicalLog.begin < LogicalLog.createNext < SpaceDurability.checkpointToCopy",
            "sync LogicalLog.begin < LogicalLog.createNext < SpaceDurability.checkpointToCopy",
            "sync SpaceDurability.checkpointToCopy < SpaceDurability.lastCheckpoint < SpaceEngine.closeCleanly");

    private static final String NAME_OF_A_RECYCLED_LOG = "sync WalFiles.name < WalWriter.recycle < MemLogs.makeWal";

    /** Each of them makes it durable that logs behind a gap are gone. */
    private static final Set<String> GONE_LOGS = Set.of(
            "sync WalRecovery.deleteBehindGap < StoreOpener.open < StoreOpener.open",
            "sync WalRecovery.deleteReplayed < StoreOpener.open < StoreOpener.open");

    private static final Set<String> NOT_MISSED_HERE = Set.of(
            // The time is a lower bound; without its name the next opening goes by its clock alone.
            "sync TimeMark.write < StoreOpener.lambda$open$0 < StoreClock.keepMark",
            // What it makes durable only tells damage from what a cut has torn.
            "force LogicalLog.forceMark < SpaceDurability.syncIfLogIsShort < SpaceEngine.closeCleanly",
            // The creation has done it; but not for a directory that was moved or copied.
            "sync SpaceFiles.syncName < SpaceEngine.syncName < StoreFiles.openOrCreate",
            // What a bulk load or a large transaction has staged is forced again before the log names it.
            "force StagedBytes.force < StagedPieces.orFail < StagedPieces.force",
            "force StagedBytes.force < StagedPieces.orFail < StagedPieces.finishAndForce",
            // The files of a rest are gone for good: FlexDBRestTest misses that.
            "sync RestedState.forget < RestedState.save < Rests.save",
            "sync RestedState.forget < Rests.forget < Upkeep.endRest",
            // This has a test of its own below.
            NAME_OF_A_RECYCLED_LOG);

    /** From names, which survive changes of the code around, to the sites that have them. */
    private static Map<String, Set<String>> sites(Durability durability) {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL.withDurability(durability), new SimulatedVfs());
        store.vfs.recordForceSites(DEPTH);
        FlexDBCrashTest.mixedScript(store);
        Map<String, Set<String>> named = new TreeMap<>();
        for (String site : store.vfs.forceSites()) {
            named.computeIfAbsent(name(site), name -> new HashSet<>()).add(site);
        }
        return named;
    }

    static String name(String site) {
        String kind = site.contains("syncDirectory") ? "sync " : "force ";
        return kind
                + Arrays.stream(site.split(" < "))
                        .skip(1)
                        .map(frame -> frame.replaceAll(":.*", "").replaceAll("([a-z]+\\.)*(?=[A-Z])", ""))
                        .collect(Collectors.joining(" < "));
    }

    @Test
    void everyBarrierIsKnown() {
        Set<String> known = new HashSet<>(NEEDED);
        known.addAll(NOT_MISSED_HERE);
        assertEquals(known, sites(Durability.OS).keySet());
    }

    @Test
    void noneThatIsNeededCanBeLeftOut() {
        Map<String, Set<String>> sites = sites(Durability.OS);
        for (String name : Effort.some(NEEDED)) {
            assertTrue(isMissed(Durability.OS, sites.get(name)), name);
        }
        Set<String> ofRecycledLog = sites(Durability.SYNC).get(NAME_OF_A_RECYCLED_LOG);
        assertTrue(isMissed(Durability.SYNC, ofRecycledLog), NAME_OF_A_RECYCLED_LOG);
    }

    /** Few cuts at each point show most; what opens a window of a few operations takes more of them. */
    private static boolean isMissed(Durability durability, Set<String> sites) {
        return isMissed(durability, sites, 8) || isMissed(durability, sites, 100);
    }

    private static boolean isMissed(Durability durability, Set<String> sites, int cutsAtEach) {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL.withDurability(durability), new SimulatedVfs());
        store.vfs.recordForceSites(DEPTH);
        sites.forEach(store.vfs::ignoreForcesFrom);
        int[] points = {0};
        AssertionError[] missed = {null};
        store.setHook(FlexDBCrashTest.someOf(10, 1, () -> {
            points[0]++;
            if (store.vfs.ignoredForceCount() == 0) {
                return; // nothing is left out yet
            }
            SimulatedVfs dead = store.vfs.copy();
            for (long seed = 0; seed <= (long) cutsAtEach * points[0]; seed += Math.max(2, points[0])) {
                try {
                    FlexDBCrashTest.checkRecovered(store, dead.crash(seed), "point " + points[0], true);
                } catch (AssertionError e) {
                    missed[0] = e;
                    throw e;
                }
            }
        }));
        try {
            FlexDBCrashTest.mixedScript(store);
        } catch (AssertionError | StorageException e) {
            return missed[0] != null;
        }
        return false;
    }

    /**
     * A cut may leave a younger log and not the older one before it. What the younger has is dropped then, its numbers
     * are given to other writes, and a second cut must not bring it back.
     */
    @Test
    void numbersThatACutHasTakenBackAreGivenAgainForGood() {
        Set<String> ofGoneLogs = new HashSet<>();
        assertEquals(0, secondCuts(Set.of(), ofGoneLogs));
        assertTrue(secondCuts(Set.copyOf(ofGoneLogs), ofGoneLogs) > 0, "nothing missed");
    }

    /** @param ofGoneLogs gets the sites that make it durable that logs behind a gap are gone */
    private static int secondCuts(Set<String> ignoredSites, Set<String> ofGoneLogs) {
        StoreDriver store = new StoreDriver(StoreDriver.WITHOUT_LARGE);
        for (int i = 0; i < 150; i++) {
            store.put(new byte[] {(byte) i}, new byte[900]);
        }
        assertTrue(store.vfs.files().stream()
                        .filter(file -> file.getParent().endsWith("wal"))
                        .count()
                > 2);
        int wrong = 0;
        int least = Effort.times(150);
        for (long seed = 2; seed < least || !ignoredSites.isEmpty() && wrong == 0 && seed < 1000; seed++) {
            SimulatedVfs first = store.vfs.crash(seed);
            first.recordForceSites(DEPTH);
            ignoredSites.forEach(first::ignoreForcesFrom);
            FlexDB db = StoreDriver.open(new HookedVfs(first, (kind, path) -> {}), StoreDriver.WITHOUT_LARGE);
            first.forceSites().stream()
                    .filter(site -> GONE_LOGS.contains(name(site)))
                    .forEach(ofGoneLogs::add);
            for (int i = 0; i < 1 + 37 * seed % 101; i++) {
                db.put(new byte[] {1, (byte) i}, new byte[0]);
            }
            db.sync();
            TreeMap<byte[], byte[]> expected = StoreDriver.all(db);
            long sequence = db.stats().lastSequence();
            try {
                FlexDB again = StoreDriver.open(first.crash(seed + 1), StoreDriver.WITHOUT_LARGE);
                StoreOracle.assertSame(expected, StoreDriver.all(again), "seed " + seed);
                assertEquals(sequence, again.stats().lastSequence());
            } catch (AssertionError | RuntimeException e) {
                if (ignoredSites.isEmpty()) {
                    throw e;
                }
                wrong++;
            }
        }
        return wrong;
    }
}
