package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.copy.SpaceCopy;

/** Counts copied bytes, tells them, and ends the copy when the store is closed. For one thread. */
public final class Steps {
    private final LongTasks.Task task;
    private final Checkpoints.Progress progress;
    private final long ofBytes;
    private long bytes;

    /** @param space to be copied */
    public Steps(LongTasks.Task task, Checkpoints.Progress progress, SpaceCopy space) {
        this.task = task;
        this.progress = progress;
        this.ofBytes = space.treeBytes() + space.dataBytes();
    }

    /** So many bytes more. */
    public void step(int moreBytes) {
        bytes += moreBytes;
        tell();
    }

    /** Tells the progress. */
    public void tell() {
        task.tell(() -> progress.done(bytes, Math.max(bytes, ofBytes)));
    }
}
