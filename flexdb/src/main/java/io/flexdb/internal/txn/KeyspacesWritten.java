package io.flexdb.internal.txn;

import io.flexdb.internal.write.WriteGuard;
import java.util.HashSet;
import java.util.Set;

/**
 * The keyspaces that a batch writes to: if one of them is dropped, or of another store, nothing of it is written. For one
 * thread.
 */
public final class KeyspacesWritten implements WriteGuard {
    private Set<KeyspaceState> states = Set.of(); // most batches have none
    private KeyspaceState last; // most entries are of the same as the one before
    private Set<Object> stores = Set.of(); // of which it names the default keyspace; mostly none
    private Object lastStore;

    /** Adds one, if it is not there. */
    public void add(KeyspaceState state) {
        if (state != last) {
            if (last == null) {
                states = new HashSet<>();
            }
            last = state;
            states.add(state);
        }
    }

    /** Adds the default keyspace of a store that was named. */
    public void addDefaultOf(Object store) {
        if (store != lastStore) {
            if (lastStore == null) {
                stores = new HashSet<>();
            }
            lastStore = store;
            stores.add(store);
        }
    }

    public void clear() {
        states = Set.of();
        last = null;
        stores = Set.of();
        lastStore = null;
    }

    /** Whether there is no named one. */
    public boolean isEmpty() {
        return last == null;
    }

    /** Throws unless all are of this open store. */
    public void requireIn(KeyspaceDirectory directory, Object store) {
        for (KeyspaceState state : states) {
            state.requireIn(directory);
        }
        for (Object other : stores) {
            if (other != store) {
                throw new IllegalArgumentException(
                        "the batch has operations in the default keyspace of another store, or"
                                + " of one that was opened before: WriteBatch.in was given another FlexDB; give it the store that"
                                + " the batch is written to");
            }
        }
    }

    @Override
    public void check() {
        for (KeyspaceState state : states) {
            state.check();
        }
    }
}
