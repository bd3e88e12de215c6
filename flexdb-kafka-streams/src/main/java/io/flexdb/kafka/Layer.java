package io.flexdb.kafka;

import io.flexdb.FlexCursor;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import io.flexdb.WriteBatch;
import io.flexdb.storage.NoSuchKeyspaceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * One keyspace of a store and, above it in memory, what was written to it but not committed. A reader takes the memory
 * first and the keyspace second, and a commit writes the keyspace first and clears the memory second, so that a reader
 * misses nothing beside a commit. One thread writes, any thread reads.
 */
final class Layer {
    /** Stands for a deletion in {@link #pending}; known by its identity. */
    private static final byte[] DELETED = new byte[0];

    /** Heap of an entry beside its bytes. */
    private static final int ENTRY_BYTES = 96;

    private final Keyspace keyspace;
    private final ConcurrentSkipListMap<byte[], byte[]> pending = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    private volatile long pendingBytes; // only the writer changes it

    Layer(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    Keyspace keyspace() {
        return keyspace;
    }

    /** Keeps a write in memory; a value of null deletes. */
    void stage(byte[] key, byte[] value) {
        byte[] old = pending.put(key, value == null ? DELETED : value);
        long added = value == null ? 0 : value.length;
        pendingBytes += old == null ? key.length + added + ENTRY_BYTES : added - old.length;
    }

    /** About how many bytes of memory the uncommitted writes take. */
    long pendingBytes() {
        return pendingBytes;
    }

    boolean isPending() {
        return !pending.isEmpty();
    }

    /** Uncommitted writes in key order, of which those with a value for which {@link #isDeleted} is true delete. */
    Iterable<Map.Entry<byte[], byte[]>> pending() {
        return pending.entrySet();
    }

    /** Adds a write to a batch. */
    void add(WriteBatch batch, byte[] key, byte[] value) {
        WriteBatch here = batch.in(keyspace);
        if (isDeleted(value)) {
            here.delete(key);
        } else {
            here.put(key, value);
        }
    }

    static boolean isDeleted(byte[] value) {
        return value == DELETED;
    }

    void clearPending() {
        pending.clear();
        pendingBytes = 0;
    }

    /** The value of a key, or null. */
    byte[] get(byte[] key, boolean committedOnly) {
        if (!committedOnly) {
            byte[] value = pending.get(key);
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
        List<Map.Entry<byte[], byte[]>> above = committedOnly ? List.of() : copy(from, to, toInclusive, reverse);
        FlexCursor cursor =
                keyspace.cursor(ReadOptions.defaults().withLowerBound(from).withUpperBound(to, toInclusive));
        return new PairIterator(above, cursor, reverse);
    }

    private List<Map.Entry<byte[], byte[]>> copy(byte[] from, byte[] to, boolean toInclusive, boolean reverse) {
        if (pending.isEmpty()) {
            return List.of();
        }
        NavigableMap<byte[], byte[]> range = pending;
        if (from != null) {
            range = range.tailMap(from, true);
        }
        if (to != null) {
            range = range.headMap(to, toInclusive);
        }
        return new ArrayList<>((reverse ? range.descendingMap() : range).entrySet());
    }
}
