package io.flexdb.base.epoch;

import io.flexdb.base.waiting.EventCount;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongPredicate;

/**
 * Tells when something that readers may still see can be reused. One writer at a time; any number of readers.
 */
public final class Epochs {
    /*
     * The problem: the single writer replaces nodes, memtables and segments that lock-free readers may be reading.
     * The choice: two mechanisms, because there are two kinds of readers.
     *
     * Short reads are counted, in striped cells of one of two parities (threads may be virtual, so there is no slot
     * per thread). The writer moves from phase p to p + 1 only when the counter of the other parity, that of phase
     * p - 1, is zero. Memory unlinked before phase p began is unreachable for short reads in phase p + 2: both parities
     * have been seen at zero since then.
     *
     * Cursors and snapshots pin the version they read, for as long as they like. Something that lives in the versions
     * [birth, retired) is kept while a pinned version lies in there.
     *
     * Epochs may also end without a version being published. Memory retired then is still in the version published
     * last, which short reads go on to find.
     *
     * I1  writerEpoch is the id of the version being made; every published version has a smaller id.
     * I2  safeEpoch never exceeds unseenEpoch, nor that writerEpoch; what was retired in an epoch below unseenEpoch is
     *     not in the version published last, and what was retired below safeEpoch is invisible to short reads.
     * I3  pins are made inside a short read, so the version pinned cannot be reclaimed in between.
     */
    private static final int STRIPES =
            Math.max(4, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors()));
    private static final int STRIDE = 16; // longs: two cache lines, out of the reach of the adjacent-line prefetcher

    private final EventCount ended = new EventCount(); // told of short reads that end
    private final LongPredicate readsEndedSince = this::moveOnFrom;
    private final LongPredicate noReaders = none -> !hasReaders();
    private final AtomicLongArray readers = new AtomicLongArray(2 * STRIPES * STRIDE + STRIDE);
    private volatile int phase;
    private volatile long writerEpoch = 1;
    private volatile long unseenEpoch = 1;

    private final Object phaseLock = new Object(); // guards the changes of phase, boundaries and safeEpoch
    private long boundaryOfThisPhase = 1;
    private long boundaryOfLastPhase = 1;
    private volatile long safeEpoch = 1;

    private final Object pinLock = new Object();
    private long[] pinnedVersions = new long[8]; // ascending
    private int[] pinCounts = new int[8];
    private volatile int pinnedCount;
    private volatile long pinEvents;

    /** Begins a short read and returns the ticket that {@link #exit} wants. Never blocks. */
    public int enter() {
        int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
        int cell = ((phase & 1) * STRIPES + stripe + 1) * STRIDE;
        readers.getAndIncrement(cell);
        return cell;
    }

    /** Ends the short read that returned this ticket. */
    public void exit(int ticket) {
        readers.getAndDecrement(ticket);
        if (ended.isAwaited()) { // rarely; else it costs the read of a field that nobody writes
            signalEnd(ticket);
        }
    }

    /** Nobody is woken before the last read of a parity has ended, which is what all wait for. */
    private void signalEnd(int ticket) {
        if (readersOfParity((ticket / STRIDE - 1) / STRIPES) == 0) {
            ended.signal();
        }
    }

    /** The epoch in which the writer makes nodes now, which is the id of the next version it publishes. */
    public long writerEpoch() {
        return writerEpoch;
    }

    /** The id of the version published last, or of the one before while it is being published. Any thread. */
    public long publishedVersion() {
        return unseenEpoch - 1;
    }

    /**
     * Ends the writer's epoch. To be called by the writer right after the version with the id {@link #writerEpoch()}
     * has been published by a volatile write.
     */
    public void advance() {
        writerEpoch++; // only the writer writes it
        unseenEpoch = writerEpoch;
        tryNextPhase();
    }

    /**
     * Ends the writer's epoch although nothing is published, so that what there is now stays as it is for whoever has
     * pinned it. To be called by the writer.
     */
    public void seal() {
        writerEpoch++;
    }

    /** Moves the phase on if the short reads of the last one have ended. Any thread; waits for no reader. */
    public void tryNextPhase() {
        synchronized (phaseLock) {
            int now = phase;
            if (readersOfParity((now + 1) & 1) == 0) {
                safeEpoch = boundaryOfLastPhase;
                boundaryOfLastPhase = boundaryOfThisPhase;
                boundaryOfThisPhase = unseenEpoch;
                phase = now + 1;
            }
        }
    }

    /**
     * The phase of now, for {@link #shortReadsEndedSince}. For what is unlinked by others than the writer, and so
     * without a version: unlink by a volatile write, then ask for the phase.
     */
    public int phase() {
        return phase;
    }

    /**
     * Whether all short reads have ended that were under way when {@link #phase()} returned this. Any thread. It
     * becomes so only by {@link #tryNextPhase()}.
     */
    public boolean shortReadsEndedSince(int earlierPhase) {
        // The step out of that phase may have counted the readers before the unlinking; the two after it cannot have.
        return phase - earlierPhase >= 3;
    }

    /**
     * Returns once {@link #shortReadsEndedSince} is true. Not to be called inside a short read, which would wait for
     * itself.
     *
     * @return whether there was a read to wait for
     */
    public boolean awaitShortReadsEndedSince(int earlierPhase) {
        return ended.await(readsEndedSince, earlierPhase);
    }

    /** Moves the phase on as far as reads allow, and returns whether that is far enough. */
    private boolean moveOnFrom(long earlierPhase) {
        int before;
        do {
            if (shortReadsEndedSince((int) earlierPhase)) {
                return true;
            }
            before = phase;
            tryNextPhase();
        } while (phase != before);
        return false;
    }

    /** Returns once no short read is under way. Not to be called inside one. */
    public void awaitNoReaders() {
        ended.await(noReaders, 0);
    }

    private long readersOfParity(int parity) {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += readers.get((parity * STRIPES + stripe + 1) * STRIDE);
        }
        return sum;
    }

    /** Whether short reads are under way, by a count that may be a moment old. */
    public boolean hasReaders() {
        return readersOfParity(0) + readersOfParity(1) != 0;
    }

    /** Keeps everything that lives in a version. To be called inside a short read that found the version current. */
    public void pin(long version) {
        synchronized (pinLock) {
            int at = Arrays.binarySearch(pinnedVersions, 0, pinnedCount, version);
            if (at >= 0) {
                pinCounts[at]++;
                return;
            }
            at = -at - 1;
            int count = pinnedCount;
            if (count == pinnedVersions.length) {
                long[] versions = Arrays.copyOf(pinnedVersions, 2 * count);
                pinCounts = Arrays.copyOf(pinCounts, 2 * count); // both or none, if there is no memory
                pinnedVersions = versions;
            }
            System.arraycopy(pinnedVersions, at, pinnedVersions, at + 1, count - at);
            System.arraycopy(pinCounts, at, pinCounts, at + 1, count - at);
            pinnedVersions[at] = version;
            pinCounts[at] = 1;
            pinnedCount = count + 1;
            pinEvents++;
        }
    }

    /** Takes one pin of a version back. */
    public void unpin(long version) {
        synchronized (pinLock) {
            int count = pinnedCount;
            int at = Arrays.binarySearch(pinnedVersions, 0, count, version);
            if (at < 0) {
                throw new IllegalStateException("version " + version + " is not pinned");
            }
            if (--pinCounts[at] == 0) {
                System.arraycopy(pinnedVersions, at + 1, pinnedVersions, at, count - at - 1);
                System.arraycopy(pinCounts, at + 1, pinCounts, at, count - at - 1);
                pinnedCount = count - 1;
                pinEvents++;
            }
        }
    }

    /** How many different versions are pinned. */
    public int pinnedVersionCount() {
        return pinnedCount;
    }

    /** Short reads can no longer see what was retired before this epoch. Writer only. */
    long safeEpoch() {
        return safeEpoch;
    }

    /** Whether short reads can no longer see what was retired in this epoch. Writer only. */
    boolean isPastShortReads(long retired) {
        return retired < safeEpoch;
    }

    /** Whether a pinned version lies in [birth, retired). */
    public boolean isPinned(long birth, long retired) {
        if (pinnedCount == 0) {
            return false;
        }
        synchronized (pinLock) {
            int at = Arrays.binarySearch(pinnedVersions, 0, pinnedCount, birth);
            int first = at >= 0 ? at : -at - 1;
            return first < pinnedCount && pinnedVersions[first] < retired;
        }
    }

    /**
     * Puts the versions pinned into an array, ascending, and {@link Long#MAX_VALUE} behind them. Those pinned by short
     * reads that have ended are there.
     *
     * @return the array, or a longer one
     */
    long[] pinnedVersions(long[] array) {
        synchronized (pinLock) {
            int count = pinnedCount;
            long[] copy = array.length <= count ? new long[2 * count + 1] : array;
            System.arraycopy(pinnedVersions, 0, copy, 0, count);
            Arrays.fill(copy, count, copy.length, Long.MAX_VALUE);
            return copy;
        }
    }

    /** Grows whenever the first pin of a version comes, or its last one goes. */
    long pinEvents() {
        return pinEvents;
    }

    @Override
    public String toString() {
        return "Epochs[writer=" + writerEpoch + ", phase=" + phase + ", safe=" + safeEpoch + ", pinned=" + pinnedCount
                + "]";
    }
}
