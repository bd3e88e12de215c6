package io.flexdb.internal.txn;

import io.flexdb.internal.base.KeyHash;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.log.MemLog;
import io.flexdb.internal.log.RecentWrites;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.EntryWalk;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.MemTableCursor;
import io.flexdb.internal.mem.PayloadReader;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.read.StoreVersions;
import io.flexdb.internal.write.Precondition;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/**
 * The keys and ranges that nobody else may have written since a transaction began, for it to be committed: its read and
 * write set, for optimistic concurrency control. For one thread; used again.
 */
public final class Footprint implements Precondition {
    /*
     * There are two ways to ask: to look for all keys of the footprint among what was written, and to look for all that
     * was written in the footprint. The shorter one is taken. Writes that were looked at need not be looked at again,
     * since a footprint does not grow while it is asked. So when the question is asked once more, while others wait,
     * the second way takes no longer than they have written meanwhile; a large footprint notes how far it has got. A
     * range is as large as the entries in it that had to be passed, old ones included.
     */
    private static final int SHOWN_BYTES = 32;
    private static final int KEYS_AT_ONCE = 1024; // that are looked for within one short read
    private static final byte[] NO_PAYLOAD = {};

    private StoreVersions versions; // null once it is not used any more, as is the next
    private RecentWrites recent;
    private final PayloadReader reader = new PayloadReader();
    private final KeysRead read = new KeysRead();
    private final EntryWalk walk = new EntryWalk(); // in the table that was written last
    private EntryWalk otherWalk; // null before it is needed, as is the next
    private MemTableCursor cursor;
    private byte[] key = NO_PAYLOAD; // room for one
    private byte[] payload;
    private int payloadLength;
    private OwnWrites own; // which has the payload; null if nobody has it in order
    private int entries; // of the payload
    private long since;
    private long runs; // that are seen
    private long checked; // up to this number nothing is wrong; since, before the question
    private long checkedRuns; // up to this run nothing is wrong
    private long entriesPassed; // when it was last asked, to find ranges; the size of a range does not tell it
    private long passedForRanges; // when ranges were last looked for
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
        since = newSince;
        read.clear();
        setWrites(null, 0, 0);
        conflict = null;
    }

    /** Lets the store go. The footprint is not asked any more. */
    public void letGo() {
        versions = null;
        recent = null;
        walk.release();
        otherWalk = null;
        cursor = null;
        own = null;
        payload = null;
    }

    /** Adds a key, which is copied unless it is there. */
    public void addKey(byte[] newKey) {
        read.add(newKey);
    }

    /** Adds a range, both ends included; null for none. */
    public void addRange(byte[] from, byte[] to) {
        read.addRange(from, to);
    }

    /** Adds the keys that a transaction has written and has in memory, in the place of another transaction's. */
    public void setWrites(OwnWrites writes) {
        setWrites(writes.bytes(), writes.length(), writes.entries());
        own = writes;
    }

    /** Adds the keys and ranges of a payload. */
    void setWrites(byte[] newPayload, int length, int newEntries) {
        payload = newPayload;
        payloadLength = length;
        entries = newEntries;
        own = null;
        checked = since;
        checkedRuns = runs;
        passedForRanges = 0;
        walk.release();
    }

    /** Forgets the keys and ranges that were added, and keeps the rest. */
    public void clearReads() {
        read.clear();
    }

    /** Gives all added keys and ranges to a consumer, each as a range from a key through another; null for no end. */
    public void reads(BiConsumer<byte[], byte[]> consumer) {
        read.forEach(consumer);
    }

    /** Why it did not hold when it was last asked. */
    public String conflict() {
        return conflict;
    }

    /** How many entries were gone through to find ranges when it was last asked. */
    public long entriesPassed() {
        return entriesPassed;
    }

    @Override
    public boolean holds(long through) {
        conflict = null;
        entriesPassed = 0;
        read.sort();
        boolean found = isWritten(through);
        if (!found) {
            found = isInRun();
        }
        if (!found && recent.isForgotten(checked)) {
            conflict = "too much was written since it began, at sequence number " + since
                    + ", to know whether it would conflict; keep transactions shorter, or raise maxPinnedBytes";
        }
        checked = through;
        return conflict == null;
    }

    /** Whether a run was brought in that has, or may have, something of all this. */
    private boolean isInRun() {
        long published = recent.publishedRuns(); // first: a run that is listed and not counted is looked at again
        boolean found = recent.areRunsSince(checkedRuns)
                && recent.anyRunSince(
                        checkedRuns,
                        new BiPredicate<>() { // no lambda: in a full heap it may fail to be made, for good
                            @Override
                            public boolean test(byte[] from, byte[] to) {
                                return touches(from, to);
                            }
                        });
        checkedRuns = published;
        if (found) {
            conflict = "a sorted run among whose keys it has read or written was brought in after it began, at"
                    + " sequence number " + since;
        }
        return found;
    }

    // ---- all that was written, in the footprint

    private boolean isWritten(long through) {
        boolean mayLookUpWrites = payload == null || own != null;
        long size = read.keys() + read.ranges() + entries + passedForRanges;
        if (mayLookUpWrites && size > 1) {
            int ticket = versions.enter();
            try {
                MemLog[] listed = versions.current().logs(); // R2: first
                MemLog[] committed = recent.committed();
                if (entriesBefore(listed, through) + entriesBefore(committed, through) <= size) {
                    return isInFootprint(committed, listed, through);
                }
            } finally {
                versions.exit(ticket);
            }
        }
        boolean isFound = isFoundAmongWritten(through, mayLookUpWrites);
        passedForRanges = entriesPassed;
        return isFound;
    }

    private boolean mayBeNewer(MemTable table) {
        long last = table.lastSequence();
        return table.entryCount() > 0 && (last == 0 || last > checked);
    }

    /** Entries to walk through. */
    private long entriesBefore(MemLog[] logs, long through) {
        long sum = 0;
        for (MemLog log : logs) {
            if (mayBeNewer(log.table())) {
                sum += walk.isOf(log.table())
                        ? Math.max(0, through - walk.sequence())
                        : log.table().entryCount();
            }
        }
        return sum;
    }

    /** The oldest first, so that a walk through what was written last goes on before another one begins. */
    private boolean isInFootprint(MemLog[] committed, MemLog[] listed, long through) {
        for (MemLog log : committed) {
            if (isInFootprint(log.table(), through)) {
                return true;
            }
        }
        for (int i = listed.length - 1; i >= 0; i--) {
            if (isInFootprint(listed[i].table(), through)) {
                return true;
            }
        }
        return false;
    }

    private boolean isInFootprint(MemTable table, long through) {
        if (mayBeNewer(table)) {
            EntryWalk entry = walkOf(table);
            while (entry.next(through)) {
                if (entry.sequence() > checked && isInFootprint(table, entry)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The one to go on with; of a table that may be written still it is kept. */
    private EntryWalk walkOf(MemTable table) {
        if (walk.isOf(table)) {
            return walk;
        }
        boolean isActive = table.lastSequence() == 0;
        if (!isActive && otherWalk == null) {
            otherWalk = new EntryWalk();
        }
        EntryWalk begun = isActive ? walk : otherWalk;
        begun.reset(table);
        return begun;
    }

    private boolean isInFootprint(MemTable table, EntryWalk of) {
        int ref = of.ref();
        int length = table.keyLength(ref);
        if (of.isRange()) {
            byte[] from = new byte[length];
            table.copyKey(ref, from, 0);
            byte[] to = table.storedLength(ref) == 0 ? null : new byte[table.storedLength(ref)];
            if (to != null) {
                table.buffer().get(table.valuePosition(ref), to);
            }
            return touches(from, to) && isNewer(of.sequence());
        }
        if (key.length < length) {
            key = new byte[Math.max(64, length)];
        }
        table.copyKey(ref, key, 0);
        long hash = KeyHash.hash(key, 0, length);
        boolean touched = read.contains(key, 0, length, hash) || own != null && own.touches(key, length, hash);
        return touched && isNewer(table, ref);
    }

    /** Whether the footprint has something of a range; null for no end, which is not included. */
    private boolean touches(byte[] from, byte[] to) {
        if (read.touches(from, to)) {
            return true;
        }
        reader.reset(payload == null ? NO_PAYLOAD : payload, 0, payload == null ? 0 : payloadLength);
        while (reader.next()) {
            int begin = reader.keyIndex();
            int end = begin + reader.keyLength();
            boolean isBelowEnd = to == null || Arrays.compareUnsigned(payload, begin, end, to, 0, to.length) < 0;
            int lastEnd = end + reader.valueLength();
            boolean isRange = reader.type() == WritePayload.DELETE_RANGE;
            boolean isAbove = from == null
                    || (isRange
                            ? lastEnd == end || Arrays.compareUnsigned(payload, end, lastEnd, from, 0, from.length) > 0
                            : Arrays.compareUnsigned(payload, begin, end, from, 0, from.length) >= 0);
            if (isBelowEnd && isAbove) {
                return true;
            }
        }
        return false;
    }

    // ---- the footprint, in all that was written

    /**
     * Looks for it part by part, each within a short read of its own.
     *
     * @param mayGoOn whether to note how far this went, if it took long
     */
    private boolean isFoundAmongWritten(long through, boolean mayGoOn) {
        int at = 0;
        do {
            int ticket = versions.enter();
            try {
                MemLog[] listed = versions.current().logs(); // R2: first
                MemLog[] committed = recent.committed();
                int end = at;
                for (int i = 0; i < KEYS_AT_ONCE && end < read.keysEnd(); i++) {
                    end = read.next(end);
                }
                boolean isLast = end == read.keysEnd();
                if (isWritten(listed, at, end, isLast, through) || isWritten(committed, at, end, isLast, through)) {
                    return true;
                }
                if (isLast && mayGoOn && read.keys() + read.ranges() + entries + entriesPassed > KEYS_AT_ONCE) {
                    passBy(listed, through);
                }
                at = end;
            } finally {
                versions.exit(ticket);
            }
        } while (at < read.keysEnd());
        return false;
    }

    private void passBy(MemLog[] listed, long through) {
        if (listed.length > 0 && mayBeNewer(listed[0].table())) { // the newest
            EntryWalk entry = walk;
            if (!entry.isOf(listed[0].table())) {
                entry.reset(listed[0].table());
            }
            entry.goTo(through);
        }
    }

    /** Whether some of the keys were written; with the last keys, all else is looked for, too. */
    private boolean isWritten(MemLog[] logs, int keysFrom, int keysEnd, boolean withRest, long through) {
        for (MemLog log : logs) {
            MemTable table = log.table();
            if (mayBeNewer(table)
                    && (isKeyWritten(table, keysFrom, keysEnd, through) || withRest && isRestWritten(table, through))) {
                return true;
            }
        }
        return false;
    }

    private boolean isKeyWritten(MemTable table, int from, int end, long through) {
        byte[] bytes = read.keyBytes();
        for (int at = from; at < end; at = read.next(at)) {
            if (isWritten(table, bytes, read.keyAt(at), read.keyLength(at), through)) {
                return true;
            }
        }
        return false;
    }

    private boolean isRestWritten(MemTable table, long through) {
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
        for (int i = 0; i < read.ranges(); i++) {
            if (isRangeWritten(table, read.from(i), read.to(i), true, through)) {
                return true;
            }
        }
        return false;
    }

    /** Whether something of the range that the reader's entry deletes was written. */
    private boolean isOwnRangeWritten(MemTable table, long through) {
        int to = reader.keyIndex() + reader.keyLength();
        byte[] first = Arrays.copyOfRange(payload, reader.keyIndex(), to);
        byte[] end = reader.valueLength() == 0 ? null : Arrays.copyOfRange(payload, to, to + reader.valueLength());
        return isRangeWritten(table, first, end, false, through);
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
                entriesPassed++;
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
        return "Footprint[since=" + since + ", keys=" + read.keys() + ", ranges=" + read.ranges() + ", checked="
                + checked + "]";
    }
}
