package io.flexdb.flexspace.internal.vfs;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;

/** A thread that does one piece of work after the other. It begins with the first one and ends when it is closed. */
final class WorkerThread implements BackgroundWorker {
    private static final class Piece implements BackgroundTask {
        private final Runnable task;
        private final CountDownLatch done = new CountDownLatch(1);

        Piece(Runnable task) {
            this.task = task;
        }

        void run() {
            try {
                task.run();
            } finally {
                done.countDown();
            }
        }

        @Override
        public boolean isDone() {
            return done.getCount() == 0;
        }

        @Override
        public void await() {
            Uninterruptibly.run(done::await);
        }
    }

    private final String name;
    private final ArrayDeque<Piece> waiting = new ArrayDeque<>(); // guarded by this, as all below
    private Thread thread;
    private boolean closed;

    WorkerThread(String name) {
        this.name = name;
    }

    @Override
    public synchronized BackgroundTask start(Runnable task) {
        if (closed) {
            throw new IllegalStateException("the worker " + name + " is closed");
        }
        if (thread == null) {
            Thread begun = new Thread(this::run, name);
            begun.setDaemon(true);
            begun.start();
            thread = begun;
        }
        Piece piece = new Piece(task);
        waiting.add(piece);
        notifyAll();
        return piece;
    }

    private void run() {
        for (Piece piece = next(); piece != null; piece = next()) {
            piece.run();
        }
    }

    /** The next piece, or null when all are done and no more will come. */
    private synchronized Piece next() {
        while (waiting.isEmpty() && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // nobody has this thread, so this can be no wish of anybody's
            }
        }
        return waiting.poll();
    }

    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            closed = true;
            notifyAll();
            ending = thread;
        }
        if (ending != null) {
            Uninterruptibly.run(ending::join);
        }
    }
}
