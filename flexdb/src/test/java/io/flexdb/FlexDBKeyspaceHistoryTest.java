package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.KeyspaceDriver.Change;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.read.Scan;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keyspaces that come and go against a sorted map: random histories, cuts at file operations, and threads. */
class FlexDBKeyspaceHistoryTest {
    private static final List<String> NAMES = List.of("", "a", "b", "c");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void aStoreIsWhatTheSameWritesMakeOfASortedMap(Durability durability) {
        for (long seed = 0; seed < Effort.times(6); seed++) {
            new History(durability, seed).run(1500);
        }
    }

    private static final class History {
        private final long seed;
        private final Random random;
        private final KeyspaceDriver store;
        private final int usualKeys;
        private String at;

        History(Durability durability, long seed) {
            this.seed = seed;
            this.random = new Random(37 * seed + durability.ordinal());
            this.usualKeys = random.nextBoolean() ? 60 : 1000;
            this.store = new KeyspaceDriver(StoreDriver.SMALL.withDurability(durability));
        }

        void run(int steps) {
            store.open();
            for (int step = 0; step < steps; step++) {
                at = "seed " + seed + ", step " + step;
                try {
                    step();
                } catch (RuntimeException e) {
                    throw new AssertionError(at, e);
                }
            }
            store.assertSame(at);
            store.db().close();
        }

        private void step() {
            switch (random.nextInt(200)) {
                case 0 -> store.reopen(at);
                case 1 -> store.kill(at);
                case 2, 3 -> store.powerCut(random.nextLong(), at);
                case 4 -> store.sync();
                case 5, 6 -> store.drop(named());
                case 7, 8, 9, 10 -> store.create(named());
                case 11, 12, 13, 14, 15 -> store.takeOrCheckSnapshot(at);
                case 16, 17, 18, 19, 20 -> store.write(changes());
                case 21, 22, 23 -> store.write(List.of(range()));
                case 24, 25, 26, 27, 28 -> transaction();
                case 29, 30, 31, 32, 33, 34, 35, 36 -> walk();
                case 37, 38, 39, 40, 41, 42, 43 -> store.get(name(), key(), at);
                default -> store.write(List.of(change()));
            }
        }

        private String name() {
            return NAMES.get(random.nextInt(NAMES.size()));
        }

        private String named() {
            return NAMES.get(1 + random.nextInt(NAMES.size() - 1));
        }

        private void transaction() {
            String dropped = random.nextInt(6) == 0 ? named() : null;
            store.transaction(changes(), dropped, Isolation.values()[random.nextInt(2)]);
        }

        private List<Change> changes() {
            List<Change> changes = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                changes.add(random.nextInt(12) == 0 ? range() : change());
            }
            return changes;
        }

        private Change change() {
            byte[] value =
                    random.nextInt(4) == 0 ? null : new byte[random.nextInt(random.nextInt(30) > 0 ? 200 : 4000)];
            if (value != null) {
                random.nextBytes(value);
            }
            return new Change(name(), key(), value, null, false);
        }

        private Change range() {
            byte[] from = random.nextInt(6) == 0 ? null : key();
            byte[] to = random.nextInt(6) == 0 ? null : key();
            if (from != null && to != null) {
                int order = Arrays.compareUnsigned(from, to);
                if (order == 0) {
                    to = Arrays.copyOf(to, to.length + 1);
                } else if (order > 0) {
                    byte[] first = to;
                    to = from;
                    from = first;
                }
            }
            return new Change(name(), from, null, to, true);
        }

        private void walk() {
            byte[] lower = random.nextInt(3) == 0 ? key() : null;
            byte[] upper = random.nextInt(3) == 0 ? key() : null;
            if (lower != null && upper != null && Arrays.compareUnsigned(lower, upper) > 0) {
                lower = null;
            }
            int forward = random.nextInt(4);
            List<Boolean> path =
                    Stream.generate(() -> random.nextInt(4) < forward).limit(40).toList();
            store.walk(name(), key(), random.nextBoolean(), lower, upper, path, at);
        }

