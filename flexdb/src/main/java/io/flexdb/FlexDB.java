package io.flexdb;

import static io.flexdb.Limits.notNull;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.batch.PayloadBuffer;
import io.flexdb.internal.memory.JvmMemory;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.read.KeptBytes;
import io.flexdb.internal.read.RangeEstimator;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.store.Store;
import io.flexdb.internal.store.StoreOpener;
import io.flexdb.internal.transaction.Footprint;
import io.flexdb.internal.write.Precondition;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.StoreHealth;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;

/**
 * An embedded ordered key-value store. Keys and values are bytes; keys are ordered as unsigned bytes, a shorter key
 * before a longer one that it begins.
 *
 * <pre>{@code
 * try (FlexDB db = FlexDB.open(Path.of("data"))) {
 *     db.put(key, value);
 *     byte[] found = db.get(key); // null if absent
 *     try (FlexCursor cursor = db.cursor()) {
 *         for (cursor.seek(key); cursor.isValid(); cursor.next()) {
 *             use(cursor.key(), cursor.value());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> Any thread may call any method at any time, virtual threads too. Reads take no lock and never wait
 * for writes or commits. Writes wait for each other only for the moment in which they get their sequence numbers, and
 * for the commit thread when it falls two memtables behind. Interrupting a thread neither fails its operation nor harms
 * the store.
 *
 * <p><b>Durability.</b> See {@link Durability}; the default survives the death of the process at once. Whatever the
 * mode, after a crash the store is as it was after some write, and a batch is there whole or not at all.
 *
 * <p><b>Limits.</b> Keys have 1 to 65,535 bytes, values up to {@link #MAX_VALUE_BYTES}; a write must fit a memtable.
 *
 * <p><b>Errors.</b> A bad argument gives an {@link IllegalArgumentException} and changes nothing. Every byte that comes
 * from a file is verified: damage gives a {@link io.flexdb.storage.CorruptionException}, never a wrong value. After a
 * failed write or force the store is stopped, since what is on disk is unknown: all methods but {@link #close()} throw
 * {@link io.flexdb.storage.StoreFailedException} until it is opened again. A commit that needs what is damaged or can't
 * be read makes the store read-only: writes throw {@link io.flexdb.storage.StoreReadOnlyException}, everything else
 * goes on, and nothing acknowledged is lost. {@link #health()} tells, and {@link FlexDBOptions#withHealthListener} when
 * it changes. After {@link #close()} all methods throw {@link io.flexdb.storage.StoreClosedException}.
 */
public final class FlexDB implements AutoCloseable {
    /** The longest value: 1 MiB less than 1 GiB. */
    public static final int MAX_VALUE_BYTES = Limits.MAX_VALUE_BYTES;

    private static final int MAX_TRIES = 1000; // of a transaction
    private static final int WAIT_NANOS = 20_000;
    private static final int MAX_WAITS = 100;
    private static final long KEPT_PAYLOAD_BYTES = 4 << 20; // on the heap, beside what is always kept

    // Null once closed, or who names a closed store would keep its memory: db.close(); db = FlexDB.open(...) needs
    // both.
    // Not volatile: who sees an old one is turned away by the store itself.
    private Store store;

    private final Health health;
    private final StoreSettings settings; // with all that was derived
    private final Path directory;
    private final Durability durability;
    private final StripedPool<PayloadBuffer> payloads = new StripedPool<>(PayloadBuffer::new);
    private final KeptBytes keptPayloads = new KeptBytes(KEPT_PAYLOAD_BYTES);

    private FlexDB(Store store) {
        this.store = store;
        this.health = store.health();
        this.settings = store.settings();
        this.directory = store.directory();
        this.durability = Durability.of(settings.force);
    }

    private Store store() {
        Store open = store;
        if (open == null) {
            throw health.refusal();
        }
        return open;
    }

    private StoreWriter writer() {
        return store().writer();
    }

    private StoreReader reader() {
        return store().reader();
    }

