package io.flexdb.base.memory;

import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Where a store's off-heap memory comes from: counts it by what it is for, and has whoever can spare some give it back
 * when there is none left. Thread-safe.
 */
public final class OffHeap {
    /*
     * The JDK frees a direct buffer when the garbage collector has found that nothing refers to it, and counts it until
     * then. So does this account, by a phantom reference to each buffer: its figures are those of the JVM, and what has
     * been let go of shows until it is gone.
     *
     * Before it fails, the JDK collects garbage and waits for half a second. That is well spent where something has
     * been let go of, and not where a cache would like to grow: so a cache asks for what is there, and leaves some of
     * it.
     *
     * So a cache would stay without memory as long as what a store had that was closed meanwhile is not collected, and
     * where little garbage is made on the heap that may be for ever. So opening a store collects that garbage first.
     */

    /** A purpose of memory. */
    public enum Use {
        /** Directories of intervals, and frames. */
        CACHE(true),
        /** Memtables. */
        MEMTABLES(true),
        /** The sparse index. */
        INDEX(false),
        /** Range filters. */
        FILTERS(false),
        /** The FlexTree. */
        TREE(false),
        /** Segments that are being filled or written, or that readers copy from still. */
        SEGMENTS(true),
        /** Reads and cursors. */
        READS(true),
        /** Commits, garbage collection, checkpoints and logs. */
        COMMITS(true);

        private final boolean hasBudget;

        Use(boolean hasBudget) {
            this.hasBudget = hasBudget;
        }

        /** Whether there is a budget for it; else it grows with the data. */
        boolean hasBudget() {
            return hasBudget;
        }
    }

    /** Makes direct buffers. */
    public interface Source {
        /** A direct buffer of zeros, or an {@link OutOfMemoryError}. */
        ByteBuffer allocate(int bytes);
    }

    /** Has memory that it can do without. */
    public interface Giver {
        /** Lets go of so many bytes, or of all there is if that is less, and returns how much that was. Any thread. */
        long giveBack(long bytes);

        /** Gives back like {@link #giveBack}, but does nothing where it would have to wait for a lock. */
        default long tryGiveBack(long bytes) {
            return 0;
        }

        /** How often what it has was asked for; any number that stays the same while nobody does. */
        default long uses() {
            return 0;
        }
    }

    private static final int MAX_TRIES = 3;
    private static final int WORTH_SHARE = 8; // of what is wanted: for less nobody has garbage collected

    /** Accounts that have ended, as long as garbage was not collected for what they hold. */
    private static final Set<OffHeap> ENDED = ConcurrentHashMap.newKeySet();

    private final Source source;
    private final LongSupplier room;
    private final long reserveBytes;
    private final Runnable collector;
    private final ReferenceQueue<ByteBuffer> ownGone = new ReferenceQueue<>();
    private volatile MemorySums sums = new MemorySums(this, null, 0, 0);
    private volatile Giver giver;
    private volatile Runnable whenWanted;
    private volatile SharedMemory shared; // null for none; written before the first buffer is taken, as the sums are
    private volatile long usesSeen;
    private volatile long usesSeenAt = System.nanoTime();

    /** Memory as the JDK gives it, without an idea of how much there is. */
    public OffHeap() {
        this(ByteBuffer::allocateDirect, () -> Long.MAX_VALUE, 0);
    }

    /**
     * @param source makes the buffers
     * @param room how many bytes more the JVM allows for, roughly
     * @param reserveBytes how many of these are left to others by whoever {@linkplain #tryAllocate tries}
     */
    public OffHeap(Source source, LongSupplier room, long reserveBytes) {
        this(source, room, reserveBytes, System::gc);
    }

    OffHeap(Source source, LongSupplier room, long reserveBytes, Runnable collector) {
        this.source = source;
        this.room = room;
        this.reserveBytes = reserveBytes;
        this.collector = collector;
    }

    /** Names who can spare memory; null for nobody. */
    public void giver(Giver newGiver) {
        giver = newGiver;
    }

    /**
     * Says what is run, by any thread, when others wait for memory while this one has some for segments: what it does
     * not need is better given back soon. It takes no memory, and no lock that is held for long.
     */
    public void whenWanted(Runnable action) {
        whenWanted = action;
    }

    void wanted() {
        Runnable action = whenWanted;
        if (action != null) {
            action.run();
        }
    }

    /**
     * Says with whom memory is shared: others may take what is given back, and give back what this one needs. Before
     * anything else.
     *
     * @param broughtBytes by which the common budget is larger until this ends
     */
    public void share(SharedMemory withOthers, long broughtBytes) {
        share(withOthers, broughtBytes, 0);
    }

