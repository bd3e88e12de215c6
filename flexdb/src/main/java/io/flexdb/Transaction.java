package io.flexdb;

import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.store.Store;
import io.flexdb.internal.transaction.Footprint;
import io.flexdb.internal.transaction.OwnWrites;
import io.flexdb.internal.version.PinnedVersion;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StoreClosedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

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
 * <p>No lock is held while it is open, and nobody waits for it. Like a snapshot it holds back memory and disk that later
 * writes would free, so it is to be closed soon; one that stays open while more is written than
 * {@link FlexDBOptions#withMaxPinnedBytes} can't be committed any more. Its writes are in memory, and must fit a memtable.
 *
 * <p>For one thread at a time. After it or the store is closed, its methods throw
 * {@link io.flexdb.storage.StoreClosedException}.
 */
public final class Transaction implements AutoCloseable {
    /** A moment in a transaction, to {@linkplain Transaction#rollbackTo go back} to. */
    public static final class Savepoint {
        private final int length;
        private final int entries;
        private final int ranges;
        private final long bodyBytes;

        private Savepoint(OwnWrites writes) {
            this.length = writes.length();
            this.entries = writes.entries();
            this.ranges = writes.ranges();
            this.bodyBytes = writes.bodyBytes();
        }
    }

    private final Store store;
    private final StoreReader reader;
    private final StoreWriter writer;
    private final Durability durability;
    private final Isolation isolation;
    private final PinnedVersion pin;
    private final long begun;
    private final Footprint footprint;
    private final OwnWrites writes;
    private final List<FlexCursor> cursors = new ArrayList<>(); // open ones, and some that were closed
    private final List<Savepoint> savepoints = new ArrayList<>();
    private int cursorsToKeep = 16;
    private boolean open = true;

    Transaction(Store store, Durability durability, Isolation isolation) {
        this.store = store;
        this.reader = store.reader();
        this.writer = store.writer();
        this.durability = durability;
        this.isolation = isolation;
        this.footprint = store.newFootprint();
        this.begun = store.beginTransaction();
        try {
            this.pin = store.pinNewest("the transaction");
            this.writes = store.ownWrites.borrow();
        } catch (Throwable e) {
            store.endTransaction(begun);
            throw e;
        }
        footprint.reset(pin.sequence());
    }

    private boolean isSerializable() {
        return isolation == Isolation.SERIALIZABLE;
    }

    private void requireOpen() {
        if (!open) {
            throw new StoreClosedException("the transaction");
        }
    }

    // ---- reading

    /** The value of a key, or null if it is absent. */
    public byte[] get(byte[] key) {
        Limits.keyLength(key);
        requireOpen();
        int ref = writes.find(key, key.length);
        if (ref != MemTable.NONE) {
            return ownValue(ref);
        }
        if (isSerializable()) {
            footprint.addKey(key.clone());
        }
        return reader.get(key, pin);
    }

    private byte[] ownValue(int ref) {
        if (!isPresent(ref)) {
            return null;
        }
        MemTable table = writes.table();
        byte[] value = new byte[table.valueLength(ref)];
        table.buffer().get(table.valuePosition(ref), value);
        return value;
    }

    /** Whether an own entry of a key that was found has a value. */
    private boolean isPresent(int ref) {
        return ref != OwnWrites.DELETED && writes.table().type(ref) == WritePayload.PUT;
    }

    /**
     * Copies the value of a key to a buffer.
     *
     * @return as for {@link FlexDB#get(ByteBuffer, ByteBuffer)}
     */
    public int get(ByteBuffer key, ByteBuffer destination) {
        int keyLength = Limits.keyLength(key);
        int room = Limits.notNull(destination, "destination").remaining();
        requireOpen();
        byte[] copy = new byte[keyLength];
        key.get(key.position(), copy);
        int ref = writes.find(copy, keyLength);
        if (ref == MemTable.NONE) {
            if (isSerializable()) {
                footprint.addKey(copy);
            }
            return Snapshot.get(reader, key, destination, pin);
        }
        MemTable table = writes.table();
        boolean present = isPresent(ref);
        if (present) {
            int length = Limits.requireRoom(table.valueLength(ref), room, "value");
            destination.put(destination.position(), table.buffer(), table.valuePosition(ref), length);
            destination.position(destination.position() + length);
        }
        key.position(key.limit());
        return present ? table.valueLength(ref) : -1;
    }

    /** A cursor over all that the transaction sees now: what it writes later does not show. Closed with it at latest. */
    public FlexCursor cursor() {
        return cursor(ReadOptions.defaults());
    }

    /**
     * A cursor over what the options say.
     *
     * @throws IllegalArgumentException if the options name a snapshot
     */
    public FlexCursor cursor(ReadOptions options) {
        Limits.notNull(options, "options");
        if (options.snapshot() != null) {
            throw new IllegalArgumentException("a transaction reads what it began with, and no snapshot");
        }
        requireOpen();
        if (cursors.size() >= cursorsToKeep) {
            cursors.removeIf(cursor -> !cursor.isOpen());
            cursorsToKeep = 2 * cursors.size() + 16;
        }
        FlexCursor cursor = new FlexCursor();
        cursors.add(cursor);
        cursor.open(reader.cursor(pin, writes.table(), writes.lastSequence(), options.scan()));
        if (isSerializable()) {
            cursor.trace(new RangesRead(footprint));
        }
        return cursor;
    }

    /** The sequence number of the last write of others that the transaction sees. */
    public long sequence() {
        return pin.sequence();
    }

    // ---- writing

    /** Sets the value of a key. */
    public Transaction put(byte[] key, byte[] value) {
        int keyLength = Limits.keyLength(key);
        int valueLength = Limits.valueLength(value);
        int at = beginPut(keyLength, valueLength);
        System.arraycopy(key, 0, writes.payload(), at, keyLength);
        System.arraycopy(value, 0, writes.payload(), at + keyLength, valueLength);
        writes.add(at + keyLength + valueLength, MemTable.bodyBytes(keyLength, valueLength));
        return this;
    }

    /** The same of what the buffers have between position and limit, which becomes their position. */
    public Transaction put(ByteBuffer key, ByteBuffer value) {
        int keyLength = Limits.keyLength(key);
        int valueLength = Limits.valueLength(value);
        int at = beginPut(keyLength, valueLength);
        key.get(key.position(), writes.payload(), at, keyLength);
        value.get(value.position(), writes.payload(), at + keyLength, valueLength);
        writes.add(at + keyLength + valueLength, MemTable.bodyBytes(keyLength, valueLength));
        key.position(key.limit());
        value.position(value.limit());
        return this;
    }

    private int beginPut(int keyLength, int valueLength) {
        requireOpen();
        requireFits(WritePayload.putBytes(keyLength, valueLength), MemTable.bodyBytes(keyLength, valueLength));
        return writes.beginPut(keyLength, valueLength);
    }

    private void requireFits(long payloadBytes, long bodyBytes) {
        writer.requireFits(writes.length() + payloadBytes, writes.bodyBytes() + bodyBytes, writes.entries() + 1);
    }

    /** Removes a key, if it is there. */
    public Transaction delete(byte[] key) {
        return delete(ByteBuffer.wrap(Limits.notNull(key, "key")));
    }

    /** Removes the key that the buffer has between position and limit, which becomes its position. */
    public Transaction delete(ByteBuffer key) {
        int keyLength = Limits.keyLength(key);
        requireOpen();
        requireFits(WritePayload.deleteBytes(keyLength), MemTable.bodyBytes(keyLength, 0));
        int at = writes.beginDelete(keyLength);
        key.get(key.position(), writes.payload(), at, keyLength);
        writes.add(at + keyLength, MemTable.bodyBytes(keyLength, 0));
        key.position(key.limit());
        return this;
    }

    /**
     * Removes all keys from one on to before another, as {@link FlexDB#deleteRange(byte[], byte[])}: those that others
     * write into the range meanwhile are a conflict.
     *
     * @param fromInclusive null or empty for the first key
     * @param toExclusive null for no end
     * @throws IllegalArgumentException if the first key is above the second, or the transaction has deleted
     *     {@link WriteBatch#MAX_RANGES} ranges
     */
    public Transaction deleteRange(byte[] fromInclusive, byte[] toExclusive) {
        ByteBuffer from = Limits.wrapBound(fromInclusive);
        ByteBuffer to = Limits.wrapBound(toExclusive);
        requireOpen();
        if (Limits.isEmptyRange(from, to)) {
            return this;
        }
        if (writes.ranges() == WriteBatch.MAX_RANGES) {
            throw new IllegalArgumentException(
                    "the transaction would delete more than " + WriteBatch.MAX_RANGES + " ranges; split it");
        }
        int fromLength = Limits.boundLength(from);
        int toLength = Limits.boundLength(to);
        long bodyBytes = MemTable.bodyBytes(fromLength, toLength);
        requireFits(WritePayload.putBytes(fromLength, toLength), bodyBytes);
        int at = writes.beginDeleteRange(fromLength, toLength);
        Limits.copyBound(from, writes.payload(), at);
        Limits.copyBound(to, writes.payload(), at + fromLength);
        writes.addRange(at + fromLength + toLength, bodyBytes);
        return this;
    }

    /** Remembers what was written so far. */
    public Savepoint savepoint() {
        requireOpen();
        Savepoint savepoint = new Savepoint(writes);
        savepoints.add(savepoint);
        return savepoint;
    }

    /**
     * Takes back what was written since a savepoint, which stays; later ones are gone. What was read since counts all the
     * same. Closes the transaction's cursors.
     *
     * @throws IllegalArgumentException if the savepoint is another transaction's, or gone
     */
    public void rollbackTo(Savepoint savepoint) {
        Limits.notNull(savepoint, "savepoint");
        requireOpen();
        int index = savepoints.indexOf(savepoint);
        if (index < 0) {
            throw new IllegalArgumentException("the savepoint is of another transaction, or was taken back");
        }
        savepoints.subList(index + 1, savepoints.size()).clear();
        closeCursors();
        writes.truncate(savepoint.length, savepoint.entries, savepoint.ranges, savepoint.bodyBytes);
    }

    // ---- the end

    /**
     * Applies all that was written, with the store's durability, and closes the transaction.
     *
     * @return the sequence number of the last operation, or {@link #sequence()} if nothing was written
     * @throws ConflictException if the isolation forbids it; the transaction is closed, and nothing was applied
     */
    public long commit() {
        return commit(durability);
    }

    /** The same with at least the durability given. */
    public long commit(Durability atLeast) {
        Limits.notNull(atLeast, "atLeast");
        requireOpen();
        try {
            store.health().requireUsable();
            if (writes.entries() == 0) {
                return pin.sequence();
            }
            for (FlexCursor cursor : cursors) {
                cursor.endTrace();
            }
            footprint.setWrites(writes.payload(), writes.length());
            long last = writer.write(
                    writes.payload(),
                    writes.length(),
                    writes.checksum(),
                    writes.entries(),
                    writes.ranges(),
                    writes.bodyBytes(),
                    atLeast.orStronger(durability).force(),
                    footprint);
            if (last == StoreWriter.REFUSED) {
                throw new ConflictException(
                        "the transaction can't be committed: " + footprint.conflict() + "; run it again");
            }
            return last;
        } finally {
            close();
        }
    }

    private void closeCursors() {
        for (FlexCursor cursor : cursors) {
            cursor.close();
        }
        cursors.clear();
    }

    /** Ends the transaction; without a commit nothing of it has happened. Closing again does nothing. */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        open = false;
        try {
            closeCursors();
            writes.clear();
            store.ownWrites.giveBack(writes);
        } finally {
            pin.close();
            store.endTransaction(begun);
        }
    }

    @Override
    public String toString() {
        return "Transaction[" + isolation + " at " + pin.sequence()
                + (open ? ", " + writes.entries() + " writes]" : ", closed]");
    }
}
