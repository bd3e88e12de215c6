package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cuts the power before the file operations of a script and looks at states that the cut may leave: nothing survived
 * that was not forced, everything, and a part of it.
 */
class FlexDBCrashTest {

    private int points;

    /** Rotates, commits, checkpoints, collects garbage, rests, closes and opens. */
    static void mixedScript(StoreDriver store) {
        store.open();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 60; i++) {
                batchOverManyIntervals(store, round, i);
                if (i % 20 == 3) {
                    store.put(key(700 + i), new byte[3000 + round]);
                }
            }
            if (round == 1) {
                store.sync();
                store.deleteRange(key(100), key(250));
                store.db.saveAtRest();
                store.db.defragment();
                store.clock.advance(60);
                store.db.saveAtRest();
                store.compact(key(50), key(500));
                store.db.saveAtRest();
                store.flush();
                store.db.saveAtRest();
            }
            load(store, round);
            largeTransaction(store, round);
        }
        store.db.close();
        store.oracle.allDurable();
        store.open();
        store.db.saveAtRest();
        store.put(key(1), value(9, 9));
        store.db.close();
    }

    static void batchOverManyIntervals(StoreDriver store, int round, int i) {
        store.clock.advance(1);
        List<Edit> edits = new ArrayList<>();
        for (int j = 0; j < 8; j++) {
            edits.add(new Edit(key((i * 37 + j * 75) % 600), value(round, i + j)));
        }
        edits.add(new Edit(key(i * 11 % 600), null));
        edits.add(Edit.expiring(key(i * 13 % 600), value(round, i), 1 + i % 50));
        edits.add(Edit.merge(key(i * 13 % 600), new byte[] {(byte) round, (byte) i, 1}));
        edits.add(Edit.merge(key(i * 17 % 100), new byte[] {(byte) round, (byte) i, 2}));
        if (i % 4 == 1) {
            List<Edit> takenBack = edits.subList(0, 2);
            Edit meanwhile = new Edit(key(900 + i), value(round, i));
            store.transaction(edits, takenBack, meanwhile, Isolation.SERIALIZABLE);
        } else {
            store.batch(edits, store.options.durability());
        }
    }

    /** More than a memtable holds, over what is there and between it: puts, deletes, of ranges too, and operands. */
    private static void largeTransaction(StoreDriver store, int round) {
        List<Edit> edits = new ArrayList<>();
        edits.add(Edit.merge(key(3), new byte[] {(byte) round, 5}));
        edits.add(Edit.range(key(320 + round), key(340)));
        for (int i = 0; i < 150; i++) {
            edits.add(new Edit(key((i * 7 + round) % 800), new byte[500 + i]));
            if (i % 5 == 0) {
                edits.add(new Edit(key(i * 11 % 600), null));
            }
        }
        edits.add(Edit.merge(key(3), new byte[] {(byte) round, 6}));
        List<Edit> takenBack = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            takenBack.add(new Edit(key(i), new byte[600]));
        }
        store.transaction(edits, takenBack, new Edit(key(900), value(round, 1)), Isolation.SERIALIZABLE);
    }

    /** Keys that are there and others, those in between in a part of the range. */
    private static void load(StoreDriver store, int round) {
        TreeMap<byte[], byte[]> pairs = StoreOracle.newMap();
        for (int i = 50 * round; i < 400; i += i < 200 ? 1 : 7) {
            pairs.put(key(i), value(round + 40, i));
        }
        for (int i = 1000; round == 2 && i < 1150; i++) { // more than a batch of the log takes unless it has to
            pairs.put(key(i), new byte[900]);
        }
        store.load(pairs);
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%04d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int round, int i) {
        byte[] value = new byte[60 + 13 * (i % 11)];
        Arrays.fill(value, (byte) (round * 31 + i));
        return value;
    }

    /** Appends and forces of the write-ahead log are many and alike; of these, only some are told, and of the others as
     * many as there is time for. */
    static HookedVfs.Hook eachButMostAppends(int appendsPerPoint, Runnable point) {
        return someOf(appendsPerPoint, Effort.step(1), point);
    }

    /** At one of so many appends and forces of the write-ahead log, and at one of so many other operations. */
    static HookedVfs.Hook someOf(int appendsPerPoint, int othersPerPoint, Runnable point) {
        int[] appends = {0};
        int[] others = {0};
        return (kind, path) -> {
            if (kind == HookedVfs.Kind.READ) {
                return;
            }
            boolean append = path.startsWith(StoreDriver.DIRECTORY.resolve("wal"))
                    && (kind == HookedVfs.Kind.WRITE || kind == HookedVfs.Kind.FORCE);
            if (append ? ++appends[0] % appendsPerPoint == 0 : others[0]++ % othersPerPoint == 0) {
                point.run();
            }
        };
    }

    /** Shows a state that a cut at this point may leave; each point gets another one besides the two extremes. */
    private void cut(SimulatedVfs vfs, ObjLongConsumer<SimulatedVfs> check) {
        points++;
        SimulatedVfs dead = vfs.copy();
        check.accept(dead.crash(0), 0);
        check.accept(dead.crash(1 + points), 1 + points);
        if (points % 3 == 0) {
            check.accept(dead.crash(1), 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCutAtAnyOperationLeavesThePrefixThatItMay(Durability durability) {
        FlexDBOptions options = StoreDriver.SMALL
                .withDurability(durability)
                .withStitchingThresholdBytes(durability == Durability.OS ? 300 : FlexDBOptions.DERIVED)
                .withRangeFilter(durability == Durability.NONE);
        cutAtAnyOperation(options, Effort.step(durability == Durability.SYNC ? 20 : 7));
    }

    @Test
    void aCutOfACommitOfSeveralMemtablesLeavesThePrefixThatItMay() {
        FlexDBOptions options = StoreDriver.readingDisk(true, StoreDriver.SMALL).withDurability(Durability.OS);
        cutAtAnyOperation(options, Effort.step(10));
    }

    private void cutAtAnyOperation(FlexDBOptions options, int appendsPerPoint) {
        Durability durability = options.durability();
        StoreDriver store = StoreDriver.closed(options, new SimulatedVfs());
        store.setHook(eachButMostAppends(
                appendsPerPoint,
                () -> cut(
                        store.vfs,
                        (found, seed) ->
                                checkRecovered(store, found, durability + ", point " + points + ", seed " + seed))));
        mixedScript(store);
        assertTrue(points >= Effort.times(200), points + " points only");
    }

    private void checkRecovered(StoreDriver store, SimulatedVfs vfs, String at) {
        checkRecovered(store, vfs, at, points % 3 == 0);
    }

    static void checkRecovered(StoreDriver store, SimulatedVfs vfs, String at, boolean twice) {
        StoreOracle oracle = store.oracle.copy();
        try {
            FlexDB db = StoreDriver.open(vfs, store.options);
            oracle.found(StoreDriver.all(db), db.stats().lastSequence(), 0, at);
            if (twice) { // what a recovery has shown must not be lost again
                FlexDB again = StoreDriver.open(vfs.crash(0), store.options);
                StoreOracle.assertSame(oracle.now(), StoreDriver.all(again), at + ", again");
            }
        } catch (RuntimeException e) {
            throw new AssertionError(at, e);
        }
    }

    @Test
    void aRecoveryThatIsCutShortTwiceIsDoneByTheThird() {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, new SimulatedVfs());
        store.open();
        for (int i = 0; i < 210; i++) {
            batchOverManyIntervals(store, i / 60, i);
            if (i % 70 == 69) {
                cut(store.vfs, (found, seed) -> cutRecovery(store, found, "point " + points + ", seed " + seed, 2));
            }
        }
        assertTrue(points >= Effort.times(500), points + " points only");
    }

    /**
     * Recovers a store, and at operations of that shows what a cut may leave: to be read, and to be recovered likewise.
     */
    private void cutRecovery(StoreDriver store, SimulatedVfs vfs, String at, int depth) {
        SimulatedVfs files = vfs.copy();
        int[] count = {0};
        int others = depth > 1 ? Effort.step(1) : 1;
        HookedVfs.Hook hook = someOf(Effort.step(60), others, () -> {
            String here = at + " > " + ++count[0];
            cut(files, (found, seed) -> {
                if (depth > 1 && seed > 1 && count[0] % 5 == 0) {
                    cutRecovery(store, found.copy(), here + ", seed " + seed, depth - 1);
                }
                if (depth > 1 || seed > 1) {
                    checkRecovered(store, found, here + ", seed " + seed);
                }
            });
        });
        StoreDriver.open(new HookedVfs(files, hook), store.options);
    }
}
