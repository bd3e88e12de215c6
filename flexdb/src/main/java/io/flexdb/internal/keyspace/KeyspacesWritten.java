package io.flexdb.internal.keyspace;

import io.flexdb.internal.write.WriteGuard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** The named keyspaces that a batch writes to: if one of them is dropped, nothing of it is written. For one thread. */
public final class KeyspacesWritten implements WriteGuard {
    private final List<KeyspaceState> states = new ArrayList<>(0);
    private final Set<KeyspaceState> known = Collections.newSetFromMap(new IdentityHashMap<>(0));
    private KeyspaceState last; // most entries are of the same as the one before

    /** Adds one, if it is not there. */
    public void add(KeyspaceState state) {
        if (state != last) {
            last = state;
            if (known.add(state)) {
                states.add(state);
            }
        }
    }

    public void clear() {
        states.clear();
        known.clear();
        last = null;
    }

    public boolean isEmpty() {
        return states.isEmpty();
    }

    /** Throws unless all are of this open store. */
    public void requireIn(KeyspaceDirectory directory) {
        for (KeyspaceState state : states) {
            state.requireIn(directory);
        }
    }

    @Override
    public void check() {
        for (int i = 0; i < states.size(); i++) { // without garbage, under the write lock
            states.get(i).check();
        }
    }
}
