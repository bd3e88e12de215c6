package io.flexdb.internal.transaction;

import io.flexdb.internal.batch.PayloadReader;
import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.keys.KeyHash;
import io.flexdb.internal.keys.KeyHeads;
import io.flexdb.internal.memlog.MemLog;
import io.flexdb.internal.memlog.RecentWrites;
import io.flexdb.internal.memtable.DeletedRanges;
import io.flexdb.internal.memtable.MemTable;
import io.flexdb.internal.memtable.MemTableCursor;
import io.flexdb.internal.version.StoreVersions;
import io.flexdb.internal.write.Precondition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The keys and ranges that nobody else may have written since a transaction began, for it to be committed. For one
 * thread; used again.
 */
public final class Footprint implements Precondition {
    private static final int SHOWN_BYTES = 32;
    private static final byte[] NO_PAYLOAD = {};

    private final StoreVersions versions;
    private final RecentWrites recent;
    private final PayloadReader reader = new PayloadReader();
    private MemTableCursor cursor; // null before the first range: most have none
    private final List<byte[]> keys = new ArrayList<>();
    private final List<byte[]> ranges = new ArrayList<>(); // from and to in turn, both included; null for no end
    private byte[] payload;
    private int payloadLength;
    private long since;
    private long runs; // that are seen
    private String conflict;

    public Footprint(StoreVersions versions, RecentWrites recent) {
        this.versions = versions;
        this.recent = recent;
    }

    /**
     * Forgets all.
     *
     * @param newSince the number of the last write that is seen
     * @param newRuns how many sorted runs {@link RecentWrites#publishedRuns} were seen, at least
     */
    public void reset(long newSince, long newRuns) {
        runs = newRuns;
        keys.clear();
        ranges.clear();
        payload = null;
        since = newSince;
        conflict = null;
    }

    /** Adds a key, which is not copied. */
    public void addKey(byte[] key) {
        keys.add(key);
    }

    /** Adds a range, both ends included; null for none. */
    public void addRange(byte[] from, byte[] to) {
        ranges.add(from);
        ranges.add(to);
    }

    /** Adds the keys of a payload, in the place of those of another. */
    public void setWrites(byte[] newPayload, int length) {
        payload = newPayload;
        payloadLength = length;
    }

    /** Forgets the keys and ranges that were added, and nothing else. */
    public void clearReads() {
        keys.clear();
        ranges.clear();
    }

    /** Gives all that was added to another: keys and ranges, both as ranges from a key through another, null for no end. */
    public void reads(BiConsumer<byte[], byte[]> consumer) {
        keys.forEach(key -> consumer.accept(key, key));
        for (int i = 0; i < ranges.size(); i += 2) {
            byte[] from = ranges.get(i);
            consumer.accept(from == null ? KeyHeads.NO_HEAD : from, ranges.get(i + 1));
        }
    }

    /** The number of the last write that is seen. */
    public long since() {
        return since;
    }

    /** Why it did not hold when it was last asked. */
    public String conflict() {
        return conflict;
    }

    @Override
    public boolean holds(long through) {
        int ticket = versions.enter();
        try {
            MemLog[] listed = versions.current().logs(); // R2: first
            conflict = null;
            boolean found = isWritten(listed, through)
                    || isWritten(recent.committed(), through)
                    || recent.areRunsSince(runs) && isInRun();
            if (!found && recent.isForgotten(since)) {
                conflict = "too much was written since it began, at sequence number " + since
                        + ", to know whether it would conflict; keep transactions shorter, or raise maxPinnedBytes";
            }
            return conflict == null;
        } finally {
            versions.exit(ticket);
        }
    }

    /** Whether a run was brought in that has, or may have, something of all this. */
    private boolean isInRun() {
        for (byte[] key : keys) {
            if (isInRun(key, key, true)) {
                return true;
            }
        }
        for (int i = 0; i < ranges.size(); i += 2) {
            if (isInRun(ranges.get(i), ranges.get(i + 1), true)) {
                return true;
            }
        }
        reader.reset(payload == null ? NO_PAYLOAD : payload, 0, payload == null ? 0 : payloadLength);
        while (reader.next()) {
            int end = reader.keyIndex() + reader.keyLength();
            byte[] key = Arrays.copyOfRange(payload, reader.keyIndex(), end);
            boolean isRange = reader.type() == WritePayload.DELETE_RANGE;
            if (isInRun(key, isRange ? endOfOwnRange() : key, !isRange)) {
                return true;
            }
        }
        return false;
    }

    private boolean isInRun(byte[] from, byte[] to, boolean withTo) {
        boolean found = recent.isInRun(runs, from, to, withTo);
        if (found) {
            conflict = "a sorted run among whose keys it has read or written was brought in after it began, at"
                    + " sequence number " + since;
        }
        return found;
    }