    /**
     * Does what {@link #share(SharedMemory, long)} does for one that writes to files.
     *
     * @param segmentBytes what it needs for that at once
     */
    public void share(SharedMemory withOthers, long broughtBytes, long segmentBytes) {
        sums = new MemorySums(this, withOthers, broughtBytes, segmentBytes);
        shared = withOthers;
        withOthers.join(sums, broughtBytes);
    }

    /**
     * A direct buffer of any content, one that others have given back if there is one. Else as {@link #allocate}.
     *
     * @throws OutOfMemoryError if there is no memory for it; nothing has changed
     */
    public ByteBuffer take(Use use, int capacity) {
        return obtain(use, capacity, true);
    }

    /** Gives back a buffer that nobody uses any more, for others or for the garbage collector. Can't fail. */
    public void giveBack(ByteBuffer buffer) {
        try {
            tryGiveBack(buffer);
        } catch (OutOfMemoryError e) {
            // of a full heap: it is the garbage collector's
        }
    }

    /** Memory that others don't keep counts as held until it is collected, so that garbage is known of. */
    private void tryGiveBack(ByteBuffer buffer) {
        MemorySums mine = sums;
        if (shared == null || mine.hasEnded()) { // then all of it has been let go of
            return;
        }
        mine.handOver(buffer);
    }

    /** Says that nobody uses some bytes any more, which the garbage collector will free. Can't fail. */
    public void letGo(Use use, long count) {
        sums.letGo(use, count);
    }

    /**
     * A direct buffer of zeros. If there is no memory for it, the giver lets go of as much first, and garbage is
     * collected.
     *
     * @throws OutOfMemoryError if there is none then either; nothing has changed
     */
    public ByteBuffer allocate(Use use, int capacity) {
        return obtain(use, capacity, false);
    }

    private ByteBuffer obtain(Use use, int capacity, boolean ofAnyContent) {
        SharedMemory others = shared;
        ByteBuffer recycled = ofAnyContent && others != null ? others.poll(sums, use, capacity) : null;
        if (recycled != null) {
            return noteOrRelease(use, recycled);
        }
        Giver asked = giver;
        if (asked != null && room.getAsLong() < capacity) {
            giveBackHereOrElsewhere(capacity);
        }
        for (int tries = 1; ; tries++) {
            try {
                return allocateNow(use, capacity);
            } catch (OutOfMemoryError e) {
                // Others' reads end soon, but for what all of them together do not have.
                boolean isRead = use == Use.READS && others != null && capacity <= others.heldBytes(use);
                boolean given = asked != null && giveBackHereOrElsewhere(capacity) > 0;
                recycled = ofAnyContent && others != null ? others.poll(sums, use, capacity) : null;
                if (recycled != null) {
                    return noteOrRelease(use, recycled);
                }
                if (!(given && tries < MAX_TRIES) && !(isRead && others.awaitOtherReads(tries))) {
                    throw e;
                }
            }
        }
    }

    private ByteBuffer allocateNow(Use use, int capacity) {
        SharedMemory others = shared;
        if (others != null) {
            others.reserve(sums, use, capacity);
        }
        return allocateReserved(use, capacity);
    }

    private ByteBuffer allocateReserved(Use use, int capacity) {
        ByteBuffer buffer;
        try {
            buffer = source.allocate(capacity);
        } catch (Throwable e) {
            release(use, capacity);
            throw e;
        }
        return noteOrRelease(use, buffer);
    }

    private void release(Use use, long capacity) {
        SharedMemory others = shared;
        if (others != null) {
            others.release(use, capacity);
        }
    }

    private ByteBuffer noteOrRelease(Use use, ByteBuffer buffer) {
        forgetGone();
        try {
            sums.note(use, buffer, queue());
        } catch (Throwable e) { // the heap is full
            release(use, buffer.capacity());
            throw e;
        }
        return buffer;
    }

    private ReferenceQueue<ByteBuffer> queue() {
        SharedMemory others = shared;
        return others == null ? ownGone : others.gone;
    }

    /** First what this account has, since it is this one that needs more. */
    long giveBackHereOrElsewhere(long wanted) {
        Giver here = giver;
        long given = here == null ? 0 : here.giveBack(wanted);
        SharedMemory others = shared;
        return others == null || given >= wanted ? given : given + others.giveBack(this, wanted - given);
    }

    /** Has this account let go of what it can spare, for another one. */
    long giveBackForOthers(long wanted) {
        Giver asked = giver;
        return asked == null ? 0 : asked.giveBack(wanted);
    }

    /** Has this account let go of what it can spare without waiting for a lock. */
    void tryGiveBackForOthers(long wanted) {
        Giver asked = giver;
        if (asked != null) {
            asked.tryGiveBack(wanted);
        }
    }

