package io.flexdb.internal.write;

import io.flexdb.base.waiting.Pause;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.read.StoreVersions;
import java.util.function.BooleanSupplier;

/**
 * Work on the space that can wait until there is nothing to commit: it collects garbage, shortens the data file,
 * removes expired pairs, makes filters, defragments and saves what is known of intervals. By the thread that commits,
 * piece by piece.
 */
final class Upkeep {
    private static final byte[] FIRST_KEY = {};
    private static final long READ_WAIT_NANOS = 200_000;
    private static final int MAX_READ_WAITS = 50; // some ten milliseconds in all; then the next commit sees to it

    private final CommitThread commits;
    private final SpaceEngine engine;
    private final Reclaiming reclaiming;
    private final Defragmenter defragmenter;
    private final FilterBuilder filterBuilder;
    private final Sweeper sweeper;
    private final Rests rests;
    // Made at opening, as those of CommitThread.
    private final BooleanSupplier sweeping = this::sweepInTime;
    private final BooleanSupplier defragmenting = this::defragmentInTime;
    private final BooleanSupplier isFree;
    private boolean garbageLeft; // perhaps
    private int readWaits; // that are left
    private boolean fileIsLong; // perhaps

    Upkeep(
            StoreSettings settings,
            StoreVersions versions,
            Committer committer,
            Compactor compactor,
            CommitThread commits) {
        this.commits = commits;
        this.engine = committer.engine;
        this.reclaiming = committer.reclaiming;
        this.defragmenter = committer.defragmenter(settings.defragmentedBytesPerSecond, settings.nanoClock, versions);
        this.filterBuilder = committer.filterBuilder(System::nanoTime);
        this.sweeper = new Sweeper(committer, compactor, System::nanoTime);
        this.rests = new Rests(engine::beforeNextWrite, versions::visibleSequence, settings.nanoClock);
        this.isFree = commits::isFree;
        if (versions.clock.mayHaveTimes()) {
            noteExpiring(FIRST_KEY, null);
        }
    }

    /** Says who saves the state of the space while nobody writes to it. Once, before the thread begins. */
    void serve(RestSaver saver) {
        rests.serve(saver);
    }

    /** Deletes what was saved then: the space is about to be changed, which may need the room. */
    void endRest() {
        rests.forget();
    }

    /** Notes that there may be garbage that is worth collecting. */
    void noteGarbage() {
        garbageLeft = true;
    }

    /** Notes that pairs of a range may expire, of which nobody has said when. */
    void noteExpiring(byte[] from, byte[] to) {
        sweeper.count(from, to);
    }

    /** Whether it has begun with something that it goes on with at once. */
    boolean isUnderWay() {
        return garbageLeft || readWaits > 0 || fileIsLong;
    }

    /** Whether it is time for something else. It reads no files. */
    boolean isDue() {
        return filterBuilder.isDue() || defragmenter.isDue() || sweeper.isDue() || rests.isDue();
    }

    /** How long to wait for that, before asking again. */
    long nanosToNextLook() {
        long others = Math.min(filterBuilder.nanosToNextLook(), defragmenter.nanosToNextLook());
        return Math.min(others, Math.min(sweeper.nanosToNextLook(), Math.max(1, rests.nanosToNextLook())));
    }

    /** Bytes of intervals that were defragmented. Any thread. */
    long defragmentedBytes() {
        return defragmenter.bytesWritten();
    }

    /** Does one piece; false if there is nothing to do. */
    boolean doSome() {
        if (garbageLeft) {
            collectSlice();
        } else if (readWaits > 0) {
            awaitShortReads();
        } else if (fileIsLong) {
            shortenFile();
        } else if (sweeper.isDue()) {
            sweepSome();
        } else if (filterBuilder.isDue()) {
            filterBuilder.buildSome();
        } else if (defragmenter.isDue()) {
            defragmentSome();
        } else if (rests.isDue()) {
            rests.saveIfWorthIt(isFree);
        } else {
            return false;
        }
        return true;
    }

    /** Collects a slice of garbage, and publishes, so that segments become free. */
    private void collectSlice() {
        garbageLeft = engine.collectSlice(Long.MAX_VALUE);
        if (garbageLeft) {
            commits.publish();
        } else {
            readWaits = MAX_READ_WAITS;
            fileIsLong = true;
        }
    }

    /** Has segments that were emptied last become free, too: nothing else is published until somebody writes. */
    private void awaitShortReads() {
        readWaits--;
        if (!engine.awaitsShortReads()) {
            readWaits = 0;
            return;
        }
        commits.publish();
        Pause.nanos(READ_WAIT_NANOS);
    }

    /** Cuts spare bytes off the end of the data file, and has live ones moved from there, if that is worth it. */
    private void shortenFile() {
        garbageLeft = engine.shorten(false);
        fileIsLong = false;
    }

    /** Removes some expired pairs if it is time, which it can be in the middle of a commit, too. */
    void sweepIfDue() {
        if (sweeper.isDue()) {
            sweepSome();
        }
    }

    private void sweepSome() {
        garbageLeft |= commits.reclaim(sweeping);
    }

    /** Returns whether a sweep has ended. */
    private boolean sweepInTime() {
        long now = reclaiming.time();
        return sweeper.begin(now) && sweeper.sweepSome(now, commits.publishingForReuse);
    }

    private void defragmentSome() {
        if (defragmenter.mayBegin()) {
            commits.reclaim(defragmenting);
        }
    }

    private boolean defragmentInTime() {
        garbageLeft |= defragmenter.defragmentSome(commits.publishingForReuse, commits.publishingAndCollecting);
        return true;
    }

    // ---- on the caller's thread, for stores without a thread

    /** Saves the state of the space as if nobody had written for a while. */
    void saveAtRest() {
        rests.save(() -> true);
    }

    /** Removes all expired pairs, where it is worth it; true. */
    boolean sweepAll() {
        return commits.reclaim(() -> {
            long now = reclaiming.time();
            boolean ended = !sweeper.begin(now);
            while (!ended) {
                ended = sweeper.sweepSome(now, commits.publishingForReuse);
            }
            return true;
        });
    }

    /** Writes all fragmented intervals anew; true. */
    boolean defragmentAll() {
        return commits.reclaim(() -> {
            defragmenter.defragmentAll(commits.publishing);
            return true;
        });
    }

    /** Makes all filters that are missing. */
    void buildFilters() {
        filterBuilder.buildAll();
    }
}