    /** Opens the store in a directory with default options, or creates one if it is empty or missing. */
    public static FlexDB open(Path directory) {
        return open(directory, FlexDBOptions.defaults());
    }

    /**
     * Opens the store in a directory, or creates one if it is empty or missing. After a crash, everything that the
     * write-ahead log has is recovered first.
     *
     * @throws io.flexdb.storage.StoreLockedException if it is open already, here or in another process
     * @throws io.flexdb.storage.NotAStoreException if the path is a file, or a directory with other files in it
     * @throws io.flexdb.storage.UnsupportedFormatException if a newer release wrote it; no file is changed
     * @throws io.flexdb.storage.CorruptionException if a file is damaged; no file is changed
     * @throws io.flexdb.storage.StoreIoException if a file can't be read or written
     * @throws io.flexdb.storage.StoreMemoryException if there is not enough for its indexes, which grow with the data;
     *     the message says how much it takes; no file is changed
     * @throws IllegalArgumentException if the memory that the options ask for does not fit what the JVM allows; the
     *     message is the sum
     */
    public static FlexDB open(Path directory, FlexDBOptions options) {
        notNull(directory, "directory");
        return open(new RealVfs(), directory, notNull(options, "options"), false);
    }

    static FlexDB open(Vfs vfs, Path directory, FlexDBOptions options, boolean inline) {
        return new FlexDB(StoreOpener.open(vfs, directory, options.settings(), inline));
    }

    static FlexDB open(
            Vfs vfs, Path directory, FlexDBOptions options, boolean inline, JvmMemory jvm, OffHeap.Source source) {
        return new FlexDB(StoreOpener.open(vfs, directory, options.settings(), inline, jvm, source));
    }

    // ---- writing

    /**
     * Sets the value of a key.
     *
     * @return the sequence number of the write
     */
    public long put(byte[] key, byte[] value) {
        return put(key, value, durability);
    }

    /**
     * Sets the value of a key with at least the durability given: a weaker one than the store's is raised to it.
     *
     * @return the sequence number of the write
     */
    public long put(byte[] key, byte[] value, Durability atLeast) {
        Durability mode = raised(atLeast);
        int keyLength = Limits.keyLength(key);
        int valueLength = Limits.valueLength(value);
        PayloadBuffer payload = borrowPayload();
        try {
            int at = payload.beginPut(keyLength, valueLength);
            System.arraycopy(key, 0, payload.bytes, at, keyLength);
            System.arraycopy(value, 0, payload.bytes, at + keyLength, valueLength);
            return write(payload, keyLength, valueLength, mode);
        } finally {
            giveBack(payload);
        }
    }

    /**
     * Sets the value of a key; both are what the buffers, heap or direct, have between position and limit. The
     * positions move to the limits.
     *
     * @return the sequence number of the write
     */
    public long put(ByteBuffer key, ByteBuffer value) {
        return put(key, value, durability);
    }

    /** The same with at least the durability given: a weaker one than the store's is raised to it. */
    public long put(ByteBuffer key, ByteBuffer value, Durability atLeast) {
        Durability mode = raised(atLeast);
        int keyLength = Limits.keyLength(key);
        int valueLength = Limits.valueLength(value);
        PayloadBuffer payload = borrowPayload();
        try {
            int at = payload.beginPut(keyLength, valueLength);
            key.get(key.position(), payload.bytes, at, keyLength);
            value.get(value.position(), payload.bytes, at + keyLength, valueLength);
            long sequence = write(payload, keyLength, valueLength, mode);
            key.position(key.limit());
            value.position(value.limit());
            return sequence;
        } finally {
            giveBack(payload);
        }
    }

    /**
     * Removes a key, if it is there.
     *
     * @return the sequence number of the write
     */
    public long delete(byte[] key) {
        return delete(key, durability);
    }

    /**
     * Removes a key, if it is there, with at least the durability given: a weaker one than the store's is raised to it.
     *
     * @return the sequence number of the write
     */
    public long delete(byte[] key, Durability atLeast) {
        return delete(ByteBuffer.wrap(notNull(key, "key")), atLeast);
    }

