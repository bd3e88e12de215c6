package io.flexdb.kafka;

import io.flexdb.BulkLoad;
import io.flexdb.FlexCursor;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import io.flexdb.storage.NoSuchKeyspaceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;

/**
 * One keyspace of a store and, above it in memory, what was written to it but not committed, or restored from the
 * changelog but not written yet. A reader takes the memory first and the keyspace second, and a commit writes the keyspace
 * first and takes a new memory second, so that a reader misses nothing beside a commit. One thread writes, any thread
 * reads.
 */
final class Layer {
    /** Stands for a deletion in {@link Memory#writes}; known by its identity. */
    private static final byte[] DELETED = new byte[0];

    /** Heap of an entry beside its bytes. */
    private static final int ENTRY_BYTES = 96;

    /** A bulk load forces the data file, which pays for so much. */
    private static final int MIN_LOAD_BYTES = 1 << 20;

    /** Writes that are not in the keyspace. Readers take it once, so that they see writes of one kind alone. */
    private static final class Memory {
        final ConcurrentSkipListMap<byte[], byte[]> writes = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
        final boolean restored; // and so committed by somebody; else none of them is
        volatile long bytes; // only the writer changes it

        Memory(boolean restored) {
            this.restored = restored;
        }

        boolean isHidden(boolean committedOnly) {
            return committedOnly && !restored;
        }
    }

    private final Keyspace keyspace;
    private volatile Memory memory = new Memory(false); // only the writer changes it

    Layer(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    Keyspace keyspace() {
        return keyspace;
    }

    /**
     * Keeps a write in memory. All that are there are restored, or none is: a restored one above others, which Kafka
     * Streams should have committed before, is kept as they are.
     *
     * @param value null to delete
     * @return how many bytes of memory more are taken, which may be below zero
     */
    long stage(byte[] key, byte[] value, boolean restored) {
        Memory current = memory;
        if (current.restored != restored && current.writes.isEmpty()) {
            current = new Memory(restored);
            memory = current;
        }
        assert restored || !current.restored : "S5 of StoreState";
        byte[] old = current.writes.put(key, value == null ? DELETED : value);
        long added = value == null ? 0 : value.length;
        long more = old == null ? key.length + added + ENTRY_BYTES : added - old.length;
        current.bytes += more;
        return more;
    }

    /** About how many bytes of memory the uncommitted writes take. */
    long uncommittedBytes() {
        Memory current = memory;
        return current.restored ? 0 : current.bytes;
    }

    /** Gives all that is in memory to a consumer, in key order; a value is null for a deletion. */
    void forEach(BiConsumer<byte[], byte[]> consumer) {
        forEach(memory.writes, consumer);
    }

    private static void forEach(Map<byte[], byte[]> writes, BiConsumer<byte[], byte[]> consumer) {
        writes.forEach((key, value) -> consumer.accept(key, isDeleted(value) ? null : value));
    }

    /**
     * Gives a part of what is in memory to a consumer, as {@link #forEach}, and loads the other one in bulk, durably:
     * what is behind all that the keyspace has in its range, if that is enough to pay.
     */
    void loadOr(BiConsumer<byte[], byte[]> consumer) {
        NavigableMap<byte[], byte[]> writes = memory.writes;
        if (memory.bytes >= MIN_LOAD_BYTES) {
            byte[] last = lastKey(writes.firstKey(), writes.lastKey());
            NavigableMap<byte[], byte[]> behind = last == null ? writes : writes.tailMap(last, false);
            if (bytes(behind) >= MIN_LOAD_BYTES) {
                load(behind);
                writes = last == null ? Collections.emptyNavigableMap() : writes.headMap(last, true);
            }
        }
        forEach(writes, consumer);
    }

    /** The last key of the keyspace in a range, both ends inclusive, or null. */
    private byte[] lastKey(byte[] from, byte[] to) {
        ReadOptions options = ReadOptions.defaults()
                .withLowerBound(from)
                .withUpperBound(to, true)
                .withKeysOnly(true);
        try (FlexCursor cursor = keyspace.cursor(options)) {
            cursor.seekToLast();
            return cursor.isValid() ? cursor.key() : null;
        }
    }

    private static long bytes(Map<byte[], byte[]> writes) {
        long bytes = 0;
        for (Map.Entry<byte[], byte[]> entry : writes.entrySet()) {
            bytes += entry.getKey().length + entry.getValue().length;
        }
        return bytes;
    }

    private void load(Map<byte[], byte[]> writes) {
        try (BulkLoad load = keyspace.bulkLoad()) {
            writes.forEach((key, value) -> {
                if (!isDeleted(value)) { // there is nothing to be deleted
                    load.add(key, value);
                }
            });
            load.commit();
        }
    }

    static boolean isDeleted(byte[] value) {
        return value == DELETED;
    }

    /** Forgets what is in memory. */
    void clearMemory() {
        memory = new Memory(false);
    }

    /** The value of a key, or null. */
    byte[] get(byte[] key, boolean committedOnly) {
        Memory above = memory;
        if (!above.isHidden(committedOnly)) {
            byte[] value = above.writes.get(key);
            if (value != null) {
                return isDeleted(value) ? null : value;
            }
        }
        try {
            return keyspace.get(key);
        } catch (NoSuchKeyspaceException e) {
            return null; // expired while somebody read
        }
    }

    /**
     * The pairs of a range, as they are now.
     *
     * @param from inclusive, or null for all from the first one
     * @param to null for all up to the last one
     */
    PairIterator scan(byte[] from, byte[] to, boolean toInclusive, boolean reverse, boolean committedOnly) {
        Memory current = memory;
        List<Map.Entry<byte[], byte[]>> above = current.isHidden(committedOnly) || current.writes.isEmpty()
                ? List.of()
                : copy(current.writes, from, to, toInclusive, reverse);
        FlexCursor cursor =
                keyspace.cursor(ReadOptions.defaults().withLowerBound(from).withUpperBound(to, toInclusive));
        return new PairIterator(above, cursor, reverse);
    }

    private static List<Map.Entry<byte[], byte[]>> copy(
            NavigableMap<byte[], byte[]> writes, byte[] from, byte[] to, boolean toInclusive, boolean reverse) {
        NavigableMap<byte[], byte[]> range = writes;
        if (from != null) {
            range = range.tailMap(from, true);
        }
        if (to != null) {
            range = range.headMap(to, toInclusive);
        }
        return new ArrayList<>((reverse ? range.descendingMap() : range).entrySet());
    }
}
