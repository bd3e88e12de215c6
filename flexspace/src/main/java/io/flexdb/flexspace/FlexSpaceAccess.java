package io.flexdb.flexspace;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.waiting.EventCount;
import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.base.PauseListener;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flextree.FlexTreeView;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;

/**
 * Admits callers to a {@link FlexSpace}: one writer at a time, readers of what is published, and nobody once it is
 * closed or has failed. Thread-safe.
 */
final class FlexSpaceAccess {
    /*
     * The problem: a read sees every change that returned before it began, but to publish each change would have its
     * nodes copied again by the next one. The choice: the writer only notes that there is something to publish. A
     * reader who finds the note says that he wants it, and the writer publishes at the end of the change under way, and
     * of the next few: where one reader is there are more. If nobody writes, the reader takes the lock and publishes
     * himself. He never waits for the lock alone, for its owner may wait for a disk: meanwhile the owner offers what
     * there is to publish, and a reader who wants it publishes that. To publish each time beforehand would cost more,
     * again for the copies. A change that takes long for another reason publishes first, and readers who come meanwhile
     * find nothing to want. So a reader parks until there is a publication, an offer, or nobody who has the lock, and
     * the thread that brings that about wakes all readers who wait.
     *
     * A1  The note and what is published are written under the writer's lock.
     * A2  What a read uses stays as it is between enter and exit, or while its view is pinned.
     * A3  A read that has begun before the end ends before the files are closed; a later one finds that they are.
     * A4  While the lock is held and the note is there, nothing takes longer than a short change but what is between
     *     the beginning and the end of a pause. The holder of the lock may change nothing that is published or offered
     *     then.
     * A5  What is published is the state of whoever has the lock. So a reader who has begun to wait needs the next
     *     publication and no later one: whoever publishes it has got the lock after all changes that had returned.
     */
    /** Changes that are published after a reader wanted one. */
    private static final int PUBLISHED_FOR_A_READER = 16;

    private static final int SPINS = 16; // as long as the rest of a short change; then it is told

    private final SpaceEngine engine;
    private final Health health;
    private final Epochs epochs;
    private final ReentrantLock writer = new ReentrantLock();
    private final EventCount events = new EventCount(); // publications, offers, the lock being free, the end
    private final LongPredicate isPublishedSince = this::isPublishedSince;
    private final LongPredicate publishOrSee = this::publishOrSee;
    private final Runnable publishForReuse = this::publishForReuse;
    private final AtomicInteger pins = new AtomicInteger();
    private final AtomicReference<FlexTreeView> offered = new AtomicReference<>(); // to readers, by a writer who waits
    private volatile FlexTreeView published;
    private volatile boolean unpublished;
    private volatile long publications;
    private volatile boolean wanted; // by a reader, since the last publication
    private int toBePublished; // changes, for the reader who wanted one; under the writer's lock, as is this:
    private boolean offering;
    private long publicationsBeforePause;

    FlexSpaceAccess(SpaceEngine engine, Epochs epochs) {
        this.engine = engine;
        this.health = engine.health();
        this.epochs = epochs;
        publish();
        health.onChange(events::signal);
        engine.pauseListener(new PauseListener() {
            @Override
            public void pauseBegins() {
                offer();
            }

            @Override
            public void pauseEnds() {
                takeBack();
            }

            @Override
            public void between() {
                if (wanted) {
                    publishIfChanged();
                }
            }
        });
    }

    // ---- writers

    /** Waits for other writers, and throws if the space is closed or has failed. */
    void lock() {
        writer.lock();
        if (!health.isUsable()) {
            unlock();
            throw health.refusal();
        }
    }

    /** Waits for other writers, whatever the state of the space. */
    void lockInAnyState() {
        writer.lock();
    }

    void unlock() {
        writer.unlock();
        events.signal(); // a read of a field, unless a reader waits
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

    /** Publishes at the end of a change if readers are there. */
    void publishForReaders() {
        if (wanted) {
            toBePublished = PUBLISHED_FOR_A_READER;
        }
        if (toBePublished > 0) {
            toBePublished--;
            publishIfChanged();
        }
    }

    /** Shows the writer's state to readers that come from now on. */
    void publish() {
        try {
            if (wanted) {
                wanted = false; // before what is published is taken: whoever wants something from now on waits for more
            }
            published = engine.current();
            unpublished = false;
            publications++; // nobody else writes it
            epochs.advance();
            events.signal();
            engine.reclaim();
        } catch (Throwable e) {
            fail(e); // a change that was waiting in the tree could not be made
            throw e;
        }
    }

    private void offer() {
        if (unpublished) {
            publicationsBeforePause = publications;
            try {
                offered.set(engine.current());
            } catch (Throwable e) {
                fail(e); // as in publish
                throw e;
            }
            offering = true;
            events.signal();
        }
    }

    /** Returns once nobody publishes what was offered. */
    private void takeBack() {
        if (offering) {
            offering = false;
            boolean published = offered.getAndSet(null) == null;
            if (published && !comesSoon(publicationsBeforePause)) {
                events.await(isPublishedSince, publicationsBeforePause);
            }
        }
    }

    /** Publishes what a writer offers who waits; what can be used again is left to him. */
    private void publishOffered() {
        FlexTreeView view = offered.get() == null ? null : offered.getAndSet(null);
        if (view != null) {
            wanted = false;
            published = view;
            unpublished = false;
            epochs.advance();
            publications++; // the writer, who waits for this, does not write it now
            events.signal();
        }
    }

    private boolean isPublishedSince(long before) {
        return publications != before;
    }

    private boolean comesSoon(long before) {
        for (int spins = 0; spins < SPINS; spins++) {
            if (isPublishedSince(before)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
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
        events.signal();
        epochs.awaitNoReaders();
    }

    // ---- readers

    /** Begins a read of what is there now: every change that has returned is published. */
    int enterRead() {
        if (unpublished) {
            awaitPublication();
        }
        return enter();
    }

    /** Returns once there was a publication, or there is nothing to publish, or the space can't be used (A5). */
    private void awaitPublication() {
        long before = publications;
        wanted = true;
        if (!publishOrSee(before) && !comesSoon(before)) {
            events.await(publishOrSee, before);
        }
    }

    /** Publishes if that is possible now, and returns whether there is nothing to wait for. */
    private boolean publishOrSee(long before) {
        if (!unpublished || isPublishedSince(before) || !health.isReadable()) {
            return true;
        }
        if (writer.tryLock()) {
            try {
                if (health.isReadable()) {
                    publishIfChanged();
                }
            } finally {
                unlock();
            }
            return true;
        }
        publishOffered();
        return isPublishedSince(before);
    }

    /** Begins a read of a view that is pinned. */
    int enter() {
        return health.enter(epochs);
    }

    /** Ends the read that returned this ticket when it began. */
    void exit(int ticket) {
        epochs.exit(ticket);
    }

    /** The state that a read of the present uses, once it has begun. */
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
