package io.flexdb.flexspace.internal.base;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.storage.HealthListener;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreHealth.State;
import io.flexdb.storage.StoreReadOnlyException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The one account of what an open store still does: usable, read-only with a cause, failed with a cause, closed. All
 * layers of a store share one. Thread-safe.
 */
public final class Health {
    /*
     * The problem: whoever meets a failure holds locks as a rule, and what has to follow, the waking of those who wait
     * and the telling of the user, must neither be forgotten nor wait for these locks. The choice: a change is made
     * here, under a lock that nobody holds for anything else. Then its reactions run, on the same thread: they wake,
     * and do nothing slow. Telling is for a thread of its own, which lives as long as there is something to tell. What
     * fails a store is often that there is no memory, or no stack; then that thread runs the reactions once more.
     *
     * H1  The state never goes back. The first cause of each kind counts.
     * H2  What is read before an operation is one volatile variable. A change allocates nothing before it counts, so
     *     that it does when memory is short, too.
     * H3  To be closed and to have failed are two things: a store that fails while it is being closed must not write.
     * H4  Each change is told once, in order, to the log and then to the listener; nothing is told under a lock.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final Runnable[] NOBODY = {};
    private static final long MAX_MILLIS_TO_TELL = 1000; // for which a close waits

    private final String what;
    private final Path directory;
    private final HealthListener listener; // or null
    private volatile Runnable[] reactions = NOBODY; // gone through without an allocation
    private volatile State state = State.USABLE; // what users are told
    private volatile Throwable failure; // whether closed or not (H3), and so is the next
    private volatile Throwable damage; // why it is read-only
    private final ArrayDeque<StoreHealth> untold = new ArrayDeque<>(); // guarded by this, like all below
    private Thread teller; // null if there is none
    private boolean reactionsMissed;
    private boolean closeTold;

    /**
     * @param what it is, such as "the store", for exceptions
     * @param directory of the store, for the log
     * @param listener what to tell, or null
     */
    public Health(String what, Path directory, HealthListener listener) {
        this.what = what;
        this.directory = directory;
        this.listener = listener;
    }

    /** The directory of what this is the health of. */
    public Path directory() {
        return directory;
    }

    // ---- changes

    /**
     * Has this run by whoever makes the store read-only or failed, perhaps more than once. It must not wait for what
     * that one does, nor need heap memory.
     */
    public synchronized void onChange(Runnable reaction) {
        Runnable[] more = Arrays.copyOf(reactions, reactions.length + 1);
        more[reactions.length] = reaction;
        reactions = more;
    }

    /**
     * Ends all writing: bytes that a commit needs can't be read. For a store that is usable; what it has written is
     * sound, and what it holds in memory is right.
     */
    public void makeReadOnly(Throwable cause) {
        Throwable first = rootOf(cause);
        synchronized (this) {
            if (failure != null || damage != null) {
                return;
            }
            damage = first;
            if (state == State.USABLE) {
                state = State.READ_ONLY;
            }
        }
        changed(State.READ_ONLY, first);
    }

    /** Ends all use but to close: what is on disk is unknown until the store is opened again (O8). */
    public void fail(Throwable cause) {
        Throwable first = rootOf(cause);
        synchronized (this) {
            if (failure != null) {
                return;
            }
            failure = first;
            if (state != State.CLOSED) {
                state = State.FAILED;
            }
        }
        changed(State.FAILED, first);
    }

    private static Throwable rootOf(Throwable cause) {
        boolean repeats = cause instanceof StoreFailedException || cause instanceof StoreReadOnlyException;
        return repeats && cause.getCause() != null ? cause.getCause() : cause;
    }

    private void changed(State to, Throwable cause) {
        boolean all = react();
        tell(to, cause, all);
    }

    /** Returns whether all reactions have run to their ends. */
    private boolean react() {
        boolean all = true;
        Runnable[] some = reactions;
        for (int i = 0; i < some.length; i++) {
            try {
                some[i].run();
            } catch (Throwable e) {
                all = false; // as at the end of the stack; the others run all the same
            }
        }
        return all;
    }

    /**
     * Ends what was never handed to a user, since opening it has failed: that is told by an exception and nothing else.
     */
    public void abandon(Throwable cause) {
        synchronized (this) {
            failure = rootOf(cause);
            state = State.CLOSED;
            closeTold = true;
        }
        react();
    }

    /** Turns away whoever comes from now on. */
    public void beginClose() {
        synchronized (this) {
            state = State.CLOSED;
        }
    }

