package io.flexdb.internal.read;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.base.StripedPool;

/** Contexts for reads, kept for later ones within a budget. Thread-safe. */
public final class ReadContexts {
    private final StripedPool<ReadContext> pool;
    private final KeptBytes kept;

    /** @param keptBytes how much memory the contexts that nobody uses may have */
    public ReadContexts(OffHeap memory, long keptBytes) {
        this.pool = new StripedPool<>(() -> new ReadContext(memory, OffHeap.Use.READS));
        this.kept = new KeptBytes(keptBytes);
    }

    /** A context for one read, or for a cursor's life. */
    ReadContext borrow() {
        ReadContext context = pool.borrow();
        int bytes = context.largeBytes();
        if (bytes > 0) {
            kept.take(bytes);
        }
        return context;
    }

    /** Keeps a context for later reads, and its memory if that and what others keep is not too much. Can't fail. */
    void giveBack(ReadContext context) {
        context.forget();
        int bytes = context.largeBytes(); // mostly none, and then nothing that threads share is written
        if (bytes > 0 && !kept.keep(bytes)) {
            context.letMemoryGo();
            bytes = 0;
        }
        if (!pool.giveBack(context)) {
            context.letMemoryGo();
            kept.take(bytes);
        }
    }

    /**
     * Leaves so much memory of contexts that nobody uses to reads of other stores, or of this one by other threads, or
     * what there is if that is less; returns how much that was.
     */
    public long leaveUnused(long wanted) {
        long left = 0;
        while (left < wanted) {
            ReadContext context = pool.takeAny();
            if (context == null) {
                break;
            }
            kept.take(context.largeBytes());
            left += context.leaveMemory();
        }
        return left;
    }
}
