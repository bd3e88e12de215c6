package io.flexdb.internal.mem;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The entries of recent writes, off-heap, in every version (MVCC). An entry is named by a positive {@code int}, its
 * ref.
 *
 * <p>Thread-safety: {@link #reserve} is for the holder of the write lock; {@link #insertAll} is for any number of
 * threads at once, and so are lookups and cursors. {@link #reset} needs a table that nobody uses.
 */
public final class MemTable {
    /*
     * Problem: a write must cost well under a microsecond and no garbage, a lookup a cache miss or two, and cursors
     * need key order and the past. Choice: entries lie in one arena, in the order in which room was handed out. A hash
     * index leads to each key's first entry, its anchor, and from there versions are linked from the newest back. A
     * B+-tree of the anchors keeps the key order; it is touched only by the first write of a key. Cost: 32 bytes an
     * entry and 4 lost to alignment, and for each key 15 to 25 bytes in the tree and 11 to 32 in the index.
     *
     * Room is handed out under the write lock, for a whole write at once, so that inserting threads neither contend
     * for it nor run out of it. Entries grow from the lower end of the arena, the tree from the upper end; each key is
     * charged what it may cost the tree at worst.
     *
     * Publication: an entry is written, then put into the hash index, then, if its key is new, into the tree, then its
     * sequence number becomes visible (the owner's volatile write). A reader bounded by a visible number therefore
     * finds all entries up to it. It may meet entries above it, and passes them over. One case needs care: an entry
     * that finds an anchor of a higher number than its own may become visible first, so it makes sure that the anchor
     * is in the tree.
     *
     * Invariants (checked by MemTableChecker, with those of KeyTree):
     * I1 the hash index leads from each key to its anchor, and to nothing else. It has no slot for a key that collides
     *    with too many others; then the tree tells which entry is the anchor.
     * I2 the tree holds exactly the anchors, and each is marked as being in the tree.
     * I3 from an anchor's newest version on, versions have the anchor's key and descend strictly by sequence number; a
     *    jump leads to one of the older ones.
     * I4 every entry that room was handed out for is a version of exactly one anchor.
     * I5 entries and tree lie apart.
     *
     * Deleted ranges (range tombstones) are no entries of a key, but take room like one (I4), so that they are bounded
     * as all else is. They stand in a DeletedRanges of their own, which is replaced whole, under a lock, before their
     * numbers become visible; without any, a reader looks at one field. DeletedRanges is on the heap. Ranges that cover
     * each other take more of the heap than of the arena, so it has a limit of its own. Writes are refused once that is
     * reached; a few that are being inserted meanwhile may exceed it.
     */

    /** The ref that names no entry. */
    public static final int NONE = Nodes.NONE;

    /** The least size of an arena in bytes. */
    public static final int MIN_ARENA_BYTES = 1 << 16;

    /** Deleted ranges that a table takes, but for those of a single write. */
    public static final int MAX_RANGES = 8192;

    private static final long MAX_HEAP_OF_RANGES = 16 << 20;
    private static final int HEAP_SHARE_OF_RANGES = 64;
    private static final int ARENA_SHARE_OF_RANGES = 4;

    private static final int FIRST_USES = 500;
    private static final int PAGE_BYTES = 4096; // at least

    /** The greatest size of an arena in bytes. */
    public static final int MAX_ARENA_BYTES = Integer.MAX_VALUE - 7;

    private static final int STRIPES = 16;
    private static final int STRIPE_SPACING = 16; // references, so that two stripes do not share a cache line
    private static final int DUPLICATES_TO_KEEP = 16;

    private final ByteBuffer arena; // as they were given
    private final ByteBuffer hashSlots;
    final Nodes nodes;
    final KeyTree tree;
    final Versions versions;
    final HashIndex index;
    private final int limit;
    private final long heapOfRanges; // a table has no more than that of the heap
    private final AtomicReferenceArray<Inserter> inserters = new AtomicReferenceArray<>(STRIPES * STRIPE_SPACING);
    private final AtomicInteger duplicates = new AtomicInteger();
    private final AtomicInteger longestLarge = new AtomicInteger();
    private long id;
    private int used; // written under the write lock, as is the next
    private int entryCount;
    private int rangeCount;
    private long rangeBytes;
    private final Object rangesLock = new Object();
    private volatile DeletedRanges ranges; // null if there are none; written under the lock
    private volatile long firstSequence;
    private volatile long lastSequence;

    /**
     * A table in memory that the caller keeps for it. It must be {@link #reset} before use.
     *
     * @param arena a direct buffer of {@link #MIN_ARENA_BYTES} to {@link #MAX_ARENA_BYTES}
     * @param hashSlots a direct buffer of {@link #hashBytesFor} the arena's capacity
     */
    public MemTable(ByteBuffer arena, ByteBuffer hashSlots) {
        if (!arena.isDirect() || arena.capacity() < MIN_ARENA_BYTES || arena.capacity() > MAX_ARENA_BYTES) {
            throw new IllegalArgumentException(
                    "arena must be direct and of " + MIN_ARENA_BYTES + " to " + MAX_ARENA_BYTES + " bytes: " + arena);
        }
        if (!hashSlots.isDirect() || hashSlots.capacity() < hashBytesFor(arena.capacity())) {
            throw new IllegalArgumentException("hashSlots must be direct and of at least "
                    + hashBytesFor(arena.capacity()) + " bytes: " + hashSlots);
        }
        this.arena = arena;
        this.hashSlots = hashSlots;
        this.nodes = new Nodes(arena.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN));
        this.tree = new KeyTree(nodes, arena.capacity() & -8);
        this.versions = new Versions(nodes);
        this.index = new HashIndex(nodes, hashSlots.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN));
        this.limit = arena.capacity() & -8;
        this.heapOfRanges = heapOfRanges(limit, Runtime.getRuntime().maxMemory());
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            inserters.setPlain(stripe * STRIPE_SPACING, new Inserter());
        }
    }

    /** The most heap bytes that the deleted ranges of a table may take, but for those of a single write. */
    static long heapOfRanges(long arenaBytes, long heapBytes) {
        long share = Math.min(arenaBytes / ARENA_SHARE_OF_RANGES, heapBytes / HEAP_SHARE_OF_RANGES);
        return Math.max(MIN_ARENA_BYTES, Math.min(MAX_HEAP_OF_RANGES, share));
    }

    /** An empty table in memory of its own. */
    public static MemTable allocate(long id, int arenaBytes) {
        return allocate(id, arenaBytes, new OffHeap());
    }

    /**
     * An empty table in memory from an account, whose pages are there, so that no writer waits for them.
     *
     * @throws OutOfMemoryError if there is not enough
     */
    public static MemTable allocate(long id, int arenaBytes, OffHeap memory) {
        ByteBuffer arena = memory.take(OffHeap.Use.MEMTABLES, arenaBytes);
        ByteBuffer slots;
        try {
            slots = memory.take(OffHeap.Use.MEMTABLES, hashBytesFor(arenaBytes));
        } catch (OutOfMemoryError e) {
            memory.giveBack(arena);
            throw e;
        }
        touch(arena);
        MemTable table = new MemTable(arena, slots);
        table.reset(id, null);
        return table;
    }

    private static void touch(ByteBuffer arena) {
        for (int position = 0; position < arena.capacity(); position += PAGE_BYTES) {
            arena.put(position, (byte) 0);
        }
    }

    /** Bytes of a memtable with its hash index. */
    public static long tableBytes(int arenaBytes) {
        return (long) arenaBytes + hashBytesFor(arenaBytes);
    }

    /** Bytes of the hash index that belongs to an arena. */
    public static int hashBytesFor(long arenaBytes) {
        return HashIndex.bytesFor(arenaBytes);
    }

    /**
     * Empties the table for its next use. Clears the hash index, an eighth of the arena or less, and touches nothing
     * else. Nobody may use the table meanwhile, and it must be published safely afterwards.
     *
     * @param newId whatever the owner names it by
     * @param model a table whose keys tell what those to come will look like: the one just frozen, or null. It affects
     *     speed only
     */
    public void reset(long newId, MemTable model) {
        KeyNumbers numbers = numbersLike(model);
        id = newId;
        used = Nodes.FIRST_POSITION;
        entryCount = 0;
        rangeCount = 0;
        rangeBytes = 0;
        ranges = null;
        duplicates.set(0);
        longestLarge.set(0);
        firstSequence = 0;
        lastSequence = 0;
        tree.reset(numbers);
        index.clear();
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            Inserter inserter = inserters.get(stripe * STRIPE_SPACING);
            if (inserter != null) {
                inserter.duplicates = 0;
                inserter.deletes = 0;
            }
        }
    }

    /**
     * Tells an empty table, which nobody uses yet, what its keys will look like. It affects speed only.
     *
     * @param model may be written meanwhile
     */
    public void expectKeysLike(MemTable model) {
        assert entryCount == 0;
        KeyNumbers numbers = numbersLike(model);
        if (numbers != KeyNumbers.OF_ANY) { // else an earlier guess is better than none
            tree.reset(numbers);
        }
    }

    /** Numbers for keys like those of a table; of any, if that is null, or the heap is full. */
    private static KeyNumbers numbersLike(MemTable model) {
        if (model == null) {
            return KeyNumbers.OF_ANY;
        }
        try {
            return KeyNumbers.like(model.nodes, model.tree);
        } catch (OutOfMemoryError e) {
            return KeyNumbers.OF_ANY; // nothing fails for want of speed
        }
    }

    // Writing

    /**
     * Arena bytes of an entry, the key tree not counted. The sum over a write's entries is what {@link #reserve} and
     * {@link #couldHold} ask for; it can be computed outside the write lock.
     *
     * @param tailLength bytes of the value, and of the time if the entry has one
     */
    public static long bodyBytes(int keyLength, int tailLength) {
        return Nodes.bytes(keyLength, tailLength);
    }

    /** Whether a write fits an empty table with an arena of that many bytes. */
    public static boolean couldHold(int arenaBytes, long bodyBytes, int entries) {
        return entries <= HashIndex.maxKeysOf(arenaBytes)
                && Nodes.FIRST_POSITION + bodyBytes + treeBytes(entries) <= (arenaBytes & -8);
    }

    /** An arena that a write fits, as far as arenas go. */
    public static int arenaBytesFor(long bodyBytes, int entries) {
        long forIndex = HashIndex.arenaBytesFor(entries);
        long wanted = Math.max(forIndex, Nodes.FIRST_POSITION + bodyBytes + treeBytes(entries) + Long.BYTES);
        return (int) Math.max(MIN_ARENA_BYTES, Math.min(MAX_ARENA_BYTES, wanted));
    }

    private static long treeBytes(long keys) {
        return keys * KeyTree.MAX_BYTES_PER_KEY + KeyTree.MAX_EXTRA_BYTES;
    }

    /**
     * Takes room for a whole write, or nothing. Under the write lock only.
     *
     * @param bodyBytes the sum of {@link #bodyBytes(int, int)} over its entries
     * @param rangesOfWrite how many of them delete ranges
     * @return what {@link #insertAll} is to be given, or {@link #NONE} if there is not enough room
     */
    public int reserve(long bodyBytes, int entries, int rangesOfWrite, long firstSequenceOfWrite) {
        if (rangesOfWrite > 0
                && rangeCount > 0
                && (rangeCount + rangesOfWrite > MAX_RANGES || heapOf(ranges) >= heapOfRanges)) {
            return NONE;
        }
        int reserved = reserve(bodyBytes, entries, firstSequenceOfWrite);
        if (reserved != NONE) {
            rangeCount += rangesOfWrite;
        }
        return reserved;
    }

    private static long heapOf(DeletedRanges ranges) {
        return ranges == null ? 0 : ranges.heapBytes();
    }

    /** Takes room for a whole write that deletes no range. */
    public int reserve(long bodyBytes, int entries, long firstSequenceOfWrite) {
        // Keys not yet known to be duplicates count as new, so neither the index nor the tree takes more than this
        // allows.
        long keys = entryCount - duplicates.get() + (long) entries;
        if (bodyBytes + treeBytes(keys) > limit - used || keys > index.maxKeys()) {
            return NONE;
        }
        if (entryCount == 0) {
            nodes.baseSequence = firstSequenceOfWrite;
        }
        assert firstSequenceOfWrite + entries - nodes.baseSequence < 1L << 64 - Nodes.REF_BITS;
        int ref = used >>> 3;
        used += (int) bodyBytes;
        entryCount += entries;
        return ref;
    }

    /**
     * Inserts the entries of a {@link WritePayload}, numbered from {@code firstSequenceOfWrite} on. Any number of
     * threads at once; it takes no lock and makes no garbage.
     *
     * @param reserved what {@link #reserve} returned for exactly these entries and this number
     * @return how many there were
     */
    public int insertAll(byte[] payload, int offset, int length, long firstSequenceOfWrite, int reserved) {
        int stripe = ((int) Thread.currentThread().getId() & STRIPES - 1) * STRIPE_SPACING;
        Inserter inserter = inserters.getAndSet(stripe, null);
        if (inserter == null) {
            inserter = new Inserter(); // another thread of this stripe has it; rare
        }
        PayloadReader reader = inserter.reader.reset(payload, offset, length);
        long sequence = firstSequenceOfWrite;
        int ref = reserved;
        DeletedRanges.Builder deleted = null;
        while (reader.next()) {
            if (reader.type() == WritePayload.DELETE_RANGE) {
                deleted = deleted == null ? new DeletedRanges.Builder() : deleted;
                int to = reader.keyIndex() + reader.keyLength();
                nodes.write(ref, sequence, payload, reader); // for walks in the order of the numbers
                deleted.add(payload, reader.keyIndex(), to, to + reader.valueLength(), sequence++);
                ref += (int) Nodes.bytes(reader.keyLength(), reader.valueLength()) >>> 3;
            } else {
                if (reader.type() == WritePayload.DELETE) {
                    inserter.deletes++;
                } else if (reader.type() == WritePayload.PUT_LARGE) {
                    noteLarge(LargeReference.valueLength(payload, reader.keyIndex() + reader.keyLength()));
                }
                ref += insert(inserter, reader, payload, sequence++, ref) >>> 3;
            }
        }
        if (deleted != null) {
            addRanges(deleted);
        }
        if (inserter.duplicates >= DUPLICATES_TO_KEEP) {
            duplicates.addAndGet(inserter.duplicates);
            inserter.duplicates = 0;
        }
        inserters.set(stripe, inserter);
        return (int) (sequence - firstSequenceOfWrite);
    }

    private void noteLarge(int length) {
        int known = longestLarge.get();
        while (length > known && !longestLarge.compareAndSet(known, length)) {
            known = longestLarge.get();
        }
    }

    private void addRanges(DeletedRanges.Builder deleted) {
        synchronized (rangesLock) {
            rangeBytes += deleted.roomBytes();
            ranges = deleted.addTo(ranges);
        }
    }

    /**
     * Makes a small table and uses it. A JVM needs heap memory for the first use of code, even for an ordered access to
     * a buffer. Without that memory a node would stay locked, and any thread that comes to it would wait for ever.
     */
    public static void useOnce() {
        MemTable table = allocate(0, MIN_ARENA_BYTES);
        byte[] payload = new byte[64];
        int keyAt = WritePayload.encodeDeleteHeader(payload, 0, Integer.BYTES);
        int length = keyAt + Integer.BYTES;
        for (int i = 0; i < FIRST_USES; i++) {
            int number = i * 0x9E3779B1 >>> 24; // in no order, and some of them again
            for (int at = keyAt; at < length; at++) {
                payload[at] = (byte) number;
            }
            int reserved = table.reserve(bodyBytes(Integer.BYTES, 0), 1, i + 1);
            table.insertAll(payload, 0, length, i + 1, reserved);
            table.find(payload, keyAt, Integer.BYTES, KeyHash.hash(payload, keyAt, Integer.BYTES), i + 1);
        }
        table.reset(0, table); // its keys are of two groups: those that begin with 0xFF, and the others
    }

    /** Inserts one entry and returns its bytes. */
    private int insert(Inserter inserter, PayloadReader reader, byte[] payload, long sequence, int ref) {
        int key = reader.keyIndex();
        int length = reader.keyLength();
        nodes.write(ref, sequence, payload, reader);
        int anchor = index.claim(ref, payload, key, length, KeyHash.hash(payload, key, length));
        if (anchor == ref) {
            tree.insert(ref, payload, key, length);
        } else if (anchor == HashIndex.CROWDED) {
            anchor = tree.insert(ref, payload, key, length);
        }
        if (anchor == ref) {
            nodes.setInTree(ref);
        } else {
            inserter.duplicates++;
            versions.add(anchor, ref, sequence);
            if (nodes.sequence(anchor) > sequence && !nodes.isInTree(anchor)) {
                tree.insert(anchor, payload, key, length); // this number may become visible before the anchor's
            }
        }
        return (int) Nodes.bytes(length, reader.tailLength());
    }

    // Reading

    /**
     * The newest entry of a key with a sequence number up to {@code maxSequence}, or {@link #NONE}.
     *
     * @param hash the key's {@link KeyHash#hash(byte[], int, int)}
     * @param maxSequence a number that is visible
     */
    public int find(byte[] key, int offset, int length, long hash, long maxSequence) {
        int anchor = index.find(key, offset, length, hash);
        if (anchor == HashIndex.CROWDED) {
            anchor = tree.find(key, offset, length);
        }
        return anchor == NONE ? NONE : versions.find(anchor, maxSequence);
    }

    /**
     * The ranges that were deleted, as of now: all up to a number that was visible before this was called, and perhaps
     * some with higher numbers. Null if there are none.
     */
    public DeletedRanges ranges() {
        return ranges;
    }

    /** Has the ranges of another table, of which entries are to stand here, too. Before they do; they take no room. */
    public void setRanges(DeletedRanges ofOther) {
        ranges = ofOther;
    }

    /** The sequence number of an entry. */
    public long sequence(int ref) {
        return nodes.sequence(ref);
    }

    /** The next older entry of the same key, or {@link #NONE}. */
    public int older(int ref) {
        return nodes.older(ref);
    }

    /** The time of an entry of a type that has one. */
    public long time(int ref) {
        return nodes.time(ref);
    }

    /** {@link WritePayload#PUT} or another type of an entry of a key. */
    public int type(int ref) {
        return nodes.type(ref);
    }

    /**
     * The time from which on a key is absent, by an entry of it, in milliseconds since 1970: at all times if the entry
     * removes the key or merges into it, and {@link RecordFormat#NEVER} if it sets the value for good.
     */
    public long expiry(int ref) {
        int type = nodes.type(ref);
        return type == WritePayload.PUT
                ? RecordFormat.NEVER
                : type == WritePayload.PUT_EXPIRING || type == WritePayload.PUT_LARGE
                        ? nodes.time(ref)
                        : Long.MIN_VALUE;
    }

    /** Whether the value of an entry is in the data file, and a {@link LargeReference} stands in its place. */
    public boolean isLarge(int ref) {
        return nodes.type(ref) == WritePayload.PUT_LARGE;
    }

    /** Bytes of an entry's key. */
    public int keyLength(int ref) {
        return nodes.keyLength(ref);
    }

    /** Bytes of an entry's value, wherever that is. */
    public int valueLength(int ref) {
        return isLarge(ref)
                ? LargeReference.valueLength(nodes.arena, nodes.valuePosition(ref))
                : nodes.valueLength(ref);
    }

    /** Bytes of the longest value that is in the data file; 0 if there is none. */
    public int longestLarge() {
        return longestLarge.get();
    }

    /** Bytes that stand in the place of an entry's value: it, or the {@link LargeReference}. */
    public int storedLength(int ref) {
        return nodes.valueLength(ref);
    }

    /** Where an entry's key begins in {@link #buffer()}. */
    public int keyPosition(int ref) {
        return nodes.keyPosition(ref);
    }

    /** Where an entry's value begins in {@link #buffer()}; or the {@link LargeReference}. */
    public int valuePosition(int ref) {
        return nodes.valuePosition(ref);
    }

    /** The memory that entries lie in: direct, little-endian, for absolute reads. */
    public ByteBuffer buffer() {
        return nodes.arena;
    }

    /** Copies an entry's key. */
    public void copyKey(int ref, byte[] target, int offset) {
        nodes.arena.get(nodes.keyPosition(ref), target, offset, nodes.keyLength(ref));
    }

    /** The order of an entry's key against another: negative, zero or positive. */
    public int compareKey(int ref, byte[] key, int offset, int length) {
        return nodes.compareKey(ref, key, offset, length);
    }

    // The owner's notes, and figures

    /** The owner's name for the table, as of the last reset. */
    public long id() {
        return id;
    }

    /** The number that the owner set, 0 before. */
    public long firstSequence() {
        return firstSequence;
    }

    /** Notes the lowest sequence number that may be here. */
    public void setFirstSequence(long sequence) {
        firstSequence = sequence;
    }

    /** The number that the owner set when it froze the table, 0 before. */
    public long lastSequence() {
        return lastSequence;
    }

    /** Notes the highest sequence number here; the table is frozen. */
    public void setLastSequence(long sequence) {
        lastSequence = sequence;
    }

    /** Arena bytes in use; outside the write lock perhaps a moment old, as is the next. */
    public long bytesUsed() {
        return used + (limit - tree.start());
    }

    /** How full it is, from 0 to 1; as old as the figures above. */
    public double fillLevel() {
        double keys = (double) keyCount() / index.maxKeys();
        double byCount = (double) rangeCount / MAX_RANGES;
        double ofRanges = Math.min(1, Math.max(byCount, (double) heapOf(ranges) / heapOfRanges));
        // Only the second half counts: ranges come in bursts, and the first half of a burst need not be held back.
        return Math.max(2 * ofRanges - 1, Math.max(keys, (double) bytesUsed() / limit));
    }

    /** The share of an empty table that entries of so many bytes take, from 0 to 1. */
    public double shareOf(long bodyBytes) {
        return (double) bodyBytes / limit;
    }

    /** Keys here, roughly: not fewer. */
    public int keyCount() {
        return entryCount - duplicates.get();
    }

    /** Where the entries end in the arena. */
    int entriesEnd() {
        return used;
    }

    /** Whether keys were deleted here; of deletes that are being inserted perhaps not yet. Any thread. */
    public boolean hasDeletes() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            Inserter inserter = inserters.get(stripe * STRIPE_SPACING);
            if (inserter != null && inserter.deletes > 0) {
                return true;
            }
        }
        return false;
    }

    /** Deleted ranges that room was handed out for. */
    int rangeCount() {
        return rangeCount;
    }

    /** Bytes of room that the deleted ranges have, which are here. */
    long rangeBytes() {
        return rangeBytes;
    }

    /** Whether no entry is in the table, or about to be. */
    public boolean isEmpty() {
        return entryCount == 0 && ranges == null;
    }

    /** Entries that room was handed out for, deleted ranges included. */
    public int entryCount() {
        return entryCount;
    }

    /** Off-heap bytes held, used or not. */
    public long memoryBytes() {
        return (long) nodes.arena.capacity() + 8L * index.slotCount();
    }

    /** Bytes of the arena. */
    public int arenaBytes() {
        return arena.capacity();
    }

    /** Gives the memory back, that of a table which nobody uses or ever will. */
    public void giveBack(OffHeap memory) {
        memory.giveBack(arena);
        memory.giveBack(hashSlots);
    }

    @Override
    public String toString() {
        return "MemTable[id=" + id + ", entries=" + entryCount + ", bytes=" + bytesUsed() + "/" + limit + ", first="
                + firstSequence + ", last=" + lastSequence + "]";
    }
}
