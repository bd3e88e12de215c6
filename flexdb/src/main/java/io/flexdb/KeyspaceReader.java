package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.open.FollowedState;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link FlexDBReader} shows of one keyspace. It shows what the reader has, and goes on with it.
 *
 * <p>Where the writer has used the disk space of what a lookup needs again, the lookup refreshes the reader and is done
 * once more; then it takes as long as opening. Cursors and snapshots can't do that: they throw a
 * {@link ReaderOvertakenException}.
 */
public sealed class KeyspaceReader extends ReadView permits FlexDBReader {
    final ReaderSource ofStore;

    KeyspaceReader(ReaderSource source, KeyHeads heads, KeyspaceState state) {
        super(source, heads, state, null);
        this.ofStore = source;
    }

    /** Its name; that of the default keyspace is empty. */
    public String name() {
        return state == null ? "" : state.name();
    }

    /** The keyspace as the reader shows it now, to be read later. To be closed. */
    public Snapshot snapshot() {
        Snapshot snapshot = ofStore.snapshot();
        if (state == null) {
            return snapshot;
        }
        try {
            state.check(snapshot.sequence());
            return snapshot.becoming(state.name());
        } catch (Throwable e) {
            snapshot.close();
            throw e;
        }
    }

    // ---- lookups. Only a second attempt is a lambda: the first one makes no garbage.

    private FollowedState current() {
        return ofStore.store.current();
    }

    private <T> T again(FollowedState before, StorageException e, Supplier<T> read) {
        return ofStore.store.again(before, e, read);
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        FollowedState before = current();
        try {
            return super.get(key);
        } catch (StorageException e) {
            return again(before, e, () -> super.get(key));
        }
    }

    @Override
    public int get(ByteBuffer key, ByteBuffer destination) {
        FollowedState before = current();
        try {
            return super.get(key, destination);
        } catch (StorageException e) {
            return again(before, e, () -> super.get(key, destination));
        }
    }

    @Override
    public int get(byte[] key, byte[] destination, int offset) {
        FollowedState before = current();
        try {
            return super.get(key, destination, offset);
        } catch (StorageException e) {
            return again(before, e, () -> super.get(key, destination, offset));
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>What was opened stays as it is, and reading it throws {@link ReaderOvertakenException} once the writer has used
     * its disk space again.
     */
    @Override
    public @Nullable ValueReader openValue(byte[] key) {
        FollowedState before = current();
        try {
            return valueOfOneState(key);
        } catch (StorageException e) {
            return again(before, e, () -> valueOfOneState(key));
        }
    }

    /** Opens a value whose files are kept from here on: those of the state that was current all the time. */
    private ValueReader valueOfOneState(byte[] key) {
        while (true) {
            FollowedState before = current();
            ValueReader value = super.openValue(key);
            if (value == null || before == current()) {
                return value;
            }
            value.close();
        }
    }

    @Override
    public int valueLength(byte[] key) {
        FollowedState before = current();
        try {
            return super.valueLength(key);
        } catch (StorageException e) {
            return again(before, e, () -> super.valueLength(key));
        }
    }

    @Override
    public int valueLength(ByteBuffer key) {
        FollowedState before = current();
        try {
            return super.valueLength(key);
        } catch (StorageException e) {
            return again(before, e, () -> super.valueLength(key));
        }
    }

    @Override
    public Optional<Instant> expiresAt(byte[] key) {
        FollowedState before = current();
        try {
            return super.expiresAt(key);
        } catch (StorageException e) {
            return again(before, e, () -> super.expiresAt(key));
        }
    }

    @Override
    public List<byte @Nullable []> multiGet(List<byte[]> keys) {
        FollowedState before = current();
        try {
            return super.multiGet(keys);
        } catch (StorageException e) {
            return again(before, e, () -> super.multiGet(keys));
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws ReaderOvertakenException if the writer has used the disk space of some of them again when others had been
     *     handed over
     */
    @Override
    public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<@Nullable ByteBuffer> values) {
        Limits.notNull(values, "values");
        boolean[] begun = {false};
        ObjIntConsumer<@Nullable ByteBuffer> noted = (value, index) -> {
            begun[0] = true;
            values.accept(value, index);
        };
        FollowedState before = current();
        try {
            super.multiGet(keys, noted);
        } catch (StorageException e) {
            again(before, e, () -> {
                if (begun[0]) {
                    throw e;
                }
                super.multiGet(keys, noted);
                return null;
            });
        }
    }

    @Override
    public FlexCursor cursor(ReadOptions options) {
        FollowedState before = current();
        try {
            return cursorOfOneState(options);
        } catch (StorageException e) {
            return again(before, e, () -> cursorOfOneState(options));
        }
    }

    /** A cursor over a state whose files are kept from here on: the one that was current all the time. */
    private FlexCursor cursorOfOneState(ReadOptions options) {
        while (true) {
            FollowedState before = current();
            FlexCursor cursor = super.cursor(options);
            if (before == current()) {
                return cursor;
            }
            cursor.close();
        }
    }

    @Override
    public String toString() {
        return "KeyspaceReader[" + name() + "]";
    }
}
