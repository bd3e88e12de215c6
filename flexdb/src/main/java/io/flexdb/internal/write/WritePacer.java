package io.flexdb.internal.write;

import io.flexdb.base.waiting.Pause;
import io.flexdb.internal.log.MemLog;
import java.util.function.DoubleSupplier;

/** Spreads write stalls: holds each write back a little, so none waits for a whole memtable. Thread-safe. */
final class WritePacer {
    /*
     * The problem: writers are faster than commits, and a new log takes as long as its zeros. A write that finds the
     * active memtable full while it can have no successor yet waits until it can, which may take seconds.
     *
     * The choice: meanwhile the active memtable is filled no faster than its successor comes nearer. A write that is
     * ahead waits for the successor, but not for long: when its time is over it goes on, and takes of the room that is
     * kept for this. This room lasts while the successor's thread does something without visible progress, a force for
     * example. The less of it is left the longer writes are held back: at first for the shortest time that a thread can
     * park, which is enough if writers are a little too fast. So many wait a little and none for long.
     *
     * A write waits for time to pass, so nobody wakes it. It looks again after twice as long each time, so it waits at
     * most twice as long as the successor needs, and many writes that wait do not take the processor from it.
     */
    private static final double HEAD_START = 1.0 / 32;
    private static final double LEAST_HEAD_START = 12 << 10; // bytes of a log, the first of which has no writes
    private static final double SLACK = 1.0 / 8;
    private static final long MIN_WAIT_NANOS = 50_000;
    private static final long MAX_WAIT_NANOS = 20_000_000;
    private static final int BYTES_OF_A_WAIT = 4096;
    private static final double HARDEST = 160; // times the least wait, when nothing is left
    private static final long FIRST_PAUSE_NANOS = 50_000;

    private final DoubleSupplier successor;
    private final Runnable heldBack;
    private final WriteStalls stalls;
    private volatile MemLog slowed;

    /**
     * @param successor how far the next memtable is on its way, from 0 to 1
     * @param heldBack run whenever a write is about to wait for a moment
     * @param stalls is told of writes that wait
     */
    WritePacer(DoubleSupplier successor, Runnable heldBack, WriteStalls stalls) {
        this.stalls = stalls;
        this.successor = successor;
        this.heldBack = heldBack;
    }

    /** Slows writes into a memtable that can have no successor yet; null for none. */
    void slow(MemLog active) {
        slowed = active;
    }

    /** Waits a little, if the active memtable is filled too fast. Before the write lock. */
    void pace(int payloadBytes) {
        MemLog log = slowed;
        if (log != null && ahead(log) > 0) {
            WriteStalls.Stall stall = stalls.begin();
            await(log, payloadBytes);
            stall.end(payloadBytes);
        }
    }

    /** By how much more of the log is filled than its successor allows. */
    private double ahead(MemLog log) {
        double headStart = Math.max(HEAD_START, Math.min(SLACK, LEAST_HEAD_START / log.wal.capacity()));
        double allowed = headStart + (1 - headStart - SLACK) * successor.getAsDouble();
        return log.fillLevel() - allowed;
    }

    private void await(MemLog log, int payloadBytes) {
        double waits = Math.max(1, payloadBytes / BYTES_OF_A_WAIT);
        long begin = System.nanoTime();
        long pause = FIRST_PAUSE_NANOS;
        while (slowed == log) {
            double ahead = ahead(log);
            if (ahead <= 0) {
                return;
            }
            double used = Math.min(1, ahead / SLACK);
            double nanos = waits * MIN_WAIT_NANOS * (1 + HARDEST * used * used);
            long rest = (long) Math.min(nanos, MAX_WAIT_NANOS) - (System.nanoTime() - begin);
            if (rest <= 0) {
                return;
            }
            heldBack.run();
            Pause.nanos(Math.min(rest, pause));
            pause *= 2;
        }
    }
}
