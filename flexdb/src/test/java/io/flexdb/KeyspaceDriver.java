package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.StoreOracle.Edit;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.KeyspaceExistsException;
import io.flexdb.storage.NoSuchKeyspaceException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A store with keyspaces on simulated files beside its oracle: whatever is done to the one is noted in the other. */
final class KeyspaceDriver {
    /*
     * The oracle has one map. In it a keyspace is a pair of its name and a zero, and a pair of a keyspace has its name
     * and a zero in front. The default keyspace has an empty name, and no pair of its own.
     */

    /** A change of one key, or with {@code to}, of a range of them: null for an open end. */
    record Change(String keyspace, byte[] key, byte[] value, byte[] to, boolean isRange) {
        Edit edit() {
            return isRange ? range(keyspace, key, to) : new Edit(model(keyspace, key), value);
        }
    }

    private final FlexDBOptions options;
    final StoreOracle oracle = new StoreOracle(new TestClock());
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db;
    /** Whether the last write noted has not returned. */
    private boolean writing;

    private HookedVfs.Hook hook = (kind, path) -> {};

    private Snapshot snapshot;
    private TreeMap<byte[], byte[]> inSnapshot;
    private List<Keyspace> keyspacesInSnapshot;

    KeyspaceDriver(FlexDBOptions options) {
        this.options = options;
    }

    FlexDB db() {
        return db;
    }

    SimulatedVfs vfs() {
        return vfs;
    }

    void setHook(HookedVfs.Hook newHook) {
        hook = newHook;
    }

    static byte[] model(String keyspace, byte[] key) {
        byte[] name = (keyspace + "\0").getBytes(StandardCharsets.UTF_8);
        byte[] model = Arrays.copyOf(name, name.length + key.length);
        System.arraycopy(key, 0, model, name.length, key.length);
        return model;
    }

    private static byte[] marker(String keyspace) {
        return model(keyspace, new byte[0]);
    }

    private static byte[] behind(String keyspace) {
        return (keyspace + "\1").getBytes(StandardCharsets.UTF_8);
    }

    private static Edit range(String keyspace, byte[] from, byte[] to) {
        byte[] first = from == null || from.length == 0 ? new byte[1] : from; // behind the marker
        return Edit.range(model(keyspace, first), to == null ? behind(keyspace) : model(keyspace, to));
    }

    void open() {
        db = StoreDriver.open(new HookedVfs(vfs, (kind, path) -> hook.before(kind, path)), options);
        oracle.allDurable(); // recovery forces what it takes
        snapshot = null;
    }

    boolean has(String keyspace) {
        return keyspace.isEmpty() || oracle.now().containsKey(marker(keyspace));
    }

    Keyspace keyspace(String name) {
        return name.isEmpty() ? db : db.keyspace(name);
    }

    // ---- writing: noted first, since a write that a crash interrupts may have happened

    void create(String name) {
        if (has(name)) {
            assertThrows(KeyspaceExistsException.class, () -> db.createKeyspace(name));
            return;
        }
        Edit made = new Edit(marker(name), new byte[0]);
        note(List.of(made, made));
        db.createKeyspace(name);
        written();
    }

    void drop(String name) {
        if (!has(name)) {
            assertThrows(NoSuchKeyspaceException.class, () -> db.dropKeyspace(name));
            return;
        }
        note(List.of(Edit.range(marker(name), behind(name)), new Edit(marker(name), null)));
        assertEquals(oracle.sequence(), db.dropKeyspace(name));
        written();
    }

    /** By single writes if there is one, else by a batch; unless one of them is of a keyspace that is not there. */
    void write(List<Change> changes) {
        if (!changes.stream().allMatch(change -> has(change.keyspace))) {
            return;
        }
        note(changes.stream().map(Change::edit).toList());
        if (changes.size() > 1) {
            WriteBatch batch = new WriteBatch();
            for (Change change : changes) {
                WriteBatch in = batch.in(keyspace(change.keyspace));
                if (change.isRange) {
                    in.deleteRange(change.key, change.to);
                } else if (change.value == null) {
                    in.delete(change.key);
                } else {
                    in.put(change.key, change.value);
                }
            }
            assertEquals(oracle.sequence(), db.write(batch));
        } else {
            Change change = changes.get(0);
            Keyspace in = keyspace(change.keyspace);
            if (change.isRange) {
                assertEquals(oracle.sequence(), in.deleteRange(change.key, change.to));
            } else if (change.value == null) {
                assertEquals(oracle.sequence(), in.delete(change.key));
            } else {
                assertEquals(oracle.sequence(), in.put(change.key, change.value));
            }
        }
        written();
    }

    /**
     * The same in a transaction.
     *
     * @param dropped a keyspace that is dropped meanwhile; null for none
     */
    void transaction(List<Change> changes, String dropped, Isolation isolation) {
        if (!changes.stream().allMatch(change -> has(change.keyspace))) {
            return;
        }
        try (Transaction transaction = db.begin(isolation)) {
            Set<String> writes = new HashSet<>();
            for (Change change : changes) {
                Transaction in = transaction.in(keyspace(change.keyspace));
                if (change.isRange) {
                    in.deleteRange(change.key, change.to);
                } else if (change.value == null) {
                    in.delete(change.key);
                } else {
                    in.put(change.key, change.value);
                    assertArrayEquals(change.value, in.get(change.key));
                }
                writes.add(change.keyspace);
            }
            if (dropped != null) {
                boolean isConflict = has(dropped) && writes.contains(dropped);
                drop(dropped);
                if (isConflict) {
                    assertThrows(ConflictException.class, transaction::commit);
                    return;
                }
            }
            note(changes.stream().map(Change::edit).toList());
            assertEquals(oracle.sequence(), transaction.commit());
            written();
        }
    }

