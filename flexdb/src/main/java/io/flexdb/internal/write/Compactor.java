package io.flexdb.internal.write;

import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreMemoryException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Writes the intervals of a range in one piece again, without the pairs that have expired. By the thread that commits,
 * slice by slice, so that commits go on in between.
 */
public final class Compactor {
    /*
     * An interval that lies in one piece and has nothing expired is left as it is, so to compact twice costs reading
     * and no writing. Long pairs stay where they are: those that have expired are cut out in place.
     *
     * A slice begins at a key and not at a place, since commits shift all places between two slices.
     */
    private static final int MOST_INTERVALS = 64;
    private static final int MOST_BYTES = 1 << 20;

    /**
     * How far a slice has come.
     *
     * @param next the key at which the next one begins; null behind the end of the range
     * @param bytes of the intervals that were gone through
     * @param refusal why it has ended early, with nothing half done; null if it has not
     */
    public record Step(byte[] next, long bytes, StorageException refusal) {}

    private final Committer parts; // has what this works with
    private final OldPairs old; // of the interval that is looked at
    private final EntryKey key = new EntryKey();
    private final IntervalCursor at;
    private StorageException refusal;
    private int share; // of an interval that has expired, for it to be written anew; 0 if it is to be whole
    private long countsFrom; // the time, if those that have not expired are counted

    Compactor(Committer parts) {
        this.parts = parts;
        this.at = parts.index.cursor();
        this.old = parts.editor.old;
    }

    /**
     * Goes through the next intervals of a range.
     *
     * @param from a key of the first of them
     * @param to the first key behind the range; null if there is none
     * @param publish publishes the roots
     * @throws UnreadableException if an interval can't be read; it is as it was
     */
    Step compactSome(byte[] from, byte[] to, Runnable publish) {
        share = 0;
        countsFrom = Long.MIN_VALUE;
        return goThrough(from, to, publish);
    }

    /**
     * Goes through the next intervals of a range, and removes what has expired from those where that is one part of so
     * many at least. The others are left as they are, and so are those that can't be read, which a read of them
     * reports.
     *
     * @param now the time, to count what is going to expire; {@link Long#MIN_VALUE} if that is counted
     */
    Step sweepSome(byte[] from, byte[] to, int newShare, long now, Runnable publish) {
        share = newShare;
        countsFrom = now;
        return goThrough(from, to, publish);
    }

    private Step goThrough(byte[] from, byte[] to, Runnable publish) {
        refusal = null;
        byte[] next = from;
        long bytes = 0;
        try {
            for (int i = 0; i < MOST_INTERVALS && bytes < MOST_BYTES && next != null; i++) {
                key.set(next);
                long before = find().lengthBytes();
                if (!compact(publish)) {
                    break;
                }
                bytes += before;
                next = nextInterval(to);
            }
        } finally {
            parts.endSlice(publish);
        }
        return new Step(next, bytes, refusal);
    }

    private Interval find() {
        Interval interval = parts.context.interval;
        parts.index.find(parts.index.current(), key.bytes, 0, key.length, interval);
        return interval;
    }

    /** The anchor of the interval behind that of the key; null if it is not in the range. */
    private byte[] nextInterval(byte[] to) {
        at.seek(parts.index.current(), key.bytes, 0, key.length);
        int length = at.upperAnchorLength();
        byte[] next = length < 0 ? null : new byte[length];
        if (next != null) {
            at.upperAnchor(next);
        }
        at.reset();
        return next != null && (to == null || Arrays.compareUnsigned(next, to) < 0) ? next : null;
    }

    /** Returns false if there is no room, or no memory. */
    private boolean compact(Runnable publish) {
        Interval interval = parts.context.interval;
        if (interval.lengthBytes() == 0) {
            return true;
        }
        try {
            if (parts.areLeftInPlace(interval)) {
                return removeExpired(publish);
            }
            boolean isWanted = share > 0 ? isWorthSweeping(interval) : !isWhole(interval) || hasExpired();
            return !isWanted || write(interval, publish);
        } catch (OutOfMemoryError e) { // before anything was changed, as is the next
            return refuse(new StoreMemoryException("compaction", e));
        } catch (StoreMemoryException e) {
            return refuse(e);
        } catch (UnreadableException e) {
            if (share == 0) {
                throw e;
            }
            return true;
        }
    }

