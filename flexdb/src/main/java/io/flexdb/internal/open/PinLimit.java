package io.flexdb.internal.open;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.RetiredTables;
import io.flexdb.internal.log.RetiredTables.Kept;
import io.flexdb.internal.read.Holders;
import io.flexdb.internal.read.Holders.Open;
import io.flexdb.internal.read.MovedTables;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import java.util.List;

/** Limits the memory of old versions (MVCC) that open snapshots, cursors and transactions keep. */
final class PinLimit {
    /*
     * Holders that keep too much pay for it, and not writers or new holders. The oldest holder is ended that alone
     * keeps some memtable; if several keep each memtable, the oldest that keeps any. So a holder that keeps nothing
     * stays, however old it is.
     *
     * Before that the entries of memtables are moved to a file, the oldest first. This happens here, between two
     * commits: each commit leaves one memtable more at most, and writing it takes a small part of its commit's time. If
     * that fails, holders are ended; if the file has no room, also those that keep something there, as their end makes
     * room.
     *
     * Old versions keep nodes of the indexes, too, for which others need memory. These count, so memtables are moved
     * the sooner; if nodes alone are too many, the oldest holders are ended. It takes many snapshots to get there.
     */
    private static final long LEAST_BYTES_WITH_NODES = 16 << 20;

    private final StoreVersions versions;
    private final Holders holders;
    private final RetiredTables retired;
    private final long limit;
    private final MovedTables moved; // or null

    /**
     * @param limit how many bytes they may keep
     * @param moved takes entries beyond the limit; null for nowhere
     */
    PinLimit(StoreVersions versions, RetiredTables retired, long limit, MovedTables moved) {
        this.versions = versions;
        this.holders = versions.holders;
        this.retired = retired;
        this.limit = limit;
        this.moved = moved;
    }

    /** Moves entries beyond the limit, or ends holders. By the thread that publishes; on a full heap, the next time. */
    void enforce() {
        try {
            enforceNow();
        } catch (OutOfMemoryError e) {
            // Some are ended, and the rest is as it was.
        }
    }

    private void enforceNow() {
        holders.takeBackLost();
        List<Kept> before = retired.kept();
        List<Open> open = holders.open();
        holders.warn(open, one -> bytes(one, before), limit / 2);
        if (bytes(open, before) + nodeBytes() > limit) {
            endThoseOfMemtables(open, moveSome(open));
            endThoseOfNodes(open);
        }
    }

    private void endThoseOfMemtables(List<Open> open, Throwable whyNotMoved) {
        Throwable failure = whyNotMoved;
        List<Kept> tables = retired.kept();
        for (long bytes = bytes(open, tables); bytes > limit; bytes = bytes(open, tables)) {
            boolean isFull = failure instanceof StoreFullException;
            Victim victim = isFull ? victim(open, tables) : victimInMemory(open, tables);
            if (victim == null) {
                return;
            }
            end(victim, open, tables, bytes, failure);
            if (isFull) { // there may be room now
                retired.reclaim();
                failure = moveSome(open);
            }
            tables = retired.kept();
        }
    }

    /** Ends the oldest holders, which keep most of the nodes. Nodes can't be moved. */
    private void endThoseOfNodes(List<Open> open) {
        List<Kept> tables = retired.kept();
        long most = Math.max(limit, LEAST_BYTES_WITH_NODES);
        if (bytes(open, tables) + nodeBytes() > most) {
            reclaimNodes();
        }
        for (long ofNodes = nodeBytes(); bytes(open, tables) + ofNodes > most; ofNodes = nodeBytes()) {
            if (open.isEmpty() || !open.get(0).mayExpire()) {
                return;
            }
            long oldest = open.get(0).version().id();
            String why = "all that are open keep " + bytes(open, tables) + " bytes of memtables and " + ofNodes
                    + " bytes of nodes of the indexes in memory, more than maxPinnedBytes " + limit
                    + ". Close them sooner, or raise maxPinnedBytes";
            for (Open one : open) {
                if (one.version().id() == oldest && one.mayExpire()) {
                    holders.expire(one, bytes(one, tables), why);
                }
            }
            open.removeIf(one -> one.version().id() == oldest);
            reclaimNodes();
        }
    }

    private long nodeBytes() {
        return versions.retiredNodeBytes();
    }

    private void reclaimNodes() {
        long before;
        do {
            before = nodeBytes();
            versions.reclaim();
        } while (nodeBytes() < before); // as it is done by and by
    }

    private void end(Victim victim, List<Open> open, List<Kept> tables, long bytes, Throwable failure) {
        String why = "all that are open keep " + bytes + " bytes, more than maxPinnedBytes " + limit
                + (failure == null ? "" : ", and no more can be moved to " + moved.path() + " (" + failure + ")")
                + ". Close them sooner, or raise maxPinnedBytes";
        for (Open one : open) {
            if (victim.includes(one) && one.mayExpire()) {
                holders.expire(one, bytes(one, tables), why);
            }
        }
        open.removeIf(victim::includes);
    }

    /** Moves entries as long as too much is kept; returns the failure that stopped it, or null. */
    private Throwable moveSome(List<Open> open) {
        if (moved == null) {
            return null;
        }
        for (MemLog log : retired.movable()) {
            if (bytes(open, retired.kept()) + nodeBytes() <= limit) {
                break;
            }
            long[] sequences = holders.sequences(log);
            if (sequences.length > 0) {
                try {
                    retired.move(log, () -> moved.write(log.table(), sequences), () -> holders.readers(log));
                } catch (StorageException | OutOfMemoryError e) {
                    return e;
                }
            }
        }
        return null;
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

    /** Those that end together: of one version, and keeping a memtable. */
    private record Victim(long version, Kept table) {
        boolean includes(Open one) {
            return one.version().id() == version && keeps(one, table);
        }
    }

    private static boolean keeps(Open one, Kept table) {
        if (table.readers() != null) {
            return table.readers().has(one);
        }
        long id = one.version().id();
        return table.birth() <= id && id < table.retired();
    }

    /** One whose end sets memory free, if there is one. */
    private static Victim victimInMemory(List<Open> open, List<Kept> tables) {
        Victim victim =
                victim(open, tables.stream().filter(table -> !table.isMoved()).toList());
        return victim == null ? victim(open, tables) : victim;
    }

    private static Victim victim(List<Open> open, List<Kept> tables) {
        Victim oldest = null;
        Victim oldestAlone = null; // the only one to keep a memtable
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
                Victim victim = new Victim(first.version().id(), table);
                oldest = older(oldest, victim);
                oldestAlone = isAlone ? older(oldestAlone, victim) : oldestAlone;
            }
        }
        return oldestAlone != null ? oldestAlone : oldest;
    }

    private static Victim older(Victim a, Victim b) {
        return a == null || b.version < a.version ? b : a;
    }
}
