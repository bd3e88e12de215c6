package io.flexdb.base.waiting;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;

/**
 * Lets threads wait for a condition that other threads make true without a lock. Thread-safe. An interrupt does not end
 * a wait, and stays pending.
 */
public final class EventCount {
    /*
     * A waiter enters a list and looks at the condition once more, then parks. A thread that may have made a condition
     * true looks at the list afterwards and wakes all that are in it. Both use volatile accesses, so one of them sees
     * the other. While nobody waits, that look is one read.
     *
     * E1  The fields that a condition reads are written by volatile writes, and signal() comes after these.
     * E2  A waiter is woken by the thread that has taken it out of the list, once.
     */
    private static final long WAIT_FOR_MEMORY_NANOS = 1_000_000;

    private static final class Entry extends Waiter {
        private Entry next;
    }

    private final AtomicReference<Entry> waiting = new AtomicReference<>();
    private final AtomicReference<Entry> spare = new AtomicReference<>(new Entry()); // so one needs no memory

    /**
     * Returns once a condition is true.
     *
     * @param condition is asked now and after each signal, by this thread
     * @param argument for the condition
     * @return whether it was not true at once
     */
    public boolean await(LongPredicate condition, long argument) {
        if (condition.test(argument)) {
            return false;
        }
        Entry entry = takeEntry();
        boolean isTrue;
        do {
            entry.begin();
            push(entry);
            isTrue = condition.test(argument);
            if (isTrue) {
                signal(); // takes it out again, unless somebody else is about to wake it
            }
            entry.await();
        } while (!isTrue && !condition.test(argument));
        spare.lazySet(entry);
        return true;
    }

    /** Whether somebody waits, for a caller that wants to know more before a signal. */
    public boolean isAwaited() {
        return waiting.get() != null;
    }

    /** To be called when the fields of a condition may have changed. */
    public void signal() {
        if (isAwaited()) {
            wakeAll();
        }
    }

    private void wakeAll() {
        Entry entry = waiting.getAndSet(null);
        while (entry != null) {
            Entry next = entry.next; // it may enter again as soon as it is woken
            entry.wake();
            entry = next;
        }
    }

    private void push(Entry entry) {
        Entry first;
        do {
            first = waiting.get();
            entry.next = first;
        } while (!waiting.compareAndSet(first, entry));
    }

    private Entry takeEntry() {
        while (true) {
            Entry kept = spare.getAndSet(null);
            if (kept != null) {
                return kept;
            }
            try {
                return new Entry();
            } catch (OutOfMemoryError e) {
                Pause.nanos(WAIT_FOR_MEMORY_NANOS); // the wait itself must not fail; others may free some
            }
        }
    }
}
