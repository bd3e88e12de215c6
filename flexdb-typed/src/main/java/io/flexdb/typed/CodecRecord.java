package io.flexdb.typed;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.Isolation;
import io.flexdb.Keyspace;
import io.flexdb.KeyspaceReader;
import io.flexdb.ReadView;
import io.flexdb.Transaction;
import io.flexdb.storage.NoSuchKeyspaceException;
import java.util.ArrayList;
import java.util.List;

/**
 * The codecs that a keyspace was written with, and its indexes, as they are stored: a pair in a keyspace of its own, by
 * the name of the keyspace. A keyspace without pairs has nothing that codecs could fail for, so its record may change.
 *
 * @param keys the name of the codec of keys
 * @param values the name of the codec of values
 * @param indexes the names of the indexes, each with that of its codec
 */
record CodecRecord(String keys, String values, List<String> indexes) {
    /** The keyspace of all records. */
    static final String KEYSPACE = "flexdb-typed";

    private static final String FORMAT = "1";
    private static final int FIXED_PARTS = 3;
    private static final Codec<List<String>> PARTS = Codec.list(Codec.strings());

    static CodecRecord of(PairCodec<?, ?> pairs, List<String> indexes) {
        return new CodecRecord(pairs.keys().name(), pairs.values().name(), indexes);
    }

    private static byte[] key(String keyspace) {
        return KeyCodec.strings().encode(keyspace);
    }

    /** The record of a keyspace, or null. */
    static CodecRecord read(ReadView records, PairCodec<?, ?> pairs) {
        byte[] key = key(pairs.keyspace());
        byte[] bytes = records.get(key);
        if (bytes == null) {
            return null;
        }
        List<String> parts = decode(key, bytes);
        if (!parts.get(0).equals(FORMAT)) {
            throw new CodecMismatchException(
                    pairs.keyspace(),
                    "format " + parts.get(0) + " of the record of its codecs",
                    "format " + FORMAT,
                    "Use the release that wrote it, or a later one.");
        }
        if (parts.size() < FIXED_PARTS) {
            throw malformed(key, bytes, parts.size() + " parts");
        }
        return new CodecRecord(parts.get(1), parts.get(2), parts.subList(FIXED_PARTS, parts.size()));
    }

    private static List<String> decode(byte[] key, byte[] bytes) {
        List<String> parts;
        try {
            parts = PARTS.decode(bytes);
        } catch (IllegalArgumentException e) {
            throw new DecodeException(KEYSPACE, PARTS.name(), key, bytes, e);
        }
        if (parts.isEmpty()) {
            throw malformed(key, bytes, "none");
        }
        return parts;
    }

    private static DecodeException malformed(byte[] key, byte[] bytes, String found) {
        return new DecodeException(
                KEYSPACE, PARTS.name(), key, bytes, ByteForms.unexpected("at least 3 parts of a record", found));
    }

    void write(Transaction records, String keyspace) {
        List<String> parts = new ArrayList<>(List.of(FORMAT, keys, values));
        parts.addAll(indexes);
        records.put(key(keyspace), PARTS.encode(parts));
    }

    /** Whether codecs read what those of this record have written. */
    private boolean fits(PairCodec<?, ?> pairs) {
        return EnumNames.reads(pairs.keys().name(), keys)
                && EnumNames.reads(pairs.values().name(), values);
    }

    private static String shown(String keys, String values) {
        return "codecs " + keys + " and " + values;
    }

    /** Throws if a keyspace was written with other codecs, as far as is known. */
    static void requireReadable(FlexDBReader reader, PairCodec<?, ?> pairs) {
        KeyspaceReader records;
        try {
            records = reader.keyspace(KEYSPACE);
        } catch (NoSuchKeyspaceException e) {
            return;
        }
        CodecRecord stored = read(records, pairs);
        if (stored != null) {
            stored.requireFits(pairs);
        }
    }

    private void requireFits(PairCodec<?, ?> pairs) {
        if (!fits(pairs)) {
            throw new CodecMismatchException(
                    pairs.keyspace(),
                    shown(keys, values),
                    shown(pairs.keys().name(), pairs.values().name()),
                    "Open it with the stored codecs, or copy its pairs to a keyspace of another name.");
        }
    }

    /** Work that changes indexes in the transaction that changes the record. */
    @FunctionalInterface
    interface IndexWork {
        /**
         * @param transaction the transaction, of the default keyspace
         * @param before the indexes that were recorded
         */
        void run(Transaction transaction, List<String> before);
    }

    /**
     * Stores codecs and indexes for a keyspace, unless they are stored, in one transaction.
     *
     * @param indexes the names of its indexes, each with that of its codec
     * @throws CodecMismatchException if pairs were written with other codecs, and nothing is changed
     */
    static void store(FlexDB db, Keyspace keyspace, PairCodec<?, ?> pairs, List<String> indexes, IndexWork work) {
        Keyspace records = db.createKeyspaceIfAbsent(KEYSPACE);
        db.transactWithoutResult(Isolation.SERIALIZABLE, transaction -> {
            CodecRecord stored = read(transaction.in(records), pairs);
            if (stored == null) {
                requireDecodes(transaction.in(keyspace), pairs);
            } else if (!isEmpty(transaction.in(keyspace))) {
                stored.requireFits(pairs);
            }
            work.run(transaction, stored == null ? List.of() : stored.indexes);
            CodecRecord now = of(pairs, indexes);
            if (!now.equals(stored)) {
                now.write(transaction.in(records), pairs.keyspace());
            }
        });
    }

    /** Throws if a keyspace has pairs that were written with other codecs. Changes nothing. */
    static void requireFits(FlexDB db, PairCodec<?, ?> pairs) {
        Keyspace keyspace = find(db, pairs.keyspace());
        if (keyspace == null) {
            return;
        }
        Keyspace records = find(db, KEYSPACE);
        CodecRecord stored = records == null ? null : read(records, pairs);
        if (stored == null) {
            requireDecodes(keyspace, pairs);
        } else if (!isEmpty(keyspace)) {
            stored.requireFits(pairs);
        }
    }

    /** The keyspace of a name, empty for the default one; null if there is none. */
    static Keyspace find(FlexDB db, String name) {
        try {
            return name.isEmpty() ? db : db.keyspace(name);
        } catch (NoSuchKeyspaceException e) {
            return null;
        }
    }

    static boolean isEmpty(ReadView keyspace) {
        try (FlexCursor cursor = keyspace.cursor()) {
            cursor.seekToFirst();
            return !cursor.isValid();
        }
    }

    /** Throws if pairs of which it is not known who wrote them are not those of the codecs: looks at first and last. */
    private static void requireDecodes(ReadView keyspace, PairCodec<?, ?> pairs) {
        try (FlexCursor cursor = keyspace.cursor()) {
            cursor.seekToFirst();
            if (cursor.isValid()) {
                requireDecodes(cursor, pairs);
                cursor.seekToLast();
                requireDecodes(cursor, pairs);
            }
        }
    }

    private static void requireDecodes(FlexCursor cursor, PairCodec<?, ?> pairs) {
        pairs.decodeKey(cursor.key());
        pairs.decodeValue(cursor.key(), cursor.value());
    }
}
