package io.flexdb.flexspace.internal.base;

import io.flexdb.base.waiting.Pause;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * A reentrant lock with one condition, for what must be given back or told even when the heap is full. Thread-safe.
 */
public final class Monitor {
    /*
     * Why not a ReentrantLock: before JDK 21 a contended lock(), and each wait, throw an OutOfMemoryError if there is
     * no memory for a node of the queue, and in a finally block that leaves what it was to give back. Worse, the first
     * signalAll() allocates the queue's head; if that fails, who was to be woken is in no queue any more. Later JDKs
     * wait a little and try again, and so does this lock; and the head is made in the beginning.
     *
     * A class that is used for the first time has to be found first, and a class loader that is asked for it needs
     * memory, even if the JVM has the class already; a class whose initializer finds none is of no use ever after. So
     * what a full heap makes this lock use, and what a wait uses after the lock was given up, is used once in the
     * beginning.
     */
    private static final long WAIT_FOR_MEMORY_NANOS = 1_000_000;

    static {
        waitForMemory(1);
        try {
            ForkJoinPool.managedBlock(new Blocker()); // as each wait for a condition does
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Blocks nobody. */
    private static final class Blocker implements ForkJoinPool.ManagedBlocker {
        @Override
        public boolean block() {
            return true;
        }

        @Override
        public boolean isReleasable() {
            return true;
        }
    }

    private static final class Sync extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;
        private static final int HOLD = 1;
        private static final int WAIT_ONLY = 0;

        final transient ConditionObject changed = new ConditionObject();

        Sync() {
            boolean interrupted = Thread.interrupted();
            while (!hasContended()) { // until the queue has its head
                try {
                    tryAcquireNanos(WAIT_ONLY, 1);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        protected boolean tryAcquire(int how) {
            if (how == WAIT_ONLY) {
                return false;
            }
            if (getExclusiveOwnerThread() == Thread.currentThread()) {
                setState(getState() + how);
                return true;
            }
            if (getState() == 0 && compareAndSetState(0, how)) {
                setExclusiveOwnerThread(Thread.currentThread());
                return true;
            }
            return false;
        }

        @Override
        protected boolean tryRelease(int holds) {
            if (!isHeldExclusively()) {
                throw new IllegalMonitorStateException();
            }
            int left = getState() - holds;
            if (left == 0) {
                setExclusiveOwnerThread(null);
            }
            setState(left);
            return left == 0;
        }

        @Override
        protected boolean isHeldExclusively() {
            return getExclusiveOwnerThread() == Thread.currentThread();
        }
    }

    private final Sync sync = new Sync();

    private static void waitForMemory(long nanos) {
        Pause.nanos(nanos);
    }

    public void lock() {
        while (true) {
            try {
                sync.acquire(Sync.HOLD);
                return;
            } catch (OutOfMemoryError e) {
                waitForMemory(WAIT_FOR_MEMORY_NANOS);
            }
        }
    }

    public void unlock() {
        sync.release(Sync.HOLD);
    }

    /**
     * Waits to be woken, with the lock, which must be held once, given up meanwhile; it may also return for no reason.
     * An interrupt stays pending.
     */
    public void await() {
        try {
            sync.changed.awaitUninterruptibly();
        } catch (OutOfMemoryError e) {
            waitForMemoryUnlocked();
        }
    }

    /** Waits like {@link #await()}, for so long at most. */
    public void await(long nanos) {
        boolean interrupted = Thread.interrupted();
        try {
            sync.changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (OutOfMemoryError e) {
            waitForMemoryUnlocked();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For a wait that found no memory before it had given the lock up. */
    private void waitForMemoryUnlocked() {
        unlock();
        waitForMemory(WAIT_FOR_MEMORY_NANOS);
        lock();
    }

    /** Wakes all who wait. Under the lock. */
    public void signalAll() {
        sync.changed.signalAll();
    }

    /** Wakes all who wait. */
    public void wake() {
        lock();
        try {
            signalAll();
        } finally {
            unlock();
        }
    }
}
