package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.PendingResult;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flexspace.internal.vfs.SpaceEvents;
import io.flexdb.flexspace.internal.vfs.Vfs;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * One version of the FlexTree on its way to the file (section 4.2 of the paper), beside the writer: what it reads, the
 * sealed version and copies of the rest, does not change.
 */
public final class Checkpoint {
    private final Vfs vfs;
    private final Path directory;
    private final Epochs epochs;
    private final TreeFile treeFile;
    private final SealedState state;
    private final LogicalLog old;
    private PendingResult<Void> saved;

    /**
     * @param state what is written; this gives the pin of its version back
     * @param old the log that has become complete with the version; this drops it
     */
    public Checkpoint(Vfs vfs, Path directory, Epochs epochs, TreeFile treeFile, SealedState state, LogicalLog old) {
        this.vfs = vfs;
        this.directory = directory;
        this.epochs = epochs;
        this.treeFile = treeFile;
        this.state = state;
        this.old = old;
    }

    /** Begins. If that fails, there is nothing to wait for. */
    public void start() {
        try {
            saved = new PendingResult<>(
                    vfs,
                    "flexdb-checkpoint",
                    new Supplier<>() { // no lambda: in a full heap it may fail to be made, for good
                        @Override
                        public Void get() {
                            return save();
                        }
                    });
        } catch (Throwable e) {
            old.close();
            throw e;
        }
    }

    private Void save() {
        EventSpan event = SpaceEvents.checkpoint(directory);
        try {
            long before = treeFile.bytesWritten();
            TreeHeader next = treeFile.writeVersion(state);
            treeFile.writeHeader(next);
            event.finish(1, treeFile.bytesWritten() - before);
        } finally {
            old.close();
            epochs.unpin(state.view().version());
        }
        vfs.delete(directory.resolve(LogFormat.fileName(old.generation())));
        return null;
    }

    /** The log that is needed until this is done. */
    public LogicalLog oldLog() {
        return old;
    }

    public boolean isDone() {
        return saved.isDone();
    }

    /** Returns once it has ended, well or not. */
    public void await() {
        saved.await();
    }

    /** Waits for its end, and throws what made it fail, if it did. */
    public void finish() {
        saved.get();
    }
}
