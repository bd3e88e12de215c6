package io.flexdb.internal.memtable;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.batch.WritePayload;
import java.util.Arrays;

/** What a memtable has from some number on, as a table of its own. */
public final class NewerEntries {
    /*
     * Entries go over one by one, in the order of their numbers, as they came in. A deleted range goes over as the
     * fragments that it has been divided into by others.
     */
    private static final byte[] NO_END = {};

    private final MemTable source;
    private final long sequence;
    private long[] found = new long[64]; // number behind the sequence, and ref
    private int count;
    private long bodyBytes;
    private long rangeBytes;
    private int next; // room for a range
    private byte[] payload = new byte[64];

    private NewerEntries(MemTable source, long sequence) {
        this.source = source;
        this.sequence = sequence;
    }

    /**
     * Copies all entries with numbers above one, deleted ranges included. No write may be under way.
     *
     * @param last the number of the last entry, above that one
     * @throws OutOfMemoryError if there is not enough
     */
    public static MemTable copy(MemTable source, long sequence, long last, OffHeap memory) {
        return new NewerEntries(source, sequence).copyTo(memory, last);
    }

    private MemTable copyTo(OffHeap memory, long last) {
        MemTableCursor cursor = new MemTableCursor(true);
        cursor.reset(source, last);
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            for (int ref = cursor.ref(); ref != MemTable.NONE; ref = source.older(ref)) {
                if (source.sequence(ref) <= sequence) {
                    break;
                }
                add(ref);
            }
        }
        Arrays.sort(found, 0, count);
        int fragments = eachFragment((from, to, number) -> rangeBytes += MemTable.bodyBytes(from.length, to.length));
        int arenaBytes = MemTable.arenaBytesFor(bodyBytes + rangeBytes, count + fragments);
        MemTable target = MemTable.allocate(sequence + 1, arenaBytes, memory);
        target.setFirstSequence(sequence + 1);
        for (int i = 0; i < count; i++) {
            insert(target, Nodes.refOf(found[i]), sequence + Nodes.numberOf(found[i]));
        }
        if (fragments > 0) { // at once, since a write may have more of them than a table takes else
            next = target.reserve(rangeBytes, fragments, fragments, sequence + 1);
            eachFragment((from, to, number) -> insertRange(target, from, to, number));
        }
        return target;
    }

    private void add(int ref) {
        if (count == found.length) {
            found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = Nodes.word(source.sequence(ref) - sequence, ref);
        bodyBytes += source.nodes.bytes(ref);
    }

    private interface Fragment {
        void accept(byte[] from, byte[] to, long number);
    }

    private int eachFragment(Fragment consumer) {
        DeletedRanges ranges = source.ranges();
        int fragments = 0;
        for (int i = 0; ranges != null && i < ranges.count(); i++) {
            byte[] to = ranges.end(i) == null ? NO_END : ranges.end(i);
            for (long number = ranges.newest(i, Long.MAX_VALUE); number > sequence; fragments++) {
                consumer.accept(ranges.start(i), to, number);
                number = ranges.newest(i, number - 1);
            }
        }
        return fragments;
    }

    private void insert(MemTable target, int ref, long number) {
        int keyLength = source.keyLength(ref);
        int valueLength = source.storedLength(ref);
        int type = source.type(ref);
        int tailLength = valueLength + WritePayload.timeBytes(type);
        makeRoom(keyLength + tailLength);
        int at;
        if (type == WritePayload.DELETE) {
            at = WritePayload.encodeDeleteHeader(payload, 0, keyLength);
        } else {
            at = WritePayload.encodeTimedHeader(payload, 0, type, keyLength, valueLength);
        }
        source.buffer().get(source.keyPosition(ref), payload, at, keyLength + tailLength);
        int reserved = target.reserve(MemTable.bodyBytes(keyLength, tailLength), 1, number);
        assert reserved != MemTable.NONE : "no room for entry " + number + ": " + target;
        target.insertAll(payload, 0, at + keyLength + tailLength, number, reserved);
    }

    private void insertRange(MemTable target, byte[] from, byte[] to, long number) {
        makeRoom(from.length + to.length);
        int at = WritePayload.encodeRangeHeader(payload, 0, from.length, to.length);
        System.arraycopy(from, 0, payload, at, from.length);
        System.arraycopy(to, 0, payload, at + from.length, to.length);
        target.insertAll(payload, 0, at + from.length + to.length, number, next);
        next += (int) (MemTable.bodyBytes(from.length, to.length) >>> 3);
    }

    private void makeRoom(int bytes) {
        int wanted = bytes + 16; // more than a header has
        if (payload.length < wanted) {
            payload = new byte[Math.max(wanted, 2 * payload.length)];
        }
    }
}
