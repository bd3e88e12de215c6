package io.flexdb.internal.write;

import io.flexdb.internal.mem.LargeValues;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import java.util.function.Supplier;

/** Room for large values where there is none. Any thread, without the write lock. */
final class StagingRoom {
    /*
     * A large value that the log can't take waits for nobody when it is staged. But there may be room in what was
     * overwritten or removed, and not committed yet, or was staged in vain. So who finds none has all that committed,
     * and looks once more; that costs a commit only where a write would be refused.
     */
    private final LargeValues large;
    private final CommitThread commits;
    private final RunGate gate;

    StagingRoom(LargeValues large, CommitThread commits, RunGate gate) {
        this.large = large;
        this.commits = commits;
        this.gate = gate;
    }

    /**
     * Stages something, a second time if there was no room.
     *
     * @throws StoreFullException if there is none then, either
     */
    <T> T find(Supplier<T> staging) {
        try {
            return staging.get();
        } catch (StoreFullException e) {
            if (large.hasFailed() || !make()) {
                throw e;
            }
        }
        try {
            return staging.get();
        } catch (StoreFullException e) {
            giveBackUnused();
            throw e;
        }
    }

    private boolean make() {
        try {
            gate.commitAll();
            giveBack();
            return true;
        } catch (StoreFullException e) {
            return false;
        }
    }

    /** Has the room free that was taken for what was not written. */
    void giveBackUnused() {
        try {
            giveBack();
        } catch (StorageException e) { // as the store's health tells; whoever comes here has something to throw
        }
    }

    private void giveBack() {
        large.sealUnused();
        commits.takeGivenBack();
    }
}
