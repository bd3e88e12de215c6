package io.flexdb.flexspace.internal.segment;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.epoch.RetiredQueue;
import io.flexdb.flexspace.internal.base.Leases;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Sealed segments without a live byte, on their way to be free (I4 of {@link SegmentStore}). Writer only. */
public final class EmptiedSegments {
    private final List<Segment> unnoted = new ArrayList<>(); // emptied since the last log batch
    private final List<Segment> noted = new ArrayList<>(); // what that batch says, which may not be durable yet
    private final LeasedSegments leased;
    private final RetiredQueue released;

    /** @param becomesFree takes the number of each segment that no reader can see any more */
    EmptiedSegments(Epochs epochs, IntConsumer becomesFree) {
        this.leased = new LeasedSegments(becomesFree);
        this.released = new RetiredQueue(epochs, number -> leased.add((int) number));
    }

    /** Says who reads the files of the space, and how many segments may be kept from use for that. */
    void honour(Leases leases, int mostSegments) {
        leased.honour(leases, mostSegments);
    }

    /** Lets those be free that are only kept for who reads the files; returns whether there were any. */
    public boolean giveUpLeased() {
        return leased.giveUp();
    }

    void add(Segment segment) {
        unnoted.add(segment);
    }

    /** Follows that a log batch was made, which says of all so far that nothing lives there. */
    void noted() {
        noted.addAll(unnoted);
        unnoted.clear();
    }

    /** Follows that this batch is durable. */
    void releaseNoted() {
        for (Segment segment : noted) {
            // First: whoever has pinned a version and finds it unreleased still, keeps it.
            segment.goTo(Segment.State.RELEASED);
            released.retire(segment.number, segment.birth);
        }
        noted.clear(); // those that no version had are with the leased ones, until reclaim
    }

    /** Lets those become free that no reader can see any more. */
    void reclaim() {
        released.reclaim();
        leased.settle();
    }

    /** Forgets those that a recovery has emptied, when there are no readers. */
    void forgetAll() {
        unnoted.clear();
    }

    /** How many were emptied since the last log batch: a sync would let them go. */
    public int unnotedCount() {
        return unnoted.size();
    }

    /** How many are not free yet, for want of a durable log or because of a reader, wherever. */
    public int count() {
        return unnoted.size() + noted.size() + released.size() + leased.count();
    }

    /** How many only pinned views hold back. */
    public int pinnedCount() {
        return released.heldByPins();
    }

    /** Whether some wait for nothing but short reads, which may have ended. */
    public boolean awaitShortReads() {
        return released.size() > released.heldByPins();
    }
}
