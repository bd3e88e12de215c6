package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.internal.base.StoreEvents;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the writes that were held back since commits are slower, and for how long. Thread-safe. */
public final class WriteStalls {
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();

    /** A write that is held back. For its thread. */
    final class Stall {
        private final EventSpan event = StoreEvents.writeStall();
        private final long begin = System.nanoTime();

        void end(long writeBytes) {
            count.incrementAndGet();
            nanos.addAndGet(System.nanoTime() - begin);
            event.finish(1, writeBytes);
        }
    }

    /** A write begins to wait. */
    Stall begin() {
        return new Stall();
    }

    /** Writes that were held back; one that was slowed down, and then waited for a memtable, counts twice. */
    public long count() {
        return count.get();
    }

    /** How long they were, all together. */
    public long nanos() {
        return nanos.get();
    }
}
