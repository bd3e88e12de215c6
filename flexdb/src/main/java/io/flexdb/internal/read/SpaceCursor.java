package io.flexdb.internal.read;

import io.flexdb.internal.cache.IntervalFormat;
import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.version.Version;
import java.nio.ByteBuffer;

/** Walks the pairs of a version's space in key order, in both directions. For one thread, on a pinned version. */
final class SpaceCursor {
    /*
     * Has a copy of the interval it stands in, so that steps within it touch nothing but that copy. A short read
     * protects the copying. The copy lies in the memory of a context that the cursor keeps until it is closed.
     */
    private final StoreVersions versions;
    private final IntervalReader intervals;
    private final ReadContexts contexts;
    private final Version version;
    private final IntervalCursor interval;
    private final ReadContext context;
    private ByteBuffer image;
    private int pairs;
    private int pair;

    SpaceCursor(
            StoreVersions versions,
            SparseIndex index,
            IntervalReader intervals,
            ReadContexts contexts,
            Version version) {
        this.versions = versions;
        this.intervals = intervals;
        this.contexts = contexts;
        this.version = version;
        this.interval = index.cursor();
        this.context = contexts.borrow();
    }

    boolean isValid() {
        return pair < pairs && pair >= 0;
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
        pair = pairs == 0 ? 0 : IntervalFormat.lowerBound(image, 0, key, 0, length);
        skipForward();
    }

    /** To the last pair not above a key. */
    void seekForPrev(byte[] key, int length) {
        interval.seek(version.index(), key, 0, length);
        open();
        pair = pairs == 0 ? -1 : IntervalFormat.upperBound(image, 0, key, 0, length) - 1;
        skipBackward();
    }

    /** To the last pair below a key. */
    void seekBelow(byte[] key, int length) {
        interval.seek(version.index(), key, 0, length);
        open();
        pair = pairs == 0 ? -1 : IntervalFormat.lowerBound(image, 0, key, 0, length) - 1;
        skipBackward();
    }

    void next() {
        pair++;
        skipForward();
    }

    void previous() {
        pair--;
        skipBackward();
    }

    private void skipForward() {
        if (pair >= pairs && interval.isValid() && interval.next()) {
            openOrSkip(true);
        }
    }

    private void skipBackward() {
        if (pair < 0 && interval.isValid() && interval.previous()) {
            openOrSkip(false);
        }
    }

    private void openOrSkip(boolean forward) {
        open();
        while (pairs == 0 && (forward ? interval.next() : interval.previous())) {
            open();
        }
        pair = forward ? 0 : pairs - 1;
    }

    private void open() {
        pairs = 0;
        if (interval.lengthBytes() == 0) {
            return;
        }
        int ticket = versions.enter();
        try {
            intervals.open(version.space(), context, interval);
            image = context.image;
            pairs = IntervalFormat.pairCount(image, 0);
        } finally {
            versions.exit(ticket);
        }
    }

    /** Can't fail: who keeps a closed cursor keeps no image. */
    void close() {
        pairs = 0;
        image = null;
        contexts.giveBack(context);
    }

    ByteBuffer image() {
        return image;
    }

    int keyPosition() {
        return IntervalFormat.keyPosition(image, 0, pair);
    }

    int keyLength() {
        return IntervalFormat.keyLength(image, 0, pair);
    }

    int valuePosition() {
        return IntervalFormat.valuePosition(image, 0, pair);
    }

    int valueLength() {
        return IntervalFormat.valueLength(image, 0, pair);
    }
}
