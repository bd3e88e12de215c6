package io.flexdb;

import io.flexdb.storage.StoreClosedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An object for one thread at a time whose parts serve somebody else once it is closed. Tells whether they may.
 */
abstract class Confined {
    /*
     * Parts that somebody still uses must not serve another, whatever mistake is made with threads. No step may cost more
     * than a comparison for that. So the thread that made it is its owner, whose steps write nothing; each other thread
     * says once, by a compare-and-set, that it is there. Only when the owner closes it, and nobody else has been there,
     * is it certain that no step is under way. Else the parts are left to the garbage collector.
     */
    private static final VarHandle STATE;
    private static final int ALONE = 0;
    private static final int SHARED = 1;
    private static final int ENDED = 2;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Confined.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The ways in which something ends. */
    enum End {
        /** It had ended already. */
        AGAIN,
        /** Nobody uses its parts any more. */
        ALONE,
        /** Another thread may use them still. */
        SHARED
    }

    private final Thread owner = Thread.currentThread();
    private volatile int state; // by the handle
    private volatile Thread endedBy;

    /** Before each step. Throws if it has ended, and the owner can't know. */
    final void enter(String what) {
        if (Thread.currentThread() != owner && (int) STATE.compareAndExchange(this, ALONE, SHARED) == ENDED) {
            throw ended(what);
        }
    }

    final boolean hasEnded() {
        return state == ENDED;
    }

    /** Ends it. */
    final End end() {
        int before = (int) STATE.getAndSet(this, ENDED);
        if (before == ENDED) {
            return End.AGAIN;
        }
        Thread current = Thread.currentThread();
        endedBy = current;
        return before == ALONE && current == owner ? End.ALONE : End.SHARED;
    }

    /** To be thrown by whoever uses it afterwards. */
    final StoreClosedException ended(String what) {
        Thread by = endedBy;
        return by == null || by == Thread.currentThread()
                ? new StoreClosedException(what)
                : new StoreClosedException(what + ", which is for one thread at a time and was closed by thread \""
                        + by.getName() + "\",");
    }
}
