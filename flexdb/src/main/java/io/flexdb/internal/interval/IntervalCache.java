package io.flexdb.internal.interval;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.Fingerprints;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps {@linkplain Directory directories} of intervals off-heap, within a budget. They are found by the number of
 * their content, which is never used twice, so what is found is never out of date.
 *
 * <p>Any thread may use it. Looking up takes no lock, but must happen inside a short read of the epochs, which also is
 * how long the location found may be used. Memory is allocated as the cache fills, and kept until somebody needs it
 * more.
 */
public final class IntervalCache {
    /*
     * The problem: directories of all sizes, many threads that insert, readers without locks, no fragmentation, and CLOCK,
     * so that what is read again stays.
     *
     * The choice: directories are appended to a region. When all regions are in use, the one filled longest ago is the
     * victim: its directories are gone through, those with their reference bit set are copied to the region being filled
     * (bit cleared), and of the others the outlines are. Survivors may take half of a region, so that the other half is
     * there for what is new. Each insert goes through four times the bytes it brings, so the victim is empty well before
     * its memory is needed, and no insert pays for all of it.
     *
     * An outline takes a fifth of the memory of a directory, and so has more chances: each time that it is gone through
     * half of its uses are forgotten, and it is dropped when none are left. Once it is used so often that a directory
     * would have paid, whoever uses it is told so.
     *
     * Pairs for which a disk had to be waited for are kept, too: in the page cache a pair that is read often takes the
     * memory of some twenty others. As long as such come, directories that are gone through become outlines, which lead
     * to the same page, outlines come before pairs, and regions with enough outlines are left as they are.
     *
     * An empty victim is retired. If readers are in its memory still when a region is needed, nothing is cached for the
     * moment. If memory is asked for, the region filled longest ago is let go of with all that is in it, and who looks
     * for that reads the interval. CacheRegions is about their memory.
     *
     * A large cache begins with a small table, which is replaced by larger ones: who still looks into an earlier one
     * finds what is there, or nothing.
     *
     * I1  A slot's location is that of a whole directory with the slot's content number, in a region not retired.
     * I2  A region is written only behind what has been published in it, and from its start only after it was retired
     *     in a phase whose short reads have ended.
     * I3  Regions and table together take no more than the budget.
     * I4  What is dropped, or moved, has no slot for its place, and 0 instead of its content number there, so that
     *     whoever goes through its region need not look for its slot: commits drop most of what there is.
     *
     * Readers keep hints of where a directory is, which saves them the table. A hint may be of any age, so what it leads
     * to may be dropped, or in the midst of what has been written there since. It counts if the content number stands
     * there: that is written last, is 0 before a region is reused (I4), and is masked, so that nothing else that a
     * directory has in it can be taken for one.
     */
    private static final int ALIGNMENT = 16;
    private static final int BUDGET_BYTES_PER_SLOT = 160; // an outline or a pair of the usual size
    private static final int MAX_BUCKETS = 1 << 23;
    private static final int SCANNED_PER_INSERTED = 4;
    private static final int DIRECTORY_USES = 1; // that are counted
    private static final int FIRST_OUTLINE_USES = 4; // of one that takes the place of a directory
    private static final int OUTLINE_USES = 64; // that cost several times what it takes to make a directory
    private static final int OUTLINE_USES_WITH_ROOM = FIRST_OUTLINE_USES + 2; // where nothing has to go for that
    private static final int FIRST_BUCKETS = 256;
    private static final int TABLE_GROWTH = 4;
    private static final int PAIR_USES = 4; // that are counted of a pair
    // Room for survivors in a region, in eighths of it: the rest is for new entries.
    private static final int DIRECTORIES = 4; // and pairs
    private static final int OUTLINES_OF_DIRECTORIES = 2;
    private static final int OUTLINES_BESIDE_PAIRS = 5;
    private static final int FEW_PAIRS = 16; // in a 16th of a region
    private static final int REGIONS_FOR_PAIRS = 8; // that are filled before it is believed that no more pairs come
    private static final int GIVEN_AT_ONCE = 16; // a part of what there is: to give some means to collect garbage

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long mask = new SplittableRandom().nextLong() | Long.MIN_VALUE; // which no content number has
    private final int granuleBits; // of a region, in units of the alignment
    private final int bucketCount;
    private final OffHeap memory;
    private final CacheRegions regions;
    volatile CacheTable table; // made by the first insert; not private for a test

