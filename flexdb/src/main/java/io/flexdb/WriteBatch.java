package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.internal.txn.KeyspacesWritten;
import io.flexdb.internal.write.BatchPayload;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Puts, merges and deletes, of keys and of ranges, that take effect together: readers see all or none of them, and a crash keeps
 * all or none. They apply in the order in which they were added. Keys and values are copied. For one thread at a time; may
 * be used again after {@link #clear()}.
 *
 * <p>A batch is in memory, and may be larger than a memtable: then it is merged into the store as a large {@link
 * Transaction} is, which writes each byte twice, makes it durable at once, and has those wait who write between its first
 * and its last key.
 *
 * <p>They are of the default keyspace; {@link #in} adds those of another one to the same batch.
 */
public final class WriteBatch {
    /** The most ranges that one batch deletes. */
    public static final int MAX_RANGES = 4096;

    private final BatchPayload payload;
    private final KeyspacesWritten keyspaces;
    private final KeyHeads heads;
    private final KeyspaceState state; // null for the default keyspace
    private final Object store; // whose default keyspace was named; else null

    /** An empty batch, for the default keyspace of whichever store it is written to. */
    public WriteBatch() {
        this(new BatchPayload(), new KeyspacesWritten(), KeyHeads.DEFAULT, null, null);
    }

    private WriteBatch(
            BatchPayload payload, KeyspacesWritten keyspaces, KeyHeads heads, KeyspaceState state, Object store) {
        this.store = store;
        this.payload = payload;
        this.keyspaces = keyspaces;
        this.heads = heads;
        this.state = state;
    }

    /**
     * A view of this batch, whose operations are of another keyspace: both are one batch, and either may be written. This
     * object goes on with the keyspace that it had, so call the methods of the view that is returned.
     *
     * <p>Once it has operations of the view, the batch can be written to the keyspace's store alone: any other refuses it
     * with an {@link IllegalArgumentException}. If the keyspace is dropped, though another of its name may be there, it is
     * refused with a {@link io.flexdb.storage.NoSuchKeyspaceException}.
     *
     * @param keyspace a named one, or the store itself for the default one
     */
    public WriteBatch in(Keyspace keyspace) {
        Limits.notNull(keyspace, "keyspace");
        Object ofDefault = keyspace.state == null ? keyspace.access : null;
        return new WriteBatch(payload, keyspaces, keyspace.heads, keyspace.state, ofDefault);
    }

    /** Adds a put. The pair lives as long as the {@link KeyspaceOptions} say. */
    public WriteBatch put(byte[] key, byte[] value) {
        Limits.keyLength(heads, key);
        Limits.valueLength(value);
        long ttl = KeyspaceState.ttlMillis(state);
        if (ttl != KeyspaceState.FOREVER) {
            return putFor(ttl, ByteBuffer.wrap(key), ByteBuffer.wrap(value));
        }
        payload.put(heads, heads.of(key), key, value);
        return added();
    }

    /** Adds a put of what the buffers have between position and limit, which becomes their position. */
    public WriteBatch put(ByteBuffer key, ByteBuffer value) {
        Limits.keyLength(heads, key);
        Limits.valueLength(value);
        long ttl = KeyspaceState.ttlMillis(state);
        if (ttl != KeyspaceState.FOREVER) {
            return putFor(ttl, key, value);
        }
        payload.put(heads, heads.of(key), key, value);
        key.position(key.limit());
        value.position(value.limit());
        return added();
    }

    /**
     * Adds a put that expires.
     *
     * @param ttl how long it lives from when the batch is written, as for {@link WriteOptions#withTimeToLive}
     */
    public WriteBatch put(byte[] key, byte[] value, Duration ttl) {
        Limits.valueLength(value);
        return put(ByteBuffer.wrap(Limits.notNull(key, "key")), ByteBuffer.wrap(value), ttl);
    }

    /**
     * Adds a put that expires. Key and value are what the buffers have between position and limit, which becomes their
     * position.
     *
     * @see #put(byte[], byte[], Duration)
     */
    public WriteBatch put(ByteBuffer key, ByteBuffer value, Duration ttl) {
        Limits.keyLength(heads, key);
        Limits.valueLength(value);
        return putFor(Limits.ttlMillis(ttl), key, value);
    }

    private WriteBatch putFor(long ttlMillis, ByteBuffer key, ByteBuffer value) {
        payload.putTimed(WritePayload.PUT_EXPIRING, heads, heads.of(key), key, value, ttlMillis);
        key.position(key.limit());
        value.position(value.limit());
        return added();
    }

    /**
     * Adds a change of a value by an operand, as {@link Keyspace#merge(byte[], byte[])}: it comes after those added
     * before, and may follow a put of the same key.
     */
    public WriteBatch merge(byte[] key, byte[] operand) {
        Limits.valueLength(operand);
        return merge(ByteBuffer.wrap(Limits.notNull(key, "key")), ByteBuffer.wrap(operand));
    }

    /**
     * Adds a change of a value by an operand. Both are what the buffers have between position and limit, which becomes
     * their position.
     *
     * @see #merge(byte[], byte[])
     */
    public WriteBatch merge(ByteBuffer key, ByteBuffer operand) {
        Limits.keyLength(heads, key);
        Limits.valueLength(operand);
        payload.putTimed(WritePayload.MERGE, heads, heads.of(key), key, operand, 0);
        key.position(key.limit());
        operand.position(operand.limit());
        return added();
    }

    /** Adds a delete; deleting an absent key does nothing. */
    public WriteBatch delete(byte[] key) {
        return delete(ByteBuffer.wrap(Limits.notNull(key, "key")));
    }

    /** Adds a delete of the key between position and limit, which becomes the position. */
    public WriteBatch delete(ByteBuffer key) {
        Limits.keyLength(heads, key);
        payload.delete(heads, heads.of(key), key);
        key.position(key.limit());
        return added();
    }

    /**
     * Adds the removal of all keys from one on to before another, those put by earlier operations of this batch
     * included. If both are equal nothing is added.
     *
     * @param fromInclusive the first key to go; null for the first of all
     * @param toExclusive the first key to stay; null if none is. For both ends open there is {@link #deleteAll}
     * @throws IllegalArgumentException if {@code fromInclusive} is above {@code toExclusive}, a key is too long, or the
     *     batch has {@link #MAX_RANGES} ranges already
     */
    public WriteBatch deleteRange(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive) {
        return deleteRange(Limits.wrapBound(fromInclusive), Limits.wrapBound(toExclusive));
    }

    /**
     * Adds the removal of all keys from one on to before another. They are what the buffers have between position and
     * limit, which becomes their position.
     *
     * @see #deleteRange(byte[], byte[])
     */
    public WriteBatch deleteRange(@Nullable ByteBuffer fromInclusive, @Nullable ByteBuffer toExclusive) {
        if (!Limits.isEmptyRange(heads, fromInclusive, toExclusive)) {
            if (payload.ranges() == MAX_RANGES) {
                throw new IllegalArgumentException(
                        "the batch would delete more than " + MAX_RANGES + " ranges; split it");
            }
            payload.deleteRange(Limits.storedFrom(heads, fromInclusive), Limits.storedTo(heads, toExclusive));
            added();
        }
        Limits.toLimit(fromInclusive);
        Limits.toLimit(toExclusive);
        return this;
    }

    /** Adds the removal of all keys of the keyspace. */
    public WriteBatch deleteAll() {
        return deleteRange((byte[]) null, null);
    }

    private WriteBatch added() {
        if (state != null) {
            keyspaces.add(state);
        } else if (store != null) {
            keyspaces.addDefaultOf(store);
        }
        return this;
    }

    /** Forgets all operations, in whichever keyspace; keeps the memory. */
    public WriteBatch clear() {
        payload.clear();
        keyspaces.clear();
        return this;
    }

    /** Operations added, in whichever keyspace. */
    public int size() {
        return payload.entries();
    }

    /** Bytes that the batch takes in the write-ahead log, apart from the frame. */
    public int sizeBytes() {
        return payload.length();
    }

    BatchPayload payload() {
        return payload;
    }

    /** The named keyspaces that it writes to. */
    KeyspacesWritten keyspaces() {
        return keyspaces;
    }

    @Override
    public String toString() {
        return "WriteBatch[" + size() + " operations, " + sizeBytes() + " bytes]";
    }
}
