package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power at every file operation of a store's first hour: its creation, its first opening, its first writes and
 * its closing. There is no store then, or one with all writes that were acknowledged; and whatever is there can be
 * opened and used.
 */
class FlexDBCreationCrashTest {
    private static final Path HOME = Path.of("/home");
    private static final Path DIRECTORY = HOME.resolve("stores/store");
    private static final FlexDBOptions OPTIONS = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20)
            .withDurability(Durability.SYNC);
    private static final int PUTS = 10;
    private static final int DEPTH = 4; // of the stack by which a force is known

    /** A state that a cut may leave, and what must be in it. */
    private record State(long files, boolean opened, int acknowledged) {}

    /** Many cuts leave the same as another: it is looked at once, as an opening finds the same in it each time. */
    private final Set<State> checked = new HashSet<>();

    private int met; // states, each counted as often as it was met

    /** What a life of a store has got to. */
    private static final class Life {
        private final SimulatedVfs vfs;
        private boolean opened; // at least once
        private int acknowledged;

        Life(SimulatedVfs vfs) {
            this.vfs = vfs;
        }

        /** Opens the store, puts and closes; {@code lives} times, or until the power is cut. */
        void live(int lives) {
            try {
                for (int i = 0; i < lives; i++) {
                    FlexDB db = FlexDB.open(vfs, DIRECTORY, OPTIONS, true);
                    opened = true;
                    for (int j = 0; j < PUTS; j++) {
                        db.put(key(acknowledged), key(acknowledged));
                        acknowledged++;
                    }
                    db.close();
                }
            } catch (SimulatedCrash | StoreFailedException e) {
                assertTrue(vfs.isDead(), e::toString);
            }
        }

        /** Whether a state that a cut has left is as it may be; throws if not. */
        void check(SimulatedVfs found, String at) {
            boolean isStore = found.exists(DIRECTORY.resolve("flexdb.options"));
            assertTrue(isStore || !opened, () -> at + ": the store is gone");
            try (FlexDB db = FlexDB.open(found, DIRECTORY, OPTIONS, true)) {
                TreeMap<byte[], byte[]> all = StoreDriver.all(db);
                assertTrue(
                        all.size() >= acknowledged && all.size() <= acknowledged + 1,
                        () -> at + ": " + all.size() + " pairs of " + acknowledged);
                for (int i = 0; i < all.size(); i++) {
                    assertArrayEquals(key(i), db.get(key(i)), at);
                }
                db.put(key(all.size()), key(all.size()));
                assertEquals(all.size() + 1, StoreDriver.all(db).size(), at);
                db.check();
            } catch (RuntimeException e) {
                throw new AssertionError(at, e);
            }
        }
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) (number >> 8), (byte) number};
    }

    /** Returns how many operations there are. */
    private long cutEverywhere(Life life, int seeds, int step, int lives, String name) {
        for (long operation = 1; ; operation += step) {
            Life cut = new Life(life.vfs.copy());
            cut.opened = life.opened;
            cut.vfs.crashAt(operation);
            cut.live(lives);
            if (!cut.vfs.isDead()) {
                return operation;
            }
            for (long seed = 0; seed < seeds; seed++) {
                checkOnce(
                        cut,
                        cut.vfs.crash(seed < 2 ? seed : seed * 1000 + operation),
                        name + operation + ", seed " + seed);
            }
        }
    }

    private void checkOnce(Life cut, SimulatedVfs found, String at) {
        met++;
        State state = new State(found.fingerprint(), cut.opened, cut.acknowledged);
        if (!checked.contains(state)) {
            cut.check(found, at);
            checked.add(state); // and one that is wrong is so each time
        }
    }

    @AfterEach
    void tellHowMany() {
        System.out.println(met + " states, " + checked.size() + " of them different");
    }

    /** Somebody has just made the directory, whose name is not durable yet. */
    private static SimulatedVfs home() {
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.createDirectories(HOME);
        return vfs;
    }

    @Test
    void aCutAtAnyOperationLeavesNoStoreOrOneWithAllThatWasAcknowledged() {
        long operations = cutEverywhere(new Life(home()), Effort.times(40), 1, 2, "operation ");
        assertTrue(operations > 80, operations + " operations");
    }

    /** A creation that was killed leaves files whose names and contents are not durable; the next one is cut. */
    @Test
    void aCutOfTheCreationAfterOneThatWasKilledDoesSo() {
        int creations = 0;
        for (long killed = 1; ; killed++) {
            Life first = new Life(home());
            first.vfs.crashAt(killed);
            first.live(1);
            if (first.acknowledged > 0) {
                break;
            }
            Life second = new Life(first.vfs.kill());
            second.opened = first.opened;
            cutEverywhere(second, 4, Effort.step(3), 1, "killed at " + killed + ", then operation ");
            creations++;
        }
        assertTrue(creations > 30, creations + " operations of a creation");
    }

    /** Of what the power cut has left the next creation makes something else, and is cut as well. */
    @Test
    void aCutOfTheCreationAfterOneThatWasCutDoesSo() {
        for (long first = 1; ; first += Effort.step(1)) {
            Life life = new Life(home());
            life.vfs.crashAt(first);
            life.live(1);
            if (life.opened) {
                break;
            }
            Life second = new Life(life.vfs.crash(first + 2));
            cutEverywhere(second, 3, Effort.step(5), 1, "cut at " + first + ", then operation ");
        }
    }

    /** Each of them by itself, though several may be in one method. */
    @Test
    void noForceOfTheFirstHourCanBeLeftOut() {
        Set<String> sites = new LinkedHashSet<>();
        Life all = new Life(home());
        all.vfs.recordForceSites(DEPTH);
        all.live(1);
        sites.addAll(all.vfs.forceSites());
        Set<String> unnoticed = new LinkedHashSet<>();
        for (String site : Effort.some(sites)) {
            if (!isNoticed(site)) {
                unnoticed.add(site);
            }
        }
        // A mark only tells damage from what a cut has torn.
        unnoticed.removeIf(site -> site.contains("LogicalLog.forceMark"));
        assertEquals(Set.of(), unnoticed);
        assertTrue(sites.size() >= 12, sites::toString);
    }

    private boolean isNoticed(String site) {
        Consumer<SimulatedVfs> leaveOut = vfs -> {
            vfs.recordForceSites(DEPTH);
            vfs.ignoreForcesFrom(site);
        };
        try {
            for (long operation = 1; ; operation++) {
                Life cut = new Life(home());
                leaveOut.accept(cut.vfs);
                cut.vfs.crashAt(operation);
                cut.live(1);
                boolean dead = cut.vfs.isDead();
                if (cut.vfs.ignoredForceCount() > 0) {
                    for (long seed = 0; seed < 40; seed++) {
                        checkOnce(cut, cut.vfs.crash(seed < 2 ? seed : seed * 1000 + operation), site);
                    }
                }
                if (!dead) {
                    return false;
                }
            }
        } catch (AssertionError e) {
            return true;
        }
    }

    /** What an opening waits for: a new store makes everything else durable with these. */
    @Test
    void theForcesOfAStoreThatIsMadeFilledAndClosed() {
        SimulatedVfs vfs = home();
        vfs.createDirectories(DIRECTORY.getParent());
        vfs.startTrace();
        FlexDB db = FlexDB.open(vfs, DIRECTORY, OPTIONS.withDurability(Durability.OS), true);
        assertEquals(
                List.of(
                        "sync /home", // with the name of /home/stores, which somebody else may just have made
                        "sync /home/stores/store", // with the sign that a creation has begun
                        "force /home/stores/store/space/data",
                        "force /home/stores/store/space/log-2",
                        "force /home/stores/store/space/tree",
                        "sync /home/stores/store/space",
                        "force /home/stores/store/flexdb.options.new",
                        "sync /home/stores/store",
                        "sync /home/stores",
                        "sync /home/stores/store"), // now it is a store
                forces(vfs));
        vfs.startTrace();
        for (int i = 0; i < PUTS; i++) {
            db.put(key(i), "value".getBytes(StandardCharsets.US_ASCII));
        }
        assertEquals(
                List.of("force /home/stores/store/wal/00000000000000000001.new", "sync /home/stores/store/wal"),
                forces(vfs));
        vfs.startTrace();
        db.close();
        assertEquals(
                List.of(
                        "force /home/stores/store/wal/00000000000000000001", // O10
                        "force /home/stores/store/space/data", // O1
                        "force /home/stores/store/space/log-2",
                        "force /home/stores/store/space/log-2"), // with the mark of the one before
                forces(vfs));
    }

    private static List<String> forces(SimulatedVfs vfs) {
        List<String> forces = new ArrayList<>(vfs.trace());
        forces.removeIf(line -> !line.startsWith("force ") && !line.startsWith("sync "));
        return forces;
    }
}
