package io.flexdb.base.memory;

import io.flexdb.base.waiting.Pause;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Memory that stores have in common: a budget for all but their indexes, buffers that one has given back and the next
 * one takes, by their size, and what the others can spare for one that finds none. Thread-safe.
 *
 * <p>The JDK frees direct memory only when garbage is collected. So a store that has nothing to write for the moment
 * hands over what it wrote with.
 */
public final class SharedMemory {
    /*
     * A budget is hard if somebody asked for it. Then all counts that the JVM counts, until garbage is collected, and
     * whoever can't do without memory has the caches of all stores give way and garbage collected, and is refused at
     * last, as where the JVM has no more. Caches and memtables leave a part to those who write them to files, or nobody
     * could make room: at least a segment, and what all have to commit with.
     *
     * The budget that all stores share by default is a measure: caches and memtables grow no further, and who can't do
     * without memory takes it as long as the JVM has some. There what was let go of does not count.
     *
     * A store that is refused memory for a segment or a commit claims it: for a moment, others leave as much of what
     * becomes free, reads excepted, which need little. Otherwise they would always be first, as one that waits asks now
     * and then only.
     *
     * M1  counted + free <= hard budget, at any time: who moves bytes from one to the other adds first.
     */
    private static final int RESERVED_SHARE = 4;
    private static final int READS_SHARE = 64;
    private static final long MOST_FOR_READS = 1 << 20;
    private static final long READ_BYTES = 32 << 10;
    private static final int SLACK_SHARE = 8;
    private static final long MOST_RESERVED_BYTES = 16 << 20;
    private static final long COMMIT_BYTES = 320 << 10; // that a store commits with, a segment apart
    private static final long FIRST_WAIT_NANOS = 1_000_000;
    private static final int MAX_WAITS = 8; // a quarter of a second in all
    private static final long COLLECT_AGAIN_NANOS = 1_000_000_000;
    private static final long BALANCE_AGAIN_NANOS = 50_000_000;
    private static final long IDLE_NANOS = 1_000_000_000;
    private static final long CLAIMED_NANOS = 300_000_000; // a few times as long as anybody waits before asking again
    private static final long PRESSED_NANOS = 5_000_000_000L;
    private static final long MUCH_BYTES = 1 << 20; // of memtables

    final ReferenceQueue<ByteBuffer> gone = new ReferenceQueue<>();
    private final long mostFreeBytes;
    private final boolean hard;
    private final Runnable collector;
    private final AtomicLong budget;
    private final AtomicLong counted = new AtomicLong(); // of uses that have a budget
    private final AtomicLongArray held = new AtomicLongArray(OffHeap.Use.values().length);
    private volatile long bytesToCommitWith; // of those that write to files
    private final AtomicLong letGo = new AtomicLong(); // of what is counted, and not collected yet
    private final AtomicBoolean collecting = new AtomicBoolean();
    private final AtomicLong notCollected = new AtomicLong(); // of what was let go of, by the last collection or since
    private volatile long collected = System.nanoTime() - COLLECT_AGAIN_NANOS;
    private final AtomicReference<Claim> claim = new AtomicReference<>(new Claim(null, 0, 0));
    private volatile long balanced = System.nanoTime() - BALANCE_AGAIN_NANOS;
    private volatile long pressed = System.nanoTime() - PRESSED_NANOS;

    private final Map<Integer, OfSize> free = new HashMap<>(); // by capacity; under this object's lock
    private long wishes; // for any size; likewise
    private volatile long freeBytes; // written under the lock
    private final MemorySums dropped = new MemorySums(null, this, 0, 0); // of the free ones
    // Of stores that nobody has closed and nobody uses any more, nothing may be kept here but what is held for them.
    private final Set<MemorySums> accounts = ConcurrentHashMap.newKeySet();

    /** Who was refused so many bytes, and when; nobody if there is no account. */
    private record Claim(MemorySums account, long bytes, long nanos) {}

    /**
     * @param mostFreeBytes what is kept at most for others to take; the garbage collector gets the rest
     * @param budgetBytes what there is for all together
     * @param hard whether nobody gets more, whatever happens
     */
    public SharedMemory(long mostFreeBytes, long budgetBytes, boolean hard) {
        this(mostFreeBytes, budgetBytes, hard, System::gc);
    }

