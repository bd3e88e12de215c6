package io.flexdb.internal.read;

import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.version.Version;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** Walks the pairs of a version's space in key order, in both directions. For one thread; reusable, without garbage. */
final class SpaceCursor {
    /*
     * Has a copy of the interval it stands in, so that steps within it touch nothing but that copy. A short read
     * protects the copying. The copy lies in the memory of a context, which is the owner's.
     *
     * A pair is taken apart when the cursor comes to it, and only then.
     */
    private static final long NONE = -1;

    private final StoreVersions versions;
    private final IntervalReader intervals;
    private final ReadContext context;
    private final IntervalCursor interval;
    private final IntervalPairs pairs = new IntervalPairs();
    private final ScanPace pace = new ScanPace();
    private final LongSupplier nanoClock;
    private Version version;
    private long loadedStart = NONE; // of the interval that the copy is of, in the space
    private long loadedEnd = NONE;
    private int pair;
    private int pairCount;
    private ByteBuffer memory;
    private int keyPosition;
    private int keyLength;
    private int valueLength;

    /**
     * @param context that a cursor has for itself, as long as it is on a version
     * @param nanoClock tells which reads have to wait for a disk
     */
    SpaceCursor(
            StoreVersions versions,
            SparseIndex index,
            IntervalReader intervals,
            ReadContext context,
            LongSupplier nanoClock) {
        this.versions = versions;
        this.intervals = intervals;
        this.context = context;
        this.nanoClock = nanoClock;
        this.interval = index.cursor();
    }

    /** Goes to a version, which is pinned, and stands nowhere in it; null lets the old one go. Can't fail. */
    void reset(Version newVersion) {
        version = newVersion;
        unload();
        if (newVersion == null) {
            interval.reset();
        }
    }

    private void unload() {
        pairs.clear();
        memory = null;
        pairCount = 0;
        pair = 0;
        loadedStart = NONE;
        loadedEnd = NONE;
    }

    boolean isValid() {
        return pair < pairCount && pair >= 0;
    }

    void seekToFirst() {
        interval.first(version.index());
        openOrSkip(true);
    }

    void seekToLast() {
        interval.last(version.index());
        openOrSkip(false);
    }

    /** To the first pair not below a key. */
    void seek(byte[] key, int length) {
        interval.seek(version.index(), key, 0, length);
        open();
        standForward(pairs.lowerBound(key, length));
    }

    /** To the last pair not above a key. */
    void seekForPrev(byte[] key, int length) {
        interval.seek(version.index(), key, 0, length);
        open();
        standBackward(pairs.upperBound(key, length) - 1);
    }

    /** To the last pair below a key. */
    void seekBelow(byte[] key, int length) {
        interval.seek(version.index(), key, 0, length);
        open();
        standBackward(pairs.lowerBound(key, length) - 1);
    }

    void next() {
        standForward(pair + 1);
    }

    void previous() {
        standBackward(pair - 1);
    }

    private void standForward(int newPair) {
        pair = newPair;
        if (newPair < pairCount) {
            takeApart();
        } else if (interval.isValid() && interval.next()) {
            openOrSkip(true);
        }
    }

    private void standBackward(int newPair) {
        pair = newPair;
        if (newPair >= 0) {
            takeApart();
        } else if (interval.isValid() && interval.previous()) {
            openOrSkip(false);
        }
    }

    private void openOrSkip(boolean forward) {
        open();
        while (pairCount == 0 && (forward ? interval.next() : interval.previous())) {
            open();
        }
        pair = forward ? 0 : pairCount - 1;
        if (pairCount > 0) {
            takeApart();
        }
    }

    /** Has the interval's pairs in memory, if not yet. */
    private void open() {
        long start = interval.logicalOffset();
        long end = start + interval.lengthBytes();
        if (start == loadedStart && end == loadedEnd) {
            return;
        }
        boolean follows = start == loadedEnd;
        if (!follows && end != loadedStart) {
            pace.restart();
        }
        unload(); // and stands nowhere, if what follows fails
        if (start == end) {
            return;
        }
        boolean looks = pace.looks();
        long before = looks ? nanoClock.getAsLong() : 0;
        int ticket = versions.enter();
        try {
            intervals.load(version.space(), context, interval, pairs, follows, pace.isFromFile());
        } finally {
            versions.exit(ticket);
        }
        if (looks) {
            pace.took(nanoClock.getAsLong() - before, end - start);
        }
        pace.read(end - start);
        memory = pairs.memory();
        pairCount = pairs.count();
        loadedStart = start;
        loadedEnd = end;
    }

    private void takeApart() {
        int at = pairs.position(pair);
        long header = pairs.header(at);
        keyPosition = at + RecordFormat.headerBytes(header);
        keyLength = RecordFormat.keyLength(header);
        valueLength = RecordFormat.valueLength(header);
    }

    /** Where the pair is. */
    ByteBuffer memory() {
        return memory;
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
}
