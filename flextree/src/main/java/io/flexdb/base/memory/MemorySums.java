package io.flexdb.base.memory;

import io.flexdb.base.memory.OffHeap.Use;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongBinaryOperator;

/** The figures of an account. They do not lead to it, nor to the store, and stay until all is collected. */
final class MemorySums {
    // Made before there may be no memory for it.
    static final LongBinaryOperator LESS = (has, less) -> Math.max(0, has - less);

    private final Set<Held> held = ConcurrentHashMap.newKeySet();
    private final AtomicLongArray bytes = new AtomicLongArray(Use.values().length);
    private final AtomicLongArray letGo = new AtomicLongArray(Use.values().length); // and not collected yet
    private final WeakReference<OffHeap> account;
    private final SharedMemory shared; // null for none
    private final AtomicLong brought;
    final long segmentBytes;
    private volatile boolean ended;

    /** @param segmentBytes what it needs at once for its writes to files; 0 if it has none */
    MemorySums(OffHeap account, SharedMemory shared, long broughtBytes, long segmentBytes) {
        this.segmentBytes = segmentBytes;
        this.account = new WeakReference<>(account);
        this.shared = shared;
        this.brought = new AtomicLong(broughtBytes);
    }

    /** The bytes it has brought to the common budget, which it takes back. */
    long takeBrought() {
        return brought.getAndSet(0);
    }

    /** Null if nobody uses it any more. */
    OffHeap account() {
        return account.get();
    }

    boolean hasEnded() {
        return ended;
    }

    boolean isForgotten() {
        return held.isEmpty() && (ended || account.get() == null);
    }

    long bytes(Use use) {
        return bytes.get(use.ordinal());
    }

    /** Those of the cache that were not let go of. */
    long cacheBytes() {
        return bytes.get(Use.CACHE.ordinal()) - letGo.get(Use.CACHE.ordinal());
    }

    void note(Use use, ByteBuffer buffer, ReferenceQueue<ByteBuffer> gone) {
        held.add(new Held(buffer, use, this, gone));
        bytes.addAndGet(use.ordinal(), buffer.capacity());
        if (shared != null) {
            shared.noted(use, buffer.capacity());
        }
    }

    private void forgotten(Use use, long count) {
        bytes.addAndGet(use.ordinal(), -count);
        long before = letGo.getAndAccumulate(use.ordinal(), count, LESS);
        if (shared != null) {
            shared.forgotten(use, count, Math.min(before, count));
        }
    }

    /** Hands a buffer over that nobody uses any more, or says so if those who share memory don't keep it. */
    void handOver(ByteBuffer buffer) {
        for (Held entry : held) {
            if (entry.refersTo(buffer)) { // else it is not held, or no more: it must not get two owners
                if (held.remove(entry)) {
                    handOver(entry, buffer);
                }
                return;
            }
        }
    }

    private void handOver(Held entry, ByteBuffer buffer) {
        boolean taken = false;
        try {
            taken = shared.offer(entry.use, buffer);
        } finally { // the heap may be full
            if (taken) {
                bytes.addAndGet(entry.use.ordinal(), -entry.bytes);
                entry.clear();
            } else {
                held.add(entry);
                letGo(entry.use, entry.bytes);
            }
        }
    }

    /** Says that nobody uses so many bytes any more. */
    void letGo(Use use, long count) {
        letGo.addAndGet(use.ordinal(), count);
        if (shared != null) {
            shared.letGo(use, count);
        }
    }

    /** Counts the buffers no more that were collected. */
    static void forgetGone(ReferenceQueue<ByteBuffer> queue) {
        for (Held entry = (Held) queue.poll(); entry != null; entry = (Held) queue.poll()) {
            entry.forget();
        }
    }

    /** Says that nobody uses any of this any more. */
    void end() {
        ended = true;
        if (shared != null) {
            shared.tookBack(takeBrought());
        }
        for (Use use : Use.values()) {
            long rest = bytes(use) - letGo.get(use.ordinal());
            if (rest > 0) {
                letGo(use, rest);
            }
        }
    }

    /** A buffer that counts until the garbage collector has found it. */
    private static final class Held extends PhantomReference<ByteBuffer> {
        private final MemorySums sums;
        private final Use use;
        private final long bytes;

        Held(ByteBuffer buffer, Use use, MemorySums sums, ReferenceQueue<ByteBuffer> gone) {
            super(buffer, gone);
            this.sums = sums;
            this.use = use;
            this.bytes = buffer.capacity();
        }

        void forget() {
            if (sums.held.remove(this)) {
                sums.forgotten(use, bytes);
            }
        }
    }
}
