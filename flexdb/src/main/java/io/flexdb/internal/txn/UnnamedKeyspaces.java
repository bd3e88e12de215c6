package io.flexdb.internal.txn;

import io.flexdb.internal.base.Force;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.read.Scan;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.write.BatchPayload;
import io.flexdb.internal.write.StoreWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Keyspaces that have pairs and no name, which there are only where a part of the store was lost. */
public final class UnnamedKeyspaces {
    /** The beginning of the name that such a keyspace gets; its number follows. */
    public static final String PREFIX = "recovered-";

    /** One that has a name now. */
    public record Named(String name, int number, long pairs) {}

    private final StoreReader reader;
    private final Map<String, Integer> names = new HashMap<>();
    private int next; // as it is found; 0 if it is not

    private UnnamedKeyspaces(StoreReader reader) {
        this.reader = reader;
    }

    /**
     * Gives each a name, and has no number of a name or of a pair be given again. Before anybody has asked the store
     * for its keyspaces.
     */
    public static List<Named> giveNames(StoreReader reader, StoreWriter writer) {
        UnnamedKeyspaces found = new UnnamedKeyspaces(reader);
        found.readDirectory();
        return found.giveNames(writer);
    }

    private void readDirectory() {
        try (MergeCursor cursor = reader.cursor(null, null, Scan.ALL.in(KeyspaceDirectory.HEADS))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                int number = KeyspaceDirectory.numberOf(cursor.value());
                if (key.length == 0) {
                    next = number;
                } else {
                    names.put(KeyspaceNames.decode(key), number);
                }
            }
        }
    }

    private List<Named> giveNames(StoreWriter writer) {
        NavigableMap<Integer, Long> pairs = pairsByNumber();
        int needed = next;
        for (int number : names.values()) {
            needed = Math.max(needed, number + 1);
        }
        if (!pairs.isEmpty()) {
            needed = Math.max(needed, pairs.lastKey() + 1);
        }
        pairs.keySet().removeAll(names.values());
        List<Named> named = new ArrayList<>();
        if (needed > next) {
            put(writer, KeyspaceDirectory.NEXT, needed);
        }
        pairs.forEach((number, count) -> {
            String name = freeName(number);
            names.put(name, number);
            named.add(new Named(name, number, count));
            put(writer, name.getBytes(StandardCharsets.UTF_8), number);
        });
        return named;
    }

    private static void put(StoreWriter writer, byte[] key, int number) {
        BatchPayload pair = new BatchPayload();
        KeyspaceDirectory.put(pair, key, number);
        writer.write(pair, Force.WHEN_ASKED);
    }

    /** How many pairs each number has, but for those that a name has: they are not counted. */
    private NavigableMap<Integer, Long> pairsByNumber() {
        NavigableMap<Integer, Long> pairs = new TreeMap<>();
        try (MergeCursor cursor = reader.cursor(null, null, Scan.KEYS)) {
            cursor.seek(KeyspaceDirectory.HEADS.end());
            while (cursor.isValid()) {
                int number = KeyHeads.numberOf(cursor.key());
                if (number < KeyspaceDirectory.FIRST) {
                    return pairs; // which no build has written
                }
                pairs.merge(number, 1L, Long::sum);
                if (names.containsValue(number)) {
                    cursor.seek(KeyHeads.named(number).end());
                } else {
                    cursor.next();
                }
            }
        }
        return pairs;
    }

    private String freeName(int number) {
        String name = PREFIX + number;
        for (int i = 2; names.containsKey(name); i++) {
            name = PREFIX + number + "-" + i;
        }
        return name;
    }
}
