package io.flexdb.flexspace.internal.base;

import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreMemoryException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Long work of users on a store, beside its readers and writer, which closing the store ends. Thread-safe. */
public final class LongTasks implements AutoCloseable {
    /*
     * Closing waits until each task is between two steps or has ended; the task looks after each step whether it may go
     * on. While its user is told, nothing is waited for: it may be he who closes.
     */
    private final String what;
    private final Set<Task> running = new HashSet<>();
    private boolean closed;

    /** @param what is to be closed, in messages */
    public LongTasks(String what) {
        this.what = what;
    }

    /** One of them. For the thread that runs it. */
    public final class Task {
        private final ReentrantLock work = new ReentrantLock(); // held while anything of the store is used
        private volatile boolean ended;
        private boolean tells; // or its user has thrown

        private Task() {}

        /** Throws if the store is closed. */
        public void goOn() {
            if (ended) {
                throw new StoreClosedException(what);
            }
        }

        /** Runs what is the user's, and may take long, and throws if the store was closed meanwhile. */
        public void tell(Runnable user) {
            tells = true;
            work.unlock();
            try {
                user.run();
            } finally {
                work.lock();
            }
            tells = false;
            goOn();
        }
    }

    /** The work of a task. */
    @FunctionalInterface
    public interface Work<T> {
        /** Does it. */
        T run(Task task);
    }

    /**
     * Runs a task in the caller's thread.
     *
     * @throws StoreClosedException if the store is closed before it has ended
     * @throws StoreMemoryException if there is no memory for it
     */
    public <T> T run(Work<T> work) {
        Task task = new Task();
        task.work.lock();
        try {
            synchronized (this) {
                if (closed) {
                    throw new StoreClosedException(what);
                }
                running.add(task);
            }
            return work.run(task);
        } catch (OutOfMemoryError e) {
            if (task.tells) { // the user's own
                throw e;
            }
            throw new StoreMemoryException("long work on " + what, e);
        } finally {
            synchronized (this) {
                running.remove(task);
            }
            task.work.unlock();
        }
    }

    /** Has none begin, and those there are end at their next look. The caller wakes those that wait. */
    public void end() {
        for (Task task : endingTasks()) {
            task.ended = true;
        }
    }

    private synchronized List<Task> endingTasks() {
        closed = true;
        return new ArrayList<>(running);
    }

    /** Ends all tasks; none of them uses anything of the store when this returns, and none begins. */
    @Override
    public void close() {
        end();
        for (Task task : endingTasks()) {
            task.work.lock();
            task.work.unlock();
        }
    }
}