    /**
     * Removes the key that the buffer has between position and limit, if it is there.
     *
     * @return the sequence number of the write
     */
    public long delete(ByteBuffer key) {
        return delete(key, durability);
    }

    /** The same with at least the durability given: a weaker one than the store's is raised to it. */
    public long delete(ByteBuffer key, Durability atLeast) {
        Durability mode = raised(atLeast);
        int keyLength = Limits.keyLength(key);
        PayloadBuffer payload = borrowPayload();
        try {
            int at = payload.beginDelete(keyLength); // before the array is looked at, which it may replace
            key.get(key.position(), payload.bytes, at, keyLength);
            long sequence = write(payload, keyLength, 0, mode);
            key.position(key.limit());
            return sequence;
        } finally {
            giveBack(payload);
        }
    }

    private Durability raised(Durability atLeast) {
        return notNull(atLeast, "atLeast").orStronger(durability);
    }

    private long write(PayloadBuffer payload, int keyLength, int valueLength, Durability mode) {
        return write(payload, keyLength, valueLength, mode, null);
    }

    private long write(
            PayloadBuffer payload, int keyLength, int valueLength, Durability mode, Precondition precondition) {
        return writer().write(
                        payload.bytes,
                        payload.length(),
                        payload.checksum(),
                        1,
                        0,
                        MemTable.bodyBytes(keyLength, valueLength),
                        mode.force(),
                        precondition);
    }

    private PayloadBuffer borrowPayload() {
        PayloadBuffer payload = payloads.borrow();
        int bytes = payload.largeBytes();
        if (bytes > 0) {
            keptPayloads.take(bytes);
        }
        return payload;
    }

    private void giveBack(PayloadBuffer payload) {
        int bytes = payload.largeBytes(); // mostly none, and then nothing that threads share is written
        if (bytes > 0 && !keptPayloads.keep(bytes)) {
            return;
        }
        if (!payloads.giveBack(payload) && bytes > 0) {
            keptPayloads.take(bytes);
        }
    }

    /**
     * Removes all keys from one on to before another: those that are there at that moment, all at once, for readers and
     * across any crash. It returns after one append to the write-ahead log, whatever the range holds; the commit thread
     * frees what it held later, without reading it. Snapshots and cursors that are open still show it.
     *
     * @param fromInclusive the first key to go, whether it is there or not; null, or no bytes, for the first of
     *     all
     * @param toExclusive the first key to stay; null if none is
     * @return the sequence number of the write; that of the last visible one if both keys are equal, since nothing is
     *     to be removed then
     * @throws IllegalArgumentException if {@code fromInclusive} is above {@code toExclusive}, or a key is too long
     */
    public long deleteRange(byte[] fromInclusive, byte[] toExclusive) {
        return deleteRange(fromInclusive, toExclusive, durability);
    }

    /**
     * The same with at least the durability given: a weaker one than the store's is raised to it.
     *
     * @see #deleteRange(byte[], byte[])
     */
    public long deleteRange(byte[] fromInclusive, byte[] toExclusive, Durability atLeast) {
        return deleteRange(Limits.wrapBound(fromInclusive), Limits.wrapBound(toExclusive), atLeast);
    }

    /**
     * The same with keys that the buffers, heap or direct, have between position and limit. The positions move to the
     * limits.
     *
     * @see #deleteRange(byte[], byte[])
     */
    public long deleteRange(ByteBuffer fromInclusive, ByteBuffer toExclusive) {
        return deleteRange(fromInclusive, toExclusive, durability);
    }

