package io.flexdb.internal.write;

import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.EventSpan;
import io.flexdb.flextree.ExtentCursor;
import io.flexdb.internal.base.StoreEvents;
import io.flexdb.internal.interval.IndexView;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StoreMemoryException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Online defragmentation: writes intervals in one piece again, those that readers have met in many and, while nobody
 * uses the store, all others. By the thread that commits, while it has nothing else to do.
 */
final class Defragmenter {
    /*
     * A commit leaves the pairs that do not change where they are, so an interval comes to lie in ever more pieces.
     * Writes and lookups of one pair do not suffer. But a scan copies pair by pair instead of all at once, and a lookup
     * without a directory reads each piece with the frames that it lies in. These reads note the interval, the
     * costliest ones most often (see IntervalReader). So while a store is used, an interval that nobody reads costs
     * nothing, and one that is read is written once more. The others wait until the store rests (IdleWalk).
     *
     * It is done in slices, and after each it rests for some times as long as that took, since readers need the
     * processors, or longer where it would write too many bytes in a second. While there is nothing to do it looks now
     * and then, so that readers need not wake anybody. The garbage that it makes is collected as that of a commit is,
     * by the bytes that are written, and that takes of the same time.
     *
     * If room is short it leaves intervals as they are.
     */
    private static final int AT_ONCE = 16;
    private static final int LOOKED_AT_ONCE = 16 * AT_ONCE;
    private static final int REST_FACTOR = 9; // of the time that a slice took
    private static final int IDLE_REST_FACTOR = 3; // where only other processes may need the processors
    private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Committer parts; // has what this works with
    private final SpaceEngine engine;
    private final TouchedIntervals fragmented;
    private final long bytesPerSecond;
    private final LongSupplier nanoClock;
    private final IdleWalk walk;
    private boolean mayWalk;
    private final EntryKey key = new EntryKey();
    private final IntervalCursor at;
    private final ExtentCursor extents = new ExtentCursor();
    private long due; // when it may go on
    private long rest = FIRST_REST_NANOS; // if there is nothing to do
    private volatile long bytesWritten; // by the one thread

    Defragmenter(
            Committer parts,
            TouchedIntervals fragmented,
            long bytesPerSecond,
            LongSupplier nanoClock,
            StoreVersions versions) {
        this.parts = parts;
        this.engine = parts.engine;
        this.fragmented = fragmented;
        this.bytesPerSecond = bytesPerSecond;
        this.nanoClock = nanoClock;
        this.at = parts.index.cursor();
        this.due = nanoClock.getAsLong();
        this.walk = new IdleWalk(parts, versions, due);
        if (bytesPerSecond == 0) {
            fragmented.end();
        }
    }

    /** Whether there is something to do now, if it {@linkplain #mayBegin may begin}. Reads no files. */
    public boolean isDue() {
        long now = nanoClock.getAsLong();
        return now - due >= 0 && (!fragmented.isEmpty() || isWalkWanted(now));
    }

    /** Whether it may do what is due. To be asked before, under no lock. */
    boolean mayBegin() {
        boolean areSomeNoted = !fragmented.isEmpty();
        mayWalk = !areSomeNoted && walk.mayGoOn(nanoClock.getAsLong());
        return areSomeNoted || mayWalk;
    }

    private boolean isWalkWanted(long now) {
        return bytesPerSecond > 0 && walk.isWanted(now);
    }

    /** How long to wait, if nothing else comes, before asking again. */
    public long nanosToNextLook() {
        if (bytesPerSecond == 0) {
            return Long.MAX_VALUE;
        }
        long now = nanoClock.getAsLong();
        if (fragmented.isEmpty()) {
            rest = Math.min(2 * rest, MAX_REST_NANOS);
            return Math.min(rest, Math.max(walk.nanosLeft(now), due - now));
        }
        return Math.max(1, due - now);
    }

    /** Bytes of the intervals that were written anew. Any thread. */
    public long bytesWritten() {
        return bytesWritten;
    }

