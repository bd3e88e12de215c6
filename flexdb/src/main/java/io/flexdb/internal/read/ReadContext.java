package io.flexdb.internal.read;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.engine.SpaceRange;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.interval.DirectoryBuilder;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.RangeFilters;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MergeCalls;
import io.flexdb.internal.mem.OperandFold;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The state of one read or cursor, reused so that it makes no garbage: an interval, and the bytes read of it. */
public final class ReadContext {
    /** The bytes that a context may always keep for the next read: an interval of the usual size fits. */
    static final int SMALL_BYTES = 64 << 10;

    /** A value, in messages. */
    static final String VALUE = "a value (openValue reads it by parts)";

    /** A value that operands are to be merged into, in messages. */
    static String mergedValue(byte[] stored) {
        return String.join( // asked for in a full heap: see StoreMemoryException
                "",
                "the value of key ",
                KeyHeads.shown(stored),
                ", into which something is to be merged (put or delete the key to be rid of it)");
    }

    private static final int FIRST_BYTES = 32 << 10;
    private static final int READS_PER_TIMED = 64;
    private static final int KEY_BYTES_KEPT = 1024;
    private static final byte[] NO_KEY = {};
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final OffHeap account;
    private final OffHeap.Use use;
    public final Interval interval = new Interval();
    final SpaceRange range = new SpaceRange();
    final CRC32C crc = new CRC32C();
    final RangeFilters.Asker asker = new RangeFilters.Asker();
    private final DirectoryBuilder directoryBuilder = new DirectoryBuilder();
    private Pairs pairs; // null before they are needed
    /** Walks with this context, and rests with it; null before the first walk. */
    MergeCursor cursor;
    /** Looks several keys up with this context, and rests with it; null before the first time. */
    MultiReader multi;

    /** Whether a lookup may stay without the value, of which only the length is wanted. */
    boolean lengthOnly;
    /** Whether the interval is that of a key in the view that the next key, which is not below it, is looked up in. */
    boolean ascends;

    private int sample = 1; // any but 0

    /**
     * Chooses one in eight calls, on average, and others each time that the same calls are made once more: reads of the
     * same walk come in the same order, so counting would choose the same ones for ever.
     */
    boolean isInSample() {
        int next = sample; // xorshift, which comes to each number but 0
        next ^= next << 13;
        next ^= next >>> 17;
        next ^= next << 5;
        sample = next;
        return next >>> 29 == 0;
    }

    /** Where in the space the value of a long pair begins, of which the length was found last; -1 for another. */
    long valueOffset = -1;
    /** The entry with a reference to the value of which the length was found last, in its table; or null. */
    MemTable largeTable;

    int largeRef;

    /** When the pair expires whose value was found last in the space. */
    long expiry;
    /** The sequence number through which it has operands in it. */
    long mergedThrough;
    /** Whether it is no value, but a list of operands that wait. */
    boolean waits;

    /** The time by the user's clock before the read. The clock's failure matters only if the time does. */
    private long time;

    private Throwable clockFailure;

    private OperandFold fold; // null before it is needed
    private MovedLookups moved; // likewise

    /** How often a lookup found no directory while the cache was full; roughly, too. */
    int missed;

    private int untimed; // reads of pairs

    /** Whether the time of this read of a pair is wanted, where no waits are expected: of one in 64. */
    boolean isReadTimed() {
        if (++untimed < READS_PER_TIMED) {
            return false;
        }
        untimed = 0;
        return true;
    }

    /** Whether a walk needs no intervals but the next few, as far as it is known, and has them prefetched itself. */
    boolean endsSoon;
    /** How many bytes behind the next interval a walk is going to need, as far as it is known. */
    long bytesBehind;
    /** The range of the space that a walk has prefetched last. */
    long prefetchedFrom;

    long prefetchedEnd;

    boolean isPrefetched(long logicalOffset, int bytes) {
        return logicalOffset >= prefetchedFrom && logicalOffset + bytes <= prefetchedEnd;
    }

    private PieceSearch pieceSearch; // null before it is needed
    private PairHeads heads; // likewise
    private boolean ascending;
    private ByteBuffer view; // of the memory; null before it is needed

    private byte[] key = new byte[256];
    /** Memory of this context for what is read; none before it is needed. */
    private ByteBuffer memory = NONE;
    /**
     * The bytes that were read last: all pairs of an interval with their directory, or a pair, or the value of one, in
     * this context's memory or a memtable's.
     */
    public ByteBuffer image;

    public int base;

    public ReadContext(OffHeap account, OffHeap.Use use) {
        this.account = account;
        this.use = use;
    }

    /**
     * This context's memory, at least so long; what it held is lost if it has to grow.
     *
     * @throws StoreMemoryException if there is not so much; the context is as it was
     */
    ByteBuffer memory(int bytes) {
        return memory(bytes, "an interval");
    }

    /** Memory for a record of which the value may be large. */
    ByteBuffer valueMemory(int bytes) {
        return memory(bytes, VALUE);
    }