    /** Whether nobody has used the cache for so long, as far as those know who asked before. */
    boolean isCacheIdle(long now, long nanos) {
        Giver asked = giver;
        long uses = asked == null ? 0 : asked.uses();
        if (uses != usesSeen) {
            usesSeen = uses;
            usesSeenAt = now;
        }
        return now - usesSeenAt >= nanos;
    }

    long cacheBytes() {
        return sums.cacheBytes();
    }

    /** A direct buffer of memory that is there, without asking anybody for it; null if there is too little. */
    public ByteBuffer tryAllocate(Use use, int capacity) {
        SharedMemory others = shared;
        if (jvmSpareBytes() < capacity || others != null && !others.tryReserve(sums, use, capacity)) {
            return null;
        }
        try {
            return allocateReserved(use, capacity);
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /**
     * Whether {@link #tryAllocate} is going to have so many bytes for a cache, as far as that is known without trying.
     * Where other stores have them, one of these may give way. Any thread.
     */
    public boolean isThere(int capacity) {
        if (room.getAsLong() == Long.MAX_VALUE || jvmSpareBytes() < capacity) {
            return false;
        }
        SharedMemory others = shared;
        if (others == null || others.spareBytes(sums, Use.CACHE) >= capacity) {
            return true;
        }
        others.balance(this, capacity);
        return others.spareBytes(sums, Use.CACHE) >= capacity;
    }

    /** Whether others have given back a buffer of exactly so many bytes. */
    public boolean hasRecycled(int capacity) {
        SharedMemory others = shared;
        return others != null && others.hasFree(capacity);
    }

    /** Whether a memtable of so many bytes is within what stores share; caches may give way for it. */
    public boolean makeRoomForMemtable(long capacity) {
        SharedMemory others = shared;
        return others == null || others.makeRoomForMemtable(this, sums, capacity);
    }

    /** Whether a memtable of so many bytes is within what stores share while no cache gives way. */
    public boolean hasRoomForMemtable(long capacity) {
        SharedMemory others = shared;
        return others == null || others.spareBytes(sums, Use.MEMTABLES) >= capacity;
    }

    /** Says that memtables are smaller than they would be with more memory. */
    public void pressForMemtables() {
        SharedMemory others = shared;
        if (others != null) {
            others.press(sums);
        }
    }

    /** Whether memtables have more than their share while other stores have less than theirs. */
    public boolean hasTooMuchForMemtables() {
        SharedMemory others = shared;
        return others != null && others.hasTooMuch(sums);
    }

    /** Whether other stores wait for memory, so that buffers are better given back as soon as nobody needs them. */
    public boolean isShort() {
        SharedMemory others = shared;
        return others != null && others.isShort(sums);
    }

    private long jvmSpareBytes() {
        return room.getAsLong() - reserveBytes;
    }

    /**
     * Says that nobody uses what is held any more, which the garbage collector frees. Can't fail; may be said again. Any
     * thread.
     */
    public void end() {
        giver = null; // it leads to all that has memory, which must not be kept here
        whenWanted = null; // likewise
        sums.end();
        SharedMemory others = shared;
        if (others != null) {
            others.left(sums);
        }
        ENDED.removeIf(account -> account.heldBytes() == 0);
        if (heldBytes() > 0) {
            ENDED.add(this);
        }
    }

    /**
     * Has garbage collected if so many bytes are not there, and accounts that have ended hold a good part of them. Once
     * for each of these, for a collector that did not free it then will not at the next time either.
     */
    public void collectEnded(long wantedBytes) {
        if (jvmSpareBytes() >= wantedBytes) {
            return;
        }
        long ended = 0;
        for (OffHeap account : ENDED) {
            ended += account.heldBytes();
        }
        if (ended > wantedBytes / WORTH_SHARE) {
            ENDED.clear();
            collector.run();
        }
    }

    /** How many bytes more there are, roughly, before anybody gives some back. Any thread. */
    public long roomBytes() {
        return Math.max(0, room.getAsLong());
    }

    private void forgetGone() {
        MemorySums.forgetGone(queue());
    }

    /**
     * Bytes held for something, those included that were let go of and that the garbage collector has not freed yet.
     */
    public long heldBytes(Use use) {
        forgetGone();
        return sums.bytes(use);
    }

    /** Bytes held for all. */
    public long heldBytes() {
        long sum = 0;
        for (Use use : Use.values()) {
            sum += heldBytes(use);
        }
        return sum;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("OffHeap[");
        for (Use use : Use.values()) {
            text.append(use).append('=').append(heldBytes(use)).append(", ");
        }
        return text.append("total=").append(heldBytes()).append(']').toString();
    }
}
