package io.flexdb.internal.read;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.PairPlaces;
import io.flexdb.internal.interval.RangeFilters;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongSupplier;

/** Walks the pairs of a version's space in key order, in both directions. For one thread; reusable, without garbage. */
final class SpaceCursor {
    /*
     * Has copies of pairs of the interval it stands in, in the memory of a context, which is the owner's. A short read
     * protects the copying, and a read of the pin, which the store may end at any time. A pair is brought when the
     * cursor comes to it, and some behind it in the direction of the walk: see PairsAhead.
     *
     * A pair is taken apart when the cursor comes to it, and only then.
     */
    private static final long NONE = -1;
    private static final int NOWHERE = -1;
    private static final int STEP_BYTES = 1 << 20; // of a value that is read later
    private static final int MOST_BEHIND_BYTES = 64 << 10; // prefetched with an interval
    private static final int MOST_ASKED = 4; // intervals, for an empty range is short as a rule

    private final StoreVersions versions;
    private final PinnedVersion pin;
    private final IntervalReader intervals;
    private final RangeFilters filters; // or null
    private final ReadContext context;
    private final IntervalCursor interval;
    private final Pairs pairs;
    private final ScanPace pace = new ScanPace();
    private final DiskWaits waits; // those of the readers of all intervals
    private final LongSupplier nanoClock;
    private Version version;
    private long loadedStart = NONE; // of the interval that the copy is of, in the space
    private long loadedEnd = NONE;
    private int pair;
    private int pairCount;
    private final PairsAhead ahead = new PairsAhead();
    private boolean keysOnly;
    private byte[] upperBound; // of what is wanted, or null
    private ByteBuffer memory;
    private ByteBuffer values; // the memory, or null if it has keys alone
    private int keyPosition;
    private int keyLength;
    private int valueLength;
    private long expiry;
    private boolean hasWaiting;

    /** @param context that a cursor has for itself, as long as it is on a version */
    SpaceCursor(StoreVersions versions, PinnedVersion pin, IntervalReader intervals, ReadContext context) {
        this.versions = versions;
        this.pin = pin;
        this.intervals = intervals;
        this.filters = intervals.filters;
        this.context = context;
        this.waits = intervals.waits();
        this.nanoClock = waits.nanoClock;
        this.interval = versions.index.cursor();
        PairPlaces places = new PairPlaces(context.newMemory(PairPlaces.MEMORY_BYTES));
        this.pairs = new Pairs(intervals, context, places);
    }

    /** Goes to a version, which is pinned, and stands nowhere in it; null lets the old one go. Can't fail. */
    void reset(Version newVersion, Scan scan) {
        version = newVersion;
        keysOnly = scan.keysOnly();
        upperBound = scan.upperBound();
        ahead.reset(scan.expectedPairs());
        unload();
        if (newVersion == null) {
            interval.reset();
        }
    }

    /** Lets go of the version, by any thread: the cursor is not used any more, or finds out that its pin has ended. */
    void letGo() {
        version = null;
    }

    private void unload() {
        pairs.clear();
        memory = null;
        values = null;
        pairCount = 0;
        pair = NOWHERE;
        loadedStart = NONE;
        loadedEnd = NONE;
    }

    boolean isValid() {
        return pair != NOWHERE;
    }

    void seekToFirst() {
        int ticket = beginRead();
        try {
            interval.first(version.index());
            openToSeek(true);
            stand(0, true);
        } finally {
            endRead(ticket);
        }
    }

    void seekToLast() {
        int ticket = beginRead();
        try {
            interval.last(version.index());
            openToSeek(false);
            stand(pairCount - 1, false);
        } finally {
            endRead(ticket);
        }
    }

    /** To the first pair not below a key, or nowhere if that is known not to be below the upper bound. */
    void seek(byte[] key, int length) {
        int ticket = beginRead();
        try {
            interval.seek(version.index(), key, 0, length);
            if (filters != null && upperBound != null && isKnownEmpty(key, length)) {
                pair = NOWHERE;
                return;
            }
            openToSeek(true);
            if (upperBound != null
                    && interval.isBelowUpperAnchor(upperBound, 0, upperBound.length)
                    && pairs.isKnownEmpty(key, length, upperBound)) {
                return;
            }
            stand(pairs.lowerBound(key, length), true);
        } finally {
            endRead(ticket);
        }
    }

