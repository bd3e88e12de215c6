package io.flexdb.internal.write;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.mem.MemTable;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/** The payload of a write of several entries, as it grows. For one thread at a time; reusable. */
public final class BatchPayload extends Payload {
    private static final int LEAST_BYTES = 128;
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private int[] timePlaces = {}; // where in the bytes
    private long[] timeMillis = {};
    private int timeCount;
    private boolean hasOperands;
    // A frame whose bytes change behind its checksum would end the log for all writes behind it, so that is refused.
    private final AtomicBoolean isBeingWritten = new AtomicBoolean();

    /** Adds a put. */
    public void put(KeyHeads heads, byte[] head, byte[] key, byte[] value) {
        int at = beginPut(head.length + key.length, value.length);
        at = heads.copy(head, key, bytes, at);
        System.arraycopy(value, 0, bytes, at, value.length);
        end(at + value.length, head.length + key.length, value.length);
    }

    /** Adds a put of the bytes that buffers have between position and limit, which stay. */
    public void put(KeyHeads heads, byte[] head, ByteBuffer key, ByteBuffer value) {
        int keyLength = head.length + key.remaining();
        int valueLength = value.remaining();
        int at = beginPut(keyLength, valueLength);
        at = heads.copy(head, key, bytes, at);
        value.get(value.position(), bytes, at, valueLength);
        end(at + valueLength, keyLength, valueLength);
    }

    /**
     * Adds an entry of a type that has a time, of the bytes that buffers have between position and limit, which stay.
     *
     * @param millis the time, from when the payload is written on: see {@link #setTimes}
     */
    public void putTimed(int type, KeyHeads heads, byte[] head, ByteBuffer key, ByteBuffer value, long millis) {
        int keyLength = head.length + key.remaining();
        int valueLength = value.remaining();
        requireNotBeingWritten();
        if (timeCount == timePlaces.length) {
            timePlaces = Arrays.copyOf(timePlaces, Math.max(16, 2 * timeCount));
            timeMillis = Arrays.copyOf(timeMillis, timePlaces.length);
        }
        room(WritePayload.putBytes(keyLength, valueLength) + WritePayload.TIME_BYTES);
        int at = WritePayload.encodeTimedHeader(bytes, length, type, keyLength, valueLength);
        at = heads.copy(head, key, bytes, at);
        value.get(value.position(), bytes, at, valueLength);
        hasOperands |= type == WritePayload.MERGE;
        timePlaces[timeCount] = at + valueLength;
        timeMillis[timeCount++] = millis;
        end(at + valueLength + WritePayload.TIME_BYTES, keyLength, valueLength + WritePayload.TIME_BYTES);
    }

    /** Whether there are entries with times. */
    public boolean hasTimes() {
        return timeCount > 0;
    }

    /** Whether something is to be merged. */
    public boolean hasOperands() {
        return hasOperands;
    }

    /** Sets the times of all entries that have one, before each time that they are written. */
    public void setTimes(long now) {
        for (int i = 0; i < timeCount; i++) {
            WritePayload.putTime(bytes, timePlaces[i], StoreClock.later(now, timeMillis[i]));
        }
    }

    /** Adds a delete of the key between position and limit, which stay. */
    public void delete(KeyHeads heads, byte[] head, ByteBuffer key) {
        int keyLength = head.length + key.remaining();
        room(WritePayload.deleteBytes(keyLength));
        int at = WritePayload.encodeDeleteHeader(bytes, length, keyLength);
        end(heads.copy(head, key, bytes, at), keyLength, 0);
    }

    /** Adds the deletion of a range of keys as they are stored. */
    public void deleteRange(byte[] from, byte[] to) {
        room(WritePayload.putBytes(from.length, to.length));
        int at = WritePayload.encodeRangeHeader(bytes, length, from.length, to.length);
        System.arraycopy(from, 0, bytes, at, from.length);
        System.arraycopy(to, 0, bytes, at + from.length, to.length);
        end(at + from.length + to.length, from.length, to.length);
        ranges++;
    }

    private int beginPut(int keyLength, int valueLength) {
        room(WritePayload.putBytes(keyLength, valueLength));
        return WritePayload.encodePutHeader(bytes, length, keyLength, valueLength);
    }

    private void room(long more) {
        requireNotBeingWritten();
        long needed = length + more;
        if (needed > MAX_BYTES) {
            throw new IllegalArgumentException("the batch would have " + needed + " bytes; split it");
        }
        if (needed > bytes.length) { // as long as the first entry at first: many batches have no other
            bytes = Arrays.copyOf(bytes, (int)
                    Math.min(MAX_BYTES, Math.max(needed, Math.max(LEAST_BYTES, 2L * bytes.length))));
        }
    }

    /** The entry is there, up to an index. */
    private void end(int newLength, int keyLength, int tailLength) {
        length = newLength;
        entries++;
        bodyBytes += MemTable.bodyBytes(keyLength, tailLength);
    }

    /** Forgets all entries; keeps the memory. */
    public void clear() {
        requireNotBeingWritten();
        length = 0;
        entries = 0;
        ranges = 0;
        bodyBytes = 0;
        timeCount = 0;
        hasOperands = false;
    }

    /** Nobody may change it until {@link #endWrite}, nor write it besides. */
    public void beginWrite() {
        if (!isBeingWritten.compareAndSet(false, true)) {
            throw beingWritten();
        }
    }

    /** It has been written, or not. */
    public void endWrite() {
        isBeingWritten.set(false);
    }

    private void requireNotBeingWritten() {
        if (isBeingWritten.getPlain()) {
            throw beingWritten();
        }
    }

    private static IllegalStateException beingWritten() {
        return new IllegalStateException("the batch is being written by another call, and is for one thread at a time;"
                + " use a batch of its own for each thread");
    }
}
