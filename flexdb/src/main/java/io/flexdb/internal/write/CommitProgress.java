package io.flexdb.internal.write;

import io.flexdb.internal.mem.MemTable;

/**
 * Knows how much of the memtables is in the space, and goes on where there was no room. For the thread that commits.
 */
final class CommitProgress {
    /*
     * A memtable is applied in the order of keys. If there is no room for an interval, the rest has to wait, while
     * writes go on that may make room. So from then on deletes of all memtables come first, those of the active one
     * too, and of each key that the oldest has only the newest entry of all: pairs that were removed meanwhile take no
     * room any more. The next try begins where there was no room, with the writes since. Keys that only younger
     * memtables have wait for their turn: once the oldest one's own keys are in the space, its log and memory are free
     * for more deletes.
     *
     * So the space may have entries of younger memtables while an older one is not committed. This is sound because
     * their logs are forced before (O10), recovery replays them all, and published versions tell it by their
     * storeSequence. Until they are committed, the memtables hide the pairs in the space.
     *
     * Deleted ranges (range tombstones) come before all else: those of the oldest memtable, and if room is short those
     * of all up to the number through which deletes are applied. Then nothing in the space is newer than a range that
     * is to be cut out, so each is cut out once; and an entry that one of them covers, and that is older, never comes
     * back.
     *
     * I1  Every entry up to the sequence number "through" is in the space, unless a newer one is, or a newer range that
     *     covers it was cut out.
     * I2  If stuck: so is every entry of the oldest memtable up to "tried" of keys below stuckAt.
     * I3  Deletes up to "deleted" have been applied.
     * I4  Ranges up to "cut" have been cut out; any other that is visible is newer than all there is in the space.
     *     While "cut" is above "through", all memtables are looked at, since younger ones have ranges that have been
     *     cut out.
     */
    private static final byte[] FIRST_KEY = {};

    private final Committer committer;
    private long through;
    private long tried;
    private long deleted;
    private long cut;
    private byte[] stuckAt; // null if not stuck

    CommitProgress(Committer committer) {
        this.committer = committer;
    }

    /**
     * Applies frozen memtables, the oldest among them, unless it is known that room is short.
     *
     * @return whether all of the oldest is in the space; {@link #hasAll} tells it of the others
     */
    boolean apply(MemTable[] tables, Runnable publish, Runnable betweenChanges) {
        long last = tables[0].lastSequence();
        if (stuckAt == null && Math.max(deleted, cut) <= through && through < last) {
            stuckAt = cut(tables, last, publish, betweenChanges)
                    ? committer.apply(EntryRange.of(tables, through, last), publish, betweenChanges)
                    : FIRST_KEY;
            if (stuckAt == null) {
                through = last;
            } else {
                tried = last;
                deleted = through;
            }
        }
        return hasAll(tables[tables.length - 1]);
    }

    /** Whether all of a frozen memtable is in the space. */
    boolean hasAll(MemTable table) {
        return table.lastSequence() <= through;
    }

    /**
     * Applies the oldest memtable where room is short. It may be the active one.
     *
     * @param newestFirst all memtables
     * @param visible the logs are durable up to this number
     * @return whether all of the oldest up to this number is in the space now
     */
    boolean applyOldest(MemTable[] newestFirst, long visible, Runnable publish) {
        MemTable oldest = newestFirst[newestFirst.length - 1];
        long frozenAt = oldest.lastSequence(); // may be set meanwhile, to something that was not visible yet
        long last = frozenAt == 0 ? visible : Math.min(frozenAt, visible);
        if (!cut(newestFirst, visible, publish, publish)) {
            if (stuckAt == null) {
                stuckAt = FIRST_KEY;
                tried = through;
                deleted = Math.max(deleted, through);
            }
            return false;
        }
        boolean isShort = stuckAt != null || deleted > through;
        if (isShort && visible > deleted) {
            EntryRange deletes = EntryRange.of(newestFirst, deleted, visible)
                    .only(EntryRange.Only.DELETES)
                    .cutThrough(visible);
            if (committer.apply(deletes, publish, publish) != null) {
                return false;
            }
            deleted = visible;
        }
        if (stuckAt != null && last > tried) {
            EntryRange before =
                    EntryRange.of(newestFirst, tried, last).to(stuckAt).cutThrough(visible);
            byte[] at = committer.apply(before, publish, publish);
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

    /** Cuts out ranges up to a number, but for those of other memtables; false if there is no room for that. */
    private boolean cut(MemTable[] tables, long last, Runnable publish, Runnable betweenChanges) {
        if (last <= cut || !haveRanges(tables)) {
            return true;
        }
        boolean done = committer.cut(tables, cut, last, publish, betweenChanges);
        cut = done ? last : cut;
        return done;
    }

    private static boolean haveRanges(MemTable[] tables) {
        for (MemTable table : tables) {
            if (table.ranges() != null) {
                return true;
            }
        }
        return false;
    }
}
