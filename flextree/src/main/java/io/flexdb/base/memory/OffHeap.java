package io.flexdb.base.memory;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
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
     * where little garbage is made on the heap that may be for ever. Who opens a store has that garbage collected first.
     */

    /** What memory is for. */
    public enum Use {
        /** Directories of intervals, and frames. */
        CACHE,
        /** Memtables. */
        MEMTABLES,
        /** The sparse index. */
        INDEX,
        /** Range filters. */
        FILTERS,
        /** The FlexTree. */
        TREE,
        /** Segments that are being filled or written, or that readers copy from still. */
        SEGMENTS,
        /** Reads and cursors. */
        READS,
        /** Commits, garbage collection, checkpoints and logs. */
        COMMITS
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
    }

    private static final class Held extends PhantomReference<ByteBuffer> {
        final int use;
        final long bytes;

        Held(ByteBuffer buffer, Use use, ReferenceQueue<ByteBuffer> gone) {
            super(buffer, gone);
            this.use = use.ordinal();
            this.bytes = buffer.capacity();
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
    private final ReferenceQueue<ByteBuffer> gone = new ReferenceQueue<>();
    private final Set<Held> held = ConcurrentHashMap.newKeySet();
    private final AtomicLongArray bytes = new AtomicLongArray(Use.values().length);
    private volatile Giver giver;
    private volatile SharedMemory shared; // null for none

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

    /** Says with whom memory is shared: others may take what is given back, and give back what this one needs. */
    public void share(SharedMemory withOthers) {
        shared = withOthers;
        withOthers.join(this);
    }

    /**
     * A direct buffer of any content, one that others have given back if there is one. Else as {@link #allocate}.
     *
     * @throws OutOfMemoryError if there is no memory for it; nothing has changed
     */
    public ByteBuffer take(Use use, int capacity) {
        SharedMemory others = shared;
        ByteBuffer buffer = others == null ? null : others.poll(capacity);
        return buffer == null ? allocate(use, capacity) : note(use, buffer);
    }

    /** Gives back a buffer that nobody uses any more, for others or for the garbage collector. Can't fail. */
    public void giveBack(ByteBuffer buffer) {
        try {
            tryGiveBack(buffer);
        } catch (OutOfMemoryError e) {
            // of a full heap: it is the garbage collector's
        }
    }

    /** What others don't keep counts as held until it is collected, or nobody would know that there is garbage. */
    private void tryGiveBack(ByteBuffer buffer) {
        SharedMemory others = shared;
        for (Held entry : held) {
            if (entry.refersTo(buffer)) { // else it is not held, or no more: it must not get two owners
                if (others != null && others.offer(buffer) && held.remove(entry)) {
                    bytes.addAndGet(entry.use, -entry.bytes);
                    entry.clear();
                }
                return;
            }
        }
    }

    /**
     * A direct buffer of zeros. If there is no memory for it, the giver lets go of as much first, and garbage is
     * collected.
     *
     * @throws OutOfMemoryError if there is none then either; nothing has changed
     */
    public ByteBuffer allocate(Use use, int capacity) {
        Giver asked = giver;
        if (asked != null && room.getAsLong() < capacity) {
            giveBackHereOrElsewhere(asked, capacity);
        }
        for (int tries = 1; ; tries++) {
            try {
                return note(use, source.allocate(capacity));
            } catch (OutOfMemoryError e) {
                if (asked == null || tries == MAX_TRIES || giveBackHereOrElsewhere(asked, capacity) == 0) {
                    throw e;
                }
            }
        }
    }

    /** First what this account has, since it is this one that needs more. */
    private long giveBackHereOrElsewhere(Giver here, long wanted) {
        long given = here.giveBack(wanted);
        SharedMemory others = shared;
        return others == null || given >= wanted ? given : given + others.giveBack(this, wanted - given);
    }

    /** Has this account let go of what it can spare, for another one. */
    long giveBackForOthers(long wanted) {
        Giver asked = giver;
        return asked == null ? 0 : asked.giveBack(wanted);
    }

    /** The same from memory that is there, without asking anybody for it; null if there is too little. */
    public ByteBuffer tryAllocate(Use use, int capacity) {
        if (spareBytes() < capacity) {
            return null;
        }
        try {
            return note(use, source.allocate(capacity));
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Whether {@link #tryAllocate} is going to have so many bytes, as far as that is known without trying. Any thread. */
    public boolean isThere(int capacity) {
        return room.getAsLong() != Long.MAX_VALUE && spareBytes() >= capacity;
    }

    private long spareBytes() {
        return room.getAsLong() - reserveBytes;
    }

    /**
     * Says that nobody uses what is held any more, which the garbage collector frees. Can't fail; may be said again. Any
     * thread.
     */
    public void end() {
        giver = null; // it leads to all that has memory, which must not be kept here
        SharedMemory others = shared;
        if (others != null) {
            others.leave(this);
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
        if (spareBytes() >= wantedBytes) {
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

    private ByteBuffer note(Use use, ByteBuffer buffer) {
        forgetGone();
        Held entry = new Held(buffer, use, gone);
        held.add(entry);
        bytes.addAndGet(entry.use, entry.bytes);
        return buffer;
    }

    private void forgetGone() {
        for (Held entry = (Held) gone.poll(); entry != null; entry = (Held) gone.poll()) {
            held.remove(entry);
            bytes.addAndGet(entry.use, -entry.bytes);
        }
    }

    /**
     * Bytes held for something, those included that were let go of and that the garbage collector has not freed yet.
     */
    public long heldBytes(Use use) {
        forgetGone();
        return bytes.get(use.ordinal());
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
