package io.flexdb.internal.write;

import io.flexdb.internal.mem.LargeValues;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import java.util.function.Supplier;

/** Room for large values where there is none. Any thread, without the write lock. */
final class StagingRoom {
    /*
     * A large value that the log can't take waits for nobody when it is staged. But a commit may free room: of pairs
     * that were overwritten or removed, or of values staged in vain. So a writer that finds no room has all committed,
     * and looks once more. This costs a commit only if a write would be refused.
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

    /** Frees the room of staged values that were not written. */
    void giveBackUnused() {
        try {
            giveBack();
        } catch (StorageException e) { // the store's health tells it; the caller throws already
        }
    }

    private void giveBack() {
        large.sealUnused();
        commits.takeGivenBack();
    }
}
