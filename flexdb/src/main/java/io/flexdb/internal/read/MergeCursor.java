package io.flexdb.internal.read;

import io.flexdb.internal.batch.WritePayload;
import io.flexdb.internal.keys.KeyBytes;
import io.flexdb.internal.memlog.MemLog;
import io.flexdb.internal.memtable.MemTableCursor;
import io.flexdb.internal.version.PinnedVersion;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Walks a pinned version in key order, in both directions: memtables and space as one. For one thread. */
public final class MergeCursor implements AutoCloseable {
    /*
     * One source for each memtable, newest first, and one for the space. All stand at or behind the current key in the
     * direction of the walk; the nearest key counts, and of several sources with that key the newest. A walk that
     * turns around seeks again, which costs a search and keeps each direction simple.
     *
     * What is pinned cannot change or be used again, so no short read is needed but to read an interval.
     */
    private static final int SPACE = -1; // memtables are named by their indexes
    private static final int NOWHERE = -2;

    private final PinnedVersion pin;
    private final MemTableCursor[] memtables;
    private final SpaceCursor space;
    private final byte[] upperBound;
    private int current = NOWHERE;
    private boolean backward;
    private boolean closed;
    private byte[] turningKey = new byte[256];

    /**
     * A cursor that stands nowhere.
     *
     * @param pin what to walk; closed with the cursor
     * @param space stands in its space; closed with the cursor
     * @param upperBound keys from this one on are not shown; null for all
     */
    MergeCursor(PinnedVersion pin, SpaceCursor space, byte[] upperBound) {
        this.pin = pin;
        this.upperBound = upperBound;
        MemLog[] logs = pin.version().logs();
        int count = 0;
        this.memtables = new MemTableCursor[logs.length];
        for (MemLog log : logs) {
            MemTableCursor cursor = new MemTableCursor();
            cursor.reset(log.table, pin.sequence());
            memtables[count++] = cursor;
        }
        this.space = space;
    }

    /** Whether the cursor stands on a pair. */
    public boolean isValid() {
        pin.requireOpen();
        return current != NOWHERE;
    }

    /** Goes to the first pair. */
    public void seekToFirst() {
        beginSeek();
        for (MemTableCursor cursor : memtables) {
            cursor.seekToFirst();
        }
        space.seekToFirst();
        backward = false;
        settleForward();
    }

    /** Goes to the first pair whose key is not below the one given. */
    public void seek(byte[] key, int length) {
        beginSeek();
        for (MemTableCursor cursor : memtables) {
            cursor.seek(key, 0, length);
        }
        space.seek(key, length);
        backward = false;
        settleForward();
    }

    /** Goes to the last pair. */
    public void seekToLast() {
        beginSeek();
        if (upperBound != null) {
            seekBelow(upperBound, upperBound.length);
            return;
        }
        for (MemTableCursor cursor : memtables) {
            cursor.seekToLast();
        }
        space.seekToLast();
        backward = true;
        settleBackward();
    }

    /** Goes to the last pair whose key is not above the one given. */
    public void seekForPrev(byte[] key, int length) {
        beginSeek();
        if (upperBound != null && Arrays.compareUnsigned(key, 0, length, upperBound, 0, upperBound.length) >= 0) {
            seekBelow(upperBound, upperBound.length);
            return;
        }
        for (MemTableCursor cursor : memtables) {
            cursor.seekForPrev(key, 0, length);
        }
        space.seekForPrev(key, length);
        backward = true;
        settleBackward();
    }

    private void beginSeek() {
        pin.requireOpen();
        current = NOWHERE;
    }

    private void seekBelow(byte[] key, int length) {
        current = NOWHERE;
        for (MemTableCursor cursor : memtables) {
            cursor.seekForPrev(key, 0, length);
            if (cursor.isValid() && cursor.table().compareKey(cursor.ref(), key, 0, length) == 0) {
                cursor.previous();
            }
        }
        space.seekBelow(key, length);
        backward = true;
        settleBackward();
    }

    /** Goes to the next pair; the cursor must stand on one. */
    public void next() {
        requireValid();
        if (backward) {
            int length = keepKey();
            seek(turningKey, length);
            assert current != NOWHERE && compareKey(turningKey, length) == 0 : "what is pinned has changed";
        }
        leave();
        settleForward();
    }

    /** Goes to the pair before; the cursor must stand on one. */
    public void prev() {
        requireValid();
        if (!backward) {
            int length = keepKey();
            seekBelow(turningKey, length);
            return;
        }
        leave();
        settleBackward();
    }

