package io.flexdb.internal.mem;

import io.flexdb.base.memory.OffHeap;
import java.util.Arrays;

/** The entries of a memtable from some sequence number on, as a table of its own. */
public final class NewerEntries {
    /*
     * Entries go over one by one, in the order of their numbers. Deleted ranges go over together, without room of their
     * own.
     */
    private final MemTable source;
    private final long sequence;
    private long[] found = new long[64]; // number behind the sequence, and ref
    private int count;
    private long bodyBytes;
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
        MemTable target = MemTable.allocate(sequence + 1, MemTable.arenaBytesFor(bodyBytes, count), memory);
        target.setFirstSequence(sequence + 1);
        target.setRanges(source.ranges() == null ? null : source.ranges().newerThan(sequence));
        for (int i = 0; i < count; i++) {
            insert(target, Nodes.refOf(found[i]), sequence + Nodes.numberOf(found[i]));
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

    private void makeRoom(int bytes) {
        int wanted = bytes + 16; // more than a header has
        if (payload.length < wanted) {
            payload = new byte[Math.max(wanted, 2 * payload.length)];
        }
    }
}
