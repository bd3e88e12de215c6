package io.flexdb.internal.write;

import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.StoreClock;
import io.flexdb.internal.mem.Payload;
import io.flexdb.internal.mem.WritePayload;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/** The payload of a write of several entries, as it grows. For one thread at a time; reusable. */
public final class BatchPayload extends Payload {
    private int[] timePlaces = {}; // where in the bytes
    private long[] timeMillis = {};
    private int timeCount;
    // A frame whose bytes change behind its checksum would end the log for all writes behind it, so that is refused.
    private final AtomicBoolean isBeingWritten = new AtomicBoolean();

    /** Adds a put. */
    public void put(KeyHeads heads, byte[] head, byte[] key, byte[] value) {
        requireNotBeingWritten();
        int at = beginPut(head.length + key.length, value.length);
        System.arraycopy(value, 0, bytes, heads.copy(head, key, bytes, at), value.length);
        end();
    }

    /** Adds a put of the bytes that buffers have between position and limit, which stay. */
    public void put(KeyHeads heads, byte[] head, ByteBuffer key, ByteBuffer value) {
        requireNotBeingWritten();
        int valueLength = value.remaining();
        int at = beginPut(head.length + key.remaining(), valueLength);
        value.get(value.position(), bytes, heads.copy(head, key, bytes, at), valueLength);
        end();
    }

    /**
     * Adds an entry of a type that has a time, of the bytes that buffers have between position and limit, which stay.
     *
     * @param millis the time, from when the payload is written on: see {@link #setTimes}
     */
    public void putTimed(int type, KeyHeads heads, byte[] head, ByteBuffer key, ByteBuffer value, long millis) {
        requireNotBeingWritten();
        if (timeCount == timePlaces.length) {
            timePlaces = Arrays.copyOf(timePlaces, Math.max(16, 2 * timeCount));
            timeMillis = Arrays.copyOf(timeMillis, timePlaces.length);
        }
        int valueLength = value.remaining();
        int keyAt = beginTimed(type, head.length + key.remaining(), valueLength);
        int at = heads.copy(head, key, bytes, keyAt);
        value.get(value.position(), bytes, at, valueLength);
        timePlaces[timeCount] = at + valueLength;
        timeMillis[timeCount++] = millis;
        end();
    }

    /** Whether there are entries with times. */
    public boolean hasTimes() {
        return timeCount > 0;
    }

    /** Sets the times of all entries that have one, before each time that they are written. */
    public void setTimes(long now) {
        for (int i = 0; i < timeCount; i++) {
            WritePayload.putTime(bytes, timePlaces[i], StoreClock.later(now, timeMillis[i]));
        }
    }

    /** Adds a delete of the key between position and limit, which stay. */
    public void delete(KeyHeads heads, byte[] head, ByteBuffer key) {
        requireNotBeingWritten();
        int at = beginDelete(head.length + key.remaining()); // before the array is looked at, which it may replace
        heads.copy(head, key, bytes, at);
        end();
    }

    @Override
    public void deleteRange(byte[] from, byte[] to) {
        requireNotBeingWritten();
        super.deleteRange(from, to);
    }

    @Override
    public void clear() {
        requireNotBeingWritten();
        super.clear();
        timeCount = 0;
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