    /** To the last pair not above a key. */
    void seekForPrev(byte[] key, int length) {
        int ticket = beginRead();
        try {
            interval.seek(version.index(), key, 0, length);
            openToSeek(false);
            stand(pairs.upperBound(key, length) - 1, false);
        } finally {
            endRead(ticket);
        }
    }

    /** To the last pair below a key. */
    void seekBelow(byte[] key, int length) {
        int ticket = beginRead();
        try {
            interval.seek(version.index(), key, 0, length);
            openToSeek(false);
            stand(pairs.lowerBound(key, length) - 1, false);
        } finally {
            endRead(ticket);
        }
    }

    /** Stands nowhere, as behind the last pair. */
    void end() {
        pair = NOWHERE;
    }

    void next() {
        if (pair + 1 < pairCount && pairs.isThere(pair + 1)) {
            pair++;
            takeApart();
            return;
        }
        int ticket = beginRead();
        try {
            stand(pair + 1, true);
        } finally {
            endRead(ticket);
        }
    }

    void previous() {
        if (pair > 0 && pairs.isThere(pair - 1)) {
            pair--;
            takeApart();
            return;
        }
        int ticket = beginRead();
        try {
            stand(pair - 1, false);
        } finally {
            endRead(ticket);
        }
    }

    private int beginRead() {
        pin.beginRead();
        try {
            return versions.enterToRead();
        } catch (Throwable e) {
            pin.endRead();
            throw e;
        }
    }

    private void endRead(int ticket) {
        versions.exit(ticket);
        pin.endRead();
    }

    // ---- inside a short read

    /** Whether filters say that there is no pair from a key on to the upper bound. The cursor may be past it then. */
    private boolean isKnownEmpty(byte[] key, int length) {
        if (Arrays.compareUnsigned(key, 0, length, upperBound, 0, upperBound.length) >= 0) {
            return true;
        }
        byte[] from = key;
        for (int asked = 0; asked < MOST_ASKED; asked++) {
            if (interval.lengthBytes() > 0
                    && filters.mayHave(interval, from, length, upperBound, upperBound.length, context.asker)) {
                break;
            }
            if (interval.isBelowUpperAnchor(upperBound, 0, upperBound.length) || !interval.next()) {
                return true;
            }
            from = null;
        }
        interval.seek(version.index(), key, 0, length);
        return false;
    }

    private void openToSeek(boolean forward) {
        pair = NOWHERE;
        ahead.restart();
        context.prefetchedEnd = 0;
        context.bytesBehind = forward ? bytesBehind() : 0;
        open();
        context.bytesBehind = 0;
    }

    /** Bytes behind the interval that the walk is likely to need: on average it begins in the middle of the interval. */
    private long bytesBehind() {
        if (upperBound != null && interval.isBelowUpperAnchor(upperBound, 0, upperBound.length)) {
            return 0;
        }
        int pairs = interval.pairCount();
        int behind = ahead.left() - pairs / 2;
        return pairs == 0 || behind <= 0 ? 0 : Math.min(MOST_BEHIND_BYTES, interval.lengthBytes() / pairs * behind);
    }

