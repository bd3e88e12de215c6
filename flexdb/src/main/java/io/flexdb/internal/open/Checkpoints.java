package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.LongTasks;
import io.flexdb.flexspace.internal.copy.SpaceCopy;
import io.flexdb.flexspace.internal.vfs.Vfs;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Copies a store into a directory, which is a store of its own then. */
public final class Checkpoints {
    private Checkpoints() {}

    /** Is told of the progress: so many bytes, of so many. */
    @FunctionalInterface
    public interface Progress {
        /** Takes a step; may throw to end it. */
        void done(long bytes, long ofBytes);
    }

    /**
     * Makes the copy.
     *
     * @param begin keeps the state to be copied
     * @return the sequence number of the last write that it has
     */
    public static long write(Vfs vfs, Path directory, LongTasks tasks, Supplier<StoreCopy> begin, Progress progress) {
        try (NewStoreDirectory target = NewStoreDirectory.begin(vfs, directory)) {
            return tasks.run(task -> {
                try (StoreCopy copy = begin.get()) {
                    copy.copyLogs(vfs, target.logs());
                    Steps steps = new Steps(task, progress, copy.space());
                    copy.space().copyTree(vfs, target.space(), steps::step);
                    copySegments(vfs, target, copy.space(), steps);
                    steps.tell();
                    target.finish(copy.space().storeId());
                    return copy.sequence();
                }
            });
        }
    }

    private static void copySegments(Vfs vfs, NewStoreDirectory target, SpaceCopy space, Steps steps) {
        try (DataFileTarget data = new DataFileTarget(vfs, target.space(), space.format(), space.storeId())) {
            if (space.sharesBlocks(data) || !space.linkData(target.space(), steps::step)) {
                space.copySegments(data, steps::step);
                data.force();
                return;
            }
        }
        DataFileTarget.delete(vfs, target.space());
    }
}