        /** Usual ones, and those that heads look like. */
        private byte[] key() {
            if (random.nextInt(3) > 0) {
                return String.format(Locale.ROOT, "key%04d", random.nextInt(usualKeys))
                        .getBytes(StandardCharsets.UTF_8);
            }
            byte[] key = new byte[1 + random.nextInt(4)];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (random.nextInt(5) - 2);
            }
            return key;
        }
    }

    // ---- cuts

    private int points;

    /** Makes, fills and drops keyspaces, over several memtables and checkpoints. */
    private static void script(KeyspaceDriver store) {
        store.open();
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 50; i++) {
                String name = NAMES.get((round + i / 8) % NAMES.size());
                if (!store.has(name)) {
                    store.create(name);
                }
                List<Change> changes = new ArrayList<>();
                for (int j = 0; j < 8; j++) {
                    byte[] key = String.format(
                                    Locale.ROOT, "%c%03d", j % 3 == 0 ? '\u00FF' : 'k', (i * 37 + j * 75) % 300)
                            .getBytes(StandardCharsets.ISO_8859_1);
                    changes.add(new Change(name, key, new byte[50 + 7 * j + round], null, false));
                }
                store.write(changes);
                if (i % 20 == 19) {
                    store.drop(NAMES.get(1 + (round + i / 20) % 3));
                }
            }
            if (round == 1) {
                store.sync();
            }
        }
        store.db().close();
        store.oracle.allDurable();
    }

    @ParameterizedTest
    @EnumSource
    void aCutAtAnyOperationLeavesKeyspacesWholeOrGone(Durability durability) {
        KeyspaceDriver store = new KeyspaceDriver(StoreDriver.SMALL.withDurability(durability));
        int appendsPerPoint = Effort.step(durability == Durability.SYNC ? 10 : 5);
        store.setHook(FlexDBCrashTest.eachButMostAppends(appendsPerPoint, () -> {
            points++;
            SimulatedVfs dead = store.vfs().copy();
            for (long seed : new long[] {0, 1 + points}) {
                checkRecovered(store, dead.crash(seed), durability + ", point " + points + ", seed " + seed);
            }
        }));
        script(store);
        assertTrue(points >= Effort.times(100), points + " points only");
    }

    private static void checkRecovered(KeyspaceDriver store, SimulatedVfs vfs, String at) {
        StoreOracle oracle = store.oracle.copy();
        try {
            FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL);
            oracle.found(KeyspaceDriver.all(db), db.stats().lastSequence(), 0, at);
            requireNothingElse(db, at);
        } catch (RuntimeException e) {
            throw new AssertionError(at, e);
        }
    }

    /** Fails if a store has keys with the head of a keyspace that has no name. */
    private static void requireNothingElse(FlexDB db, String at) {
        List<KeyHeads> there = new ArrayList<>(List.of(KeyHeads.DEFAULT, KeyHeads.DIRECTORY));
        db.keyspaces().forEach(name -> there.add(db.keyspace(name).heads));
        try (MergeCursor cursor = db.access.reader().cursor(null, null, Scan.ALL)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.storedKey();
                assertTrue(
                        there.stream()
                                .anyMatch(heads ->
                                        (heads.begin() == null || Arrays.compareUnsigned(heads.begin(), key) <= 0)
                                                && Arrays.compareUnsigned(key, heads.end()) < 0),
                        () -> at + ": a key of no keyspace: " + HexFormat.of().formatHex(key));
            }
        }
    }

    // ---- faults

    /** The call that meets a fault throws; what it was about happened as a whole or not at all. */
    @ParameterizedTest
    @EnumSource
    void aFaultLeavesKeyspacesWholeOrGone(Fault fault) {
        KeyspaceDriver whole = new KeyspaceDriver(StoreDriver.SMALL);
        script(whole);
        long operations = whole.vfs().operationCount();
        int met = 0;
        for (long operation = 1; operation <= operations; operation += Math.max(1, operations / Effort.times(30))) {
            String at = fault + " at operation " + operation;
            KeyspaceDriver store = new KeyspaceDriver(StoreDriver.SMALL);
            store.vfs().failAt(operation, fault);
            try {
                script(store);
            } catch (StorageException e) {
                met++;
                boolean goesOn = e instanceof StoreFullException
                        && store.db() != null
                        && store.db().health().isUsable();
                if (goesOn && store.forgetRefused()) {
                    store.assertSame(at);
                }
                KeyspaceDriver.assertKept(store, store.vfs().kill(), false, at + ", killed");
                KeyspaceDriver.assertKept(store, store.vfs().crash(operation), true, at + ", cut");
            }
        }
        assertTrue(met > Effort.times(5), met + " faults met");
    }

    // ---- threads

    @Test
    void nothingIsWrittenToAKeyspaceThatIsDroppedMeanwhile() throws InterruptedException {
        FlexDBOptions options =
                FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(1 << 20);
        try (FlexDB db = FlexDB.open(directory, options)) {
            AtomicInteger rounds = new AtomicInteger();
            AtomicLong written = new AtomicLong();
            AtomicLong refused = new AtomicLong();
            db.createKeyspace("k");
            Workers workers = new Workers();
            for (int i = 0; i < 4; i++) {
                int thread = i;
                workers.start("writer " + i, () -> {
                    byte[] key = {1, (byte) thread, 0, 0};
                    WriteBatch batch = new WriteBatch();
                    for (int n = 0; rounds.get() < 300 && !workers.hasFailed(); n++) {
                        ByteBuffer.wrap(key).putShort(2, (short) n);
                        try {
                            Keyspace keyspace = db.createKeyspaceIfAbsent("k");
                            for (int again = 0; again < 20; again++) {
                                write(db, keyspace, batch, key, n + thread);
                                written.incrementAndGet();
                                assertNotLost(keyspace, key);
                            }
                        } catch (NoSuchKeyspaceException e) {
                            refused.incrementAndGet();
                        }
                    }
                });
            }
            workers.start("dropper", () -> {
                while (rounds.incrementAndGet() < 300 && !workers.hasFailed()) {
                    long before = written.get();
                    Waiting.whileTrue(() -> written.get() < before + 20 && !workers.hasFailed());
                    db.createKeyspaceIfAbsent("k");
                    db.dropKeyspace("k");
                }
            });
            workers.join();
            requireNothingElse(db, "at the end");
            assertTrue(refused.get() > 100, refused + " refused, " + written + " written");
            if (db.keyspaces().contains("k")) {
                db.dropKeyspace("k");
            }
            requireNothingElse(db, "without it");
        }
    }

    private static void write(FlexDB db, Keyspace keyspace, WriteBatch batch, byte[] key, int n) {
        switch (n % 4) {
            case 0 -> keyspace.put(key, key);
            case 1 -> db.write(batch.clear().in(keyspace).put(key, key).put(new byte[] {9}, key));
            case 2 -> {
                while (!keyspace.compareAndSet(key, keyspace.get(key), key)) {
                    Thread.onSpinWait();
                }
            }
            default ->
                db.transact(
                        Isolation.SNAPSHOT,
                        transaction -> transaction.in(keyspace).put(key, key));
        }
    }

    /** Who has written a key that nobody removes reads it, or that the keyspace is gone, but never nothing. */
    private static void assertNotLost(Keyspace keyspace, byte[] key) {
        assertTrue(keyspace.containsKey(key), "a key is not there, though its keyspace seems to be");
        assertTrue(keyspace.multiGet(List.of(key)).get(0) != null);
        try (FlexCursor cursor = keyspace.cursor()) {
            cursor.seek(key);
            assertTrue(cursor.isValid() && cursor.compareKey(key) == 0);
        }
    }
}
