package io.flexdb.internal.store;

import io.flexdb.internal.memtable.MemTable;

/** Knows how much of the memtables is in the space, and goes on where there was no room. For the thread that commits. */
final class CommitProgress {
    /*
     * A memtable is applied in the order of keys. Where there is no room for an interval, the rest has to wait, while
     * writes go on that may remove what takes the room. So from then on all memtables are looked at, the active one too,
     * and of each key its newest entry only: what was removed meanwhile takes no room any more, and what removes something
     * comes first. Whoever tries again begins where there was no room, with what has come since.
     *
     * So the space may have what younger memtables say while an older one is not committed. That is sound as long as their
     * logs are forced before (O10), as recovery replays them all, and as the versions published say so by their
     * storeSequence; until they are committed, the memtables hide what is in the space.
     *
     * I1  Every entry up to the sequence number "through" is in the space, unless a newer one is.
     * I2  If stuck: so is every entry up to "tried" of keys below stuckAt, and
     * I3  every delete up to "deleted".
     */
    private final Committer committer;
    private long through;
    private long tried;
    private long deleted;
    private byte[] stuckAt; // null if not stuck

    CommitProgress(Committer committer) {
        this.committer = committer;
    }

    /** Applies the oldest memtable, unless it is known that there is no room; false if it is not all in the space. */
    boolean apply(MemTable oldest, Runnable publish, Runnable betweenChanges) {
        long last = oldest.lastSequence();
        if (stuckAt == null && through < last) {
            stuckAt = committer.apply(new MemTable[] {oldest}, through, last, null, null, publish, betweenChanges);
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
     * Applies everything up to a number.
     *
     * @param newestFirst all memtables
     * @param visible what is in the logs up to this number is durable
     * @return whether all of it is in the space now
     */
    boolean applyAll(MemTable[] newestFirst, long visible, Runnable publish) {
        if (stuckAt != null && visible > deleted) {
            if (!committer.applyDeletes(newestFirst, deleted, visible, publish)) {
                return false;
            }
            deleted = visible;
        }
        if (stuckAt != null && visible > tried) {
            byte[] at = committer.apply(newestFirst, tried, visible, null, stuckAt, publish, publish);
            tried = visible;
            if (at != null) {
                stuckAt = at;
                return false;
            }
        }
        boolean wasStuck = stuckAt != null;
        stuckAt = committer.apply(newestFirst, through, visible, stuckAt, null, publish, publish);
        if (stuckAt == null) {
            through = visible;
            return true;
        }
        if (!wasStuck) {
            tried = visible;
            deleted = through;
        }
        return false;
    }
}
