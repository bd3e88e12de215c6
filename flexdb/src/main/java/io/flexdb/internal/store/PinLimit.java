package io.flexdb.internal.store;

import io.flexdb.internal.memlog.RetiredTables;
import io.flexdb.internal.memlog.RetiredTables.Kept;
import io.flexdb.internal.version.Holders;
import io.flexdb.internal.version.Holders.Open;
import java.util.ArrayList;
import java.util.List;

/** Sees to it that open snapshots, cursors and transactions keep no more memory than they may. */
final class PinLimit {
    /*
     * Holders that keep too much pay for it, and not writers or new holders. Of all that are open the oldest is ended
     * that is the only one to keep something; where each memtable is kept by several, the oldest of those that keep
     * something. So a holder that keeps nothing stays, however old it is.
     */
    private final Holders holders;
    private final RetiredTables retired;
    private final long limit;

    /** @param limit how many bytes they may keep */
    PinLimit(Holders holders, RetiredTables retired, long limit) {
        this.holders = holders;
        this.retired = retired;
        this.limit = limit;
    }

    /** Ends holders that keep too much; when the heap is full, then at the next time. */
    void enforce() {
        try {
            enforceNow();
        } catch (OutOfMemoryError e) {
            // Some are ended, and the rest is as it was.
        }
    }

    private void enforceNow() {
        holders.takeBackLost();
        List<Kept> tables = retired.kept();
        List<Open> open = holders.open();
        holders.warn(open, one -> bytes(one, tables), limit / 2);
        for (long bytes = bytes(open, tables); bytes > limit; bytes = bytes(open, tables)) {
            Open victim = victim(open, tables);
            if (victim == null) {
                return;
            }
            long id = victim.version().id();
            for (Open one : open) {
                if (one.version().id() == id && one.mayExpire()) {
                    holders.expire(
                            one,
                            bytes(one, tables),
                            "all that are open keep " + bytes + " bytes, more than maxPinnedBytes " + limit
                                    + ". Close them sooner, or raise maxPinnedBytes");
                }
            }
            open.removeIf(one -> one.version().id() == id);
        }
    }

    private static long bytes(Open one, List<Kept> tables) {
        return bytes(List.of(one), tables);
    }

    /** Counts the bytes of memtables that some keep together. */
    static long bytes(List<Open> open, List<Kept> tables) {
        long bytes = 0;
        for (Kept table : tables) {
            for (Open one : open) {
                if (keeps(one, table)) {
                    bytes += table.bytes();
                    break;
                }
            }
        }
        return bytes;
    }

    private static boolean keeps(Open one, Kept table) {
        long id = one.version().id();
        return table.birth() <= id && id < table.retired();
    }

    private static Open victim(List<Open> open, List<Kept> tables) {
        List<Open> alone = new ArrayList<>(); // the only ones to keep a memtable
        Open oldest = null;
        for (Kept table : tables) {
            Open first = null;
            boolean isAlone = true;
            for (Open one : open) {
                if (keeps(one, table)) {
                    isAlone &= first == null
                            || first.version().id() == one.version().id();
                    first = first == null ? one : first;
                }
            }
            if (first != null && first.mayExpire()) {
                oldest = older(oldest, first);
                if (isAlone) {
                    alone.add(first);
                }
            }
        }
        Open oldestAlone = null;
        for (Open one : alone) {
            oldestAlone = older(oldestAlone, one);
        }
        return oldestAlone != null ? oldestAlone : oldest;
    }

    private static Open older(Open a, Open b) {
        return a == null || b.version().id() < a.version().id() ? b : a;
    }
}
