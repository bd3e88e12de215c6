package io.flexdb.internal.txn;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.KeyspaceRegistry;
import io.flexdb.internal.base.KeyspaceSettings;
import io.flexdb.internal.base.Merger;
import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.Scan;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.write.BatchPayload;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.internal.write.WriteGuard;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.KeyspaceExistsException;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The named keyspaces of an open store. Thread-safe.
 *
 * <pre>
 * KEY                 VALUE
 * none                number of the next keyspace, 4 bytes
 * a name in UTF-8     number of the keyspace, 4 bytes
 * </pre>
 *
 * These are pairs of a keyspace of their own, {@link KeyHeads#DIRECTORY}; numbers are little-endian.
 */
public final class KeyspaceDirectory {
    /*
     * The pairs are written like any other. So they are as durable and have their place in the order of all writes. To
     * make a keyspace is a batch of two puts, to drop one a batch of its whole range and its name. A copy of them is
     * here, read when it is first asked for: a store without named keyspaces never pays for it.
     *
     * N1  A number that a name or a pair has is never given to another keyspace. The number to come ensures this, as
     *     long as it is there. In a store that was salvaged it may be missing, or too low. So before the first keyspace
     *     is made in an open store, the last pair is looked at, which has the highest number of all pairs.
     */
    static final KeyHeads HEADS = KeyHeads.DIRECTORY;
    static final byte[] NEXT = {}; // the key of the number to come
    static final int FIRST = 1;
    private static final String GIVE_IT_BEFORE = "open the store with FlexDBOptions.withKeyspace";

    private final Object identity = new Object();
    private final StoreReader reader;
    private final StoreWriter writer;
    private final Health health;
    private final Path dataFile;
    private final KeyspaceRegistry registry;
    private final ReentrantLock lock = new ReentrantLock(); // for all changes; comes before the write lock
    private final NavigableMap<String, KeyspaceState> states = new ConcurrentSkipListMap<>();
    private int next = FIRST; // under the lock, as are the next two
    private boolean nextIsSound; // it was found, and is above the numbers of all names
    private boolean pairsKnown; // it is above the numbers of all pairs
    private volatile boolean loaded;

    /** An object that stands for this open store where nothing of it may be kept. */
    Object identity() {
        return identity;
    }

    /**
     * @param dataFile to be named if the directory makes no sense
     * @param registry has settings of keyspaces, and gets their names
     */
    public KeyspaceDirectory(
            StoreReader reader, StoreWriter writer, Health health, Path dataFile, KeyspaceRegistry registry) {
        this.reader = reader;
        this.writer = writer;
        this.health = health;
        this.dataFile = dataFile;
        this.registry = registry;
    }

    /** A keyspace that is there. */
    public KeyspaceState get(String name) {
        KeyspaceNames.encode(name);
        load();
        KeyspaceState state = states.get(name);
        if (state == null) {
            throw new NoSuchKeyspaceException(name, "it was not made, or is dropped; createKeyspace makes it");
        }
        return state;
    }

    /**
     * The keyspace that has a name in a view, for a caller that changes none.
     *
     * @param pin the view; null for the newest state
     * @param dataFile to be named if the directory makes no sense
     */
    public static KeyspaceState find(StoreReader reader, String name, PinnedVersion pin, Path dataFile) {
        byte[] value = reader.get(HEADS, KeyspaceNames.encode(name), pin);
        if (value == null) {
            throw new NoSuchKeyspaceException(name, "none has this name");
        }
        int number = numberOf(value);
        if (number < FIRST) {
            throw new CorruptionException(dataFile, 0, "a number from 1 on for keyspace " + name, "number " + number);
        }
        return new KeyspaceState(null, name, number);
    }

    /** The names of those that a view shows, in order. */
    public static List<String> names(StoreReader reader, PinnedVersion pin) {
        List<String> names = new ArrayList<>();
        try (MergeCursor cursor = reader.cursor(pin, null, Scan.ALL.in(HEADS))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                if (cursor.key().length > 0) {
                    names.add(KeyspaceNames.decode(cursor.key()));
                }
            }
        }
        return names;
    }

    /**
     * Tells the registry the names that the newest state shows, but for what is no name.
     *
     * @return the names by numbers
     */
    public static Map<Integer, String> tellNames(StoreReader reader, KeyspaceRegistry registry) {
        Map<Integer, String> names = new HashMap<>();
        try (MergeCursor cursor = reader.cursor(null, null, Scan.ALL.in(HEADS))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                tellName(cursor.key(), cursor.value(), registry, names);
            }
        }
        return names;
    }

    /**
     * Tells the registry a name, if a pair of the directory has one.
     *
     * @param key without its head
     * @param names gets it, too
     */
    public static void tellName(byte[] key, byte[] value, KeyspaceRegistry registry, Map<Integer, String> names) {
        int number = numberOf(value);
        String name = KeyspaceNames.decode(key);
        if (key.length > 0 && number >= FIRST && name != null) {
            registry.named(number, name);
            names.put(number, name);
        }
    }

    /** The name that a key of the directory has, without its head; null if it is none. */
    public static String nameOf(byte[] key) {
        return key.length == 0 ? null : KeyspaceNames.decode(key);
    }

    /** Throws unless a keyspace may have a name. */
    public static void requireName(String name) {
        KeyspaceNames.encode(name);
    }

    /** The name of the keyspace that has a number, for a message; null if none has it now. */
    public String nameOf(int number) {
        for (KeyspaceState state : states.values()) {
            if (state.heads().number() == number) {
                return state.name();
            }
        }
        return null;
    }

    /**
     * Throws unless a keyspace, which need not be there, may get settings while the store is open: a merge function if it
     * has none, and no other range filter.
     */
    public void requireGivable(String name, KeyspaceSettings settings) {
        KeyspaceNames.encode(name);
        load();
        KeyspaceState there = states.get(name);
        requireSame(
                name,
                there == null
                        ? registry.mergerOf(name)
                        : registry.mergerOf(there.heads().number()),
                settings);
        Boolean filter = settings.rangeFilter();
        if (filter != null && filter != registry.isFiltered(name)) {
            throw new IllegalArgumentException("rangeFilter of keyspace \"" + name + "\" must be " + !filter
                    + " as long as the store is open: " + filter + "; " + GIVE_IT_BEFORE);
        }
    }

    private static void requireSame(String name, Merger has, KeyspaceSettings settings) {
        if (has != null && settings.merger() != null && !has.equals(settings.merger())) {
            throw new IllegalArgumentException("mergeFunction of keyspace \"" + name + "\" must be " + has
                    + " as long as the store is open: " + settings.merger() + "; " + GIVE_IT_BEFORE);
        }
    }

    /** Gives a keyspace settings from now on, see {@link #requireGivable}. */
    public void give(KeyspaceState state, KeyspaceSettings settings) {
        if (settings.merger() != null) {
            requireSame(state.name(), registry.give(state.heads().number(), settings.merger()), settings);
        }
        state.setTtlMillis(settings.ttlMillis());
    }

    /** The settings that a keyspace has of its own now. */
    public KeyspaceSettings settings(KeyspaceState state) {
        KeyspaceSettings own = registry.of(state.heads().number());
        return new KeyspaceSettings(KeyspaceState.ttlMillis(state), own.merger(), own.rangeFilter());
    }

    static int numberOf(byte[] value) {
        return value.length == Integer.BYTES
                ? ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getInt()
                : 0;
    }

    /** The names of all, in order. */
    public List<String> names() {
        load();
        return new ArrayList<>(states.keySet());
    }

    /**
     * Makes a keyspace.
     *
     * @param mayExist whether it may be there already, and is returned then
     */
    public KeyspaceState create(String name, boolean mayExist, Force force) {
        byte[] encoded = KeyspaceNames.encode(name);
        load();
        KeyspaceState there = states.get(name);
        if (there != null && mayExist) {
            return there;
        }
        lock.lock();
        try {
            there = states.get(name);
            if (there != null) {
                if (!mayExist) {
                    throw new KeyspaceExistsException(name);
                }
                return there;
            }
            passPairs();
            if (next == KeyHeads.MAX_NUMBER) {
                throw new IllegalStateException("the store has made " + next
                        + " keyspaces, and can't make more; copy what is there into a new store");
            }
            BatchPayload made = new BatchPayload();
            put(made, NEXT, next + 1);
            put(made, encoded, next);
            int number = next++; // which stays unused if the write fails
            registry.named(number, name); // G1
            write(made, force, null);
            KeyspaceState state = newState(name, number);
            states.put(name, state);
            return state;
        } finally {
            lock.unlock();
        }
    }

    /** Has the next number be above those of all pairs, N1. */
    private void passPairs() {
        if (pairsKnown) {
            return;
        }
        try {
            next = Math.max(next, highestOfPairs(reader) + 1);
        } catch (CorruptionException | StoreIoException e) {
            if (!nextIsSound) {
                throw e;
            } // pairs that can't be read have lower numbers
        }
        pairsKnown = true;
    }

    /** The highest number of a named keyspace that has a pair; 0 if there is none. */
    private static int highestOfPairs(StoreReader reader) {
        try (MergeCursor cursor = reader.cursor(null, null, Scan.KEYS)) {
            cursor.seekToLast();
            return cursor.isValid()
                    ? Math.max(0, Math.min(KeyHeads.MAX_NUMBER - 1, KeyHeads.numberOf(cursor.key())))
                    : 0;
        }
    }

    static void put(BatchPayload payload, byte[] key, int number) {
        byte[] value = ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(number)
                .array();
        payload.put(HEADS, HEADS.of(key), key, value);
    }

    /** Drops a keyspace with all that it has, and returns the sequence number. */
    public long drop(String name, Force force) {
        byte[] encoded = KeyspaceNames.encode(name);
        lock.lock();
        try {
            KeyspaceState state = get(name);
            BatchPayload gone = new BatchPayload();
            gone.deleteRange(state.heads().begin(), state.heads().end());
            gone.delete(HEADS, HEADS.of(encoded), ByteBuffer.wrap(encoded));
            try {
                return write(gone, force, new WriteGuard() {
                    @Override
                    public void check() {}

                    @Override
                    public void numbered(long last) {
                        state.dropped(last);
                    }
                });
            } finally {
                if (state.isDropped()) { // though waiting for its force may have failed
                    states.remove(name);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private long write(BatchPayload batch, Force force, WriteGuard guard) {
        return writer.write(batch, force, null, guard);
    }

    private void load() {
        health.requireReadable();
        if (loaded) {
            return;
        }
        lock.lock();
        try {
            if (!loaded) {
                read();
                loaded = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void read() {
        states.clear();
        next = FIRST;
        nextIsSound = false;
        pairsKnown = false;
        try (MergeCursor cursor = reader.cursor(null, null, Scan.ALL.in(HEADS))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                add(cursor.key(), cursor.value());
            }
        }
    }

    private void add(byte[] key, byte[] value) {
        int number = numberOf(value);
        String name = KeyspaceNames.decode(key);
        if (number < FIRST || name == null || key.length > KeyspaceNames.MAX_BYTES) {
            throw new CorruptionException(
                    dataFile, 0, "a name and a number from 1 on", "name " + name + ", number " + number);
        }
        if (key.length == 0) { // the first of all
            next = number;
            nextIsSound = true;
            return;
        }
        if (number >= next) { // N1
            next = number == KeyHeads.MAX_NUMBER ? number : number + 1;
            nextIsSound = false;
        }
        registry.named(number, name);
        states.put(name, newState(name, number));
    }

    private KeyspaceState newState(String name, int number) {
        KeyspaceState state = new KeyspaceState(identity, name, number);
        state.setTtlMillis(registry.of(name).ttlMillis());
        return state;
    }
}