    private boolean refuse(StorageException why) {
        refusal = why;
        return false;
    }

    private boolean isWhole(Interval interval) {
        long pieces = parts.engine.extentsIn(interval.logicalOffset(), interval.lengthBytes());
        return pieces <= 1 + 2 * interval.lengthBytes() / parts.engine.maxExtentBytes();
    }

    // ---- short pairs

    private boolean hasExpired() {
        int ticket = parts.epochs.enter();
        try {
            parts.readKeys();
            return nextExpired(0) < old.count();
        } finally {
            parts.epochs.exit(ticket);
        }
    }

    private boolean isWorthSweeping(Interval interval) {
        long expired = 0;
        int ticket = parts.epochs.enter();
        try {
            parts.readKeys();
            for (int pair = 0; pair < old.count(); pair++) {
                expired += isExpired(pair) ? old.start(pair + 1) - old.start(pair) : 0;
            }
        } finally {
            parts.epochs.exit(ticket);
        }
        boolean isWorth = expired * share >= interval.lengthBytes();
        if (expired > 0 && !isWorth) {
            byte[] first = key.copy();
            parts.expiries.leave(expired, first, Arrays.copyOf(first, first.length + 1)); // the key is the interval's
        }
        return isWorth;
    }

    private boolean write(Interval interval, Runnable publish) {
        if (!parts.reservation.reserve(interval.logicalOffset(), interval.lengthBytes(), parts.editor.none, publish)) {
            return refuse(parts.engine.reservation().refusal());
        }
        parts.editor.prepareAnew(interval, parts.reclaiming);
        replace(interval);
        return true;
    }

    private void replace(Interval interval) {
        parts.editor.replace(key, interval);
        parts.noteReplaced(interval.contentNumber());
    }

    // ---- long pairs

    private boolean removeExpired(Runnable publish) {
        while (parts.context.interval.lengthBytes() > 0) {
            if (!parts.reservation.reserveToCut(publish)) {
                return refuse(parts.engine.reservation().refusal());
            }
            if (!prepareToCut(parts.context.interval)) {
                return true;
            }
            replace(parts.context.interval);
            find(); // of what is left
        }
        return true;
    }

    /** Makes the content without the first pairs that have expired; false if there are none. */
    private boolean prepareToCut(Interval interval) {
        int ticket = parts.epochs.enter();
        try {
            parts.readKeys();
            int first = nextExpired(0);
            int end = first;
            while (end < old.count() && isExpired(end)) {
                end++;
            }
            if (first == end) {
                return false;
            }
            parts.editor.prepareCut(interval, first, end);
            parts.editor.ensureIndex();
            return true;
        } finally {
            parts.epochs.exit(ticket);
        }
    }

    private int nextExpired(int from) {
        int pair = from;
        while (pair < old.count() && !isExpired(pair)) {
            pair++;
        }
        return pair;
    }

    private boolean isExpired(int pair) {
        ByteBuffer from = old.keyBuffer();
        int position = old.recordPosition(pair);
        long header = RecordFormat.header(from, position);
        if (!RecordFormat.isExtended(header)) {
            return false;
        }
        long expiry = RecordFormat.expiry(from, position, header);
        int keyPosition = position + RecordFormat.headerBytes(header);
        int keyLength = RecordFormat.keyLength(header);
        if (expiry > countsFrom && countsFrom != Long.MIN_VALUE) {
            long bytes = old.start(pair + 1) - old.start(pair);
            parts.expiries.note(countsFrom, expiry, bytes, from, keyPosition, keyLength);
        }
        return parts.reclaiming.takes(expiry, from, keyPosition, keyLength, null);
    }
}