    SharedMemory(long mostFreeBytes, long budgetBytes, boolean hard, Runnable collector) {
        this.mostFreeBytes = mostFreeBytes;
        this.budget = new AtomicLong(budgetBytes);
        this.hard = hard;
        this.collector = collector;
    }

    /** @param broughtBytes added to the budget */
    void join(MemorySums account, long broughtBytes) {
        for (MemorySums other : accounts) {
            if (other.account() == null) { // nobody has closed it
                tookBack(other.takeBrought());
            }
        }
        accounts.removeIf(MemorySums::isForgotten);
        budget.addAndGet(broughtBytes);
        accounts.add(account);
        sumUp();
    }

    /** A segment, the largest that anybody writes, and what each commits with. */
    private synchronized void sumUp() {
        long segment = 0;
        long all = 0;
        for (MemorySums account : accounts) {
            boolean writes = account.segmentBytes > 0 && !account.hasEnded();
            segment = writes ? Math.max(segment, account.segmentBytes) : segment;
            all += writes ? COMMIT_BYTES : 0;
        }
        bytesToCommitWith = segment + all;
    }

    /** An account has ended. With the last one ends what is kept for the next one, which there may never be. */
    void left(MemorySums account) {
        endClaim(account, Long.MAX_VALUE);
        sumUp();
        if (accountCount() == 0) {
            dropFree(Long.MAX_VALUE);
        }
    }

    /** Takes away from the budget what was brought. */
    void tookBack(long broughtBytes) {
        budget.addAndGet(-broughtBytes);
    }

    // ---- the budget

    /** The bytes that all may have together. */
    public long budgetBytes() {
        return budget.get();
    }

    /** The bytes that count of that, of all that is held. */
    public synchronized long usedBytes() { // or a buffer would count twice on its way
        forgetGone();
        return used();
    }

    private long used() {
        return hard ? counted.get() + freeBytes : counted.get() - letGo.get();
    }

    /** Bytes held for something, whether they count or not. */
    public long heldBytes(OffHeap.Use use) {
        forgetGone();
        return held.get(use.ordinal());
    }

    /** How many stores there are. */
    public int accountCount() {
        int count = 0;
        for (MemorySums account : accounts) {
            OffHeap of = account.account();
            count += of != null && !account.hasEnded() ? 1 : 0;
        }
        return count;
    }

    private long limit(MemorySums asking, OffHeap.Use use) {
        long all = budget.get();
        if (use == OffHeap.Use.READS) {
            return all;
        }
        all -= hard ? Math.max(0, forReads(all) - held(OffHeap.Use.READS)) : 0;
        all -= claimedByOthers(asking);
        if (use != OffHeap.Use.CACHE && use != OffHeap.Use.MEMTABLES) {
            return all;
        }
        long others = held(OffHeap.Use.SEGMENTS) + held(OffHeap.Use.READS) + held(OffHeap.Use.COMMITS);
        long reserved = Math.max(0, reservedBytes() - others);
        // One store alone takes all of what is a measure: small buffers beyond that are no reason to be short.
        return all - reserved + (hard || use == OffHeap.Use.CACHE ? 0 : all / SLACK_SHARE);
    }

    /** The bytes that caches and memtables leave to commits, be they in use or not. */
    private long reservedBytes() {
        long all = budget.get();
        long share = Math.min(MOST_RESERVED_BYTES, all / RESERVED_SHARE);
        return hard ? Math.max(share, Math.min(all / 2, bytesToCommitWith)) : share;
    }

    private long claimedByOthers(MemorySums asking) {
        Claim of = claim.get();
        boolean counts = of.account != null && of.account != asking && System.nanoTime() - of.nanos < CLAIMED_NANOS;
        return counts ? of.bytes : 0;
    }

    /** Follows a refusal. One claim counts at a time, so that what is kept for it is all there soon. */
    private void claim(MemorySums asking, OffHeap.Use use, long bytes) {
        Claim of = claim.get();
        boolean makesRoom = use == OffHeap.Use.SEGMENTS || use == OffHeap.Use.COMMITS;
        if (makesRoom && claimedByOthers(asking) == 0) {
            long most = of.account == asking ? Math.max(of.bytes, bytes) : bytes;
            claim.compareAndSet(of, new Claim(asking, most, System.nanoTime()));
            wantOfOthers(asking);
        }
    }

