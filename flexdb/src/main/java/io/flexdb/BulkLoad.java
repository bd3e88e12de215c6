package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.internal.write.StoreLoad;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Brings any number of pairs, in key order, into a keyspace of a store in use: all of them at once, as one batch at the
 * moment of {@link #commit()}, at the pace at which the disk takes them.
 *
 * <pre>{@code
 * try (BulkLoad load = db.bulkLoad()) {
 *     for (Pair pair : sorted) {
 *         load.add(pair.key(), pair.value());
 *     }
 *     load.commit();
 * }
 * }</pre>
 *
 * <p>What is added goes to the data file at once, each byte once, and to no log and no memtable; of all of it only the
 * last 128 KiB are in memory, and some 40 bytes and a key for each 56 pairs or 16 KiB, about what the index takes for
 * them afterwards. Nobody sees anything of it before the commit, and if there is none nothing has happened.
 *
 * <p><b>Commit.</b> It sets the value of each key added, whatever that was; other keys stay as they are. Readers see all
 * of it or nothing, and so does who opens the store after a crash. Cursors, snapshots and transactions that are open go
 * on without it, and a transaction that has read or written among its keys, from the first to the last, can't be
 * committed any more. When the commit returns, the load is durable, whatever the {@link Durability}, and so is all that
 * was visible before it.
 *
 * <p><b>Others.</b> Reads never wait. Who writes between the first and the last key of the load waits for the end of its
 * commit; other writes go on. The commit forces what is not on the disk yet, and takes an entry in the index for each 56
 * pairs or 16 KiB where the store has no keys among those of the load, or the same ones. Where they alternate, the pairs that lie among others are read and written once
 * more, which takes as long as that does; for few pairs all over the store a {@link WriteBatch} is better.
 *
 * <p><b>Limits.</b> 8,388,608 extents, which is about a TiB of pairs much smaller than 128 KiB. Keys and values are those
 * of {@link FlexDB}.
 *
 * <p>For one thread at a time. Closing the store ends it.
 */
public final class BulkLoad implements AutoCloseable {
    private static final int SHOWN_BYTES = 32;

    private final StoreLoad load;
    private final StoreAccess access;
    private final KeyHeads heads;
    private final KeyspaceState state; // null for the default keyspace

    BulkLoad(StoreLoad load, StoreAccess access, KeyHeads heads, KeyspaceState state) {
        this.load = load;
        this.access = access;
        this.heads = heads;
        this.state = state;
    }

    /**
     * Adds a pair, which lives as long as the {@link KeyspaceOptions} say, from now on.
     *
     * @param key above that of the pair added before, as unsigned bytes
     * @throws IllegalArgumentException if it is not, or is no key; nothing was added, and others may be
     * @throws io.flexdb.storage.StoreFullException if there is no space for it; the load has ended
     */
    public BulkLoad add(byte[] key, byte[] value) {
        Limits.keyLength(heads, key);
        Limits.valueLength(value);
        return add(heads.stored(key).clone(), ByteBuffer.wrap(value), expiry());
    }

    /**
     * Adds a pair. Both are what the buffers, heap or direct, have between position and limit. The positions move to
     * the limits.
     *
     * @see #add(byte[], byte[])
     */
    public BulkLoad add(ByteBuffer key, ByteBuffer value) {
        Limits.keyLength(heads, key);
        Limits.valueLength(value);
        add(heads.stored(key), value, expiry());
        key.position(key.limit());
        value.position(value.limit());
        return this;
    }

    /**
     * Adds a pair that expires.
     *
     * @param ttl how long it lives from now on, above 0; a part of a millisecond counts as a whole
     * @see #add(byte[], byte[])
     */
    public BulkLoad add(byte[] key, byte[] value, Duration ttl) {
        Limits.keyLength(heads, key);
        Limits.valueLength(value);
        long millis = Limits.ttlMillis(ttl);
        long expiry = StoreClock.later(access.writer().now(), millis);
        return add(heads.stored(key).clone(), ByteBuffer.wrap(value), expiry);
    }

    /** When a pair expires whose time to live nobody has said. */
    private long expiry() {
        long ttl = KeyspaceState.ttlMillis(state);
        return ttl == KeyspaceState.FOREVER
                ? RecordFormat.NEVER
                : StoreClock.later(access.writer().now(), ttl);
    }

    /** Adds a pair of a file, with the time at which it expires, which may be over. */
    void addImported(byte[] key, int valueLength, Consumer<ByteBuffer> value, long expiry) {
        Limits.keyLength(heads, key);
        byte[] stored = heads.stored(key);
        requireAbove(stored);
        load.add(stored, valueLength, value, expiry);
    }

    private BulkLoad add(byte[] stored, ByteBuffer value, long expiry) {
        requireAbove(stored);
        load.add(stored, value, expiry);
        return this;
    }

    private void requireAbove(byte[] stored) {
        load.requireOpen();
        byte[] last = load.lastKey();
        if (Arrays.compareUnsigned(last, stored) >= 0) {
            throw new IllegalArgumentException("key " + shown(stored) + " of pair " + load.pairs()
                    + ", counted from 0, must be above that before it, " + shown(last));
        }
    }

    private static String shown(byte[] stored) {
        int head = KeyHeads.headBytes(stored);
        int length = stored.length - head;
        String hex = HexFormat.of().formatHex(stored, head, head + Math.min(SHOWN_BYTES, length));
        return "0x" + hex + (length > SHOWN_BYTES ? "... (" + length + " bytes)" : "");
    }

    /** Pairs added so far. */
    public long pairs() {
        return load.pairs();
    }

    /** Bytes of the pairs added so far, as they are stored. */
    public long bytes() {
        return load.bytes();
    }

    /**
     * Makes all that was added a part of the store, durably; the load has ended then, whether this throws or not. One
     * without pairs changes nothing.
     *
     * @return the sequence number of the last write before it; it takes none itself
     * @throws io.flexdb.storage.StoreFullException if there is no space for what has to be written; nothing has changed
     * @throws io.flexdb.storage.NoSuchKeyspaceException if the keyspace was dropped; nothing has changed
     * @throws io.flexdb.storage.StoreReadOnlyException if the store takes no writes because of damage
     * @throws io.flexdb.storage.CorruptionException if what the store has among the keys is damaged; nothing has changed
     * @throws io.flexdb.storage.StoreClosedException if the load has ended, or the store is closed
     */
    public long commit() {
        access.store(); // which throws at who may not use it, as a merge function
        return load.commit(state);
    }

    /** Ends the load. What was not committed is given back. */
    @Override
    public void close() {
        load.close();
    }

    @Override
    public String toString() {
        return "BulkLoad[pairs=" + pairs() + ", bytes=" + bytes() + "]";
    }
}