    /**
     * Stands on a pair of the interval, or where there is none of this number, on the first one or the last one of the
     * intervals that follow in the direction of the walk.
     */
    private void stand(int newPair, boolean forward) {
        pair = NOWHERE; // if what follows fails
        int next = newPair;
        if (forward) {
            while (next >= pairCount && interval.isValid() && interval.next()) {
                open();
                next = 0;
            }
            if (next >= pairCount) {
                return;
            }
        } else {
            while (next < 0 && interval.isValid() && interval.previous()) {
                open();
                next = pairCount - 1;
            }
            if (next < 0) {
                return;
            }
        }
        int count = ahead.next();
        int from = forward ? next : Math.max(0, next + 1 - count);
        int to = forward ? Math.min(pairCount, next + count) : next + 1;
        if (waits.areExpected()) {
            int slow = ahead.nextIfSlow();
            pairs.prefetch(
                    forward ? next : Math.max(0, next + 1 - slow), forward ? Math.min(pairCount, next + slow) : to);
        }
        if (pairs.isThere(from) && pairs.isThere(to - 1)) {
            int left = forward ? pairCount - next : next + 1;
            ahead.came(pairs.areThere() ? left : to - from, false);
        } else {
            boolean looks = pace.looks() || waits.look();
            long before = looks ? nanoClock.getAsLong() : 0;
            pairs.need(from, to);
            readSince(before, looks, pairs.bytes(from, to));
            ahead.came(to - from, true);
        }
        pair = next;
        takeApart();
    }

    private void readSince(long before, boolean looks, long bytes) {
        if (looks && waits.took(nanoClock.getAsLong() - before, bytes)) {
            pace.waited();
        }
        pace.read(bytes);
    }

    /** Has the interval's pairs, if not yet, or what it takes to bring them. */
    private void open() {
        long start = interval.logicalOffset();
        long end = start + interval.lengthBytes();
        if (start == loadedStart && end == loadedEnd) {
            return;
        }
        if (start != loadedEnd && end != loadedStart) {
            pace.restart();
        }
        unload();
        if (start == end) {
            return;
        }
        boolean looks = pace.looks();
        long before = looks ? nanoClock.getAsLong() : 0;
        context.endsSoon = endsSoon();
        intervals.load(version.space(), context, interval, pairs, pace.isFromFile(), keysOnly);
        context.endsSoon = false;
        if (pairs.areThere()) {
            readSince(before, looks, pairs.bytes(0, pairs.count()));
        }
        memory = pairs.memory();
        values = pairs.areValuesLeft() ? null : memory;
        pairCount = pairs.count();
        loadedStart = start;
        loadedEnd = end;
    }

    /** Whether the walk is known to end so soon that the rest is prefetched at once, as far as a disk is slow. */
    private boolean endsSoon() {
        int pairs = interval.pairCount();
        int left = ahead.left();
        return left > 0
                && pairs > 0
                && interval.lengthBytes() / pairs * left <= MOST_BEHIND_BYTES
                && intervals.reads().areMapped();
    }

    private void takeApart() {
        int at = pairs.position(pair);
        long header = pairs.header(at);
        keyPosition = at + RecordFormat.headerBytes(header);
        keyLength = RecordFormat.keyLength(header);
        valueLength = RecordFormat.valueLength(header);
        expiry = RecordFormat.expiry(memory, at, header);
        hasWaiting = RecordFormat.hasWaiting(header);
    }

    /** Where the pair is. */
    ByteBuffer memory() {
        return memory;
    }

    /** Where its value is; null if that is to be {@linkplain #readValue read}. */
    ByteBuffer values() {
        return values;
    }

    /** Copies a part of the pair's value, which was left where it is, since it or one beside it is large. */
    void readValue(int from, ByteBuffer destination, int position, int length) {
        long start = pairs.valueOffset(pair) + from;
        for (int done = 0; done < length; ) {
            int step = Math.min(STEP_BYTES, length - done);
            int ticket = beginRead(); // for each, so that nobody waits for a long one
            try {
                intervals.reads().read(version.space(), start + done, destination, position + done, step);
            } finally {
                endRead(ticket);
            }
            done += step;
        }
    }

    int keyPosition() {
        return keyPosition;
    }

    int keyLength() {
        return keyLength;
    }

    int valuePosition() {
        return keyPosition + keyLength;
    }

    int valueLength() {
        return valueLength;
    }

    /** Where in the space the interval of the pair begins. */
    long logicalOffset() {
        return loadedStart;
    }

    /** Whether the value is none, but a list of operands that wait. */
    boolean hasWaiting() {
        return hasWaiting;
    }

    /** When the pair expires, or {@link RecordFormat#NEVER}. */
    long expiry() {
        return expiry;
    }
}