    /** Tells stores that have memory for segments, perhaps more than they need, that one waits for it. */
    private void wantOfOthers(MemorySums asking) {
        for (MemorySums other : accounts) {
            OffHeap of = other != asking && other.bytes(OffHeap.Use.SEGMENTS) > 0 ? other.account() : null;
            if (of != null) {
                of.wanted();
            }
        }
    }

    /** Follows that an account has got so many bytes. */
    private void endClaim(MemorySums asking, long bytes) {
        Claim of = claim.get();
        if (of.account == asking && of.bytes <= bytes) {
            claim.compareAndSet(of, new Claim(null, 0, 0));
        }
    }

    /** The part of a hard budget that nobody else gets: a read needs little, but that. None of a tiny budget. */
    private static long forReads(long budgetBytes) {
        return Math.min(MOST_FOR_READS, budgetBytes / READS_SHARE / READ_BYTES * READ_BYTES);
    }

    private long held(OffHeap.Use use) {
        return held.get(use.ordinal());
    }

    /** How much a use may have more. */
    long spareBytes(MemorySums asking, OffHeap.Use use) {
        return use.hasBudget() ? limit(asking, use) - used() : Long.MAX_VALUE;
    }

    /** Whether caches and memtables had better be small, since others wait for what is left. */
    boolean isShort(MemorySums asking) {
        return hard
                && spareBytes(asking, OffHeap.Use.CACHE) < Math.min(MOST_RESERVED_BYTES, budget.get() / RESERVED_SHARE);
    }

    /** Counts what is about to be taken, if the budget has it. */
    boolean tryReserve(MemorySums asking, OffHeap.Use use, long bytes) {
        if (!use.hasBudget()) {
            return true;
        }
        while (true) {
            long now = counted.get();
            long used = now + (hard ? freeBytes : -letGo.get());
            if (used + bytes > limit(asking, use)) {
                return false;
            }
            if (counted.compareAndSet(now, now + bytes)) {
                return true;
            }
        }
    }

    /**
     * Counts what is about to be taken by somebody who can't do without: garbage is collected for it.
     *
     * @throws OutOfMemoryError if the budget does not have it then either; nothing has changed
     */
    void reserve(MemorySums asking, OffHeap.Use use, long bytes) {
        if (!hard) {
            counted.addAndGet(use.hasBudget() ? bytes : 0);
        } else if (tryReserveAfterCollection(asking, use, bytes)) {
            endClaim(asking, bytes);
        } else {
            claim(asking, use, bytes);
            throw new OutOfMemoryError("the resources that stores share have " + budget.get() + " bytes, of which "
                    + used() + " are in use, and not " + bytes + " more");
        }
    }

    private boolean tryReserveAfterCollection(MemorySums asking, OffHeap.Use use, long bytes) {
        if (tryReserve(asking, use, bytes)) {
            return true;
        }
        forgetGone();
        if (tryReserve(asking, use, bytes)) {
            return true;
        }
        if (use != OffHeap.Use.READS && claimedByOthers(asking) > 0) {
            return false; // and what is free stays for the one that was refused before
        }
        long limit = limit(asking, use);
        dropFree(used() + bytes - limit);
        if (!isCollectionWorthIt(bytes, limit)) {
            return false;
        }
        collect();
        for (int waits = 0; waits < MAX_WAITS; waits++) { // the collector tells nobody when it has freed something
            forgetGone();
            if (tryReserve(asking, use, bytes)) {
                return true;
            }
            Pause.nanos(FIRST_WAIT_NANOS << waits);
        }
        notCollected.set(letGo.get());
        return false;
    }

    /** Whether it would be enough, as far as is known; and what nobody has told of is looked for once a second. */
    private boolean isCollectionWorthIt(long bytes, long limit) {
        long garbage = letGo.get();
        return garbage > notCollected.get() && used() - garbage + bytes <= limit
                || System.nanoTime() - collected > COLLECT_AGAIN_NANOS;
    }

    private void collect() {
        if (collecting.compareAndSet(false, true)) {
            try {
                collector.run();
                collected = System.nanoTime();
            } finally {
                collecting.set(false);
            }
        }
    }

    /**
     * Waits a moment for other reads to end, which leave their memory to the next one; returns false if there is no sense
     * in it, or none any more after so many tries.
     */
    boolean awaitOtherReads(int tries) {
        if (!hard || tries > MAX_WAITS) {
            return false;
        }
        Pause.nanos(FIRST_WAIT_NANOS << tries - 1);
        return true;
    }

