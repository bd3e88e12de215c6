package io.flexdb;

import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.Operations;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.read.MultiReader;
import io.flexdb.internal.read.OpenValue;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.txn.KeyspaceState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What can be read of one keyspace: as it is now ({@link FlexDB}, {@link Keyspace}), as it was ({@link Snapshot}), as
 * a {@link Transaction} sees it, or beside the writer ({@link FlexDBReader}, {@link KeyspaceReader}).
 *
 * <p>Keys have 1 to 65,535 bytes; those that begin with 0xFF, and those of named keyspaces, at most 65,528. Damage that
 * a read meets is a {@link io.flexdb.storage.CorruptionException}. Reading a value that the {@link MergeFunction} fails
 * for throws a {@link io.flexdb.storage.MergeException} with its key. Reading a keyspace that was dropped before the
 * moment that the view shows throws a {@link io.flexdb.storage.NoSuchKeyspaceException}.
 */
public abstract sealed class ReadView permits Keyspace, KeyspaceReader, Snapshot, Transaction {
    final ReadSource source;
    final KeyHeads heads;
    final KeyspaceState state; // null for the default keyspace
    final PinnedVersion pin; // null for what is newest

    ReadView(ReadSource source, KeyHeads heads, KeyspaceState state, PinnedVersion pin) {
        this.source = source;
        this.heads = heads;
        this.state = state;
        this.pin = pin;
    }

    /** Throws if what was just read, or pinned, may be that of a keyspace which is dropped. */
    final void requireThere() {
        if (state != null && pin == null) { // a snapshot and a transaction have asked at first
            state.check();
        }
    }

    /** Throws unless a keyspace is of this view's store, and was not dropped before what the view shows. */
    final void requireShown(Keyspace keyspace) {
        if (Limits.notNull(keyspace, "keyspace").source != source) {
            throw new IllegalArgumentException(keyspace + " is of another store, or was got before this one was opened;"
                    + " get it from the store that it is used with");
        }
        if (keyspace.state != null) {
            keyspace.state.check(pin.sequence());
        }
    }

    /** The value of a key, or null if it is absent. */
    public byte @Nullable [] get(byte[] key) {
        Limits.keyLength(heads, key);
        Operations operations = source.operations();
        EventSpan event = StoreEvents.operation("get");
        long begun = operations.begin(Operations.GETS);
        byte[] value = source.reader().get(heads, key, pin);
        Operations.end(operations.gets, begun);
        event.finish();
        requireThere();
        return value;
    }

    /**
     * Copies the value of a key to a buffer, at its position, which moves behind it. The key's position moves to its
     * limit, unless this throws. Makes no garbage.
     *
     * @return bytes of the value, or -1 if the key is absent
     * @throws IllegalArgumentException if the buffer has less room than the value needs; the message says how much
     */
    public int get(ByteBuffer key, ByteBuffer destination) {
        Limits.keyLength(heads, key);
        int room = Limits.notNull(destination, "destination").remaining();
        Operations operations = source.operations();
        EventSpan event = StoreEvents.operation("get");
        long begun = operations.begin(Operations.GETS);
        int length = Limits.requireRoom(source.reader().get(heads, key, destination, pin), room, "value");
        Operations.end(operations.gets, begun);
        event.finish();
        requireThere();
        return length;
    }

    /**
     * Copies the value of a key to an array, from an offset on. Makes no garbage.
     *
     * @return bytes of the value, or -1 if the key is absent
     * @throws IllegalArgumentException if the offset is not within the array or at its end, or if there is less room
     *     behind it than the value needs, and then nothing is copied; the message says how much
     */
    public int get(byte[] key, byte[] destination, int offset) {
        Limits.keyLength(heads, key);
        int room = Limits.room(destination, offset);
        Operations operations = source.operations();
        EventSpan event = StoreEvents.operation("get");
        long begun = operations.begin(Operations.GETS);
        int length = Limits.requireRoom(source.reader().get(heads, key, destination, offset, pin), room, "value");
        Operations.end(operations.gets, begun);
        event.finish();
        requireThere();
        return length;
    }

    /**
     * Opens the value of a key, to be read by parts: of a value of more than some KiB nothing is read before it is
     * asked for. To be closed.
     *
     * @return null if the key is absent
     */
    public @Nullable ValueReader openValue(byte[] key) {
        Limits.keyLength(heads, key);
        source.operations().count(Operations.GETS);
        OpenValue value = source.reader().open(heads, key, pin);
        try {
            requireThere();
        } catch (RuntimeException e) {
            if (value != null) {
                value.close();
            }
            throw e;
        }
        return value == null ? null : new ValueReader(value);
    }

    /** Whether a key is there. As {@link #valueLength(byte[])}, it reads no more of a long value than it has to. */
    public boolean containsKey(byte[] key) {
        return valueLength(key) >= 0;
    }

