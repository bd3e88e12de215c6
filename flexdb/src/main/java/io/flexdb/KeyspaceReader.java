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

    // ---- lookups. The loops are alike; as lambdas, each lookup would make garbage.

    private FollowedState current() {
        return ofStore.store.current();
    }

    private StorageException again(FollowedState before, StorageException e, StorageException last, int tries) {
        return ofStore.store.again(before, e, last, tries);
    }

    @Override
    public byte[] get(byte[] key) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.get(key);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public int get(ByteBuffer key, ByteBuffer destination) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.get(key, destination);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public int get(byte[] key, byte[] destination, int offset) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.get(key, destination, offset);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>What was opened stays as it is, and reading it throws {@link ReaderOvertakenException} once the writer has used
     * its disk space again.
     */
    @Override
    public ValueReader openValue(byte[] key) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                ValueReader value = super.openValue(key);
                if (value == null || before == current()) {
                    return value; // the files of its state are kept from here on
                }
                value.close();
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public int valueLength(byte[] key) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.valueLength(key);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public int valueLength(ByteBuffer key) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.valueLength(key);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public Optional<Instant> expiresAt(byte[] key) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.expiresAt(key);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public List<byte[]> multiGet(List<byte[]> keys) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                return super.multiGet(keys);
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws ReaderOvertakenException if the writer has used the disk space of some of them again when others had been
     *     handed over
     */
    @Override
    public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values) {
        Limits.notNull(values, "values");
        boolean[] begun = {false};
        ObjIntConsumer<ByteBuffer> noted = (value, index) -> {
            begun[0] = true;
            values.accept(value, index);
        };
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                super.multiGet(keys, noted);
                return;
            } catch (StorageException e) {
                if (begun[0]) {
                    throw e;
                }
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public FlexCursor cursor(ReadOptions options) {
        StorageException last = null;
        for (int tries = 1; ; tries++) {
            FollowedState before = current();
            try {
                FlexCursor cursor = super.cursor(options);
                if (before == current()) { // so the files of what it has pinned are kept from here on
                    return cursor;
                }
                cursor.close();
            } catch (StorageException e) {
                last = again(before, e, last, tries);
            }
        }
    }

    @Override
    public String toString() {
        return "KeyspaceReader[" + name() + "]";
    }
}
