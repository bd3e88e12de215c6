package io.flexdb.flexspace;

import io.flexdb.flexspace.internal.Health;
import io.flexdb.flexspace.internal.SpaceEngine;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.Epochs;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Who may do what when in a {@link FlexSpace}: one writer at a time, readers of what is published, and nobody once it is
 * closed or has failed. Thread-safe.
 */
final class FlexSpaceAccess {
    /*
     * The problem: a read sees every change that returned before it began, but to publish each change would have its
     * nodes copied again by the next one. The choice: the writer only notes that there is something to publish. A reader
     * who finds the note takes the writer's lock, publishes, and reads without it.
     *
     * A1  The note and what is published are written under the writer's lock.
     * A2  What a read uses stays as it is between enter and exit, or while its view is pinned.
     * A3  A read that has begun before the end ends before the files are closed; a later one finds that they are.
     */
    private final SpaceEngine engine;
    private final Health health;
    private final Epochs epochs;
    private final ReentrantLock writer = new ReentrantLock();
    private final Runnable publishForReuse = this::publishForReuse;
    private final AtomicInteger pins = new AtomicInteger();
    private volatile FlexTreeView published;
    private volatile boolean unpublished;

    FlexSpaceAccess(SpaceEngine engine, Epochs epochs) {
        this.engine = engine;
        this.health = engine.health();
        this.epochs = epochs;
        publish();
    }

    // ---- writers

    /** Waits for other writers, and throws if the space is closed or has failed. */
    void lock() {
        writer.lock();
        if (!health.isUsable()) {
            writer.unlock();
            throw health.refusal();
        }
    }

    /** Waits for other writers, whatever the state of the space. */
    void lockInAnyState() {
        writer.lock();
    }

    void unlock() {
        writer.unlock();
    }

    /** Notes that there is something to publish. */
    void changed() {
        if (!unpublished) { // a volatile write costs more than a small change should
            unpublished = true;
        }
    }

    void publishIfChanged() {
        if (unpublished) {
            publish();
        }
    }

    /** Shows the writer's state to readers that come from now on. */
    void publish() {
        try {
            published = engine.current();
            unpublished = false;
            epochs.advance();
            engine.reclaim();
        } catch (Throwable e) {
            fail(e); // a change that was waiting in the tree could not be made
            throw e;
        }
    }

    /** Publishes, after which readers that came before are gone, unless they take long. */
    Runnable publishingForReuse() {
        return publishForReuse;
    }

    private void publishForReuse() {
        for (int phase = 0; phase < 3; phase++) {
            publish();
        }
    }

    /** Ends all use of the space but to close it. */
    void fail(Throwable cause) {
        health.fail(cause);
    }

    boolean hasFailed() {
        return health.hasFailed();
    }

    /** Turns away whoever comes from now on, and returns when the reads under way have ended. */
    void end() {
        health.beginClose();
        while (epochs.hasReaders()) {
            LockSupport.parkNanos(10_000);
        }
    }

    // ---- readers

    /** Begins a read of what is there now: everything that has been changed is published. */
    int enterRead() {
        if (unpublished) {
            writer.lock();
            try {
                if (health.isReadable()) {
                    publishIfChanged();
                }
            } finally {
                writer.unlock();
            }
        }
        return enter();
    }

    /** Begins a read of a view that is pinned. */
    int enter() {
        int ticket = epochs.enter();
        if (!health.isReadable()) {
            epochs.exit(ticket);
            throw health.refusal();
        }
        return ticket;
    }

    /** Ends the read that returned this ticket when it began. */
    void exit(int ticket) {
        epochs.exit(ticket);
    }

    /** What a read of what is there now is to use, once it has begun. */
    FlexTreeView published() {
        return published;
    }

    /** Throws if the space can't be read any more. */
    void checkReadable() {
        exit(enter());
    }

    /** Keeps what is there now, until it is unpinned. */
    FlexTreeView pin() {
        int ticket = enterRead();
        try {
            FlexTreeView view = published;
            epochs.pin(view.version());
            pins.incrementAndGet();
            return view;
        } finally {
            exit(ticket);
        }
    }

    /** Takes back what {@link #pin} did. */
    void unpin(FlexTreeView view) {
        epochs.unpin(view.version());
        pins.decrementAndGet();
    }

    /** Views that are pinned for users. */
    int pinCount() {
        return pins.get();
    }

    /** Keeps what was published last, until the epochs are told to let it go. Returns its version. */
    long pinPublished() {
        int ticket = enter();
        try {
            long version = published.version();
            epochs.pin(version);
            return version;
        } finally {
            exit(ticket);
        }
    }
}