    /**
     * Whether a key is there: the one that a buffer has between position and limit. The position moves to the limit.
     *
     * @see #containsKey(byte[])
     */
    public boolean containsKey(ByteBuffer key) {
        return valueLength(key) >= 0;
    }

    /**
     * Bytes of a key's value, or -1 if the key is absent. What the answer comes from is verified: a pair of up to 8 KiB
     * is read whole, and verified by its own checksum. Of a longer one only the first bytes are read, which have its key
     * and its lengths; these are verified by their part of the file, the rest of the value is not. Makes no garbage.
     */
    public int valueLength(byte[] key) {
        Limits.keyLength(heads, key);
        source.operations().count(Operations.GETS);
        int length = source.reader().valueLength(heads, key, pin);
        requireThere();
        return length;
    }

    /**
     * Bytes of the value of a key, or -1 if it is absent. The key is what a buffer has between position and limit; the
     * position moves to the limit.
     *
     * @see #valueLength(byte[])
     */
    public int valueLength(ByteBuffer key) {
        Limits.keyLength(heads, key);
        source.operations().count(Operations.GETS);
        int length = source.reader().valueLength(heads, key, pin);
        requireThere();
        return length;
    }

    /**
     * When the value of a key expires; empty if it does not, or the key is absent. In a view of one moment that may be
     * over already.
     */
    public Optional<Instant> expiresAt(byte[] key) {
        Limits.keyLength(heads, key);
        source.operations().count(Operations.GETS);
        Optional<Instant> expiry = Limits.expiry(source.reader().expiry(heads, key, pin));
        requireThere();
        return expiry;
    }

    /**
     * The values of several keys, all as of one moment. They are looked up in the order of the keys, so that those near
     * each other share the way to them.
     *
     * @param keys in any order; a key may come more than once
     * @return their values in the order of the keys in the list, null for each one that is absent
     * @throws IllegalArgumentException if a key is empty or too long; nothing was read
     * @throws NullPointerException if the list or one of the keys is null; nothing was read
     */
    public List<byte @Nullable []> multiGet(List<byte[]> keys) {
        byte[][] values = new byte[Limits.notNull(keys, "keys").size()][];
        for (byte[] key : keys) {
            Limits.keyLength(heads, key); // before anything is read
        }
        source.operations().add(Operations.GETS, values.length);
        EventSpan event = StoreEvents.operation("multiGet");
        try (MultiReader several = source.reader().several(pin)) {
            requireThere();
            for (byte[] key : keys) {
                several.add(heads, key);
            }
            several.read(
                    new ObjIntConsumer<>() { // no lambda, which the JVM may fail to make in a full heap, for good
                        @Override
                        public void accept(ByteBuffer value, int index) {
                            values[index] = copy(value);
                        }
                    });
        }
        event.finish();
        return Arrays.asList(values);
    }

    /** A copy of what a buffer has, or null for null. */
    static byte[] copy(ByteBuffer value) {
        if (value == null) {
            return null;
        }
        byte[] copy = StoreReader.newValue(value.remaining());
        value.get(copy);
        return copy;
    }

