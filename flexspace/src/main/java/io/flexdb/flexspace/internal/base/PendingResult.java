package io.flexdb.flexspace.internal.base;

import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.Vfs;
import java.util.function.Function;
import java.util.function.Supplier;

/** The result of work that is done beside the thread that wants it. */
public final class PendingResult<T> {
    private final BackgroundTask task;
    private T result; // these two are written before the task ends, and read after
    private Throwable failure;

    /**
     * Begins.
     *
     * @param starter starts what it is given
     */
    public PendingResult(Function<Runnable, BackgroundTask> starter, Supplier<T> work) {
        task = starter.apply(
                new Runnable() { // no lambda: in a full heap it may fail to be made, for good
                    @Override
                    public void run() {
                        PendingResult.this.run(work);
                    }
                });
    }

    /**
     * Begins in a thread of its own.
     *
     * @param name of the thread
     */
    public PendingResult(Vfs vfs, String name, Supplier<T> work) {
        this(
                new Function<>() { // no lambda: in a full heap it may fail to be made, for good
                    @Override
                    public BackgroundTask apply(Runnable task) {
                        return vfs.start(name, task);
                    }
                },
                work);
    }

    private void run(Supplier<T> work) {
        try {
            result = work.get();
        } catch (Throwable e) {
            failure = e; // whoever waits hears of it
        }
    }

    public boolean isDone() {
        return task.isDone();
    }

    /** Returns once it has ended, well or not. */
    public void await() {
        task.await();
    }

    /** Waits for the result; throws what the work has thrown. */
    public T get() {
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
