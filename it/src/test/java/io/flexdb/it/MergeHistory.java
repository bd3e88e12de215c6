package io.flexdb.it;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.Keyspace;
import io.flexdb.KeyspaceOptions;
import io.flexdb.MergeFunction;
import io.flexdb.ReadView;
import io.flexdb.WriteBatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** The steps of a process that merges into several keyspaces, one of which comes and goes; and what they lead to. */
final class MergeHistory {
    private static final String DEFAULT = "";
    private static final String KEPT = "kept";
    private static final String DROPPED = "dropped now and then";
    private static final int STEPS_BETWEEN_DROPS = 400;
    private static final int KEYS = 300;
    private static final int LONGEST_VALUE = 60;

    /** Keeps the last bytes of all, so that the order of operands matters, and how often each was counted. */
    static final MergeFunction TAIL = (key, value, operands) -> {
        byte[] all = MergeFunction.APPEND.merge(key, value, operands);
        return Arrays.copyOfRange(all, Math.max(0, all.length - LONGEST_VALUE), all.length);
    };

    /** The function of the keyspace that comes and goes: keeps the last operands, too, but the newest in front. */
    static final MergeFunction FRONT = (key, value, operands) -> {
        byte[] all = value == null ? new byte[0] : value;
        for (byte[] operand : operands) {
            byte[] longer = Arrays.copyOf(operand, operand.length + all.length);
            System.arraycopy(all, 0, longer, operand.length, all.length);
            all = longer;
        }
        return Arrays.copyOf(all, Math.min(LONGEST_VALUE, all.length));
    };

    private final long seed;

    MergeHistory(long seed) {
        this.seed = seed;
    }

    /** {@link #TAIL}, but it fails for two in three calls by commits, so that operands wait in the space. */
    private static byte[] mergeOrFail(byte[] key, byte[] value, List<byte[]> operands) {
        boolean isCommit = Thread.currentThread().getName().startsWith("flexdb-commit ");
        if (isCommit && (Arrays.hashCode(key) + operands.size()) % 3 != 0) {
            throw new IllegalStateException("by intent");
        }
        return TAIL.merge(key, value, operands);
    }

    static FlexDBOptions options() {
        return FlexDBOptions.defaults()
                .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
                .withCacheBytes(1 << 20)
                .withMergeFunction(MergeHistory::mergeOrFail)
                .withKeyspace(DROPPED, KeyspaceOptions.defaults().withMergeFunction(FRONT));
    }

    /** What a store holds, by keyspace. */
    static final class Content {
        final TreeMap<String, TreeMap<String, byte[]>> keyspaces = new TreeMap<>(Map.of(DEFAULT, new TreeMap<>()));

        /** The first difference, or null. */
        String differenceFrom(Content other) {
            if (!keyspaces.keySet().equals(other.keyspaces.keySet())) {
                return "keyspaces " + keyspaces.keySet() + " and " + other.keyspaces.keySet();
            }
            for (String name : keyspaces.keySet()) {
                String key = firstDifference(keyspaces.get(name), other.keyspaces.get(name));
                if (key != null) {
                    return "in keyspace '" + name + "' " + key + " differs";
                }
            }
            return null;
        }

        private static String firstDifference(TreeMap<String, byte[]> a, TreeMap<String, byte[]> b) {
            TreeSet<String> keys = new TreeSet<>(a.keySet());
            keys.addAll(b.keySet());
            for (String key : keys) {
                if (!Arrays.equals(a.get(key), b.get(key))) {
                    return key;
                }
            }
            return null;
        }
    }

    static Content contentOf(FlexDB db) {
        Content content = new Content();
        content.keyspaces.put(DEFAULT, all(db));
        for (String name : db.keyspaces()) {
            content.keyspaces.put(name, all(db.keyspace(name)));
        }
        return content;
    }

    private static TreeMap<String, byte[]> all(ReadView view) {
        TreeMap<String, byte[]> found = new TreeMap<>();
        try (FlexCursor cursor = view.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                found.put(new String(cursor.key(), StandardCharsets.UTF_8), cursor.value());
            }
        }
        return found;
    }

    private enum Kind {
        PUT,
        MERGE,
        DELETE
    }

    private record Change(String keyspace, Kind kind, String key, byte[] value) {}

    private List<Change> changes(long step) {
        Random random = new Random(seed * 1_000_003 + step);
        int count = random.nextInt(5) == 0 ? 2 + random.nextInt(6) : 1;
        return random.ints(count, 0, 1000).mapToObj(i -> change(random, i)).toList();
    }

    private static Change change(Random random, int number) {
        String keyspace = List.of(DEFAULT, KEPT, DROPPED).get(number % 3);
        Kind kind = number < 700 ? Kind.MERGE : number < 900 ? Kind.PUT : Kind.DELETE;
        byte[] value = new byte[1 + random.nextInt(20)];
        random.nextBytes(value);
        return new Change(keyspace, kind, "key" + random.nextInt(KEYS), value);
    }

    private static boolean drops(long step) {
        return step % STEPS_BETWEEN_DROPS == STEPS_BETWEEN_DROPS - 1;
    }

    private static boolean creates(long step) {
        return step % STEPS_BETWEEN_DROPS == 0;
    }

    /** Takes a step in a store: one write. */
    void apply(long step, FlexDB db) {
        if (step == 0) {
            db.createKeyspaceIfAbsent(KEPT);
        } else if (step == 1 || creates(step)) {
            db.createKeyspaceIfAbsent(DROPPED);
        } else if (drops(step)) {
            db.dropKeyspace(DROPPED);
        } else {
            WriteBatch batch = new WriteBatch();
            for (Change change : changes(step)) {
                WriteBatch in = change.keyspace.equals(DEFAULT) ? batch : batch.in(keyspace(db, change));
                byte[] key = change.key.getBytes(StandardCharsets.UTF_8);
                switch (change.kind) {
                    case PUT -> in.put(key, change.value);
                    case MERGE -> in.merge(key, change.value);
                    case DELETE -> in.delete(key);
                }
            }
            db.write(batch);
        }
    }

    private static Keyspace keyspace(FlexDB db, Change change) {
        return db.keyspace(change.keyspace);
    }

    /** Takes a step in a model. */
    void apply(long step, Content content) {
        if (step == 0) {
            content.keyspaces.put(KEPT, new TreeMap<>());
        } else if (step == 1 || creates(step)) {
            content.keyspaces.putIfAbsent(DROPPED, new TreeMap<>());
        } else if (drops(step)) {
            content.keyspaces.remove(DROPPED);
        } else {
            for (Change change : changes(step)) {
                TreeMap<String, byte[]> keyspace = content.keyspaces.get(change.keyspace);
                byte[] key = change.key.getBytes(StandardCharsets.UTF_8);
                switch (change.kind) {
                    case PUT -> keyspace.put(change.key, change.value);
                    case MERGE -> {
                        MergeFunction function = change.keyspace.equals(DROPPED) ? FRONT : TAIL;
                        keyspace.put(change.key, function.merge(key, keyspace.get(change.key), List.of(change.value)));
                    }
                    case DELETE -> keyspace.remove(change.key);
                }
            }
        }
    }
}
