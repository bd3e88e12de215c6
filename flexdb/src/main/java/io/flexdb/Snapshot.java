package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.read.PinnedVersion;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.internal.txn.KeyspaceState;

/**
 * A store as it was at one moment, for as long as the snapshot is open; it still shows pairs that expire after that
 * moment. It holds back memory and disk that later writes would free, so it is to be closed. One that keeps too much is
 * ended by the store ({@link FlexDBOptions#withMaxPinnedBytes}), and throws a {@link
 * io.flexdb.storage.SnapshotTooOldException}. Any thread may use it; after it or the store is closed, reading throws
 * {@link io.flexdb.storage.StoreClosedException}.
 *
 * <p>It shows the default keyspace; {@link #in} shows another one at the same moment.
 */
public final class Snapshot extends ReadView implements AutoCloseable {
    private final boolean isView; // of another one, which alone ends what is held

    Snapshot(ReadSource source, PinnedVersion pin) {
        this(source, KeyHeads.DEFAULT, null, pin, false);
    }

    private Snapshot(ReadSource source, KeyHeads heads, KeyspaceState state, PinnedVersion pin, boolean isView) {
        super(source, heads, state, pin);
        this.isView = isView;
    }

    /**
     * A view of this snapshot that shows another keyspace. It ends with the snapshot; closing the view does nothing. A
     * keyspace that was made later is empty; one that was dropped later is whole.
     *
     * @param keyspace a named one, or the store itself for the default one
     * @throws io.flexdb.storage.NoSuchKeyspaceException if it had been dropped before
     */
    public Snapshot in(Keyspace keyspace) {
        requireShown(keyspace);
        return new Snapshot(source, keyspace.heads, keyspace.state, pin, true);
    }

    /**
     * A view of this snapshot that shows the keyspace which had a name at its moment. It ends with the snapshot; closing
     * the view does nothing.
     *
     * @throws io.flexdb.storage.NoSuchKeyspaceException if none had the name then
     */
    public Snapshot in(String keyspace) {
        KeyspaceState named = KeyspaceDirectory.find(source.reader(this), keyspace, pin, source.dataFile());
        return new Snapshot(source, named.heads(), named, pin, true);
    }

    /** A snapshot of another keyspace at this one's moment, in its place: close that, and not this one. */
    Snapshot becoming(String keyspace) {
        Snapshot view = in(keyspace);
        return new Snapshot(source, view.heads, view.state, pin, false);
    }

    /** The sequence number of the last write that the snapshot sees. */
    public long sequence() {
        return pin.sequence();
    }

    /** Lets go of what the snapshot holds. Closing again does nothing, and neither does closing a view of it. */
    @Override
    public void close() {
        if (!isView) {
            pin.close();
        }
    }

    @Override
    public String toString() {
        return "Snapshot[" + pin.sequence() + (state == null ? "]" : " of " + state.name() + "]");
    }
}
