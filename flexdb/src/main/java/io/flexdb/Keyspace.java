package io.flexdb;

import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.mem.ChannelBytes;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.open.Store;
import io.flexdb.internal.read.RangeEstimator;
import io.flexdb.internal.txn.Footprint;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.internal.write.Precondition;
import io.flexdb.internal.write.StoreWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pairs with an order of their own in a store that may have many such: each {@link FlexDB} is its own default keyspace,
 * and {@linkplain FlexDB#createKeyspace makes} others, which have names. A key is in one of them; the same bytes may be a
 * key of each. What is written to several of them, by a {@link WriteBatch} or a {@link Transaction}, takes effect
 * together, and a {@link Snapshot} shows all of them as of one moment.
 *
 * <pre>{@code
 * Keyspace users = db.createKeyspaceIfAbsent("users");
 * Keyspace byMail = db.createKeyspaceIfAbsent("users by mail");
 * db.write(new WriteBatch().in(users).put(id, user).in(byMail).put(mail, id));
 * }</pre>
 *
 * <p>There may be thousands. They share one space, one log and all memory, so that one more costs a few hundred bytes on
 * the heap; each key of a named one takes 3 bytes more, from the 240th that a store has ever had on 4, and so on up to 7.
 *
 * <p>Threads, durability and errors are those of {@link FlexDB}. A keyspace need not be closed; it ends with its store.
 * After it is dropped, reading and writing it throw a {@link io.flexdb.storage.NoSuchKeyspaceException}, while cursors,
 * snapshots and transactions that began before go on showing it.
 */
public sealed class Keyspace extends ReadView permits FlexDB {
    private static final Predicate<byte[]> IS_ABSENT = Objects::isNull;
    private static final Predicate<byte[]> IS_THERE = Objects::nonNull;
    private static final Predicate<byte[]> IS_ANY = found -> true;

    private static final WriteOptions DEFAULTS = WriteOptions.defaults();

    final StoreAccess access;

    Keyspace(StoreAccess access, KeyHeads heads, KeyspaceState state) {
        super(access, heads, state, null);
        this.access = access;
    }

    /** Its name; that of the default keyspace is empty. */
    public String name() {
        return state == null ? "" : state.name();
    }

    /**
     * The options that it has now, without what it has of the store's; the default keyspace has the
     * {@linkplain KeyspaceOptions#defaults defaults}.
     */
    public KeyspaceOptions keyspaceOptions() {
        return state == null
                ? KeyspaceOptions.defaults()
                : KeyspaceOptions.of(access.store().keyspaces().settings(state));
    }

    // ---- writing

    /**
     * Sets the value of a key.
     *
     * @return the sequence number of the write
     */
    public long put(byte[] key, byte[] value) {
        return put(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key, with a durability or a time to live of its own.
     *
     * @return the sequence number of the write
     */
    public long put(byte[] key, byte[] value, WriteOptions options) {
        Durability mode = access.durability(options);
        byte[] head = heads.of(Limits.notNull(key, "key"));
        int keyLength = head.length + Limits.keyLength(heads, key);
        int valueLength = Limits.valueLength(value);
        Payload payload = access.borrowPayload();
        try {
            long ttl = options.ttlMillis(state);
            int at = beginPut(payload, keyLength, valueLength, ttl);
            int valueAt = heads.copy(head, key, payload.bytes(), at);
            System.arraycopy(value, 0, payload.bytes(), valueAt, valueLength);
            endPut(payload, ttl);
            return write(Operations.PUTS, payload, mode, null);
        } finally {
            access.giveBack(payload);
        }
    }

    /**
     * Sets the value of a key; both are the bytes that the buffers, heap or direct, have between position and limit. The
     * positions move to the limits.
     *
     * @return the sequence number of the write
     */
    public long put(ByteBuffer key, ByteBuffer value) {
        return put(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key, with a durability or a time to live of its own; both are the bytes that the buffers, heap or
     * direct, have between position and limit. The positions move to the limits.
     *
     * @return the sequence number of the write
     */
    public long put(ByteBuffer key, ByteBuffer value, WriteOptions options) {
        Durability mode = access.durability(options);
        byte[] head = heads.of(Limits.notNull(key, "key"));
        int keyLength = head.length + Limits.keyLength(heads, key);
        int valueLength = Limits.valueLength(value);
        Payload payload = access.borrowPayload();
        try {
            long ttl = options.ttlMillis(state);
            int at = beginPut(payload, keyLength, valueLength, ttl);
            int valueAt = heads.copy(head, key, payload.bytes(), at);
            value.get(value.position(), payload.bytes(), valueAt, valueLength);
            endPut(payload, ttl);
            long sequence = write(Operations.PUTS, payload, mode, null);
            key.position(key.limit());
            value.position(value.limit());
            return sequence;
        } finally {
            access.giveBack(payload);
        }
    }

    private static int beginPut(Payload payload, int keyLength, int valueLength, long ttl) {
        return ttl != KeyspaceState.FOREVER
                ? payload.beginTimed(WritePayload.PUT_EXPIRING, keyLength, valueLength)
                : payload.beginPut(keyLength, valueLength);
    }

    /** Sets when the value expires, if it does. */
    private void endPut(Payload payload, long ttl) {
        if (ttl != KeyspaceState.FOREVER) {
            payload.setTime(StoreClock.later(access.writer().now(), ttl));
        }
        payload.end();
    }

    /**
     * Sets the value of a key to the next bytes of a channel, as {@link #put(byte[], ReadableByteChannel, long,
     * WriteOptions)} does with default options.
     *
     * @return the sequence number of the write
     * @throws java.io.EOFException if the channel ends before
     * @throws IOException as the channel does, or if it reads nothing though it should wait
     */
    public long put(byte[] key, ReadableByteChannel source, long length) throws IOException {
        return put(key, source, length, DEFAULTS);
    }

    /**
     * Sets the value of a key to the next bytes of a channel, be it of a file, a socket or, by
     * {@link java.nio.channels.Channels#newChannel(java.io.InputStream)}, a stream; and a {@link ValueReader} is one,
     * too. It may have any length that {@link #put(byte[], byte[])} takes. Of a large value ({@link
     * FlexDBOptions#withLargeValueBytes}) no more than 320 KiB are on the heap at a time: its bytes go to the data file
     * as they are read, and the write takes effect at the end, whole, as any other put. So others go on meanwhile,
     * however slow the channel is; but until the end it takes the disk space of what was read, and no space of what was
     * written beside it is used again. Another value is read whole first.
     *
     * <p>If this throws, whatever the reason, nothing has changed but how far the channel was read, and what was staged
     * is free again.
     *
     * @param source is read by this thread, and stays open; what it has behind the value stays in it
     * @param length bytes of the value
     * @return the sequence number of the write
     * @throws java.io.EOFException if the channel ends before
     * @throws IOException as the channel does, or if it reads nothing though it should wait
     * @throws java.nio.channels.IllegalBlockingModeException if it does not block
     */
    public long put(byte[] key, ReadableByteChannel source, long length, WriteOptions options) throws IOException {
        Durability mode = access.durability(options);
        Limits.keyLength(heads, key);
        int valueLength = Limits.sourceLength(source, length);
        byte[] stored = heads.stored(ByteBuffer.wrap(key)); // a copy: the caller may change the array meanwhile
        StoreWriter writer = access.writer();
        long ttl = options.ttlMillis(state);
        boolean expires = ttl != KeyspaceState.FOREVER;
        // Counted from the beginning of the call.
        long expiry = expires ? StoreClock.later(writer.now(), ttl) : RecordFormat.NEVER;
        if (writer.large().isStagedWhileRead(valueLength)) {
            long sequence = writer.writeFrom(stored, expiry, source, valueLength, mode.force(), state);
            access.operations.count(Operations.PUTS);
            return sequence;
        }
        access.health.requireUsable();
        requireThere();
        int timeBytes = expires ? WritePayload.TIME_BYTES : 0;
        if (!writer.large().isLarge(valueLength)) { // else it is staged as soon as it is here
            writer.requireFits( // before anything is read, or memory is taken for it
                    WritePayload.putBytes(stored.length, valueLength) + timeBytes,
                    MemTable.bodyBytes(stored.length, valueLength + timeBytes),
                    1);
        }
        Payload payload = Payload.reused();
        int at = beginPut(payload, stored.length, valueLength, ttl);
        System.arraycopy(stored, 0, payload.bytes(), at, stored.length);
        byte[] value = ChannelBytes.read(source, valueLength);
        System.arraycopy(value, 0, payload.bytes(), at + stored.length, valueLength);
        if (expires) {
            payload.setTime(expiry);
        }
        payload.end();
        return write(Operations.PUTS, payload, mode, null);
    }

    /**
     * Changes the value of a key by an operand, as the keyspace's merge function says: its own,
     * {@link KeyspaceOptions#withMergeFunction}, or that of the store, {@link FlexDBOptions#withMergeFunction}. It reads nothing, and
     * costs what a put costs; what others merge meanwhile is not lost. The function is applied by reads that come to the
     * key, and by the next commit, which has to read the value that there was: a read takes the longer the more
     * operands have come since the last commit.
     *
     * <p>What was merged into a value that expires expires with it; what comes later begins with no value.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException if the merge function {@linkplain MergeFunction#checkOperand refuses} the operand;
     *     nothing was written
     * @throws io.flexdb.storage.MergeException if the merge function fails for what was merged into the key, and that has
     *     grown to megabytes: a quarter of a memtable, or 4 MiB if that is less; or if the key's value, with what was
     *     merged into it since the last commit, is so long that a pair has no room for the operand beside it, which is 1
     *     GiB. Nothing was written
     * @throws IllegalStateException if the keyspace has no merge function
     */
    public long merge(byte[] key, byte[] operand) {
        return merge(key, operand, DEFAULTS);
    }

    /**
     * Changes the value of a key by an operand, as {@link #merge(byte[], byte[])}, with a durability of its own.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException besides, if the options have a time to live
     */
    public long merge(byte[] key, byte[] operand, WriteOptions options) {
        Limits.valueLength(operand);
        return merge(ByteBuffer.wrap(Limits.notNull(key, "key")), ByteBuffer.wrap(operand), options);
    }

    /**
     * Changes the value of a key by an operand, as {@link #merge(byte[], byte[])}; both are the bytes that the buffers, heap
     * or direct, have between position and limit. The positions move to the limits.
     *
     * @return the sequence number of the write
     */
    public long merge(ByteBuffer key, ByteBuffer operand) {
        return merge(key, operand, DEFAULTS);
    }

    /**
     * Changes the value of a key by an operand, as {@link #merge(byte[], byte[])}, with a durability of its own; both are
     * the bytes that the buffers, heap or direct, have between position and limit. The positions move to the limits.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException besides, if the options have a time to live
     */
    public long merge(ByteBuffer key, ByteBuffer operand, WriteOptions options) {
        Durability mode = access.durability(options, "merge");
        byte[] head = heads.of(Limits.notNull(key, "key"));
        int keyLength = head.length + Limits.keyLength(heads, key);
        int operandLength = Limits.valueLength(operand);
        Limits.operand(access.store(), heads, key, operand);
        Payload payload = access.borrowPayload();
        try {
            int at = payload.beginTimed(WritePayload.MERGE, keyLength, operandLength);
            int operandAt = heads.copy(head, key, payload.bytes(), at);
            operand.get(operand.position(), payload.bytes(), operandAt, operandLength);
            payload.end();
            long sequence = StoreWriter.TOO_OLD;
            while (sequence == StoreWriter.TOO_OLD) {
                long now = access.writer().now();
                payload.setTime(now);
                sequence = write(Operations.MERGES, payload, mode, null, now);
            }
            key.position(key.limit());
            operand.position(operand.limit());
            return sequence;
        } finally {
            access.giveBack(payload);
        }
    }

    /**
     * Removes a key, if it is there.
     *
     * @return the sequence number of the write
     */
    public long delete(byte[] key) {
        return delete(key, DEFAULTS);
    }

    /**
     * Removes a key, if it is there, with a durability of its own.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException if the key is too long, or the options have a time to live
     */
    public long delete(byte[] key, WriteOptions options) {
        return delete(ByteBuffer.wrap(Limits.notNull(key, "key")), options);
    }

    /**
     * Removes the key that the buffer has between position and limit, if it is there. The position moves to the limit.
     *
     * @return the sequence number of the write
     */
    public long delete(ByteBuffer key) {
        return delete(key, DEFAULTS);
    }

    /**
     * Removes the key that the buffer has between position and limit, if it is there, with a durability of its own. The
     * position moves to the limit.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException if the key is too long, or the options have a time to live
     */
    public long delete(ByteBuffer key, WriteOptions options) {
        Durability mode = access.durability(options, "delete");
        byte[] head = heads.of(Limits.notNull(key, "key"));
        int keyLength = head.length + Limits.keyLength(heads, key);
        Payload payload = access.borrowPayload();
        try {
            int at = payload.beginDelete(keyLength); // before the array is looked at, which it may replace
            heads.copy(head, key, payload.bytes(), at);
            payload.end();
            long sequence = write(Operations.DELETES, payload, mode, null);
            key.position(key.limit());
            return sequence;
        } finally {
            access.giveBack(payload);
        }
    }

    private long write(int kind, Payload payload, Durability mode, Precondition precondition) {
        return write(kind, payload, mode, precondition, Long.MAX_VALUE);
    }

    private long write(int kind, Payload payload, Durability mode, Precondition precondition, long operandTime) {
        Operations operations = access.operations;
        EventSpan event = StoreEvents.operation("write");
        long begun = operations.begin(Operations.WRITES);
        long sequence = access.writer().write(payload, mode.force(), precondition, state, operandTime);
        if (sequence >= 0) {
            operations.count(kind);
            Operations.end(operations.writes, begun);
            event.finish();
        }
        return sequence;
    }

    /**
     * Removes all keys from one on to before another: those that are there at that moment, all at once, for readers and
     * across any crash. It returns after one append to the write-ahead log, whatever the range holds; the commit thread
     * frees what it held later, without reading it. Snapshots and cursors that are open still show it.
     *
     * @param fromInclusive the first key to go, whether it is there or not; null, or no bytes, for the first of
     *     all
     * @param toExclusive the first key to stay; null if none is. For both ends open there is {@link #deleteAll}
     * @return the sequence number of the write; that of the last visible one if both keys are equal, since nothing is
     *     to be removed then
     * @throws IllegalArgumentException if {@code fromInclusive} is above {@code toExclusive}, or a key is too long
     */
    public long deleteRange(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive) {
        return deleteRange(fromInclusive, toExclusive, DEFAULTS);
    }

    /**
     * Removes all keys from one on to before another, as {@link #deleteRange(byte[], byte[])}, with a durability of its own.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException besides, if the options have a time to live
     */
    public long deleteRange(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive, WriteOptions options) {
        return deleteRange(Limits.wrapBound(fromInclusive), Limits.wrapBound(toExclusive), options);
    }

    /**
     * Removes all keys from one on to before another, as {@link #deleteRange(byte[], byte[])}; the keys are the bytes that
     * the buffers, heap or direct, have between position and limit. The positions move to the limits.
     *
     * @return the sequence number of the write
     */
    public long deleteRange(@Nullable ByteBuffer fromInclusive, @Nullable ByteBuffer toExclusive) {
        return deleteRange(fromInclusive, toExclusive, DEFAULTS);
    }

    /**
     * Removes all keys from one on to before another, as {@link #deleteRange(byte[], byte[])}, with a durability of its own;
     * the keys are the bytes that the buffers, heap or direct, have between position and limit. The positions move to the
     * limits.
     *
     * @return the sequence number of the write
     * @throws IllegalArgumentException besides, if the options have a time to live
     */
    public long deleteRange(
            @Nullable ByteBuffer fromInclusive, @Nullable ByteBuffer toExclusive, WriteOptions options) {
        Durability mode = access.durability(options, "deleteRange");
        if (Limits.isEmptyRange(heads, fromInclusive, toExclusive)) {
            access.health.requireUsable();
            if (state != null) {
                state.check();
            }
            Limits.toLimit(fromInclusive);
            Limits.toLimit(toExclusive);
            return access.store().visibleSequence();
        }
        byte[] from = Limits.storedFrom(heads, fromInclusive);
        byte[] to = Limits.storedTo(heads, toExclusive);
        Payload payload = access.borrowPayload();
        try {
            payload.deleteRange(from, to);
            long sequence = write(Operations.DELETES, payload, mode, null);
            Limits.toLimit(fromInclusive);
            Limits.toLimit(toExclusive);
            return sequence;
        } finally {
            access.giveBack(payload);
        }
    }

    /**
     * Removes all keys of the keyspace, as {@link #deleteRange(byte[], byte[])} with both ends open.
     *
     * @return the sequence number of the write
     */
    public long deleteAll() {
        return deleteRange((byte[]) null, null);
    }

    /**
     * Sets the value of a key if it is absent.
     *
     * @return null if it was absent and is set now, else its value
     */
    public byte @Nullable [] putIfAbsent(byte[] key, byte[] value) {
        return putIfAbsent(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key if it is absent, with a durability or a time to live of its own.
     *
     * @return null if it was absent and is set now, else its value
     */
    public byte @Nullable [] putIfAbsent(byte[] key, byte[] value, WriteOptions options) {
        Limits.valueLength(value);
        Limits.notNull(options, "options");
        byte[] found = get(key); // mostly it is there, which costs no more than a lookup then
        return found != null ? found : change(key, IS_ABSENT, value, options);
    }

    /**
     * Sets the value of a key, and tells what it was, with no other write in between.
     *
     * @return the value that it had; null if the key was absent
     */
    public byte @Nullable [] getAndSet(byte[] key, byte[] value) {
        return getAndSet(key, value, DEFAULTS);
    }

    /**
     * Sets the value of a key, with a durability or a time to live of its own, and tells what it was, with no other write in
     * between.
     *
     * @return the value that it had; null if the key was absent
     */
    public byte @Nullable [] getAndSet(byte[] key, byte[] value, WriteOptions options) {
        Limits.valueLength(value);
        return change(key, IS_ANY, value, options);
    }

    /**
     * Removes a key, and tells what its value was, with no other write in between.
     *
     * @return the value that it had; null if the key was absent, and then nothing is written
     */
    public byte @Nullable [] getAndDelete(byte[] key) {
        return getAndDelete(key, DEFAULTS);
    }

    /**
     * Removes a key, with a durability of its own, and tells what its value was, with no other write in between.
     *
     * @return the value that it had; null if the key was absent, and then nothing is written
     * @throws IllegalArgumentException if the key is too long, or the options have a time to live
     */
    public byte @Nullable [] getAndDelete(byte[] key, WriteOptions options) {
        return change(key, IS_THERE, null, options);
    }

    /**
     * Sets or removes the value of a key if it is what is expected, with no other write in between.
     *
     * @param expected null if the key is expected to be absent
     * @param value null to remove the key
     * @return whether it was as expected, and has been set
     */
    public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] value) {
        return compareAndSet(key, expected, value, DEFAULTS);
    }

    /**
     * Sets or removes the value of a key if it is what is expected, with no other write in between, and with a durability or
     * a time to live of its own.
     *
     * @param expected null if the key is expected to be absent
     * @param value null to remove the key
     * @return whether it was as expected, and has been set
     * @throws IllegalArgumentException if there is no value, but a time to live
     */
    public boolean compareAndSet(
            byte[] key, byte @Nullable [] expected, byte @Nullable [] value, WriteOptions options) {
        if (value != null) {
            Limits.valueLength(value);
        }
        return Arrays.equals(change(key, isEqualTo(expected), value, options), expected);
    }

    private static Predicate<byte[]> isEqualTo(byte[] expected) {
        return new Predicate<>() { // no lambda: in a full heap it may fail to be made, for good
            @Override
            public boolean test(byte[] found) {
                return Arrays.equals(found, expected);
            }
        };
    }

    /**
     * Sets or removes the value of a key if it is as wanted, with no other write in between.
     *
     * @param wanted is asked for the value that the key has, or null if it is absent
     * @param value null to remove the key
     * @return the value that it had; it has been changed if that was wanted
     */
    private byte[] change(byte[] key, Predicate<byte[]> wanted, byte[] value, WriteOptions options) {
        Durability mode = value == null ? access.durability(options, "delete") : access.durability(options);
        Limits.keyLength(heads, key);
        Store open = access.store();
        long begun = open.beginTransaction();
        try {
            Footprint unchanged = open.newFootprint();
            while (true) {
                unchanged.reset(open.visibleSequence(), open.publishedRuns());
                byte[] found = get(key);
                if (!wanted.test(found)) {
                    return found;
                }
                unchanged.addKey(heads.stored(key));
                if (set(key, value, options, mode, unchanged) != StoreWriter.REFUSED) {
                    return found;
                }
            }
        } finally {
            open.endTransaction(begun);
        }
    }

    private long set(byte[] key, byte[] value, WriteOptions options, Durability mode, Precondition precondition) {
        byte[] head = heads.of(key);
        int keyLength = head.length + key.length;
        Payload payload = access.borrowPayload();
        try {
            if (value == null) {
                int at = payload.beginDelete(keyLength); // before the array is looked at, which it may replace
                heads.copy(head, key, payload.bytes(), at);
                payload.end();
                return write(Operations.DELETES, payload, mode, precondition);
            }
            long ttl = options.ttlMillis(state);
            int at = beginPut(payload, keyLength, value.length, ttl);
            System.arraycopy(value, 0, payload.bytes(), heads.copy(head, key, payload.bytes(), at), value.length);
            endPut(payload, ttl);
            return write(Operations.PUTS, payload, mode, precondition);
        } finally {
            access.giveBack(payload);
        }
    }

    // ---- many pairs at once

    /** Begins to bring many pairs in, in key order, past memtables and write-ahead logs. To be closed. */
    public BulkLoad bulkLoad() {
        if (state != null) {
            state.check();
        }
        return new BulkLoad(access.store().beginLoad(), access, heads, state);
    }

    /**
     * Loads the pairs of a file that {@link #exportTo(java.nio.file.Path)} has written, of this store or another, as one
     * {@link #bulkLoad()}: all of them or, if the file is damaged or was cut short, none.
     *
     * @return how many pairs there were
     * @throws io.flexdb.storage.CorruptionException if the file is no such file, or not as it was written
     * @throws io.flexdb.storage.UnsupportedFormatException if a newer release wrote it
     * @throws IllegalArgumentException if a key is too long for this keyspace
     * @see BulkLoad#commit()
     */
    public long importFrom(Path source) {
        return RunFiles.load(this, Limits.localPath(source, "source"));
    }

    // ---- compaction

    /**
     * Makes the keyspace take as little disk space as it can, and as few reads, while reads and writes go on: commits
     * what was written before, removes expired pairs, and writes each interval in one piece. The time it takes grows
     * with the keyspace. See {@link #compact(byte[], byte[], Progress)} for the errors.
     */
    public void compact() {
        compact(null, null, Progress.NONE);
    }

    /**
     * Makes a range of keys take as little disk space as it can, and as few reads, while reads and writes go on:
     * commits what was written before, removes expired pairs, and writes each interval in one piece. The time it
     * takes grows with the range. See {@link #compact(byte[], byte[], Progress)} for the errors.
     *
     * @param fromInclusive the first key of the range, whether it is there or not; null for the first of all
     * @param toExclusive the first key behind the range; null if there is none
     */
    public void compact(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive) {
        compact(fromInclusive, toExclusive, Progress.NONE);
    }

    /**
     * Makes a range take as little disk space as it can, and as few reads, while reads and writes go on: commits what was
     * written before, removes pairs that have expired, writes each interval of the range in one piece that lies in
     * several, and gives back to the disk what is free then. The store does all of this itself, in spare time and as
     * far as it pays. Call this to have it now, after deleting much, for example, or before a time of many reads.
     *
     * <p>The time it takes grows with the range. An open {@link Snapshot}, cursor or {@link Transaction} keeps the disk
     * space of what it shows. A crash or an end in the middle harms nothing.
     *
     * @param fromInclusive the first key of the range, whether it is there or not; null for the first of all
     * @param toExclusive the first key behind it; null if there is none
     * @param progress is told how many bytes of the range have been gone through, and may end it
     * @throws io.flexdb.storage.StoreFullException if there is no room to write an interval anew; the store goes on
     * @throws io.flexdb.storage.CorruptionException if a pair of the range is damaged; the store goes on
     * @throws io.flexdb.storage.StoreReadOnlyException if the store takes no writes because of damage
     * @throws io.flexdb.storage.StoreClosedException if the store is closed before it has ended
     * @throws IllegalArgumentException if {@code fromInclusive} is above {@code toExclusive}
     */
    public void compact(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive, Progress progress) {
        Limits.notNull(progress, "progress");
        ByteBuffer from = Limits.wrapBound(fromInclusive);
        ByteBuffer to = Limits.wrapBound(toExclusive);
        boolean isEmpty = Limits.isEmptyRange(heads, from, to);
        Store open = access.store();
        requireThere();
        if (isEmpty) {
            open.flush();
            return;
        }
        open.compact(Limits.storedFrom(heads, from), Limits.storedTo(heads, to), progress::done);
    }

    // ---- figures

    /**
     * How much a range of keys holds now, about. Takes O(log n), and reads no file.
     *
     * <p>Of what has been committed to the space, the bytes are right but for half an interval at each end: an interval
     * has up to 16 KiB, or one longer pair, and one that the default keyspace ends in may count whole. The pairs of up to 256 intervals are right but for the same; those of a
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
    public RangeEstimate estimateRange(byte @Nullable [] fromInclusive, byte @Nullable [] toExclusive) {
        ByteBuffer from = Limits.wrapBound(fromInclusive);
        ByteBuffer to = Limits.wrapBound(toExclusive);
        if (Limits.isEmptyRange(heads, from, to)) {
            access.health.requireReadable();
            requireThere();
            return new Figures.Range(0, 0);
        }
        RangeEstimator estimate = access.reader().estimate(Limits.storedFrom(heads, from), Limits.storedTo(heads, to));
        requireThere();
        return new Figures.Range(estimate.bytes(), estimate.pairs());
    }

    /** How much the keyspace holds now, about: {@link #estimateRange} with both ends open. */
    public RangeEstimate estimate() {
        return estimateRange(null, null);
    }

    /** Whether it is the same keyspace of the same open store: what is made later by a name that was dropped is not. */
    @Override
    public final boolean equals(Object other) {
        return other instanceof Keyspace keyspace && source == keyspace.source && state == keyspace.state;
    }

    @Override
    public final int hashCode() {
        return 31 * System.identityHashCode(source) + System.identityHashCode(state);
    }

    @Override
    public String toString() {
        return state.toString();
    }
}