    /** Those in its directories. */
    public final Fingerprints fingerprints = new Fingerprints();

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    private final ReentrantLock lock = new ReentrantLock();
    // Under the lock. Regions with memory that are neither current nor victim nor retired are full.
    private final int[] filledBytes;
    private final int[] outlineBytes; // of the outlines that are in use in each region
    private final RegionQueue full;
    private volatile boolean isFull; // written under the lock
    private int current = -1;
    private int currentPosition;
    private int survivorBytes; // in the current region
    private int victim = -1;
    private int victimPosition;
    private int newPairBytes; // of pairs that have been inserted since the current region was taken
    private int regionsForPairs; // as long as no more pairs come
    private long entryCount;
    private volatile int pairCount; // pairs among the entries; written under the lock
    private long entryBytes;
    private long skippedCount;

    /**
     * @param epochs the readers
     * @param budgetBytes the most memory to take; 0 for no cache
     * @param memory where it comes from
     */
    public IntervalCache(Epochs epochs, long budgetBytes, OffHeap memory) {
        if (budgetBytes < 0) {
            throw new IllegalArgumentException("budgetBytes must not be negative: " + budgetBytes);
        }
        this.memory = memory;
        long slots = budgetBytes / BUDGET_BYTES_PER_SLOT;
        this.bucketCount = (int) Math.max(1, Math.min(MAX_BUCKETS, slots / CacheTable.SLOTS));
        long forRegions = budgetBytes - CacheTable.memoryBytes(bucketCount);
        this.regions = new CacheRegions(epochs, memory, forRegions);
        this.granuleBits = Integer.SIZE - Integer.numberOfLeadingZeros(regions.regionBytes() / ALIGNMENT);
        int count = regions.count();
        this.filledBytes = new int[count];
        this.outlineBytes = new int[count];
        this.full = new RegionQueue(count);
        this.isFull = count == 0;
    }

    /** Whether a directory is kept only if others go. Any thread. */
    public boolean isFull() {
        return isFull;
    }

    /** Whether there is memory for any. Any thread, for which it may have been so a moment ago. */
    public boolean mayKeep() {
        return regions.areAllowed();
    }

    /** The largest directory, or pair, that is kept: a quarter of a region. */
    public int maxDirectoryBytes() {
        return regions.regionBytes() / 4;
    }

    /**
     * Finds the directory or outline of a content and counts the use. Inside a short read.
     *
     * @param hint what {@link #hint} has once returned for any content, or 0: saves a look into the table if it is right
     * @return its location, for {@link #buffer} and {@link #base}, or -1
     */
    public long find(long contentNumber, int hint) {
        long location = locate(contentNumber, hint);
        return location < 0 ? missed() : found(location);
    }

    /** Finds the directory of a content in the same way; an outline does not count. */
    public long findDirectory(long contentNumber, int hint) {
        long location = locate(contentNumber, hint);
        return location < 0 || isOutline(location) ? missed() : found(location);
    }

    /** Finds either without counting. */
    long locate(long contentNumber, int hint) {
        if (hint != 0) {
            long location = locationOf(hint);
            if (isAt(location, contentNumber)) {
                return location;
            }
        }
        CacheTable slots = table;
        if (slots != null && contentNumber > 0) {
            long location = slots.find(contentNumber);
            if (location >= 0 && isAt(location, contentNumber)) {
                return location;
            }
        }
        return -1;
    }

    /** Whether an outline is at a location that was found, or nothing any more. Inside the same short read. */
    public boolean isOutline(long location) {
        ByteBuffer region = buffer(location);
        return region == null || Directory.isOutline(region, base(location));
    }

    /** Whether pairs are kept. Any thread, for which it may have been so a moment ago. */
    public boolean hasPairs() {
        return pairCount > 0;
    }

