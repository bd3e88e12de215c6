package io.flexdb;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.open.FollowedStore;
import io.flexdb.internal.txn.KeyspaceDirectory;
import io.flexdb.internal.txn.KeyspaceState;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.ReaderOvertakenException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store that is read beside its writer: in another process, in the same one, or when nobody has it open. Made by
 * {@link FlexDB#openReadOnly(java.nio.file.Path)}. There may be any number; a reader changes no file of the store and
 * takes no lock.
 *
 * <pre>{@code
 * try (FlexDBReader reader = FlexDB.openReadOnly(Path.of("data"))) {
 *     byte[] value = reader.get(key); // as of when it was opened
 *     reader.refresh();
 *     byte[] later = reader.get(key); // as of now
 * }
 * }</pre>
 *
 * <p><b>What it shows.</b> The state after some write, whole batches only, with every write that had returned before
 * {@code openReadOnly} or the last {@link #refresh} began, whatever its {@link Durability}. It goes on by
 * {@link #refresh} alone, and by a lookup that has to, see below; never back. That is what the operating system has: what
 * the writer has not forced yet, or will never be able to, is shown like the rest, and a power cut may take it.
 *
 * <p>A {@link BulkLoad} has its place between two writes, and is there, whole, whenever a write behind it is. One that
 * no write has followed is there if it was committed before {@code openReadOnly} or the last {@link #refreshWithLoads}.
 * So it is with a {@link Transaction} or batch that is larger than a memtable.
 *
 * <p><b>What the writer reuses.</b> The writer does not wait for readers, and in time uses the disk space of what it has
 * replaced again. Everything is verified, so a reader never shows anything else in its place. A lookup that comes to such
 * a place reads the store anew and goes on. A cursor or snapshot, which must not change, throws
 * {@link ReaderOvertakenException}. The longer ago the last refresh, and the more the writer writes, the more often. A
 * reader that this has happened to asks the writer for time, by a file in the store's directory that is deleted when the
 * reader is closed; as far as {@link FlexDBOptions#withMaxLeasedBytes} goes, the writer then leaves what it has replaced
 * where it is for a while.
 *
 * <p><b>What it costs.</b> Memory as a store that is open has, but for what only writing needs; while there are cursors
 * and snapshots of earlier states, that of these, too. {@link #refresh} reads what was written since. If the writer has
 * used a log again that had some of it, or the memtables have become larger than a store's would, it reads the store
 * anew instead, as opening does.
 *
 * <p><b>Threads.</b> Any thread may call any method at any time. Lookups take no lock; refreshes take turns.
 */
public final class FlexDBReader extends KeyspaceReader implements AutoCloseable {
    private final Map<String, KeyspaceState> handedOut = new HashMap<>(); // by name; under the lock
    private final ReentrantLock lock = new ReentrantLock(); // no monitor: virtual threads wait with it for the store's
    private long checkedSequence; // under the lock

    FlexDBReader(FollowedStore store) {
        super(new ReaderSource(store), KeyHeads.DEFAULT, null);
    }

    private FollowedStore store() {
        return ofStore.store;
    }

    /**
     * Goes on to what the writer has written: every write that has returned before the call is there when this returns.
     * Cursors and snapshots that are open stay as they are.
     *
     * @return the sequence number of the last write that the reader has now; the same as before if there was none
     * @throws io.flexdb.storage.StoreReplacedException if the directory has another store now, or an earlier state of
     *     it; the reader keeps what it has
     * @throws io.flexdb.storage.CorruptionException if a file is damaged; the reader keeps what it has
     * @throws io.flexdb.storage.StoreIoException if a file can't be read, or if the writer replaces files faster than
     *     they can be read, many times in a row; the reader keeps what it has
     */
    public long refresh() {
        return refresh(false);
    }

    /**
     * Goes on to all that the writer has written: every write that has returned before the call, every {@link BulkLoad}
     * that has been committed before it, and every transaction or batch that is larger than a memtable. Of loads that
     * no write has followed the logs know nothing, so if the writer has committed anything since, this reads the store
     * anew, which takes as long as opening.
     *
     * @return the sequence number of the last write that the reader has now
     */
    public long refreshWithLoads() {
        return refresh(true);
    }

    private long refresh(boolean withLoads) {
        store().refresh(withLoads);
        noteDropped();
        return sequence();
    }

    /** The sequence number of the last write that the reader has. */
    public long sequence() {
        return store().current().sequence();
    }

    // ---- keyspaces

    /**
     * A named keyspace that is there now.
     *
     * @throws NoSuchKeyspaceException if none has the name
     */
    public KeyspaceReader keyspace(String name) {
        KeyspaceState found = find(name);
        lock.lock();
        try {
            KeyspaceState before = handedOut.get(name);
            if (before != null && before.isSame(found) && !before.isDropped()) {
                found = before;
            }
            handedOut.put(name, found);
        } finally {
            lock.unlock();
        }
        return new KeyspaceReader(ofStore, found.heads(), found);
    }

    private KeyspaceState find(String name) {
        return store().read(() -> KeyspaceDirectory.find(ofStore.reader(), name, null, ofStore.dataFile()));
    }

    /** The names of all keyspaces but the default one, in order. */
    public List<String> keyspaces() {
        return store().read(() -> KeyspaceDirectory.names(ofStore.reader(), null));
    }

    /** Tells those that were handed out of what has happened to them. */
    private void noteDropped() {
        lock.lock();
        try {
            long now = sequence();
            if (now == checkedSequence) {
                return;
            }
            checkedSequence = now;
            for (Iterator<KeyspaceState> all = handedOut.values().iterator(); all.hasNext(); ) {
                if (isDropped(all.next(), now)) {
                    all.remove();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isDropped(KeyspaceState handed, long now) {
        try {
            if (find(handed.name()).isSame(handed)) {
                return false;
            }
        } catch (NoSuchKeyspaceException e) {
            // as one that was made anew
        }
        handed.dropped(now);
        return true;
    }

    /** Closes the reader, once the lookups under way have ended. Cursors and snapshots end with it. */
    @Override
    public void close() {
        store().close();
    }

    @Override
    public String toString() {
        return "FlexDBReader[" + store().directory() + "]";
    }
}
