package io.flexdb.flexspace.internal.segment;

import io.flexdb.flexspace.internal.base.WriterPauses;
import io.flexdb.flexspace.internal.vfs.BackgroundTask;
import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Has full segments written to the file beside the writer. Writer only: just the writing is done elsewhere. */
final class SegmentSealer implements AutoCloseable {
    /*
     * The problem: to copy a segment into the page cache and have the disk begin with it takes longer than to fill the
     * next one.
     * The choice: one segment is written while the next is filled. One more may wait to be written; then the writer
     * waits for the first.
     * The cost: memory for these, and a failure shows later: in the next append or force.
     *
     * B1  The bytes of a segment under way do not change, and readers find them in memory until they are in the file.
     * B2  A segment is sealed for the writer only when it was taken from under way. Until then it is never emptied, and
     *     so neither released, used again nor cut off the file.
     * B3  Segments under way were filled after the last log batch. The writer of a log batch has waited for them.
     * B4  After a failure no segment is begun to be written.
     */
    private static final int MAX_UNDER_WAY = 2;

    private record UnderWay(SegmentBuffer buffer, BackgroundTask task) {}

    private final BackgroundWorker worker;
    private final Consumer<SegmentBuffer> sealed;
    private final ArrayDeque<UnderWay> underWay = new ArrayDeque<>();
    private WriterPauses pauses;
    private volatile Throwable failure; // of the task
    private volatile boolean closed;

    /**
     * @param worker does the writing; this closes it
     * @param sealed takes, on the writer's thread, what is in the file
     */
    SegmentSealer(BackgroundWorker worker, Consumer<SegmentBuffer> sealed) {
        this.worker = worker;
        this.sealed = sealed;
    }

    /** Says who is to know when this waits for the file. */
    void pauses(WriterPauses newPauses) {
        pauses = newPauses;
    }

    /** Has a segment written that was {@linkplain SegmentBuffer#end ended}. May wait for earlier ones. */
    void seal(SegmentBuffer buffer) {
        if (underWay.size() == MAX_UNDER_WAY) {
            awaitFirst();
        }
        underWay.add(new UnderWay(buffer, start(buffer)));
        while (!underWay.isEmpty() && underWay.peek().task.isDone()) {
            awaitFirst();
        }
    }

    private BackgroundTask start(SegmentBuffer buffer) {
        pauses.begin(); // a worker may choose to do it at once
        try {
            return worker.start(
                    new Runnable() { // no lambda: in a full heap it may fail to be made, for good
                        @Override
                        public void run() {
                            write(buffer);
                        }
                    });
        } finally {
            pauses.end();
        }
    }

    private void write(SegmentBuffer buffer) {
        try {
            if (failure == null && !closed) {
                buffer.seal();
            }
        } catch (Throwable e) {
            failure = e; // the writer looks for it, and everybody hears of it there
        }
    }

    /** Returns once nothing is under way. */
    void await() {
        throwFailure();
        while (!underWay.isEmpty()) {
            awaitFirst();
        }
    }

    /** Waits for the first of those under way, of which there is one. */
    void awaitOne() {
        throwFailure();
        awaitFirst();
    }

    private void awaitFirst() {
        pauses.begin();
        try {
            underWay.peek().task.await();
        } finally {
            pauses.end();
        }
        throwFailure();
        sealed.accept(underWay.poll().buffer);
    }

    boolean isIdle() {
        return underWay.isEmpty();
    }

    /** Throws what made writing fail, if it did: every time, since it is final. */
    void throwFailure() {
        Throwable found = failure;
        if (found instanceof RuntimeException e) {
            throw e;
        }
        if (found instanceof Error e) {
            throw e;
        }
    }

    /** Ends the writing under way, begins no more of it, and leaves no thread. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        worker.close();
    }
}