    /**
     * Copies a pair of an interval to the beginning of a buffer, if the cache has it. Inside a short read.
     *
     * @param contentNumber of the interval
     * @param bytes of the pair's record
     * @param to has room for it; the caller verifies what it gets
     */
    public boolean copyPair(long contentNumber, int pair, int bytes, ByteBuffer to) {
        if (!KeptPair.isFor(pair, bytes)) {
            return false;
        }
        long location = locate(KeptPair.contentNumber(contentNumber, pair), 0);
        ByteBuffer region = location < 0 ? null : buffer(location);
        if (region == null) {
            return false;
        }
        int base = base(location);
        if (KeptPair.recordBytes(region, base) != bytes) {
            return false;
        }
        int uses = Directory.uses(region, base);
        if (uses < PAIR_USES) {
            Directory.setUses(region, base, uses + 1);
        }
        to.put(0, region, KeptPair.record(base), bytes);
        return true;
    }

    /**
     * Keeps a pair that had to be read from a disk, if it is short and there is room.
     *
     * @param contentNumber of its interval
     * @param from has its record at the beginning, verified
     */
    public void insertPair(long contentNumber, int pair, ByteBuffer from, int recordBytes) {
        int bytes = KeptPair.bytes(recordBytes);
        if (!KeptPair.isFor(pair, recordBytes) || bytes > maxDirectoryBytes()) {
            return;
        }
        long number = KeptPair.contentNumber(contentNumber, pair);
        lock.lock();
        try {
            CacheTable slots = tableToFill();
            if (slots != null && slots.slotOf(number) < 0 && slots.hasRoomForPair(number) && hasRoomFor(slots, bytes)) {
                KeptPair.put(currentBuffer(), currentPosition, from, 0, recordBytes);
                add(slots, number, bytes, 0);
                pairCount++;
                newPairBytes += bytes;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has kept pairs of an interval found as those of another one, which has them from now on.
     *
     * @param from the content number of the interval that has them
     * @param origins the number there of each pair of the new one, from index first to end; below 0 for others
     * @param to the content number of the interval that gets them
     */
    public void movePairs(long from, int[] origins, int first, int end, long to) {
        if (from <= 0 || !hasPairs()) {
            return;
        }
        lock.lock();
        try {
            CacheTable slots = table;
            for (int pair = 0; pair < Math.min(KeptPair.MAX_PAIRS, end - first); pair++) {
                int origin = origins[first + pair];
                if (origin >= 0 && origin < KeptPair.MAX_PAIRS) {
                    int slot = slots.slotOf(KeptPair.contentNumber(from, origin));
                    if (slot >= 0) {
                        renumber(slots, slot, KeptPair.contentNumber(to, pair));
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void renumber(CacheTable slots, int slot, long number) {
        long location = slots.locationAt(slot);
        if (!slots.hasRoomForPair(number)) {
            drop(slots, slot);
            return;
        }
        slots.empty(slot); // first, so that it is the one to be filled where the bucket is the same
        int next = slots.slotFor(number);
        if (slots.contentAt(next) != 0) {
            drop(slots, next);
        }
        LONG.setRelease(buffer(location), base(location), number ^ mask);
        slots.fill(next, number, location);
    }

    private boolean isAt(long location, long contentNumber) {
        ByteBuffer region = buffer(location);
        return region != null && contentNumber > 0 && word(region, base(location)) == (contentNumber ^ mask);
    }

    private long missed() {
        misses.increment();
        return -1;
    }

    private long found(long location) {
        ByteBuffer region = buffer(location);
        if (region != null) {
            int base = base(location);
            int uses = Directory.uses(region, base);
            if (uses < (Directory.isOutline(region, base) ? OUTLINE_USES : DIRECTORY_USES)) {
                Directory.setUses(region, base, uses + 1); // only up to there, so that hot ones are not written
            }
        }
        hits.increment();
        return location;
    }

    /**
     * Whether the outline at a location has been used so often that a directory would serve better. Says so once, and
     * again after as many uses. Inside the short read that has found it.
     */
    public boolean isDirectoryDue(long location) {
        ByteBuffer region = buffer(location);
        int due = isFull ? OUTLINE_USES : OUTLINE_USES_WITH_ROOM;
        if (region == null || Directory.uses(region, base(location)) < due) {
            return false;
        }
        Directory.setUses(region, base(location), FIRST_OUTLINE_USES);
        return true;
    }

    /** A number for a location that was found, which is not 0; or 0 if there are too many locations. */
    public int hint(long location) {
        long hint = (location >>> 32 << granuleBits) + base(location) / ALIGNMENT + 1;
        return hint > Integer.MAX_VALUE ? 0 : (int) hint;
    }

    private long locationOf(int hint) {
        int granule = hint - 1;
        return location(granule >>> granuleBits, (granule & (1 << granuleBits) - 1) * ALIGNMENT);
    }

    private static long word(ByteBuffer region, int base) {
        return (long) LONG.getAcquire(region, base);
    }

    /** Whether the directory or outline of a content is there, without counting it. Any time. */
    public boolean contains(long contentNumber) {
        CacheTable slots = table;
        return slots != null && contentNumber > 0 && slots.slotOf(contentNumber) >= 0;
    }

    /** Whether it is a directory. Inside a short read. */
    public boolean containsDirectory(long contentNumber) {
        long location = locate(contentNumber, 0);
        return location >= 0 && !isOutline(location);
    }

    /**
     * Notes where the pairs of a content are now, if its directory is there. Any thread, while others read; inside a
     * short read.
     */
    public void setAddresses(long contentNumber, DirectoryBuilder pairs) {
        long location = locate(contentNumber, 0);
        ByteBuffer directory = location < 0 || isOutline(location) ? null : buffer(location);
        for (int pair = 0; directory != null && pair < pairs.count(); pair++) {
            Directory.setAddress(directory, base(location), pair, pairs.address(pair));
        }
    }

    /** The little-endian buffer that a location is in; null if its memory has been given back meanwhile. */
    public ByteBuffer buffer(long location) {
        return regions.buffer((int) (location >>> 32));
    }

    /** The position in its buffer that a location stands for. */
    public int base(long location) {
        return (int) location;
    }

    /**
     * Keeps a copy of a directory, unless there is one, or it is too large, or there is no room for the moment.
     * It takes the place of an outline.
     *
     * @param directory the content number of which is above 0
     * @param referenced whether it counts as used before it has been found for the first time
     * @return its location, inside a short read; or -1
     */
    public long insert(ByteBuffer directory, int base, boolean referenced) {
        return insert(directory, base, Directory.layoutToKeep(directory, base), referenced ? DIRECTORY_USES : 0);
    }

    /** Keeps the outline of a directory in the same way, if it has one and there is neither. */
    public long insertOutline(ByteBuffer directory, int base) {
        return Directory.hasOutline(directory, base)
                ? insert(directory, base, Directory.OUTLINE, FIRST_OUTLINE_USES)
                : -1;
    }

    private long insert(ByteBuffer directory, int base, int layout, int uses) {
        int directoryBytes = Directory.bytes(directory, base, layout);
        if (directoryBytes > maxDirectoryBytes() || regions.count() == 0) {
            return -1;
        }
        long contentNumber = Directory.contentNumber(directory, base);
        assert contentNumber > 0;
        lock.lock();
        try {
            CacheTable slots = tableToFill();
            if (slots == null
                    || isKnown(slots, contentNumber, layout == Directory.OUTLINE)
                    || !hasRoomFor(slots, directoryBytes)) {
                return -1;
            }
            Directory.copy(directory, base, layout, currentBuffer(), currentPosition);
            return add(slots, contentNumber, directoryBytes, uses);
        } finally {
            lock.unlock();
        }
    }

    /** Whether an entry can be written where the current region goes on. Under the lock. */
    private boolean hasRoomFor(CacheTable slots, int entryBytes) {
        int bytes = align(entryBytes);
        scanVictim(slots, SCANNED_PER_INSERTED * bytes);
        if (!makeRoom(slots, bytes)) {
            skippedCount++;
            return false;
        }
        return true;
    }

    /** Publishes the entry that has been written where the current region goes on. */
    private long add(CacheTable slots, long contentNumber, int bytes, int uses) {
        int known = slots.slotOf(contentNumber);
        int slot = known >= 0 ? known : slots.slotFor(contentNumber);
        if (slots.contentAt(slot) != 0) {
            drop(slots, slot);
        }
        long location = location(current, currentPosition);
        fillCurrent(bytes, contentNumber, uses);
        slots.fill(slot, contentNumber, location);
        entryCount++;
        entryBytes += align(bytes);
        return location;
    }

    /** Whether there is what would be inserted, or more. Under the lock. */
    private boolean isKnown(CacheTable slots, long contentNumber, boolean outline) {
        int slot = slots.slotOf(contentNumber);
        return slot >= 0 && (outline || !isOutline(slots.locationAt(slot)));
    }

    /** Publishes what has been written there, its content number last. */
    private void fillCurrent(int bytes, long contentNumber, int uses) {
        ByteBuffer region = currentBuffer();
        int position = currentPosition;
        Directory.setUses(region, position, uses);
        LONG.setRelease(region, position, contentNumber ^ mask);
        int size = align(bytes);
        outlineBytes[current] += Directory.isOutline(region, position) ? size : 0;
        currentPosition += size;
    }

    /**
     * Puts the directory of a content, without its number, if it is there.
     *
     * @param pairsCounted pairs of the interval, as far as they have been counted
     * @param to with room for the largest
     * @return false if there is none, or an outline
     */
    public boolean saveDirectory(long contentNumber, int pairsCounted, ByteBuffer to) {
        long location = locate(contentNumber, 0);
        ByteBuffer region = location < 0 ? null : buffer(location);
        int base = base(location);
        if (region == null || Directory.isOutline(region, base) || Directory.pairCount(region, base) != pairsCounted) {
            return false;
        }
        int position = to.position();
        int bytes = Directory.bytes(region, base) - Long.BYTES;
        to.put(position, region, base + Long.BYTES, bytes);
        to.position(position + bytes);
        return true;
    }

    /** Lets go of the directory of a content, if there is one. Any thread; who has found it before may use it still. */
    public void forget(long contentNumber) {
        forget(new long[] {contentNumber}, 1);
    }

    /** Forgets the directories of several contents. */
    public void forget(long[] contentNumbers, int count) {
        if (table == null || count == 0) {
            return;
        }
        lock.lock();
        try {
            CacheTable slots = table; // of now: it may have been replaced meanwhile
            for (int i = 0; i < count; i++) {
                int slot = contentNumbers[i] > 0 ? slots.slotOf(contentNumbers[i]) : -1; // 0 is in empty slots
                if (slot >= 0) {
                    drop(slots, slot);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static int align(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    private static long location(int region, int position) {
        return (long) region << 32 | position;
    }

    /** The table, or null if there is no memory for it. */
    private CacheTable tableToFill() {
        CacheTable slots = table;
        if (slots == null) {
            int buckets = bucketCount <= FIRST_BUCKETS * TABLE_GROWTH ? bucketCount : FIRST_BUCKETS;
            slots = newTable(buckets);
            table = slots;
        } else if (slots.bucketCount() < bucketCount && entryCount > slots.slotCount() / 2) {
            CacheTable larger = newTable(Math.min(bucketCount, slots.bucketCount() * TABLE_GROWTH));
            if (larger != null) {
                fillFrom(slots, larger);
                table = larger;
                memory.letGo(OffHeap.Use.CACHE, slots.memoryBytes());
                slots = larger;
            }
        }
        return slots;
    }

    private CacheTable newTable(int buckets) {
        ByteBuffer bytes = memory.tryAllocate(OffHeap.Use.CACHE, CacheTable.memoryBytes(buckets));
        return bytes == null ? null : new CacheTable(buckets, bytes);
    }

    private void fillFrom(CacheTable slots, CacheTable larger) {
        for (int i = 0; i < slots.slotCount(); i++) {
            long content = slots.contentAt(CacheTable.slot(i));
            if (content != 0) {
                int slot = larger.slotFor(content);
                if (larger.contentAt(slot) != 0) {
                    drop(larger, slot);
                }
                larger.fill(slot, content, slots.locationAt(CacheTable.slot(i)));
            }
        }
    }

    private void drop(CacheTable slots, int slot) {
        long location = slots.locationAt(slot);
        slots.empty(slot);
        entryCount--;
        ByteBuffer region = buffer(location);
        int size = sizeAt(region, base(location));
        entryBytes -= size;
        outlineBytes[(int) (location >>> 32)] -= Directory.isOutline(region, base(location)) ? size : 0;
        if (KeptPair.isPair(region, base(location))) { // else nothing is written that all readers read
            pairCount--;
        }
        LONG.setRelease(buffer(location), base(location), 0L);
    }

    private boolean makeRoom(CacheTable slots, int bytes) {
        if (current >= 0) {
            if (currentPosition + bytes <= regions.capacity(current)) {
                return true;
            }
            filledBytes[current] = currentPosition;
            full.add(current);
            current = -1;
        }
        if (victim >= 0) {
            scanVictim(slots, Integer.MAX_VALUE);
        }
        int region = nextRegion();
        if (region < 0) {
            return false;
        }
        current = region;
        currentPosition = 0;
        survivorBytes = 0;
        outlineBytes[region] = 0;
        boolean few = newPairBytes <= regions.capacity(region) / FEW_PAIRS;
        regionsForPairs = few ? Math.max(0, regionsForPairs - 1) : REGIONS_FOR_PAIRS;
        newPairBytes = 0;
        if (!regions.mayGrow() && !regions.areRetired() && !full.isEmpty()) {
            chooseVictim();
        }
        return bytes <= regions.capacity(current); // else the next one is larger
    }

    /**
     * Takes the region filled longest ago; where pairs come, of those whose outlines could all survive, unless there is
     * none.
     */
    private void chooseVictim() {
        for (int tries = isForPairs() ? full.size() : 0; ; tries--) {
            victim = full.remove();
            if (tries == 0 || outlineBytes[victim] <= regions.capacity(victim) / 8 * OUTLINES_BESIDE_PAIRS) {
                break;
            }
            full.add(victim);
        }
        victimPosition = 0;
    }

    private boolean isForPairs() {
        return regionsForPairs > 0;
    }

    private int nextRegion() {
        int added = addRegion();
        if (added >= 0) {
            return added;
        }
        isFull = true;
        if (!regions.areRetired()) { // readers were in the way, so there was no victim when this was the time for one
            if (full.isEmpty()) {
                return -1;
            }
            chooseVictim();
            scanVictim(table, Integer.MAX_VALUE);
            if (!regions.areRetired()) {
                return addRegion(); // it was a small one
            }
        }
        return regions.takeRetired();
    }

    private int addRegion() {
        int region = regions.add();
        if (region >= 0) {
            isFull = false;
        }
        return region;
    }

    /**
     * Says how much memory the cache may take now, its budget at most. It lets go of regions beyond that.
     *
     * @param bytes the limit
     */
    public void limit(long bytes) {
        lock.lock();
        try {
            regions.limit(bytes - CacheTable.memoryBytes(bucketCount));
            isFull = regions.excess() >= 0;
            while (regions.excess() > 0 && dropRegion()) {
                // goes on until it is enough
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets go of so much memory, or somewhat more, or of what there is if that is less. The cache grows again behind the
     * next {@link #limit}, or once there is memory to spare.
     *
     * @return bytes let go of; the garbage collector frees them
     */
    public long giveBack(long bytes) {
        lock.lock();
        try {
            long wanted = Math.max(bytes, (long) regions.liveCount() / GIVEN_AT_ONCE * regions.regionBytes());
            long given = 0;
            for (long before = regions.heldBytes(); given < wanted && dropRegion(); ) {
                given = before - regions.heldBytes();
            }
            regions.stay();
            return given;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives memory back unless another thread changes the cache, for a caller that may have the lock of another cache.
     */
    public long tryGiveBack(long bytes) {
        if (!lock.tryLock()) {
            return 0;
        }
        try {
            return giveBack(bytes);
        } finally {
            lock.unlock();
        }
    }

    private boolean dropRegion() {
        if (regions.areRetired()) {
            regions.letGoRetired();
            return true;
        }
        if (full.isEmpty()) {
            return false;
        }
        int region = full.remove();
        for (int position = 0; position < filledBytes[region]; ) {
            int size = sizeAt(regions.buffer(region), position);
            int slot = slotOfLive(table, region, position);
            if (slot >= 0) {
                drop(table, slot);
            }
            position += size;
        }
        regions.letGoEmptied(region);
        return true;
    }

    /** Goes on through the victim, by about so many bytes, and lets it rest when it is empty. */
    private void scanVictim(CacheTable slots, int bytes) {
        if (victim < 0) {
            regions.helpRetired();
            return;
        }
        ByteBuffer region = regions.buffer(victim);
        long until = Math.min((long) victimPosition + bytes, filledBytes[victim]);
        while (victimPosition < until) {
            int size = sizeAt(region, victimPosition);
            int slot = slotOfLive(slots, victim, victimPosition);
            if (slot >= 0 && !survives(slots, slot, region, victimPosition, size)) {
                drop(slots, slot);
            }
            victimPosition += size;
        }
        if (victimPosition >= filledBytes[victim]) {
            regions.retire(victim);
            victim = -1;
        }
    }

    /** Has what lies here live on where the current region goes on, if it deserves that: whole, or as an outline. */
    private boolean survives(CacheTable slots, int slot, ByteBuffer region, int position, int size) {
        int uses = Directory.uses(region, position);
        int layout = Directory.layout(region, position);
        int bytes = size;
        boolean isWanted = uses > 0;
        int most = DIRECTORIES;
        if (layout == KeptPair.LAYOUT) {
            isWanted &= isForPairs();
        } else if (isForPairs()) {
            isWanted &= layout == Directory.OUTLINE;
            most = OUTLINES_BESIDE_PAIRS;
        }
        if (!isWanted || !hasRoomForSurvivor(size, most)) {
            if (layout < Directory.FULL || !Directory.hasOutline(region, position)) {
                return false;
            }
            layout = Directory.OUTLINE;
            bytes = align(Directory.bytes(region, position, layout));
            // The rest stays for what is used.
            if (!hasRoomForSurvivor(bytes, isForPairs() ? OUTLINES_BESIDE_PAIRS : OUTLINES_OF_DIRECTORIES)) {
                return false;
            }
            uses = 2 * FIRST_OUTLINE_USES;
        }
        copy(region, position, layout);
        long location = location(current, currentPosition);
        fillCurrent(bytes, slots.contentAt(slot), uses / 2);
        slots.move(slot, location);
        LONG.setRelease(region, position, 0L);
        survivorBytes += bytes;
        entryBytes += bytes - size;
        return true;
    }

    private void copy(ByteBuffer region, int position, int layout) {
        if (layout == KeptPair.LAYOUT) {
            int bytes = KeptPair.recordBytes(region, position);
            KeptPair.put(currentBuffer(), currentPosition, region, KeptPair.record(position), bytes);
        } else {
            Directory.copy(region, position, layout, currentBuffer(), currentPosition);
        }
    }

    /** Bytes of what begins here, aligned. */
    private static int sizeAt(ByteBuffer region, int position) {
        return align(
                KeptPair.isPair(region, position)
                        ? KeptPair.bytes(KeptPair.recordBytes(region, position))
                        : Directory.bytes(region, position));
    }

    /** The slot of what lies here, or -1 if that has been dropped (I4). */
    private int slotOfLive(CacheTable slots, int region, int position) {
        long word = word(regions.buffer(region), position);
        int slot = word == 0 ? -1 : slots.slotOf(word ^ mask);
        return slot >= 0 && slots.locationAt(slot) == location(region, position) ? slot : -1;
    }

    private boolean hasRoomForSurvivor(int size, int eighths) {
        if (current < 0) {
            return false;
        }
        int capacity = regions.capacity(current);
        return survivorBytes + size <= capacity / 8 * eighths && currentPosition + size <= capacity;
    }

    private ByteBuffer currentBuffer() {
        return regions.buffer(current);
    }

    /** Lookups. */
    public long uses() {
        return hits.sum() + misses.sum();
    }

    /** Lookups that found a directory. */
    public long hits() {
        return hits.sum();
    }

    /** Lookups that found none. */
    public long misses() {
        return misses.sum();
    }

    /** Directories, outlines and pairs kept. */
    public long entryCount() {
        lock.lock();
        try {
            return entryCount;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes of what is kept. */
    public long entryBytes() {
        lock.lock();
        try {
            return entryBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Entries that were not kept because readers were still in the memory to be reused. */
    public long skippedCount() {
        lock.lock();
        try {
            return skippedCount;
        } finally {
            lock.unlock();
        }
    }

    /** Off-heap bytes held. */
    public long memoryBytes() {
        lock.lock();
        try {
            return regions.heldBytes() + (table == null ? 0 : table.memoryBytes());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "IntervalCache[entries=" + entryCount() + ", bytes=" + entryBytes() + ", memory=" + memoryBytes()
                + ", regions=" + regions + ", hits=" + hits()
                + ", misses=" + misses()
                + "]";
    }
}