    /**
     * Looks up several keys as of one moment, without garbage. A key is what a buffer has between position and limit;
     * the positions stay.
     *
     * @param values gets, for each key once, its value, or null if it is absent, and the index of the key in the list;
     *     not in the order of the list. The buffer is read-only, and has the value between position and limit until
     *     {@code accept} returns: who needs it longer makes a copy. It may do whatever it likes for as long as it likes,
     *     calls of this store included; whatever it throws ends the call
     */
    public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<@Nullable ByteBuffer> values) {
        int count = Limits.notNull(keys, "keys").size();
        Limits.notNull(values, "values");
        for (int i = 0; i < count; i++) { // without an iterator, which would be garbage
            Limits.keyLength(heads, keys.get(i));
        }
        source.operations().add(Operations.GETS, count);
        EventSpan event = StoreEvents.operation("multiGet");
        try (MultiReader several = source.reader().several(pin)) {
            requireThere();
            for (int i = 0; i < count; i++) {
                several.add(heads, keys.get(i));
            }
            several.read(values);
        }
        event.finish();
    }

    /** A cursor over all pairs of the view, as they are now. To be closed. */
    public FlexCursor cursor() {
        return cursor(ReadOptions.defaults());
    }

    /**
     * A cursor over what the options say, which shows keys of this keyspace and no others. To be closed.
     *
     * @throws IllegalArgumentException if the bounds are not in order, or if the options name a snapshot and this is a
     *     snapshot or a transaction itself
     */
    public FlexCursor cursor(ReadOptions options) {
        PinnedVersion shown = pin;
        StoreReader reader;
        Snapshot snapshot = Limits.notNull(options, "options").snapshot();
        if (snapshot != null) {
            if (pin != null) {
                throw new IllegalArgumentException("what shows one moment already shows no other: " + snapshot);
            }
            shown = snapshot.pin;
            if (state != null) {
                state.check(shown.sequence());
            }
            reader = source.reader(snapshot);
        } else {
            reader = source.reader();
        }
        source.operations().count(Operations.SCANS);
        FlexCursor cursor = new FlexCursor(); // first: if there is no room for it, nothing is open
        cursor.open(reader.cursor(shown, null, options.scan(heads)));
        if (shown == null) {
            try {
                requireThere();
            } catch (RuntimeException e) {
                cursor.close();
                throw e;
            }
        }
        return cursor;
    }

    /**
     * Gives each pair to an action, in key order, as the pairs are when this is called.
     *
     * @param action gets copies of key and value. It may call the store. An exception of it ends the iteration, and
     *     is thrown to the caller
     */
    public void forEach(BiConsumer<byte[], byte @Nullable []> action) {
        forEach(ReadOptions.defaults(), action);
    }

    /**
     * Gives each pair that the options show to an action, as they are when this is called: in key order or in reverse,
     * up to the {@linkplain ReadOptions#withLimit limit}.
     *
     * <pre>{@code
     * db.forEach(ReadOptions.defaults().withPrefix(user).withReverse(true).withLimit(20), (key, value) -> show(key, value));
     * }</pre>
     *
     * @param action gets copies of key and value, null for the value if the options ask for keys only. It may call the
     *     store. An exception of it ends the iteration, and is thrown to the caller
     */
    public void forEach(ReadOptions options, BiConsumer<byte[], byte @Nullable []> action) {
        Limits.notNull(action, "action");
        try (FlexCursor cursor = cursor(options)) {
            for (KeyValue pair : cursor) {
                action.accept(pair.key(), pair.value());
            }
        }
    }

    /**
     * All pairs as a sequential stream, in key order, as they are when this is called. They are read as the stream is
     * consumed. An open stream holds what a cursor holds: close it, by try-with-resources, unless it is consumed to
     * its end.
     */
    public Stream<KeyValue> stream() {
        return stream(ReadOptions.defaults());
    }

    /**
     * The pairs that the options show as a sequential stream, as they are when this is called: in key order or in
     * reverse, up to the {@linkplain ReadOptions#withLimit limit}. They are read as the stream is consumed.
     *
     * <p>An open stream holds what a cursor holds: it is to be closed, by try-with-resources, unless it is consumed to its
     * end.
     *
     * <pre>{@code
     * try (Stream<KeyValue> orders = db.stream(ReadOptions.defaults().withPrefix(customer))) {
     *     return orders.map(Order::decode).filter(Order::isOpen).limit(20).toList();
     * }
     * }</pre>
     */
    public Stream<KeyValue> stream(ReadOptions options) {
        return cursor(options).stream();
    }

    /**
     * Writes all pairs, as they are when this is called, to a file from which {@link Keyspace#importFrom(Path)} can
     * load them into any store. The file has its name only once it is whole and durable. See
     * {@link #exportTo(Path, ReadOptions, Progress)} for the errors.
     *
     * @param target there must be nothing of this name; its directory must exist
     * @return how many pairs were written
     */
    public long exportTo(Path target) {
        return exportTo(target, ReadOptions.defaults(), Progress.NONE);
    }

    /**
     * Writes pairs, as they are when this is called, to a file from which {@link Keyspace#importFrom(Path)} can load them
     * into any store: in key order, with the times at which they expire, and with checksums. The file has its name only
     * once it is whole and durable; until then it is {@code <name>.<random hex>.new}, which is deleted if this fails.
     *
     * @param target there must be nothing of this name; its directory must exist
     * @param options which pairs: bounds, and a snapshot
     * @param progress is told how much has been written, and may end it; how much there will be is not known
     * @return how many pairs were written
     * @throws io.flexdb.storage.TargetNotEmptyException if there is something of this name
     * @throws io.flexdb.storage.CorruptionException if a pair is damaged
     * @throws io.flexdb.storage.MergeException if the {@link MergeFunction} fails for one of the keys
     * @throws io.flexdb.storage.StoreFullException if the file's disk is full; the store goes on
     * @throws io.flexdb.storage.StoreIoException if the file can't be written; the store goes on
     * @throws IllegalArgumentException as {@link #cursor(ReadOptions)} does, or if the options ask for keys only
     */
    public long exportTo(Path target, ReadOptions options, Progress progress) {
        Limits.notNull(progress, "progress");
        if (Limits.notNull(options, "options").keysOnly()) {
            throw new IllegalArgumentException("options must not ask for keys only: " + options);
        }
        return RunFiles.write(this, Limits.localPath(target, "target"), options, progress);
    }
}