    private boolean isWritten(MemLog[] logs, long through) {
        for (MemLog log : logs) {
            MemTable table = log.table;
            long last = table.lastSequence();
            boolean isOlder = last != 0 && last <= since;
            if (!isOlder && table.entryCount() > 0 && isWritten(table, through)) {
                return true;
            }
        }
        return false;
    }

    private boolean isWritten(MemTable table, long through) {
        for (byte[] key : keys) {
            if (isWritten(table, key, 0, key.length, through)) {
                return true;
            }
        }
        if (payload != null) {
            reader.reset(payload, 0, payloadLength);
            while (reader.next()) {
                boolean found = reader.type() == WritePayload.DELETE_RANGE
                        ? isOwnRangeWritten(table, through)
                        : isWritten(table, payload, reader.keyIndex(), reader.keyLength(), through);
                if (found) {
                    return true;
                }
            }
        }
        for (int i = 0; i < ranges.size(); i += 2) {
            if (isRangeWritten(table, ranges.get(i), ranges.get(i + 1), true, through)) {
                return true;
            }
        }
        return false;
    }

    /** The same of the range that the reader's entry deletes. */
    private boolean isOwnRangeWritten(MemTable table, long through) {
        int to = reader.keyIndex() + reader.keyLength();
        byte[] first = Arrays.copyOfRange(payload, reader.keyIndex(), to);
        return isRangeWritten(table, first, endOfOwnRange(), false, through);
    }

    private byte[] endOfOwnRange() {
        int to = reader.keyIndex() + reader.keyLength();
        return reader.valueLength() == 0 ? null : Arrays.copyOfRange(payload, to, to + reader.valueLength());
    }

    private boolean isWritten(MemTable table, byte[] bytes, int from, int length, long through) {
        int ref = table.find(bytes, from, length, KeyHash.hash(bytes, from, length), through);
        if (ref != MemTable.NONE && isNewer(table, ref)) {
            return true;
        }
        DeletedRanges deleted = table.ranges();
        return deleted != null && isNewer(deleted.newestCovering(bytes, from, length, through));
    }

    /** Whether somebody has deleted a range that has something of this one. */
    private boolean isRangeDeleted(DeletedRanges deleted, byte[] from, byte[] to, boolean withTo, long through) {
        int fragment = from == null ? 0 : deleted.find(from, 0, from.length);
        while (fragment < deleted.count()) {
            if (to != null && isBehind(Arrays.compareUnsigned(deleted.start(fragment), to), withTo)) {
                return false;
            }
            if (isNewer(deleted.newest(fragment, through))) {
                return true;
            }
            fragment++;
        }
        return false;
    }

    private boolean isNewer(long deletedBy) {
        if (deletedBy <= since) {
            return false;
        }
        conflict =
                "a range with such a key was deleted with sequence number " + deletedBy + ", and it began at " + since;
        return true;
    }

    /** Whether a key with this order against the end of a range is not in it. */
    private static boolean isBehind(int order, boolean withEnd) {
        return withEnd ? order > 0 : order >= 0;
    }

    private boolean isRangeWritten(MemTable table, byte[] from, byte[] to, boolean withTo, long through) {
        DeletedRanges deleted = table.ranges();
        if (deleted != null && isRangeDeleted(deleted, from, to, withTo, through)) {
            return true;
        }
        cursor = cursor == null ? new MemTableCursor() : cursor;
        cursor.reset(table, through);
        try {
            if (from == null) {
                cursor.seekToFirst();
            } else {
                cursor.seek(from, 0, from.length);
            }
            while (cursor.isValid()
                    && (to == null || !isBehind(table.compareKey(cursor.ref(), to, 0, to.length), withTo))) {
                if (isNewer(table, cursor.ref())) {
                    return true;
                }
                cursor.next();
            }
            return false;
        } finally {
            cursor.reset(null, 0);
        }
    }

    private boolean isNewer(MemTable table, int ref) {
        long sequence = table.sequence(ref);
        if (sequence <= since) {
            return false;
        }
        byte[] key = new byte[table.keyLength(ref)];
        table.copyKey(ref, key, 0);
        int head = KeyHeads.headBytes(key);
        int length = key.length - head;
        conflict = "key 0x" + HexFormat.of().formatHex(key, head, head + Math.min(SHOWN_BYTES, length))
                + (length > SHOWN_BYTES ? "... (" + length + " bytes)" : "")
                + (KeyHeads.isNamed(key) ? " of a named keyspace" : "")
                + " was written with sequence number "
                + sequence + ", and it began at " + since;
        return true;
    }

    @Override
    public String toString() {
        return "Footprint[since=" + since + ", keys=" + keys.size() + ", ranges=" + ranges.size() / 2 + "]";
    }
}