    /** Takes back what {@link #reserve} has counted. */
    void release(OffHeap.Use use, long bytes) {
        counted.addAndGet(use.hasBudget() ? -bytes : 0);
    }

    /** Whether a memtable fits the budget: caches give way to memtables until these have half of it. */
    boolean makeRoomForMemtable(OffHeap asking, MemorySums account, long bytes) {
        OffHeap.Use use = OffHeap.Use.MEMTABLES;
        if (spareBytes(account, use) >= bytes) {
            return true;
        }
        forgetGone();
        if (held(use) + bytes <= budget.get() / 2) {
            asking.giveBackHereOrElsewhere(bytes - Math.min(bytes, spareBytes(account, use)));
            if (hard && tryReserveAfterCollection(account, use, bytes)) {
                release(use, bytes);
                return true;
            }
        }
        return spareBytes(account, use) >= bytes;
    }

    /** Says that a store has smaller memtables than it would like to; those that have more than others give some up. */
    void press(MemorySums account) {
        if (account.bytes(OffHeap.Use.MEMTABLES) < fairMemtableBytes()) {
            pressed = System.nanoTime();
        }
    }

    /** Whether a store has more for memtables than it should have, now that others have too little. */
    boolean hasTooMuch(MemorySums account) {
        return System.nanoTime() - pressed < PRESSED_NANOS
                && account.bytes(OffHeap.Use.MEMTABLES) > fairMemtableBytes();
    }

    private long fairMemtableBytes() {
        int count = 0;
        for (MemorySums account : accounts) {
            count += account.bytes(OffHeap.Use.MEMTABLES) >= MUCH_BYTES ? 1 : 0;
        }
        return budget.get() / 2 / Math.max(1, count);
    }

    // ---- bookkeeping

    void noted(OffHeap.Use use, long bytes) {
        held.addAndGet(use.ordinal(), bytes);
    }

    void forgotten(OffHeap.Use use, long bytes, long ofLetGo) {
        held.addAndGet(use.ordinal(), -bytes);
        if (use.hasBudget()) {
            counted.addAndGet(-bytes);
            letGo.addAndGet(-ofLetGo);
            notCollected.accumulateAndGet(ofLetGo, MemorySums.LESS); // the collector may have been late with it
        }
    }

    void letGo(OffHeap.Use use, long bytes) {
        letGo.addAndGet(use.hasBudget() ? bytes : 0);
    }

    void forgetGone() {
        MemorySums.forgetGone(gone);
    }

    // ---- what others can spare

    /** Lets go of so many bytes, or of what there is and the others can spare; returns how much that was. */
    long giveBack(OffHeap asking, long wanted) {
        long given = dropFree(wanted); // which is of no size that was asked for
        if (given >= wanted) {
            return given;
        }
        MemorySums[] others = accounts.toArray(new MemorySums[0]);
        long[] sizes = new long[others.length]; // or they would change while they are compared
        for (int i = 0; i < others.length; i++) {
            sizes[i] = others[i].cacheBytes();
        }
        for (int count = 0; count < others.length && given < wanted; count++) {
            int largest = 0;
            for (int i = 1; i < others.length; i++) {
                largest = sizes[i] > sizes[largest] ? i : largest;
            }
            sizes[largest] = Long.MIN_VALUE;
            OffHeap account = others[largest].account();
            given += account == null || account == asking ? 0 : account.giveBackForOthers(wanted - given);
        }
        return given;
    }

    private MemorySums largestCache(OffHeap asking) {
        MemorySums largest = null;
        long most = 0;
        for (MemorySums account : accounts) {
            long bytes = account.cacheBytes();
            if (bytes > most && account.account() != asking) {
                largest = account;
                most = bytes;
            }
        }
        return largest;
    }

    /**
     * Has the largest cache give way to one that would like to grow, if it is not used any more, or until both are
     * equal.
     */
    void balance(OffHeap asking, long bytes) {
        long now = System.nanoTime();
        if (now - balanced < BALANCE_AGAIN_NANOS) {
            return;
        }
        balanced = now;
        forgetGone();
        MemorySums largest = largestCache(asking);
        OffHeap of = largest == null ? null : largest.account();
        if (of == null) {
            return;
        }
        boolean isIdle = of.isCacheIdle(now, IDLE_NANOS);
        if (isIdle || largest.cacheBytes() > asking.cacheBytes() + 2 * bytes) {
            of.tryGiveBackForOthers(bytes);
        }
        if (hard && letGo.get() > budget.get() / 8 && now - collected > 10 * COLLECT_AGAIN_NANOS) {
            collect();
        }
    }

