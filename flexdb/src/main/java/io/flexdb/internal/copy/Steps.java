package io.flexdb.internal.copy;

import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.copy.SpaceCopy;

/** Counts what has been copied, tells it, and ends the copy when the store is closed. For one thread. */
final class Steps {
    private final LongTasks.Task task;
    private final Checkpoints.Progress progress;
    private final long ofBytes;
    private long bytes;

    Steps(LongTasks.Task task, Checkpoints.Progress progress, SpaceCopy space) {
        this.task = task;
        this.progress = progress;
        this.ofBytes = space.treeBytes() + space.dataBytes();
    }

    /** So many bytes more. */
    void step(int moreBytes) {
        bytes += moreBytes;
        tell();
    }

    void tell() {
        task.tell(() -> progress.done(bytes, Math.max(bytes, ofBytes)));
    }
}