    /**
     * Tells that it is closed; to be called without a lock, when all is released. Later calls just wait for the
     * telling.
     */
    public void endClose() {
        boolean first;
        synchronized (this) {
            first = !closeTold;
            closeTold = true;
            reactions = NOBODY; // who asks a closed store for its health doesn't keep all of it
        }
        if (first) {
            tell(State.CLOSED, cause(), true);
        }
        awaitTold();
    }

    // ---- what may be done

    /** Whether it takes writes. */
    public boolean isUsable() {
        return state == State.USABLE;
    }

    /** Whether it takes reads. */
    public boolean isReadable() {
        State now = state;
        return now == State.USABLE || now == State.READ_ONLY;
    }

    /** Whether a write or force has failed, be it closed or not. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Whether it became read-only, whatever came then. */
    public boolean isReadOnly() {
        return damage != null;
    }

    /** Throws if it takes no writes. */
    public void requireUsable() {
        if (state != State.USABLE) {
            throw refusal();
        }
    }

    /** Throws if it takes no reads. */
    public void requireReadable() {
        if (!isReadable()) {
            throw refusal();
        }
    }

    /**
     * Enters an epoch for a read, or throws if it takes no reads.
     *
     * @return with what to leave: {@link Epochs#exit}
     */
    public int enter(Epochs epochs) {
        int ticket = epochs.enter();
        try {
            requireReadable();
        } catch (Throwable e) { // of whatever kind: at the end of a stack, too
            epochs.exit(ticket);
            throw e;
        }
        return ticket;
    }

    /** Throws if a write or force has failed, be it closed or not. */
    public void requireNotFailed() {
        Throwable cause = failure;
        if (cause != null) {
            throw new StoreFailedException(cause);
        }
    }

    /** The exception for a refused operation, once one is refused. */
    public StorageException refusal() {
        State now = state;
        if (now == State.CLOSED) {
            return new StoreClosedException(what);
        }
        Throwable cause = failure;
        return cause != null ? new StoreFailedException(cause) : new StoreReadOnlyException(damage);
    }

    /** The state that users are told. */
    public StoreHealth current() {
        State now = state; // read first: its cause was written before
        return new StoreHealth(now, now == State.USABLE ? null : now == State.READ_ONLY ? damage : cause());
    }

    private Throwable cause() {
        Throwable cause = failure;
        return cause != null ? cause : damage;
    }

    // ---- telling

    private void tell(State to, Throwable cause, boolean reactedAll) {
        if (to == State.CLOSED && listener == null) {
            return; // the log is not told either
        }
        try {
            synchronized (this) {
                reactionsMissed |= !reactedAll;
                untold.add(new StoreHealth(to, cause));
                if (teller == null) {
                    Thread thread = new Thread(this::tellAll, "flexdb-health");
                    thread.setDaemon(true);
                    thread.start();
                    teller = thread;
                }
            }
        } catch (Throwable e) {
            // No memory, or no thread: the change counts all the same, and is told with the next one, if that can be.
        }
    }

    private void tellAll() {
        for (StoreHealth next = takeUntold(); next != null; next = takeUntold()) {
            if (takeReactionsMissed()) {
                react();
            }
            try {
                log(next);
                if (listener != null) {
                    listener.healthChanged(next);
                }
            } catch (Throwable e) {
                logQuietly("The health listener of the store in " + directory + " has thrown at " + next, e);
            }
        }
    }

    private synchronized StoreHealth takeUntold() {
        StoreHealth next = untold.poll();
        if (next == null) {
            teller = null;
        }
        return next;
    }

    private synchronized boolean takeReactionsMissed() {
        boolean missed = reactionsMissed;
        reactionsMissed = false;
        return missed;
    }

    private void log(StoreHealth to) {
        if (to.state() == State.FAILED) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "The store in " + directory + " has failed; close it, remove the cause and open it again",
                    to.cause());
        } else if (to.state() == State.READ_ONLY) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The store in " + directory + " is read-only from now on, since a commit can't read what it needs;"
                            + " nothing acknowledged is lost",
                    to.cause());
        }
    }

    private static void logQuietly(String message, Throwable cause) {
        try {
            LOG.log(System.Logger.Level.WARNING, message, cause);
        } catch (Throwable e) {
            // The log itself throws; there is nobody else to tell.
        }
    }

    /** Waits a moment for what is being told, unless by the teller. An interrupt stays pending. */
    private void awaitTold() {
        Thread telling;
        synchronized (this) {
            telling = teller;
        }
        if (telling == null || telling == Thread.currentThread()) {
            return;
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_MILLIS_TO_TELL);
        boolean interrupted = false;
        long left = MAX_MILLIS_TO_TELL;
        while (left > 0 && telling.isAlive()) {
            try {
                telling.join(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return current().toString();
    }
}
