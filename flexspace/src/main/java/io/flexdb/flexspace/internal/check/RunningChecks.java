package io.flexdb.flexspace.internal.check;

import io.flexdb.storage.StoreClosedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The checks of a space under way, so that closing it ends them. Thread-safe. */
public final class RunningChecks implements AutoCloseable {
    private final Set<SpaceChecker> running = new HashSet<>();
    private boolean closed;

    synchronized void add(SpaceChecker check) {
        if (closed) {
            throw new StoreClosedException("the space");
        }
        running.add(check);
    }

    synchronized void remove(SpaceChecker check) {
        running.remove(check);
    }

    /** Ends all checks; none of them uses a file of the space when this returns, and none begins. */
    @Override
    public void close() {
        List<SpaceChecker> ending;
        synchronized (this) {
            closed = true;
            ending = new ArrayList<>(running);
        }
        for (SpaceChecker check : ending) {
            check.end();
        }
    }
}
