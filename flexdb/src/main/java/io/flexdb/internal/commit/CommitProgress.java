package io.flexdb.internal.commit;

import io.flexdb.internal.memtable.MemTable;

/**
 * Knows how much of the memtables is in the space, and goes on where there was no room. For the thread that commits.
 */
final class CommitProgress {
    /*
     * A memtable is applied in the order of keys. Where there is no room for an interval, the rest has to wait, while
     * writes go on that may remove what takes the room. So from then on deletes of all memtables come first, those of
     * the active one too, and of each key that the oldest has only the newest entry of all: what was removed meanwhile
     * takes no room any more. Whoever tries again begins where there was no room, with what has come since. Keys that
     * only younger memtables have wait for their turn: to have the oldest one's log and memory for more deletes it is
     * enough that its own keys are in the space.
     *
     * So the space may have what younger memtables say while an older one is not committed. That is sound as long as
     * their logs are forced before (O10), as recovery replays them all, and as the versions published say so by their
     * storeSequence; until they are committed, the memtables hide what is in the space.
     *
     * I1  Every entry up to the sequence number "through" is in the space, unless a newer one is.
     * I2  If stuck: so is every entry of the oldest memtable up to "tried" of keys below stuckAt.
     * I3  Deletes up to "deleted" have been applied.
     */
    private final Committer committer;
    private long through;
    private long tried;
    private long deleted;
    private byte[] stuckAt; // null if not stuck

    CommitProgress(Committer committer) {
        this.committer = committer;
    }

    /** Applies the oldest memtable, unless it is known that room is short; false if it is not all in the space. */
    boolean apply(MemTable oldest, Runnable publish, Runnable betweenChanges) {
        long last = oldest.lastSequence();
        if (stuckAt == null && deleted <= through && through < last) {
            stuckAt = committer.apply(EntryRange.of(new MemTable[] {oldest}, through, last), publish, betweenChanges);
            if (stuckAt == null) {
                through = last;
            } else {
                tried = last;
                deleted = through;
            }
        }
        return through >= last;
    }

    /**
     * Applies the oldest memtable where room is short. It may be the active one.
     *
     * @param newestFirst all memtables
     * @param visible what is in the logs up to this number is durable
     * @return whether all of the oldest up to this number is in the space now
     */
    boolean applyOldest(MemTable[] newestFirst, long visible, Runnable publish) {
        MemTable oldest = newestFirst[newestFirst.length - 1];
        long frozenAt = oldest.lastSequence(); // may be set meanwhile, to something that was not visible yet
        long last = frozenAt == 0 ? visible : Math.min(frozenAt, visible);
        boolean isShort = stuckAt != null || deleted > through;
        if (isShort && visible > deleted) {
            EntryRange deletes = EntryRange.of(newestFirst, deleted, visible).only(EntryRange.Only.DELETES);
            if (committer.apply(deletes, publish, publish) != null) {
                return false;
            }
            deleted = visible;
        }
        if (stuckAt != null && last > tried) {
            byte[] at = committer.apply(EntryRange.of(newestFirst, tried, last).to(stuckAt), publish, publish);
            tried = last;
            if (at != null) {
                stuckAt = at;
                return false;
            }
        }
        EntryRange rest = EntryRange.of(newestFirst, through, visible)
                .only(EntryRange.Only.KEYS_OF_OLDEST)
                .from(stuckAt);
        stuckAt = committer.apply(rest, publish, publish);
        if (stuckAt == null) {
            through = Math.max(through, last);
            return true;
        }
        tried = Math.max(tried, last);
        if (!isShort) {
            deleted = through;
            return applyOldest(newestFirst, visible, publish); // deletes first, now that room is short
        }
        return false;
    }
}
