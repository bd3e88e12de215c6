package io.flexdb.internal.read;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds what many buffers that are kept for later take together. Thread-safe; allocates nothing. */
public final class KeptBytes {
    private final long most;
    private final AtomicLong kept = new AtomicLong();

    /** @param most how many bytes may be kept */
    public KeptBytes(long most) {
        this.most = most;
    }

    /** Counts bytes that are to be kept, and returns true, unless they would be too many. */
    public boolean keep(long bytes) {
        if (kept.addAndGet(bytes) <= most) {
            return true;
        }
        kept.addAndGet(-bytes);
        return false;
    }

    /** Bytes counted are in use again, or gone. */
    public void take(long bytes) {
        kept.addAndGet(-bytes);
    }

    /** Bytes kept now. */
    public long bytes() {
        return kept.get();
    }
}
