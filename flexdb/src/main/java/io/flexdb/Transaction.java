package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.MultiReader;
import io.flexdb.internal.read.OpenValue;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.internal.txn.OwnWrites;
import io.flexdb.storage.ConflictException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes that take effect together, or not at all. It reads the store as it was when it began, and what it has
 * written itself. Nobody else sees its writes before {@link #commit()}, which applies all of them as one batch, or throws
 * a {@link ConflictException} if somebody else has written what the {@link Isolation} says meanwhile; then nothing was
 * applied, and the whole may be run again: {@link FlexDB#transact} does that.
 *
 * <pre>{@code
 * try (Transaction transaction = db.begin()) {
 *     transaction.put(key, changed(transaction.get(key)));
 *     transaction.commit();
 * }
 * }</pre>
 *
 * <p>It still shows pairs that expire while it is open, and their expiry is no conflict.
 *
 * <p>No lock is held while it is open, and nobody waits for it. Like a snapshot it holds back memory and disk that later
 * writes would free, so it is to be closed soon; one that stays open while more is written than
 * {@link FlexDBOptions#withMaxPinnedBytes} allows for can't be committed any more, or is ended by the store, and throws
 * a {@link io.flexdb.storage.SnapshotTooOldException}.
 *
 * <p><b>Size.</b> It may write more than memory has room for. What is more than a memtable holds goes to the data file
 * as it comes, sorted, and is read from there; of that only a key and a place for each 16 KiB stay in memory, and of each
 * sorted run, of which there are few, a block. Each byte is written there once, once more for each time that eight runs
 * become one, and once where it stays; none goes to the log. A read of it may look at some blocks of each run. To commit
 * such a transaction is to merge it into the store as a {@link BulkLoad} is: nobody waits but who writes between its first
 * and its last key, it takes no sequence number, it is durable when the commit returns, whatever the {@link Durability},
 * and for other transactions it has written all keys between. It needs free space for what it has written twice. All that
 * is rolled back is free again. A key with its value must fit a memtable; operands for a key are in memory together when
 * it is read or committed.
 *
 * <p>It reads and writes the default keyspace; {@link #in} does so with another one in the same transaction.
 *
 * <p>For one thread at a time. After it or the store is closed, its methods throw
 * {@link io.flexdb.storage.StoreClosedException}.
 */
public final class Transaction extends ReadView implements AutoCloseable {
    private final StoreAccess access;
    /** A moment in a transaction, to {@linkplain Transaction#rollbackTo go back} to. */
    public static final class Savepoint {
        final OwnWrites.State state;

        Savepoint(OwnWrites.State state) {
            this.state = state;
        }
    }

    private final TransactionState all; // of it, in whichever keyspace
    private final boolean isView; // of another one, which alone ends it by being closed

    Transaction(StoreAccess access, Isolation isolation) {
        this(access, KeyHeads.DEFAULT, null, new TransactionState(access, isolation), false);
    }

    private Transaction(StoreAccess access, KeyHeads heads, KeyspaceState state, TransactionState all, boolean isView) {
        super(access, heads, state, all.pin);
        this.access = access;
        this.all = all;
        this.isView = isView;
    }

    /**
     * A view of this transaction that reads and writes another keyspace. Both read and write in one
     * transaction, which either may commit; closing the view does nothing.
     *
     * @param keyspace a named one, or the store itself for the default one
     * @throws io.flexdb.storage.NoSuchKeyspaceException if it had been dropped before the transaction began. One that is
     *     dropped meanwhile can be read, and what is written to it is a conflict
     */
    public Transaction in(Keyspace keyspace) {
        requireShown(keyspace);
        return new Transaction(access, keyspace.heads, keyspace.state, all, true);
    }

    // ---- reading

    @Override
    public byte @Nullable [] get(byte[] key) {
        int ref = find(key);
        return ref == MemTable.NONE ? super.get(key) : all.value(ref);
    }

    private int find(byte[] key) {
        Limits.keyLength(heads, key);
        return all.find(heads.stored(key));
    }

    private int find(ByteBuffer key) {
        Limits.keyLength(heads, key);
        return all.find(heads.stored(key));
    }

    @Override
    public int get(ByteBuffer key, ByteBuffer destination) {
        int room = Limits.notNull(destination, "destination").remaining();
        int ref = find(key);
        if (ref == MemTable.NONE) {
            return super.get(key, destination);
        }
        byte[] value = all.value(ref);
        if (value != null) {
            Limits.requireRoom(value.length, room, "value");
            destination.put(value);
        }
        key.position(key.limit());
        return value == null ? -1 : value.length;
    }

    @Override
    public int get(byte[] key, byte[] destination, int offset) {
        int room = Limits.room(destination, offset);
        int ref = find(key);
        if (ref == MemTable.NONE) {
            return super.get(key, destination, offset);
        }
        byte[] value = all.value(ref);
        if (value == null) {
            return -1;
        }
        System.arraycopy(value, 0, destination, offset, Limits.requireRoom(value.length, room, "value"));
        return value.length;
    }

    @Override
    public @Nullable ValueReader openValue(byte[] key) {
        int ref = find(key);
        if (ref == MemTable.NONE) {
            return super.openValue(key);
        }
        byte[] value = all.value(ref);
        return value == null ? null : new ValueReader(OpenValue.of(value, access.health));
    }

    @Override
    public int valueLength(byte[] key) {
        int ref = find(key);
        return ref == MemTable.NONE ? super.valueLength(key) : all.valueLength(ref);
    }

    @Override
    public int valueLength(ByteBuffer key) {
        int ref = find(key);
        if (ref == MemTable.NONE) {
            return super.valueLength(key);
        }
        key.position(key.limit());
        return all.valueLength(ref);
    }

    @Override
    public Optional<Instant> expiresAt(byte[] key) {
        int ref = find(key);
        return ref == MemTable.NONE ? super.expiresAt(key) : Limits.expiry(all.expiry(ref));
    }

    @Override
    public List<byte @Nullable []> multiGet(List<byte[]> keys) {
        byte[][] values = new byte[Limits.notNull(keys, "keys").size()][];
        read(
                stored(keys),
                new ObjIntConsumer<>() { // no lambda: in a full heap it may fail to be made, for good
                    @Override
                    public void accept(ByteBuffer value, int index) {
                        values[index] = copy(value);
                    }
                });
        return Arrays.asList(values);
    }

    @Override
    public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<@Nullable ByteBuffer> values) {
        Limits.notNull(keys, "keys");
        Limits.notNull(values, "values");
        byte[][] stored = new byte[keys.size()][];
        int count = 0;
        for (ByteBuffer key : keys) {
            Limits.keyLength(heads, key); // before anything is read
            stored[count++] = heads.stored(key);
        }
        read(stored, values);
    }

    private byte[][] stored(List<byte[]> keys) {
        byte[][] stored = new byte[keys.size()][];
        int count = 0;
        for (byte[] key : keys) {
            Limits.keyLength(heads, key); // before anything is read
            stored[count++] = heads.stored(key);
        }
        return stored;
    }

    /** Looks stored keys up. What was written here is copied first, since it may be written anew meanwhile. */
    private void read(byte[][] keys, ObjIntConsumer<ByteBuffer> values) {
        all.requireOpen();
        int[] others = new int[keys.length]; // that are looked up in the store: their indexes
        int otherCount = 0;
        byte[][] own = new byte[keys.length][];
        boolean[] isOwn = new boolean[keys.length];
        try (MultiReader several = access.reader().several(pin)) {
            for (int i = 0; i < keys.length; i++) {
                int ref = all.find(keys[i]);
                isOwn[i] = ref != MemTable.NONE;
                if (isOwn[i]) {
                    own[i] = all.value(ref);
                } else {
                    others[otherCount++] = i;
                    several.add(KeyHeads.RAW, keys[i]);
                }
            }
            for (int i = 0; i < keys.length; i++) {
                if (isOwn[i]) {
                    values.accept(
                            own[i] == null ? null : ByteBuffer.wrap(own[i]).asReadOnlyBuffer(), i);
                }
            }
            several.read(
                    new ObjIntConsumer<>() { // no lambda: in a full heap it may fail to be made, for good
                        @Override
                        public void accept(ByteBuffer value, int number) {
                            values.accept(value, others[number]);
                        }
                    });
        }
    }

    /**
     * A cursor over what the options say of all that the transaction sees now: what it writes later does not show. Closed
     * with the transaction at latest.
     *
     * @throws IllegalArgumentException if the options name a snapshot, or their bounds are not in order
     */
    @Override
    public FlexCursor cursor(ReadOptions options) {
        if (Limits.notNull(options, "options").snapshot() != null) {
            throw new IllegalArgumentException("a transaction reads what it began with, and no snapshot");
        }
        return all.cursor(options.scan(heads));
    }

    /** The sequence number of the last write of others that the transaction sees. */
    public long sequence() {
        return pin.sequence();
    }

    // ---- writing

    /** Sets the value of a key, to live as long as the {@link KeyspaceOptions} say, from now on. */
    public Transaction put(byte[] key, byte[] value) {
        return put(ByteBuffer.wrap(Limits.notNull(key, "key")), ByteBuffer.wrap(Limits.notNull(value, "value")));
    }

    /**
     * Sets the value of a key. Both are what the buffers have between position and limit, which becomes their position.
     */
    public Transaction put(ByteBuffer key, ByteBuffer value) {
        long ttl = KeyspaceState.ttlMillis(state);
        if (ttl != KeyspaceState.FOREVER) {
            Limits.notNull(key, "key");
            return addTimed(WritePayload.PUT_EXPIRING, key, value, all.expiryIn(ttl));
        }
        byte[] head = heads.of(Limits.notNull(key, "key"));
        int keyLength = head.length + Limits.keyLength(heads, key);
        int valueLength = Limits.valueLength(value);
        long bodyBytes = MemTable.bodyBytes(keyLength, valueLength);
        all.requireFits(WritePayload.putBytes(keyLength, valueLength), bodyBytes);
        OwnWrites writes = all.writes;
        int at = writes.beginPut(keyLength, valueLength);
        int valueAt = heads.copy(head, key, writes.bytes(), at);
        value.get(value.position(), writes.bytes(), valueAt, valueLength);
        writes.end();
        key.position(key.limit());
        value.position(value.limit());
        return this;
    }

    /**
     * Sets the value of a key for some time, which begins now.
     *
     * @param ttl as for {@link WriteOptions#withTimeToLive}
     */
    public Transaction put(byte[] key, byte[] value, Duration ttl) {
        ByteBuffer wrapped = ByteBuffer.wrap(Limits.notNull(key, "key"));
        return put(wrapped, ByteBuffer.wrap(Limits.notNull(value, "value")), ttl);
    }

    /**
     * Sets the value of a key for some time, which begins now. Both are what the buffers have between position and
     * limit, which becomes their position.
     *
     * @see #put(byte[], byte[], Duration)
     */
    public Transaction put(ByteBuffer key, ByteBuffer value, Duration ttl) {
        Limits.notNull(key, "key");
        return addTimed(WritePayload.PUT_EXPIRING, key, value, all.expiryIn(Limits.ttlMillis(ttl)));
    }

    private Transaction addTimed(int type, ByteBuffer key, ByteBuffer value, long time) {
        byte[] head = heads.of(key);
        int keyLength = head.length + Limits.keyLength(heads, key);
        int valueLength = Limits.valueLength(value);
        long bodyBytes = MemTable.bodyBytes(keyLength, valueLength + WritePayload.TIME_BYTES);
        all.requireFits(WritePayload.putBytes(keyLength, valueLength) + WritePayload.TIME_BYTES, bodyBytes);
        OwnWrites writes = all.writes;
        int at = writes.beginTimed(type, keyLength, valueLength);
        int valueAt = heads.copy(head, key, writes.bytes(), at);
        value.get(value.position(), writes.bytes(), valueAt, valueLength);
        writes.setTime(time);
        writes.end();
        key.position(key.limit());
        value.position(value.limit());
        return this;
    }

    /**
     * Changes the value of a key by an operand, as {@link Keyspace#merge(byte[], byte[])}. For others who write the key
     * it is a write like any other; it counts as made when the transaction is committed.
     *
     * @throws IllegalArgumentException if the merge function {@linkplain MergeFunction#checkOperand refuses} the operand
     * @throws IllegalStateException if the keyspace has no merge function
     */
    public Transaction merge(byte[] key, byte[] operand) {
        ByteBuffer wrapped = ByteBuffer.wrap(Limits.notNull(key, "key"));
        return merge(wrapped, ByteBuffer.wrap(Limits.notNull(operand, "operand")));
    }

    /**
     * Changes the value of a key by an operand. Both are what the buffers have between position and limit, which
     * becomes their position.
     *
     * @see #merge(byte[], byte[])
     */
    public Transaction merge(ByteBuffer key, ByteBuffer operand) {
        all.requireOpen();
        Limits.keyLength(heads, key);
        Limits.valueLength(operand);
        Limits.operand(access.store(), heads, key, operand);
        return addTimed(WritePayload.MERGE, key, operand, pin.time());
    }

    /** Removes a key, if it is there. */
    public Transaction delete(byte[] key) {
        return delete(ByteBuffer.wrap(Limits.notNull(key, "key")));
    }

    /** Removes the key that the buffer has between position and limit, which becomes its position. */
    public Transaction delete(ByteBuffer key) {
        byte[] head = heads.of(Limits.notNull(key, "key"));
        int keyLength = head.length + Limits.keyLength(heads, key);
        long bodyBytes = MemTable.bodyBytes(keyLength, 0);
        all.requireFits(WritePayload.deleteBytes(keyLength), bodyBytes);
        OwnWrites writes = all.writes;
        int at = writes.beginDelete(keyLength);
        heads.copy(head, key, writes.bytes(), at);
        writes.end();
        key.position(key.limit());
        return this;
    }

    /**
     * Removes all keys from one on to before another, as {@link FlexDB#deleteRange(byte[], byte[])}: those that others
     * write into the range meanwhile are a conflict.
     *
     * @param fromInclusive null or empty for the first key
     * @param toExclusive null for no end. For both ends open there is {@link #deleteAll}
     * @throws IllegalArgumentException if the first key is above the second, or the transaction has deleted
     *     {@link WriteBatch#MAX_RANGES} ranges
     */
    public Transaction deleteRange(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive) {
        return deleteRange(Limits.wrapBound(fromInclusive), Limits.wrapBound(toExclusive));
    }

    /**
     * Removes all keys from one on to before another. They are what the buffers have between position and limit, which
     * becomes their position.
     *
     * @see #deleteRange(byte[], byte[])
     */
    public Transaction deleteRange(@Nullable ByteBuffer fromInclusive, @Nullable ByteBuffer toExclusive) {
        all.requireOpen();
        if (!Limits.isEmptyRange(heads, fromInclusive, toExclusive)) {
            OwnWrites writes = all.writes;
            if (writes.allRanges() == WriteBatch.MAX_RANGES) {
                throw new IllegalArgumentException(
                        "the transaction would delete more than " + WriteBatch.MAX_RANGES + " ranges; split it");
            }
            byte[] from = Limits.storedFrom(heads, fromInclusive);
            byte[] to = Limits.storedTo(heads, toExclusive);
            long bodyBytes = MemTable.bodyBytes(from.length, to.length);
            all.requireFits(WritePayload.putBytes(from.length, to.length), bodyBytes);
            writes.deleteRange(from, to);
        }
        Limits.toLimit(fromInclusive);
        Limits.toLimit(toExclusive);
        return this;
    }

    /** Removes all keys of the keyspace. */
    public Transaction deleteAll() {
        return deleteRange((byte[]) null, null);
    }

    /** Remembers what was written so far, in whichever keyspace. */
    public Savepoint savepoint() {
        return all.savepoint();
    }

    /**
     * Takes back what was written since a savepoint, which stays; later ones are gone. What was read since counts all the
     * same. Closes the transaction's cursors.
     *
     * @throws IllegalArgumentException if the savepoint is another transaction's, or gone
     */
    public void rollbackTo(Savepoint savepoint) {
        all.rollbackTo(Limits.notNull(savepoint, "savepoint"));
    }

    // ---- the end

    /**
     * Applies all that was written, with the store's durability, and closes the transaction.
     *
     * @return the sequence number of the last operation, or of the last write before it if it is larger than a memtable,
     *     or {@link #sequence()} if nothing was written
     * @throws io.flexdb.storage.StoreFullException if there is no space for it; the transaction is closed, and nothing was
     *     applied
     * @throws ConflictException if the isolation forbids it; the transaction is closed, and nothing was applied
     */
    public long commit() {
        return all.commit(access.durability);
    }

    /**
     * Applies all that was written, with at least this durability, and closes the transaction.
     *
     * @see #commit()
     */
    public long commit(Durability atLeast) {
        return all.commit(Limits.notNull(atLeast, "atLeast"));
    }

    /**
     * Ends the transaction; without a commit nothing of it has happened. Closing again does nothing, and neither does
     * closing a view of it.
     */
    @Override
    public void close() {
        if (!isView) {
            all.close();
        }
    }

    /** Its own writes, in an object that may serve others afterwards. */
    Object writes() {
        return all.writes;
    }

    /** Whether it has written more than memory has room for. */
    boolean isSpilled() {
        return all.writes.isSpilled();
    }

    /** Has what is in memory go to the data file, whatever room there is. */
    void spill() {
        all.spill();
    }

    /** Runs in the data file that its reads look at. */
    int spilledRuns() {
        return all.writes.spilledRuns();
    }

    @Override
    public String toString() {
        return all.toString();
    }
}
