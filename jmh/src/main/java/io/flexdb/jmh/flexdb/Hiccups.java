package io.flexdb.jmh.flexdb;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long the machine and the JVM have held up a thread that asks nothing of any store: it sleeps for a millisecond
 * again and again. What it oversleeps is a pause of the garbage collector, time that a hypervisor has given to others,
 * or a wait for a processor; an operation may have waited as long for the same reason.
 */
final class Hiccups implements AutoCloseable {
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Thread thread = new Thread(this::watch, "hiccups");
    private volatile boolean closed;
    private volatile long longestNanos;

    Hiccups() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            long start = System.nanoTime();
            LockSupport.parkNanos(SLEEP_NANOS);
            longestNanos = Math.max(longestNanos, System.nanoTime() - start - SLEEP_NANOS);
        }
    }

    /** The longest so far. */
    double longestMillis() {
        return longestNanos / 1e6;
    }

    @Override
    public void close() {
        closed = true;
    }
}
