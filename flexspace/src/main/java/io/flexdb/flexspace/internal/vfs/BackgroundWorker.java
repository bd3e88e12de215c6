package io.flexdb.flexspace.internal.vfs;

/**
 * Does work that comes again and again beside whoever gives it. Used by one thread at a time; made by {@link
 * Vfs#worker}.
 */
public interface BackgroundWorker extends AutoCloseable {
    /**
     * Starts a piece of work. It may be done at once.
     *
     * @param task must not throw, nor wait for the caller or for another piece
     */
    BackgroundTask start(Runnable task);

    /** Returns once all that was started has ended and no thread is left. Closing again does nothing. */
    @Override
    void close();
}