    // ---- buffers that wait for another store

    /** Buffers of one size. */
    private static final class OfSize {
        final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
        long lastWanted; // by a clock that counts
    }

    /** A buffer of exactly so many bytes, which counts, or null. */
    synchronized ByteBuffer poll(MemorySums asking, OffHeap.Use use, int capacity) {
        OfSize ofSize = free.get(capacity);
        if (ofSize != null && claimedByOthers(asking) > 0 && used() > limit(asking, use)) {
            return null;
        }
        ByteBuffer buffer = null;
        if (ofSize != null) {
            ofSize.lastWanted = ++wishes; // even if there is none: the next one is kept
            buffer = ofSize.buffers.poll();
        }
        if (buffer != null) {
            counted.addAndGet(use.hasBudget() ? capacity : 0); // M1
            freeBytes -= capacity;
            endClaim(asking, capacity);
        }
        return buffer;
    }

    /** Whether there is one of exactly so many bytes. */
    synchronized boolean hasFree(int capacity) {
        OfSize ofSize = free.get(capacity);
        return ofSize != null && !ofSize.buffers.isEmpty();
    }

    /**
     * Keeps a buffer, which does not count any more as what it was; returns false if there are enough. Those of a size
     * that nobody has wanted for longer give way: else what stores have outgrown would be kept, and what they take again
     * and again would be made anew each time.
     */
    synchronized boolean offer(OffHeap.Use use, ByteBuffer buffer) {
        int capacity = buffer.capacity();
        if (capacity > mostFreeBytes) {
            return false;
        }
        OfSize ofSize = free.get(capacity);
        if (ofSize == null) {
            ofSize = new OfSize();
            ofSize.lastWanted = ++wishes;
            free.put(capacity, ofSize);
        }
        if (freeBytes + capacity - bytesWantedBefore(ofSize.lastWanted) > mostFreeBytes) {
            return false;
        }
        while (freeBytes + capacity > mostFreeBytes) {
            OfSize oldest = ofSize;
            for (OfSize each : free.values()) {
                oldest = each.lastWanted < oldest.lastWanted && !each.buffers.isEmpty() ? each : oldest;
            }
            if (oldest == ofSize || drop(oldest, freeBytes + capacity - mostFreeBytes) == 0) {
                return false;
            }
        }
        ofSize.buffers.push(buffer.clear());
        freeBytes += capacity; // M1
        forgotten(use, capacity, 0);
        return true;
    }

    /** Bytes of buffers of sizes that were wanted last before a time. Under the lock. */
    private long bytesWantedBefore(long time) {
        long bytes = 0;
        for (Map.Entry<Integer, OfSize> each : free.entrySet()) {
            OfSize ofSize = each.getValue();
            bytes += ofSize.lastWanted < time ? (long) each.getKey() * ofSize.buffers.size() : 0;
        }
        return bytes;
    }

    private synchronized long dropFree(long wanted) {
        long bytes = 0;
        for (OfSize ofSize : free.values()) {
            bytes += drop(ofSize, wanted - bytes);
        }
        return bytes;
    }

    /** Leaves buffers of a size to the garbage collector; returns how many bytes. Under the lock. */
    private long drop(OfSize ofSize, long wanted) {
        long before = freeBytes;
        for (ByteBuffer buffer = ofSize.buffers.peek();
                buffer != null && before - freeBytes < wanted;
                buffer = ofSize.buffers.peek()) {
            try {
                dropped.note(OffHeap.Use.SEGMENTS, buffer, gone);
            } catch (OutOfMemoryError e) { // of a full heap
                return before - freeBytes;
            }
            counted.addAndGet(buffer.capacity());
            dropped.letGo(OffHeap.Use.SEGMENTS, buffer.capacity());
            freeBytes -= buffer.capacity();
            ofSize.buffers.remove();
        }
        return before - freeBytes;
    }

    /** Bytes that wait for somebody to take them. */
    public long freeBytes() {
        return freeBytes;
    }
}
