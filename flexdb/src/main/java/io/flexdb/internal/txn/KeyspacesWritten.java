package io.flexdb.internal.txn;

import io.flexdb.internal.write.WriteGuard;
import java.util.HashSet;
import java.util.Set;

/** The named keyspaces that a batch writes to: if one of them is dropped, nothing of it is written. For one thread. */
public final class KeyspacesWritten implements WriteGuard {
    private Set<KeyspaceState> states = Set.of(); // most batches have none
    private KeyspaceState last; // most entries are of the same as the one before

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

    public void clear() {
        states = Set.of();
        last = null;
    }

    public boolean isEmpty() {
        return last == null;
    }

    /** Throws unless all are of this open store. */
    public void requireIn(KeyspaceDirectory directory) {
        states.forEach(state -> state.requireIn(directory));
    }

    @Override
    public void check() {
        states.forEach(KeyspaceState::check);
    }
}