    /** Memory of so many bytes; a message says what for. */
    ByteBuffer memory(int bytes, String what) {
        if (memory.capacity() < bytes) {
            // Of two sizes as long as it is small, so that it fits another read when it is left to it.
            long small = bytes <= FIRST_BYTES / 2 ? FIRST_BYTES : SMALL_BYTES;
            long wanted = bytes > SMALL_BYTES ? bytes + (long) bytes / 8 : small;
            ByteBuffer larger = allocate(bytes, (int) Math.min(Integer.MAX_VALUE - 8L, wanted), what);
            account.letGo(use, memory.capacity()); // while it is held: it must not be collected before
            memory = larger;
            view = null;
        }
        return memory;
    }

    /** Memory of its own for whoever reads with it. */
    ByteBuffer newMemory(int bytes) {
        return allocate(bytes, bytes, "an interval");
    }

    private ByteBuffer allocate(int needed, int wanted, String what) {
        try {
            return account.take(use, wanted).order(ByteOrder.LITTLE_ENDIAN);
        } catch (OutOfMemoryError e) {
            throw new StoreMemoryException(what, needed, e);
        }
    }

    /** To make a directory with. */
    DirectoryBuilder directoryBuilder() {
        return directoryBuilder;
    }

    /** To do without large values. */
    PairHeads heads() {
        if (heads == null) {
            heads = new PairHeads(this);
        }
        return heads;
    }

    /** To look up without a directory. */
    PieceSearch pieceSearch() {
        if (pieceSearch == null) {
            pieceSearch = new PieceSearch();
        }
        return pieceSearch;
    }

    /** To have all pairs of an interval. */
    public Pairs pairs() {
        if (pairs == null) {
            pairs = new Pairs(null, this, null);
        }
        return pairs;
    }

    /** Asks the user's clock for the time that a read may need. Outside of the short read. */
    void askForTime(StoreClock clock) {
        try {
            time = clock.now();
        } catch (RuntimeException | Error e) {
            clockFailure = e;
        }
    }

    /** The time by the clock; throws if the clock did. */
    long timeAskedFor() {
        if (clockFailure instanceof RuntimeException e) {
            throw e;
        }
        if (clockFailure instanceof Error e) {
            throw e;
        }
        return time;
    }

    /** To merge operands with. */
    OperandFold fold(MergeCalls calls, LargeValues large) {
        fold = fold == null ? new OperandFold(calls, large) : fold;
        return fold;
    }

    /** To look up in memtables whose entries were moved. */
    MovedLookups moved() {
        moved = moved == null ? new MovedLookups() : moved;
        return moved;
    }

    /** A caller's key as it is stored: the array itself if it has no head, else a copy. */
    byte[] storedKey(KeyHeads heads, byte[] source) {
        byte[] head = heads.of(source);
        if (head.length == 0) {
            return source;
        }
        heads.copy(head, source, keyRoom(head.length + source.length), 0);
        return key;
    }

    /** A copy of a caller's key, whose position stays, as it is stored. */
    byte[] storedKey(KeyHeads heads, ByteBuffer source) {
        byte[] head = heads.of(source);
        heads.copy(head, source, keyRoom(head.length + source.remaining()), 0);
        return key;
    }

    /** Room for a key. */
    byte[] keyRoom(int length) {
        if (key.length < length) {
            key = new byte[length];
        }
        return key;
    }

    /** The keys that are looked up from now on ascend, and are looked up in one view. */
    void beginAscending() {
        ascending = true;
        ascends = false;
    }

    /** The interval of a key has been found. */
    void foundInterval() {
        ascends = ascending;
    }

    /** Whether the image lies in this context's memory, and not in a memtable's. */
    boolean hasImage() {
        return image == memory;
    }

    /** The memory, for others to read; one object as long as it is the same memory. */
    ByteBuffer view() {
        if (view == null) {
            view = memory.asReadOnlyBuffer();
        }
        return view;
    }

    /** Bytes of its memory if they are more than any context may keep; else 0. */
    public int largeBytes() {
        int bytes = memory.capacity();
        return bytes > SMALL_BYTES ? bytes : 0;
    }

    /** Forgets what was read, and a long key. Allocates nothing, so it can't fail. */
    void forget() {
        image = null;
        lengthOnly = false;
        endsSoon = false;
        valueOffset = -1;
        largeTable = null;
        clockFailure = null;
        ascending = false;
        ascends = false;
        if (fold != null) {
            fold.clear(); // of what a read that has failed has gathered
        }
        if (moved != null) {
            moved.release();
        }
        if (key.length > KEY_BYTES_KEPT) {
            key = NO_KEY;
        }
        if (heads != null) {
            heads.shrink();
        }
        if (pairs != null) {
            pairs.clear();
        }
    }

    /** Leaves the memory to others, or to the garbage collector if it is of an unusual size; returns how much that was. */
    int leaveMemory() {
        ByteBuffer left = memory;
        int bytes = left.capacity();
        if (bytes > SMALL_BYTES) {
            letMemoryGo();
        } else if (bytes > 0) {
            dropMemory();
            account.giveBack(left);
        }
        return bytes;
    }

    /** Leaves the memory to the garbage collector. Allocates nothing. */
    public void letMemoryGo() {
        account.letGo(use, memory.capacity());
        dropMemory();
    }

    private void dropMemory() {
        heads = null;
        pairs = null;
        memory = NONE;
        view = null;
    }
}
