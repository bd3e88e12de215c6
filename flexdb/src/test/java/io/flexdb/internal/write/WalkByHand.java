package io.flexdb.internal.write;

import io.flexdb.internal.interval.TouchedIntervals;
import io.flexdb.internal.open.Store;

/**
 * Has a store without threads put in order while it rests: a slice at a time, by a clock that the test moves. What
 * readers meet in pieces is not noted, so all that is done is the walk's.
 */
public final class WalkByHand {
    private static final long SECOND = 1_000_000_000;
    private static final int MOST_SECONDS = 2000; // a walk takes a hundred at most

    private final CommitThread commits;
    private final Defragmenter defragmenter;
    private long nanos;

    public WalkByHand(Store store) {
        StoreWriter writer = store.writer();
        commits = writer.commits;
        defragmenter =
                new Defragmenter(commits.committer, new TouchedIntervals(), 64 << 20, () -> nanos, writer.versions);
    }

    /** Whether it is a walk that has called the caller. */
    public static boolean isCalling() {
        String walk = IdleWalk.class.getName();
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(walk)));
    }

    /** Lets a second pass, and has done what is due then; returns whether anything was. */
    public boolean second() {
        nanos += SECOND;
        if (!defragmenter.isDue() || !defragmenter.mayBegin()) {
            return false;
        }
        defragmenter.defragmentSome(commits::publish, commits::publish);
        return true;
    }

    /** Has all garbage collected that is worth it. */
    public void collect() {
        while (commits.collectSome()) {
            // goes on
        }
    }

    /** Lets seconds pass, and returns in how many of them anything was due. */
    public int seconds(int count) {
        int worked = 0;
        for (int i = 0; i < count; i++) {
            worked += second() ? 1 : 0;
        }
        return worked;
    }

    /** Lets time pass until nothing has been due for a minute; returns in how many seconds anything was. */
    public int rest() {
        int worked = 0;
        int idle = 0;
        for (int i = 0; idle < 60; i++) {
            if (i == MOST_SECONDS) {
                throw new AssertionError("it has no end: " + worked + " of " + i + " seconds");
            }
            boolean works = second();
            worked += works ? 1 : 0;
            idle = works ? 0 : idle + 1;
        }
        return worked;
    }

    /** Bytes of the intervals that were written anew. */
    public long bytesWritten() {
        return defragmenter.bytesWritten();
    }
}
