package io.flexdb.internal.base;

import java.util.function.Supplier;

/**
 * Says who does the work behind the callers of a store, and when: threads beside them ({@link SharedThreads}), or the
 * callers themselves, when they need it ({@link NoThreads}). A store gets it when it is opened. Thread-safe.
 */
public interface Scheduler {
    /** The code of a task. It must not throw. */
    interface Work {
        /** Does the work there is. Returns the nanoseconds until the next run, if nobody wakes it earlier. */
        long run();
    }

    /** Work of a store. */
    interface Task {
        /** Has it run, or run once more, where threads run tasks. Any thread; takes no memory. */
        void wake();

        /**
         * Has it run before other tasks, for a caller that waits for it. Where no threads run tasks, the caller runs it
         * now, so it must hold no lock that the work takes. Any thread; takes no memory.
         */
        void wakeFirst();

        /** Has it run in so many nanoseconds, where threads run tasks. */
        void wakeIn(long nanos);

        /** Has it never run again, and waits until no thread of ours runs it. An interrupt stays pending. */
        void end();

        /**
         * Has it end by itself, once it has done what it was woken for and asks for no further run. Does not wait, so
         * this is for work that must not hold up an end, and work itself may call it. To wake it has no effect then.
         */
        void endWhenDone();
    }

    /**
     * Adds a task, which is run when it is woken.
     *
     * @param name of a thread while it runs the task
     * @throws OutOfMemoryError if there is no memory for it, or for a thread
     */
    Task add(String name, Work work);

    /**
     * Whether some task that is due has no worker. A long task asks this now and then, and gives way. Any thread;
     * cheap.
     */
    boolean areScarce();

    /** How many threads of its own some work may have that would use so many: these, or none. */
    int helpers(int wanted);

    /**
     * Runs foreign code, which may take long, so that no caller waits for it if that can be avoided.
     *
     * @throws OutOfMemoryError if there is no memory for it, or for a thread
     */
    void runForeign(String name, Runnable code);

    /** The time for what is done because time has passed, as {@link System#nanoTime}; it may stand still. */
    long nanoTime();

    /**
     * One of two forms of a part.
     *
     * @param ahead has tasks do its work before a caller needs it
     * @param onDemand has callers do it
     */
    <T> T choose(Supplier<? extends T> ahead, Supplier<? extends T> onDemand);
}
