package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import java.util.function.Function;
import java.util.function.Supplier;

/** What is found out, or done, beside whoever wants to know what came of it. */
final class PendingResult<T> {
    private final BackgroundTask task;
    private T result; // these two are written before the task ends, and read after
    private Throwable failure;

    /**
     * Begins.
     *
     * @param starter starts what it is given
     */
    PendingResult(Function<Runnable, BackgroundTask> starter, Supplier<T> work) {
        task = starter.apply(() -> run(work));
    }

    private void run(Supplier<T> work) {
        try {
            result = work.get();
        } catch (Throwable e) {
            failure = e; // whoever waits hears of it
        }
    }

    boolean isDone() {
        return task.isDone();
    }

    /** Returns once it has ended, well or not. */
    void await() {
        task.await();
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
