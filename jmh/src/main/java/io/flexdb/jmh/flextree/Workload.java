package io.flexdb.jmh.flextree;

import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.jmh.RandomNumbers;

/**
 * An index and the operations done to it. They come from one generator with a fixed seed, so that every index is given
 * the same ones. For one thread at a time.
 */
final class Workload {
    /*
     * New extents have 4 KiB. Their addresses are two lengths apart, so none continues another. An insertion at any
     * byte of the space nearly always cuts an extent in two and thus adds two: a build of N extents by insertions at
     * random takes N / 2 of them, and extents have 2 KiB in the mean. An insertion between extents cuts none: there are
     * boundaries at all multiples of an extent's length, as long as there are no other operations.
     */
    static final int EXTENT_BYTES = 4096;
    static final int RANGE_EXTENTS = 50;

    private static final long ADDRESS_MASK = (1L << 47) - 1;

    final ExtentIndex index;
    private final RandomNumbers random;
    private final long grain; // insertions go to multiples of it
    private long nextAddress;
    private long filledSize;
    private long filledExtents;
    private long rangeBytes;

    private Workload(ExtentIndex index, RandomNumbers random, long grain) {
        this.index = index;
        this.random = random;
        this.grain = grain;
    }

    /** An empty index of this name. */
    static Workload empty(String name) {
        return new Workload(ExtentIndex.named(name), new RandomNumbers(), 1);
    }

    /** An index filled by appends. */
    static Workload appended(String name, long extents) {
        Workload workload = empty(name);
        while (workload.index.extentCount() < extents) {
            workload.append();
        }
        return workload.filled();
    }

    /**
     * An index with the extents that insertions at random lead to. FlexTree gets them one by one. The others, which
     * would take hours, are given FlexTree's extents in order. So a B+-tree has full leaves, in order of memory too:
     * the best case for its shifts and its lookups.
     */
    static Workload inserted(String name, long extents) {
        return inserted(name, extents, 1);
    }

    /** The same, by insertions between extents, as those to come are. */
    static Workload insertedBetween(String name, long extents) {
        return inserted(name, extents, EXTENT_BYTES);
    }

    private static Workload inserted(String name, long extents, long grain) {
        Workload source = new Workload(ExtentIndex.named("flextree"), new RandomNumbers(), grain);
        source.insertUntil(extents);
        if (name.equals("flextree")) {
            return source.filled();
        }
        ExtentIndex target = ExtentIndex.named(name);
        source.index.query(0, source.index.size(), (offset, length, address, flags) -> target.append(length, address));
        if (target.extentCount() != source.index.extentCount()) {
            throw new IllegalStateException(target + " has not the extents of " + source.index);
        }
        Workload workload = new Workload(target, source.random, grain);
        workload.nextAddress = source.nextAddress;
        return workload.filled();
    }

    /** An index that is {@code appended} or {@code inserted}. */
    static Workload filled(String name, long extents, String filled) {
        return switch (filled) {
            case "appended" -> appended(name, extents);
            case "inserted" -> inserted(name, extents);
            default -> throw new IllegalArgumentException("filled must be appended or inserted: " + filled);
        };
    }

    private Workload filled() {
        filledSize = index.size();
        filledExtents = index.extentCount();
        rangeBytes = RANGE_EXTENTS * (filledSize / filledExtents);
        return this;
    }

    /** Whether operations have changed the number of extents, or the size, by more than a tenth since it was filled. */
    boolean hasDrifted() {
        return Math.abs(index.extentCount() - filledExtents) > filledExtents / 10
                || Math.abs(index.size() - filledSize) > filledSize / 10;
    }

    /** Inserts until the size is again what it was after the index had been filled. */
    void restoreSize() {
        while (index.size() < filledSize) {
            insert();
        }
    }

    /** Inserts at random until there are so many extents, and returns the number of insertions. */
    long insertUntil(long extents) {
        long operations = 0;
        for (; index.extentCount() < extents; operations++) {
            insert();
        }
        return operations;
    }

    /** Inserts an extent at any offset of the space, or between any two extents. */
    void insert() {
        index.insert(random.below(index.size() / grain + 1) * grain, EXTENT_BYTES, address());
    }

    /** Appends an extent. */
    void append() {
        index.append(EXTENT_BYTES, address());
    }

    /** Removes the bytes of one extent at any offset of the space. */
    void collapse() {
        index.collapse(random.below(index.size() - EXTENT_BYTES + 1), EXTENT_BYTES);
    }

    /** Looks up any offset of the space. */
    long lookup() {
        return index.lookup(random.below(index.size()));
    }

    /**
     * Goes over as many bytes as 50 extents have in the mean, from any multiple of the length of an appended extent on:
     * exactly 50 extents after appends, about 51 after insertions.
     */
    void range(ExtentConsumer consumer) {
        long start = random.below((index.size() - rangeBytes) / EXTENT_BYTES + 1) * EXTENT_BYTES;
        index.query(start, rangeBytes, consumer);
    }

    private long address() {
        long address = nextAddress;
        nextAddress = nextAddress + 2 * EXTENT_BYTES & ADDRESS_MASK;
        return address;
    }
}
