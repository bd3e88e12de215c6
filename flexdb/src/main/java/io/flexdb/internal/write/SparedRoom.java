package io.flexdb.internal.write;

import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.MemLogs;
import io.flexdb.internal.log.WalFormat;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;

/** The room of the active memtable that only deletes get on a full disk. All fields are under the write lock. */
final class SparedRoom {
    /*
     * On a full disk deletes need a place in order to make room. So as long as the next memtable is not ready, only
     * deletes get the last eighth of the active one. If none can follow, for want of a log or of room for frozen ones,
     * deletes alone get one more: the one that is ready, or else one with the log that MemLogs keeps in reserve.
     */
    static final double SPARED = 1.0 / 8; // of a memtable that may be the last

    private final ActiveMemtable memtables;
    private final MemLogs memLogs;
    private final SpaceRetries retries;
    private final MemtableRotation rotation;
    private boolean sparing; // the last eighth
    private boolean onlyForDeletes; // all of it

    SparedRoom(MemtableRotation rotation) {
        this.rotation = rotation;
        this.memtables = rotation.memtables;
        this.memLogs = rotation.memLogs;
        this.retries = rotation.retries;
    }

    /** To be called after each change. */
    void follow() {
        boolean isLast = retries.isFull() && memtables.count() > ActiveMemtable.MAX_FROZEN + 1;
        onlyForDeletes = isLast || memtables.isOnReserve() && !memLogs.hasReserve();
        sparing = onlyForDeletes || !rotation.hasNextLog();
    }

    /** Whether a write may take of the room that is there. */
    boolean allows(MemLog log, Payload payload) {
        return !sparing || allowsSparing(log, payload);
    }

    private boolean allowsSparing(MemLog log, Payload payload) {
        double ofLog = (double) WalFormat.frameBytes(payload.length()) / log.wal.capacity();
        double ofTable = log.table().shareOf(payload.bodyBytes());
        if (!onlyForDeletes && log.fillLevel() + Math.max(ofLog, ofTable) <= 1 - SPARED) {
            return true;
        }
        return log.table().entryCount() == 0 // which could not be committed to make room
                || isDelete(payload);
    }

    /** Whether a write has nothing but deletes, of keys or of ranges. */
    static boolean isDelete(Payload payload) {
        PayloadReader reader = new PayloadReader().reset(payload.bytes(), 0, payload.length());
        while (reader.next()) {
            if (reader.type() != WritePayload.DELETE && reader.type() != WritePayload.DELETE_RANGE) {
                return false;
            }
        }
        return true;
    }
}