    /**
     * The same with at least the durability given.
     *
     * @see #deleteRange(byte[], byte[], Durability)
     */
    public long deleteRange(ByteBuffer fromInclusive, ByteBuffer toExclusive, Durability atLeast) {
        Durability mode = raised(atLeast);
        if (Limits.isEmptyRange(fromInclusive, toExclusive)) {
            health.requireUsable();
            Limits.toLimit(fromInclusive);
            Limits.toLimit(toExclusive);
            return store().visibleSequence();
        }
        int fromLength = Limits.boundLength(fromInclusive);
        int toLength = Limits.boundLength(toExclusive);
        PayloadBuffer payload = borrowPayload();
        try {
            int at = payload.beginDeleteRange(fromLength, toLength); // before the array is looked at
            Limits.copyBound(fromInclusive, payload.bytes, at);
            Limits.copyBound(toExclusive, payload.bytes, at + fromLength);
            long bodyBytes = MemTable.bodyBytes(fromLength, toLength);
            long sequence =
                    writer().write(payload.bytes, payload.length(), payload.checksum(), 1, 1, bodyBytes, mode.force());
            Limits.toLimit(fromInclusive);
            Limits.toLimit(toExclusive);
            return sequence;
        } finally {
            giveBack(payload);
        }
    }

    /**
     * Applies a batch, all of it or nothing.
     *
     * @return the sequence number of its last operation; an empty batch gives that of the last visible write
     */
    public long write(WriteBatch batch) {
        return write(batch, durability);
    }

    /**
     * Applies a batch with at least the durability given: a weaker one than the store's is raised to it.
     *
     * @return the sequence number of its last operation; an empty batch gives that of the last visible write
     */
    public long write(WriteBatch batch, Durability atLeast) {
        notNull(batch, "batch");
        Durability mode = raised(atLeast);
        if (batch.size() == 0) {
            health.requireUsable();
            return store().visibleSequence();
        }
        return writer().write(
                        batch.payload(),
                        batch.sizeBytes(),
                        batch.checksum(),
                        batch.size(),
                        batch.ranges(),
                        batch.bodyBytes(),
                        mode.force());
    }

    // ---- transactions

    /** Begins a transaction under {@linkplain Isolation#SNAPSHOT snapshot isolation}. To be closed. */
    public Transaction begin() {
        return begin(Isolation.SNAPSHOT);
    }

    /** Begins a transaction. To be closed. */
    public Transaction begin(Isolation isolation) {
        return new Transaction(store(), durability, notNull(isolation, "isolation"));
    }

    /**
     * Runs something in a transaction and commits it, again and again until there is no conflict.
     *
     * @param work what to do; it may be run several times, and is not to commit itself. Whatever it throws ends the
     *     transaction without a commit
     * @return what the work has returned when it was committed
     * @throws ConflictException if there was a conflict each of many times
     */
    public <T> T transact(Isolation isolation, Function<Transaction, T> work) {
        notNull(work, "work");
        for (int tries = 1; ; tries++) {
            try (Transaction transaction = begin(isolation)) {
                T result = work.apply(transaction);
                transaction.commit();
                return result;
            } catch (ConflictException e) {
                if (tries == MAX_TRIES) {
                    throw e;
                }
            }
            giveWay(tries);
        }
    }

