package io.flexdb.internal.interval;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The intervals of a store as its writer has them: their index, the numbers of their contents, when they are joined,
 * and how many are {@linkplain Interval#isCoarse coarse}. One thread at a time changes them.
 */
public final class Intervals {
    /*
     * I1  A content number belongs to one content for ever; and where there are range filters to one pair of anchors,
     *     so an interval that comes to reach further gets another one.
     */
    private static final int MOST_FOLLOWING = 64;
    private static final int MERGE_BYTES = Interval.MAX_BYTES / 2;
    private static final int MERGE_PAIRS = Interval.MAX_PAIRS / 2;

    /** Their index. */
    public final SparseIndex index;

    /** Has their directories. */
    public final IntervalCache cache;

    /** Their filters; null if there are none. */
    public final RangeFilters filters;

    private final IntervalCursor previous;
    private final Interval found = new Interval();
    private final IntervalCursor following;
    private final long[] followingContents = new long[MOST_FOLLOWING];
    private byte[] followingKey; // whose interval they follow
    private int followingCount;
    private int followingCoarse;
    private long followingOffset;
    private long followingBytes;
    private final AtomicLong lastContent = new AtomicLong();
    private volatile long coarseCount; // written by one thread at a time, as the index is

    /** @param filters of these intervals; null if there are none */
    public Intervals(SparseIndex index, IntervalCache cache, RangeFilters filters) {
        this(index, cache, filters, 0);
    }

    /**
     * @param filters of these intervals; null if there are none
     * @param usedContents numbers of contents up to this one were given out by others who share the cache (I1)
     */
    public Intervals(SparseIndex index, IntervalCache cache, RangeFilters filters, long usedContents) {
        this.lastContent.set(usedContents);
        this.index = index;
        this.cache = cache;
        this.filters = filters;
        this.previous = index.cursor();
        this.following = index.cursor();
    }

    /** The number of a content that never was before. Any thread. */
    public long newContent() {
        return lastContent.incrementAndGet();
    }

    /** The greatest number that was given out. */
    public long lastContent() {
        return lastContent.get();
    }

    /** Those that are larger than they should be, or of which nobody has counted the pairs. Any thread. */
    public long coarseCount() {
        return coarseCount;
    }

    /** Adds an interval behind all others, to build an index that has seen no other change yet. */
    public void append(byte[] anchor, int from, int length, long bytes, int pairs) {
        index.appendInterval(anchor, from, length, bytes, pairs, newContent());
        if (Interval.isCoarse(bytes, pairs)) {
            coarseCount++;
        }
    }

    /**
     * Puts the intervals of a new content, none of which is coarse, in the place of the interval of a key.
     *
     * @param old that interval
     * @param pairs all that the new ones have; if few are left they are joined with the interval before, where both
     *     together are small
     */
    public void replace(byte[] key, int keyLength, Interval old, IntervalReplacement parts, int pairs, long bytes) {
        if (old.isCoarse()) {
            coarseCount--;
        }
        index.replace(key, 0, keyLength, parts);
        forgetFilter(old.contentNumber());
        if (pairs < old.pairCount() && pairs <= MERGE_PAIRS && bytes <= MERGE_BYTES) {
            mergeSmall(key, keyLength);
        }
    }

    /** Puts intervals, which may be coarse, in the place of the interval of a key. */
    public void replaceByRun(byte[] key, IntervalReplacement parts) {
        index.find(index.current(), key, 0, key.length, found);
        int coarse = found.isCoarse() ? -1 : 0;
        for (int i = 0; i < parts.count(); i++) {
            coarse += Interval.isCoarse(parts.bytes(i), parts.pairs(i)) ? 1 : 0;
        }
        forgetFilter(found.contentNumber());
        index.replace(key, 0, key.length, parts);
        coarseCount += coarse;
    }

    /** Intervals that a range has something of, or may have. Takes as long as there are such. */
    public long countBetween(byte[] from, byte[] to) {
        following.seek(index.current(), from, 0, from.length);
        long count = 1;
        while (!following.isBelowUpperAnchor(to, 0, to.length) && following.next()) {
            count++;
        }
        following.reset();
        return count;
    }

    /** Joins the interval of a key, whatever it has, with the one behind it, which there must be. */
    public void joinWithNext(byte[] key) {
        following.seek(index.current(), key, 0, key.length);
        int coarse = following.isCoarse() ? -1 : 0;
        forgetFilter(following.contentNumber());
        following.next();
        forgetFilter(following.contentNumber());
        coarse -= following.isCoarse() ? 1 : 0;
        following.reset();
        boolean joined = index.mergeWithNext(key, 0, key.length, newContent());
        assert joined : "an interval follows";
        index.find(index.current(), key, 0, key.length, found);
        coarseCount += coarse + (found.isCoarse() ? 1 : 0);
    }

    /**
     * Finds intervals behind that of a key that lie wholly before another key: some that can be removed at once. A
     * caller that removes them and asks again meets all of them, a leaf of the index after the other.
     *
     * @param to where they end at the latest; null if nothing bounds them
     * @return false if there is none
     */
    public boolean findFollowing(byte[] key, byte[] to) {
        followingCount = 0;
        followingCoarse = 0;
        followingBytes = 0;
        followingKey = key;
        following.seek(index.current(), key, 0, key.length);
        if (following.isInLeafWithNext()) {
            addRestOfLeaf(to);
        } else if (following.next() && !reaches(to)) {
            // From another leaf only one can be removed, which would be the first of what is left again and again. The
            // intervals that follow it in its leaf therefore go first.
            byte[] anchor = new byte[following.anchorLength()];
            following.anchor(anchor);
            addRestOfLeaf(to);
            if (followingCount > 0) {
                followingKey = anchor;
            } else {
                following.seek(index.current(), anchor, 0, anchor.length);
                addFollowing();
            }
        }
        following.reset();
        return followingCount > 0;
    }

    private void addRestOfLeaf(byte[] to) {
        while (followingCount < MOST_FOLLOWING && following.isInLeafWithNext() && following.next() && !reaches(to)) {
            addFollowing();
        }
    }

    /** Whether the cursor's interval reaches to a key, or beyond. */
    private boolean reaches(byte[] to) {
        return to != null && following.isBelowUpperAnchor(to, 0, to.length);
    }

    private void addFollowing() {
        followingOffset = followingCount == 0 ? following.logicalOffset() : followingOffset;
        followingBytes += following.lengthBytes();
        followingCoarse += following.isCoarse() ? 1 : 0;
        followingContents[followingCount++] = following.contentNumber();
    }

    /** How many were found. */
    public int followingCount() {
        return followingCount;
    }

    /** The number of the content of one of them. */
    public long followingContent(int i) {
        return followingContents[i];
    }

    /** Where the first of them begins in the space. */
    public long followingOffset() {
        return followingOffset;
    }

    /** Bytes of all of them. */
    public long followingBytes() {
        return followingBytes;
    }

    /** Removes what {@link #findFollowing} has found. */
    public void removeFollowing() {
        byte[] key = followingKey;
        index.removeFollowing(key, 0, key.length, followingCount);
        coarseCount -= followingCoarse;
        if (filters != null) {
            for (int i = 0; i < followingCount; i++) {
                filters.forget(followingContents[i]);
            }
            index.find(index.current(), key, 0, key.length, found);
            filters.forget(found.contentNumber());
            index.renumber(key, 0, key.length, newContent());
        }
    }

    private void forgetFilter(long content) {
        if (filters != null) {
            filters.forget(content);
        }
    }

    private void mergeSmall(byte[] key, int keyLength) {
        index.find(index.current(), key, 0, keyLength, found);
        int anchorLength = found.anchorLength();
        if (anchorLength == 0) {
            return;
        }
        int pairs = found.pairCount();
        long bytes = found.lengthBytes();
        previous.seek(index.current(), key, 0, keyLength);
        previous.previous();
        if (previous.pairCount() + pairs <= MERGE_PAIRS && previous.lengthBytes() + bytes <= MERGE_BYTES) {
            merge(key, keyLength, newContent());
        } else if (pairs == 0) {
            merge(key, keyLength, filters != null ? newContent() : previous.contentNumber()); // it gains nothing
        }
    }

    private void merge(byte[] key, int keyLength, long content) {
        forgetFilter(found.contentNumber());
        forgetFilter(previous.contentNumber());
        index.mergeWithPrevious(key, 0, keyLength, content);
    }

    /**
     * Puts the parts of a coarse interval in its place, unless it has changed since it was read, its keys reach beyond
     * it, or the index has no memory for it. Do not call this between the search for room for a change and the change.
     *
     * @return whether it did
     */
    public boolean divide(Division division) {
        index.find(index.current(), division.lowestKey(), 0, division.lowestKeyLength(), found);
        long content = division.content();
        if (found.contentNumber() != content
                || !found.isCoarse() // another thread has counted its pairs
                || !found.isBelowUpperAnchor(division.highestKey(), 0, division.highestKeyLength())) {
            return false;
        }
        assert found.lengthBytes() == division.parts.totalBytes() : found + " and " + division;
        try {
            index.ensure(division.parts.count(), division.parts.anchorBytes());
        } catch (OutOfMemoryError e) {
            return false;
        }
        index.replace(division.lowestKey(), 0, division.lowestKeyLength(), division.parts);
        if (division.isComplete()) {
            coarseCount--;
        }
        if (division.parts.count() > 1) {
            cache.forget(content); // newer versions never ask for it
            forgetFilter(content);
        }
        return true;
    }
}