    private void note(List<Edit> edits) {
        oracle.write(edits);
        writing = true;
    }

    private void written() {
        writing = false;
        if (options.durability() == Durability.SYNC) {
            oracle.allDurable();
        }
    }

    /** Notes that the last write was refused, if there is one that has not returned. */
    boolean forgetRefused() {
        boolean refused = writing;
        if (refused) {
            oracle.forgetLast();
            writing = false;
        }
        return refused;
    }

    /** What is found after a crash is a prefix with all that was acknowledged, unless any may be. */
    static void assertKept(KeyspaceDriver store, SimulatedVfs vfs, boolean anyPrefix, String at) {
        StoreOracle oracle = store.oracle.copy();
        try (FlexDB db = StoreDriver.open(vfs, store.options)) {
            int least = anyPrefix ? 0 : oracle.writesSinceDurable() - (store.writing ? 1 : 0);
            oracle.found(all(db), db.stats().lastSequence(), least, at);
        } catch (RuntimeException e) {
            throw new AssertionError(at, e);
        }
    }

    void sync() {
        db.sync();
        oracle.allDurable();
    }

    // ---- ends and beginnings

    void reopen(String at) {
        db.close();
        open();
        assertSame(at);
    }

    void kill(String at) {
        vfs = vfs.kill();
        open();
        assertSame(at);
    }

    void powerCut(long seed, String at) {
        vfs = vfs.crash(seed);
        db = StoreDriver.open(vfs, options);
        snapshot = null;
        oracle.found(all(db), db.stats().lastSequence(), 0, at);
    }

    // ---- reading

    void get(String keyspace, byte[] key, String at) {
        if (has(keyspace)) {
            byte[] expected = oracle.now().get(model(keyspace, key));
            assertArrayEquals(expected, keyspace(keyspace).get(key), at);
            assertArrayEquals(
                    expected, keyspace(keyspace).multiGet(List.of(key)).get(0), at);
        }
    }

    /** Takes a snapshot, or compares and closes the one there is. */
    void takeOrCheckSnapshot(String at) {
        if (snapshot == null) {
            snapshot = db.snapshot();
            inSnapshot = new TreeMap<>(oracle.now());
            keyspacesInSnapshot = db.keyspaces().stream().map(db::keyspace).toList();
            return;
        }
        TreeMap<byte[], byte[]> found = StoreOracle.newMap();
        addAll(found, "", snapshot);
        for (Keyspace keyspace : keyspacesInSnapshot) {
            addAll(found, keyspace.name(), snapshot.in(keyspace)); // though it may be dropped
        }
        StoreOracle.assertSame(inSnapshot, found, at);
        snapshot.close();
        snapshot = null;
    }

    /** Walks within bounds from a key on, one step for each element: forward if it is true. */
    void walk(String keyspace, byte[] from, boolean below, byte[] lower, byte[] upper, List<Boolean> path, String at) {
        if (!has(keyspace)) {
            return;
        }
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        oracle.now().subMap(model(keyspace, new byte[1]), behind(keyspace)).forEach((key, value) -> {
            byte[] own = Arrays.copyOfRange(key, marker(keyspace).length, key.length);
            boolean isWithin = (lower == null || Arrays.compareUnsigned(lower, own) <= 0)
                    && (upper == null || Arrays.compareUnsigned(own, upper) < 0);
            if (isWithin) {
                model.put(own, value);
            }
        });
        ReadOptions within = ReadOptions.defaults().withLowerBound(lower).withUpperBound(upper);
        try (FlexCursor cursor = keyspace(keyspace).cursor(within)) {
            Map.Entry<byte[], byte[]> expected;
            if (below) {
                cursor.seekForPrev(from);
                expected = model.floorEntry(from);
            } else {
                cursor.seek(from);
                expected = model.ceilingEntry(from);
            }
            for (boolean forward : path) {
                assertEquals(expected != null, cursor.isValid(), at);
                if (expected == null) {
                    return;
                }
                assertArrayEquals(expected.getKey(), cursor.key(), at);
                assertArrayEquals(expected.getValue(), cursor.value(), at);
                if (forward) {
                    cursor.next();
                    expected = model.higherEntry(expected.getKey());
                } else {
                    cursor.prev();
                    expected = model.lowerEntry(expected.getKey());
                }
            }
        }
    }

    void assertSame(String at) {
        StoreOracle.assertSame(oracle.now(), all(db), at);
        assertEquals(oracle.sequence(), db.stats().lastSequence(), at);
    }

    /** Everything that a store shows, as the oracle has it. */
    static TreeMap<byte[], byte[]> all(FlexDB db) {
        TreeMap<byte[], byte[]> all = StoreOracle.newMap();
        addAll(all, "", db);
        for (String name : db.keyspaces()) {
            addAll(all, name, db.keyspace(name));
        }
        return all;
    }

    private static void addAll(TreeMap<byte[], byte[]> all, String name, ReadView view) {
        if (!name.isEmpty()) {
            all.put(marker(name), new byte[0]);
        }
        List<byte[]> forward = new ArrayList<>();
        try (FlexCursor cursor = view.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                all.put(model(name, cursor.key()), cursor.value());
                forward.add(cursor.key());
            }
            int left = forward.size();
            for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                assertArrayEquals(forward.get(--left), cursor.key());
            }
            assertEquals(0, left);
        }
    }
}
