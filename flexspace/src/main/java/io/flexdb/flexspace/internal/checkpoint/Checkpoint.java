package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.PendingResult;
import io.flexdb.flexspace.internal.log.LogFormat;
import io.flexdb.flexspace.internal.log.LogicalLog;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * One version of the FlexTree on its way to the file (section 4.2 of the paper), beside the writer: what it reads, the
 * sealed version and copies of the rest, does not change.
 */
public final class Checkpoint {
    private final Vfs vfs;
    private final Path directory;
    private final Epochs epochs;
    private final TreeFile treeFile;
    private final FlexTree tree;
    private final FlexTreeView view;
    private final ByteBuffer segmentTable;
    private final long tag;
    private final LogicalLog old;
    private PendingResult<Void> saved;

    /**
     * @param view the sealed version, pinned; this gives the pin back
     * @param tag of the last sync before the version was sealed
     * @param old the log that has become complete with the version; this drops it
     */
    public Checkpoint(
            Vfs vfs,
            Path directory,
            Epochs epochs,
            TreeFile treeFile,
            FlexTree tree,
            FlexTreeView view,
            ByteBuffer segmentTable,
            long tag,
            LogicalLog old) {
        this.vfs = vfs;
        this.directory = directory;
        this.epochs = epochs;
        this.treeFile = treeFile;
        this.tree = tree;
        this.view = view;
        this.segmentTable = segmentTable;
        this.tag = tag;
        this.old = old;
    }

    /** Begins. If that fails, there is nothing to wait for. */
    public void start() {
        try {
            saved = new PendingResult<>(task -> vfs.start("flexdb-checkpoint", task), this::save);
        } catch (Throwable e) {
            old.close();
            throw e;
        }
    }

    private Void save() {
        try {
            TreeHeader next = treeFile.writeVersion(tree, view, segmentTable, tag);
            treeFile.writeHeader(next);
        } finally {
            old.close();
            epochs.unpin(view.version());
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
