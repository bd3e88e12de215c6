package io.flexdb.base.waiting;

import java.util.concurrent.locks.LockSupport;

/** Lets time pass where there is nobody to wait for. */
public final class Pause {
    private Pause() {}

    /** Returns after so long, not before, with the thread parked. An interrupt stays pending. */
    public static void nanos(long nanos) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        for (long rest = nanos; rest > 0; rest = end - System.nanoTime()) {
            LockSupport.parkNanos(rest);
            interrupted |= Thread.interrupted(); // or the next park would return at once
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
