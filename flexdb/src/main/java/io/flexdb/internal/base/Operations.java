package io.flexdb.internal.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts operations, and how long a part of them take. Thread-safe; makes no garbage. */
public final class Operations {
    /*
     * A counter that all threads write to would cost each lookup more than its directory does. So there are stripes, and
     * a thread writes to one of them, by its number: mostly nobody else does. Of 64 operations of a kind that a stripe
     * counts one is timed, the first of them.
     */
    public static final int GETS = 0;
    public static final int PUTS = 1;
    public static final int DELETES = 2;
    public static final int MERGES = 3;
    public static final int BATCHES = 4;
    public static final int SCANS = 5;
    public static final int TRANSACTIONS = 6;
    public static final int COMMITTED = 7;
    public static final int CONFLICTED = 8;
    public static final int WRITES = 9; // of any kind, to choose those that are timed

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int STRIPES = 64;
    private static final int STRIPE_LONGS_SHIFT = 4; // two cache lines, as processors fetch them by twos
    private static final int TIMED = 64;

    private final long[] counts = new long[STRIPES << STRIPE_LONGS_SHIFT];

    public final Latencies gets = new Latencies();
    public final Latencies writes = new Latencies();
    public final Latencies transactionCommits = new Latencies();

    /** Counts one. */
    public void count(int kind) {
        add(kind, 1);
    }

    /** Counts some. */
    public void add(int kind, long some) {
        COUNT.getAndAdd(counts, place(kind), some);
    }

    /** Counts one, and returns when it has begun if it is to be timed; else 0. */
    public long begin(int kind) {
        long before = (long) COUNT.getAndAdd(counts, place(kind), 1L);
        return before % TIMED == 0 ? now() : 0;
    }

    /** It has ended that began then; if at 0, nothing is noted. */
    public static void end(Latencies of, long begun) {
        if (begun != 0) {
            of.add(System.nanoTime() - begun);
        }
    }

    /** A time to {@link #end} with, which is not 0. */
    public static long now() {
        return System.nanoTime() | 1;
    }

    /** How many there have been. */
    public long sum(int kind) {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += (long) COUNT.getVolatile(counts, (stripe << STRIPE_LONGS_SHIFT) + kind);
        }
        return sum;
    }

    private static int place(int kind) {
        int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
        return (stripe << STRIPE_LONGS_SHIFT) + kind;
    }
}
