package io.flexdb.flexspace.internal.base;

import io.flexdb.base.waiting.Pause;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A few objects that threads borrow for one operation, so that operations make no garbage. Threads may be virtual, so
 * there is none per thread. Thread-safe.
 */
public final class StripedPool<T> {
    private static final int STRIPES = 64;
    private static final int STRIDE = 32; // references: threads with neighbouring numbers share no cache line
    private static final long WAIT_FOR_MEMORY_NANOS = 1_000_000;
    private static final int TRIES = 4; // a thread may have several in use, some of them for long

    private final Supplier<T> maker;
    private final AtomicReferenceArray<T> stripes = new AtomicReferenceArray<>((STRIPES + 1) * STRIDE);

    /** @param maker makes one more when the one kept for a thread is in use */
    public StripedPool(Supplier<T> maker) {
        this.maker = maker;
    }

    /** Takes an object, which nobody else has until it is given back. It need not be given back. */
    public T borrow() {
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < TRIES; i++) {
            int place = place(first + i);
            T kept = stripes.getPlain(place) == null ? null : stripes.getAndSet(place, null);
            if (kept != null) {
                return kept;
            }
        }
        return maker.get();
    }

    /** Takes an object, however long there is no memory for one: for what must not fail. */
    public T borrowPatiently() {
        while (true) {
            try {
                return borrow();
            } catch (OutOfMemoryError e) {
                Pause.nanos(WAIT_FOR_MEMORY_NANOS); // others may free some, or give one back
            }
        }
    }

    /** Gives an object back, and returns whether it is kept. */
    public boolean giveBack(T borrowed) {
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < TRIES; i++) {
            if (stripes.compareAndSet(place(first + i), null, borrowed)) {
                return true;
            }
        }
        return false;
    }

    /** Takes an object that is kept, whoever gave it back; null if there is none. Nobody has it any more but the caller. */
    public T takeAny() {
        for (int i = 0; i < STRIPES; i++) {
            T kept = stripes.getAndSet(place(i), null);
            if (kept != null) {
                return kept;
            }
        }
        return null;
    }

    private static int place(int number) {
        return ((number & STRIPES - 1) + 1) * STRIDE;
    }
}
