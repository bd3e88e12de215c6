package io.flexdb.flexspace.internal.vfs;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A thread that does one piece of work after the other. It begins with the first one and ends when it is closed. */
final class WorkerThread implements BackgroundWorker {
    private final ThreadPoolExecutor executor;
    private volatile Thread thread; // null before the first piece

    WorkerThread(String name) {
        executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
            Thread made = new Thread(work, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
    }

    @Override
    public BackgroundTask start(Runnable task) {
        CompletableFuture<Void> piece = CompletableFuture.runAsync(task, executor);
        return new BackgroundTask() {
            @Override
            public boolean isDone() {
                return piece.isDone();
            }

            @Override
            public void await() {
                piece.join(); // an interrupt is kept for later
            }
        };
    }

    @Override
    public void close() {
        executor.shutdown(); // what has been started is done first
        Thread ending = thread;
        if (ending != null) {
            Uninterruptibly.run(ending::join);
        }
    }
}