    /**
     * Writes some of those anew that are noted or, where there are none, that the walk comes to. When it may begin.
     *
     * @param publish publishes the roots
     * @param publishAndCollect does so, and collects as much garbage as the written bytes ask for
     * @return whether a walk has come to its end
     */
    boolean defragmentSome(Runnable publish, Runnable publishAndCollect) {
        EventSpan event = StoreEvents.defragmentation();
        long start = nanoClock.getAsLong();
        long bytes = 0;
        int intervals = 0;
        boolean room = true;
        boolean ended = false;
        boolean walks = mayWalk && fragmented.isEmpty() && isWalkWanted(start);
        if (walks) {
            engine.reservation().retry(engine.segmentBytes()); // nobody else does while the store rests
        }
        for (int i = 0; i < (walks ? LOOKED_AT_ONCE : AT_ONCE) && intervals < AT_ONCE && room && !ended; i++) {
            long offset = walks ? walk.stand(parts.index.current()).logicalOffset() : fragmented.poll();
            if (offset < 0) {
                break;
            }
            long written = defragment(offset, !walks, publish);
            room = written >= 0;
            bytes += Math.max(0, written);
            intervals += written > 0 ? 1 : 0;
            if (walks && room) {
                try {
                    ended = !walk.next(parts.index.current());
                } catch (OutOfMemoryError e) {
                    room = false;
                }
            }
        }
        parts.endSlice(publishAndCollect);
        if (intervals > 0) {
            event.finish(intervals, bytes);
        }
        bytesWritten += bytes;
        long now = nanoClock.getAsLong();
        if (walks && !room) {
            walk.waitForRoom(now);
        }
        int factor = walks ? IDLE_REST_FACTOR : REST_FACTOR;
        long pause = Math.max(factor * (now - start), (long) ((double) bytes / bytesPerSecond * SECOND_NANOS));
        due = now + (room ? pause : MAX_REST_NANOS);
        rest = FIRST_REST_NANOS;
        return ended;
    }

    /** Writes all fragmented intervals anew, noted or not. On the caller's thread, in stores without threads. */
    void defragmentAll(Runnable publish) {
        EventSpan event = StoreEvents.defragmentation();
        int intervals = 0;
        long written = 0;
        for (long offset = 0; offset < parts.index.current().totalBytes(); ) {
            int bytes = defragment(offset, true, publish);
            intervals += bytes > 0 ? 1 : 0;
            written += Math.max(0, bytes);
            parts.endSlice(publish);
            at.seekOffset(parts.index.current(), offset);
            offset = bytes < 0 ? Long.MAX_VALUE : at.logicalOffset() + Math.max(1, at.lengthBytes());
            at.reset();
        }
        event.finish(intervals, written);
    }

    /**
     * Returns bytes written; 0 if the interval is left as it is, -1 if there is no room, or no memory.
     *
     * @param isRead whether somebody has read it lately, so that the cache gets its directory; else that stays as it is
     */
    private int defragment(long logicalOffset, boolean isRead, Runnable publish) {
        IndexView index = parts.index.current();
        if (logicalOffset >= index.totalBytes()) {
            return 0;
        }
        at.seekOffset(index, logicalOffset);
        try {
            key.makeRoom(at.anchorLength());
        } catch (OutOfMemoryError e) {
            return -1;
        }
        at.anchor(key.bytes);
        at.reset();
        Interval interval = parts.context.interval;
        parts.index.find(index, key.bytes, 0, key.length, interval);
        if (interval.lengthBytes() == 0
                || interval.isCoarse()
                || Committer.areLong(interval.lengthBytes(), interval.pairCount())
                || !interval.isFragmented(pieces(interval))) {
            return 0;
        }
        if (engine.reservation().isShort()
                || !parts.reservation.reserve(
                        interval.logicalOffset(), interval.lengthBytes(), parts.editor.none, publish)) {
            return -1;
        }
        try {
            if (isRead) {
                parts.editor.prepareAnew(interval, parts.reclaiming);
            } else {
                parts.willRead(interval);
                parts.editor.prepareMove();
            }
        } catch (OutOfMemoryError | StoreMemoryException e) {
            return -1;
        } catch (UnreadableException e) {
            return 0; // a read of it reports that
        }
        if (isRead) {
            parts.editor.replace(key, interval);
            parts.noteReplaced(interval.contentNumber());
        } else {
            parts.move(interval);
        }
        return (int) interval.lengthBytes();
    }

    /** Pieces of the data file that an interval consists of. */
    private int pieces(Interval interval) {
        extents.reset(engine.current());
        int pieces = 0;
        long end = -1; // of the extent before, in the data file
        long intervalEnd = interval.logicalOffset() + interval.lengthBytes();
        for (boolean found = extents.seek(interval.logicalOffset());
                found && extents.logicalOffset() < intervalEnd;
                found = extents.next()) {
            pieces += extents.address() == end ? 0 : 1;
            end = extents.address() + extents.length();
        }
        return pieces;
    }

    @Override
    public String toString() {
        return "Defragmenter[bytesWritten=" + bytesWritten + ", bytesPerSecond=" + bytesPerSecond + "]";
    }
}
