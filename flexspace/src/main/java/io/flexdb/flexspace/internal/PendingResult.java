package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import java.util.function.Supplier;

/** What a worker finds out beside whoever wants to know it. */
final class PendingResult<T> {
    private final BackgroundTask task;
    private T result; // these two are written before the task ends, and read after
    private Throwable failure;

    /** Has the worker begin. */
    PendingResult(BackgroundWorker worker, Supplier<T> work) {
        task = worker.start(() -> run(work));
    }

    private void run(Supplier<T> work) {
        try {
            result = work.get();
        } catch (Throwable e) {
            failure = e; // whoever waits hears of it
        }
    }

    /** Waits for the result; throws what the work has thrown. */
    T get() {
        task.await();
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        return result;
    }
}