    private void requireValid() {
        if (!isValid()) {
            throw new IllegalStateException("the cursor stands on no pair");
        }
    }

    private int keepKey() {
        int length = keyLength(current);
        if (turningKey.length < length) {
            turningKey = new byte[length];
        }
        copyKey(turningKey);
        return length;
    }

    /** Moves every source on that stands on the current key. */
    private void leave() {
        int left = current;
        current = NOWHERE; // and stays there if a step fails, since then the sources do not fit each other
        for (int i = SPACE; i < memtables.length; i++) {
            // The current source is the last to move: the key compared lies in it.
            if (i != left && isValid(i) && compare(i, left) == 0) {
                step(i);
            }
        }
        step(left);
    }

    private void step(int source) {
        if (source == SPACE) {
            if (backward) {
                space.previous();
            } else {
                space.next();
            }
        } else if (backward) {
            memtables[source].previous();
        } else {
            memtables[source].next();
        }
    }

    private void settleForward() {
        settle(1);
        if (current != NOWHERE && upperBound != null && compareKey(upperBound, upperBound.length) >= 0) {
            current = NOWHERE;
        }
    }

    private void settleBackward() {
        settle(-1);
    }

    private void settle(int direction) {
        while (true) {
            int nearest = NOWHERE;
            // The space holds what is oldest, so it comes last.
            for (int i = 0; i <= memtables.length; i++) {
                int source = i < memtables.length ? i : SPACE;
                if (isValid(source) && (nearest == NOWHERE || compare(source, nearest) * direction < 0)) {
                    nearest = source;
                }
            }
            current = nearest;
            if (nearest < 0 || memtables[nearest].table().type(memtables[nearest].ref()) == WritePayload.PUT) {
                return;
            }
            leave();
        }
    }

    private boolean isValid(int source) {
        return source == SPACE ? space.isValid() : memtables[source].isValid();
    }

    private int compare(int a, int b) {
        return KeyBytes.compare(buffer(a), keyPosition(a), keyLength(a), buffer(b), keyPosition(b), keyLength(b));
    }

    /** The current key against another: below 0 if it is less. */
    private int compareKey(byte[] key, int length) {
        return -KeyBytes.compare(key, 0, length, buffer(current), keyPosition(current), keyLength(current));
    }

    private ByteBuffer buffer(int source) {
        return source == SPACE ? space.image() : memtables[source].table().buffer();
    }

    private int keyPosition(int source) {
        return source == SPACE ? space.keyPosition() : memtables[source].table().keyPosition(memtables[source].ref());
    }

    private int keyLength(int source) {
        return source == SPACE ? space.keyLength() : memtables[source].table().keyLength(memtables[source].ref());
    }

    /** Bytes of the current key. */
    public int keyLength() {
        requireValid();
        return keyLength(current);
    }

    /** Bytes of the current value. */
    public int valueLength() {
        requireValid();
        return current == SPACE
                ? space.valueLength()
                : memtables[current].table().valueLength(memtables[current].ref());
    }

    private void copyKey(byte[] destination) {
        buffer(current).get(keyPosition(current), destination, 0, keyLength(current));
    }

    /** A copy of the current key. */
    public byte[] key() {
        requireValid();
        byte[] key = new byte[keyLength(current)];
        copyKey(key);
        return key;
    }

    /** Copies the current key to a buffer's position if it fits; its length in any case. */
    public int key(ByteBuffer destination) {
        requireValid();
        int length = keyLength(current);
        copy(buffer(current), keyPosition(current), length, destination);
        return length;
    }

    /** A copy of the current value. */
    public byte[] value() {
        byte[] value = new byte[valueLength()];
        buffer(current).get(valuePosition(), value, 0, value.length);
        return value;
    }

    /** Copies the current value to a buffer's position if it fits; its length in any case. */
    public int value(ByteBuffer destination) {
        int length = valueLength();
        copy(buffer(current), valuePosition(), length, destination);
        return length;
    }

    private static void copy(ByteBuffer from, int position, int length, ByteBuffer destination) {
        if (length <= destination.remaining()) {
            destination.put(destination.position(), from, position, length);
            destination.position(destination.position() + length);
        }
    }

    private int valuePosition() {
        return current == SPACE
                ? space.valuePosition()
                : memtables[current].table().valuePosition(memtables[current].ref());
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            current = NOWHERE;
            try {
                space.close();
            } finally {
                pin.close();
            }
        }
    }
}
