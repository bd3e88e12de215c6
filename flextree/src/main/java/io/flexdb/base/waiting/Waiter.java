package io.flexdb.base.waiting;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * One wait of one thread, which another thread ends. Can be used again for the next wait, by any thread. An interrupt
 * does not end a wait, and stays pending.
 */
public class Waiter {
    /*
     * The problem: LockSupport.park returns at once in an interrupted thread. A loop around it then spins, and a
     * virtual thread that spins never leaves its carrier, which the thread that it waits for may need.
     *
     * The choice: an interrupt is taken note of and set again after the wait. The thread that ends the wait calls
     * wake(), once. A thread that has not parked yet is not unparked, which would leave a permit to the next park of
     * that thread, perhaps one of the user's.
     *
     * W1  begin() comes before this object is shown to the thread that calls wake().
     * W2  wake() is called once after each begin(). Its last access to this object is the change of state, so the
     *     object may be used again as soon as the wait has returned.
     */
    private static final int WAITING = 0;
    private static final int PARKED = 1;
    private static final int WOKEN = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        // The first use comes before the heap can be full: a method of a VarHandle, too, needs memory the first time.
        Waiter first = new Waiter();
        first.begin();
        if (first.mustPark()) {
            first.wake();
        }
        LockSupport.parkNanos(1); // takes the permit of that
        first.await(0);
        first.await();
    }

    private volatile int state = WOKEN;
    private Thread thread;

    /** Begins a wait of the current thread, which is to call {@link #await()} next. */
    public final void begin() {
        begin(Thread.currentThread());
    }

    /** Begins a wait of a thread that is not started yet. */
    public final void begin(Thread waiting) {
        assert state == WOKEN : "in use";
        thread = waiting;
        state = WAITING;
    }

    /** Returns once this was woken. */
    public final void await() {
        boolean interrupted = false;
        while (mustPark()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        end(interrupted);
    }

    /**
     * Returns once this was woken or the time is over. Then {@link #wake()} is still to come, and this may be called
     * again.
     *
     * @return whether it was woken
     */
    public final boolean await(long nanos) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        long rest = nanos;
        while (rest > 0 && mustPark()) {
            LockSupport.parkNanos(this, rest);
            interrupted |= Thread.interrupted();
            rest = end - System.nanoTime();
        }
        STATE.compareAndSet(this, PARKED, WAITING);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return state == WOKEN;
    }

    private boolean mustPark() {
        return state == PARKED || STATE.compareAndSet(this, WAITING, PARKED);
    }

    private void end(boolean interrupted) {
        thread = null; // or a pool of these would keep threads that have ended
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the wait. */
    public final void wake() {
        Thread waiting = thread; // before the change of state (W2)
        if ((int) STATE.getAndSet(this, WOKEN) == PARKED) {
            LockSupport.unpark(waiting);
        }
    }

    @Override
    public String toString() {
        int now = state;
        return "Waiter[" + (now == WOKEN ? "woken" : now == PARKED ? "parked" : "waiting") + "]";
    }
}