    /** Waits for a random time, longer the more often there was a conflict, so that one of those in it goes through. */
    private static void giveWay(int conflicts) {
        int most = Math.min(conflicts, MAX_WAITS) * WAIT_NANOS;
        LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(most));
    }

    /**
     * Sets the value of a key if it is absent.
     *
     * @return null if it was absent and is set now, else its value
     */
    public byte[] putIfAbsent(byte[] key, byte[] value) {
        Limits.valueLength(value);
        while (true) {
            byte[] found = get(key);
            if (found != null || compareAndSet(key, null, value)) {
                return found;
            }
        }
    }

    /**
     * Sets or removes the value of a key if it is what is expected, with no other write in between.
     *
     * @param expected null if the key is expected to be absent
     * @param value null to remove the key
     * @return whether it was as expected, and has been set
     */
    public boolean compareAndSet(byte[] key, byte[] expected, byte[] value) {
        Limits.keyLength(key);
        if (value != null) {
            Limits.valueLength(value);
        }
        Store open = store();
        long begun = open.beginTransaction();
        try {
            Footprint unchanged = open.newFootprint();
            while (true) {
                unchanged.reset(open.visibleSequence());
                if (!Arrays.equals(get(key), expected)) {
                    return false;
                }
                unchanged.addKey(key);
                if (set(key, value, unchanged) != StoreWriter.REFUSED) {
                    return true;
                }
            }
        } finally {
            open.endTransaction(begun);
        }
    }

    private long set(byte[] key, byte[] value, Precondition precondition) {
        PayloadBuffer payload = borrowPayload();
        try {
            int valueLength = value == null ? 0 : value.length;
            int at = value == null ? payload.beginDelete(key.length) : payload.beginPut(key.length, valueLength);
            System.arraycopy(key, 0, payload.bytes, at, key.length);
            if (value != null) {
                System.arraycopy(value, 0, payload.bytes, at + key.length, valueLength);
            }
            return write(payload, key.length, valueLength, durability, precondition);
        } finally {
            giveBack(payload);
        }
    }

    // ---- reading

    /** The value of a key, or null if it is absent. */
    public byte[] get(byte[] key) {
        Limits.keyLength(key);
        return reader().get(key, null);
    }

    /**
     * Copies the value of a key to a buffer, at its position, which moves behind it. The key's position moves to its
     * limit, unless this throws. Makes no garbage.
     *
     * @return bytes of the value, or -1 if the key is absent
     * @throws IllegalArgumentException if the buffer has less room than the value needs; the message says how much
     */
    public int get(ByteBuffer key, ByteBuffer destination) {
        return Snapshot.get(reader(), key, destination, null);
    }

    /**
     * Copies the value of a key to an array, from an offset on. Makes no garbage.
     *
     * @return bytes of the value, or -1 if the key is absent
     * @throws IllegalArgumentException if the offset is not within the array or at its end, or if there is less room
     *     behind it than the value needs, and then nothing is copied; the message says how much
     */
    public int get(byte[] key, byte[] destination, int offset) {
        return Snapshot.get(reader(), key, destination, offset, null);
    }

    /** Whether the store has a key. As {@link #valueLength(byte[])}, it reads no more of a long value than it has to. */
    public boolean containsKey(byte[] key) {
        return valueLength(key) >= 0;
    }

    /** The same for the key that a buffer has between position and limit. The position moves to the limit. */
    public boolean containsKey(ByteBuffer key) {
        return valueLength(key) >= 0;
    }

    /**
     * Bytes of a key's value, or -1 if the key is absent. What the answer comes from is verified: a pair of up to 8 KiB
     * is read whole, and verified by its own checksum. Of a longer one only the first bytes are read, which have its key
     * and its lengths; these are verified by their part of the file, the rest of the value is not. Makes no garbage.
     */
    public int valueLength(byte[] key) {
        Limits.keyLength(key);
        return reader().valueLength(key, null);
    }

    /** The same for the key that a buffer has between position and limit. The position moves to the limit. */
    public int valueLength(ByteBuffer key) {
        Limits.keyLength(key);
        return reader().valueLength(key, null);
    }

    /**
     * The values of several keys, all as of one moment. They are looked up in the order of the keys, so that those near
     * each other share the way to them.
     *
     * @param keys in any order; a key may come more than once
     * @return their values in the order of the keys in the list, null for each one that is absent
     * @throws IllegalArgumentException if the list or one of the keys is null, or a key is empty or too long
     * @throws IllegalStateException if open snapshots and cursors hold back more than {@code maxPinnedBytes}
     */
    public List<byte[]> multiGet(List<byte[]> keys) {
        return Snapshot.multiGet(reader(), keys, null);
    }

    /**
     * The same without garbage, with keys that buffers have between position and limit; the positions stay.
     *
     * @param values gets, for each key once, its value, or null if it is absent, and the index of the key in the list;
     *     not in the order of the list. The buffer is read-only, and has the value between position and limit until
     *     {@code accept} returns: who needs it longer makes a copy. It may do whatever it likes for as long as it likes,
     *     calls of this store included; whatever it throws ends the call
     */
    public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values) {
        Snapshot.multiGet(reader(), keys, values, null);
    }

    /**
     * How much a range of keys holds now, about. Takes O(log n), and reads no file.
     *
     * <p>Of what has been committed to the space, the bytes are right but for half an interval at each end: an interval
     * has up to 16 KiB, or one longer pair. The pairs of up to 256 intervals are right but for the same; those of a
     * larger range are what 32 places in it have on average. In the first seconds after a crash, while pairs are still
     * being counted, both may be further off.
     *
     * <p>What memtables have is added: their first 1,000 entries of the range are counted, and if there are more, all
     * of the memtable is taken to be like them. A pair that has been set again since it was committed counts twice, and
     * one that has been removed still counts, until the next commit.
     *
     * @param fromInclusive the first key of the range, whether it is there or not; null for the first of all
     * @param toExclusive the first key behind it; null if there is none
     * @throws IllegalArgumentException if {@code fromInclusive} is above {@code toExclusive}
     */
    public RangeEstimate estimateRange(byte[] fromInclusive, byte[] toExclusive) {
        if (Limits.isEmptyRange(Limits.wrapBound(fromInclusive), Limits.wrapBound(toExclusive))) {
            health.requireReadable();
            return new RangeEstimate(0, 0);
        }
        RangeEstimator estimate = reader().estimate(fromInclusive, toExclusive);
        return new RangeEstimate(estimate.bytes(), estimate.pairs());
    }

    /** A cursor over the store as it is now. To be closed. */
    public FlexCursor cursor() {
        return cursor(ReadOptions.defaults());
    }

    /** A cursor over what the options say. To be closed. */
    public FlexCursor cursor(ReadOptions options) {
        notNull(options, "options");
        Snapshot snapshot = options.snapshot();
        FlexCursor cursor = new FlexCursor(); // first: if there is no room for it, nothing is open
        cursor.open(reader().cursor(snapshot == null ? null : snapshot.pin(), null, 0, options.scan()));
        return cursor;
    }

    /** The store as it is now, to be read later. To be closed. */
    public Snapshot snapshot() {
        return new Snapshot(reader(), store().pinNewest("the snapshot"));
    }

    // ---- durability and figures

    /** Makes every write that has returned durable, whatever its mode. */
    public void sync() {
        store().sync();
    }

    /** Every write up to this sequence number is durable. Never falls. */
    public long durableSequence() {
        return store().durableSequence();
    }

    /** What the store still does, and why not more. In any state, closed included. */
    public StoreHealth health() {
        return health.current();
    }

    /** The settings as they have taken effect, with all that was derived from what the JVM allows. */
    public FlexDBOptions options() {
        return FlexDBOptions.of(settings);
    }

    /** Divides all coarse intervals now. For tests of stores without threads. */
    void refine() {
        store().refineHere();
    }

    /** Writes all fragmented intervals in one piece now. For tests of stores without threads. */
    void defragment() {
        store().defragmentHere();
    }

    /** Figures of this moment. */
    public FlexDBStats stats() {
        Store open = store();
        return open.figures(now -> FlexDBStats.of(open, now));
    }

    /**
     * Closes the store. Operations under way finish, writes are committed to the space and made durable, and the files
     * are closed and unlocked. Closing again does nothing; after a failure nothing is written. A store that is
     * read-only leaves to the write-ahead logs what it can't commit, and forces them.
     *
     * @throws io.flexdb.storage.StorageException if the last commit meets a full disk or damage, with everything kept
     *     in the write-ahead logs; or if a write fails. The store is closed all the same
     */
    @Override
    public void close() {
        Store open = store;
        if (open != null) {
            try {
                open.close();
            } finally {
                store = null;
            }
        }
    }

    @Override
    public String toString() {
        return "FlexDB[" + directory
                + (health.isUsable() ? "]" : ", " + health.current().state().label() + "]");
    }
}
