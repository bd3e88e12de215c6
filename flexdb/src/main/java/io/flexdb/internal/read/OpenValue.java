package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.internal.engine.SpaceReads;
import io.flexdb.internal.mem.LargeReference;
import io.flexdb.internal.mem.LargeValues;
import io.flexdb.storage.StoreClosedException;
import java.nio.ByteBuffer;

/** A value that is read by parts, as it was when it was opened. Any thread. */
public final class OpenValue implements AutoCloseable {
    /*
     * A short value is here. A long one is read where it is: in the space, at the logical offset that it has in the
     * version which is pinned; or where the entry of a memtable refers to, which the pin keeps as well. A read is made
     * in steps, each of them a short read, so that nobody waits for a long one.
     */
    private static final int STEP_BYTES = 1 << 20;

    private final long length;
    private byte[] bytes; // null if it is read where it is
    private Health health; // null likewise
    private StoreVersions versions;
    private PinnedVersion pin;
    private SpaceReads reads;
    private long logicalOffset;
    private LargeValues large; // null if it is in the space
    private ByteBuffer reference;
    private int keyLength;
    private long expiry;
    private volatile boolean closed;

    private OpenValue(long length) {
        this.length = length;
    }

    /**
     * A value that is here.
     *
     * @param health of the store, with which it ends
     */
    public static OpenValue of(byte[] value, Health health) {
        OpenValue open = new OpenValue(value.length);
        open.bytes = value;
        open.health = health;
        return open;
    }

    /** A value in the space of a version that is pinned. */
    static OpenValue inSpace(
            StoreVersions versions, PinnedVersion pin, SpaceReads reads, long logicalOffset, int length) {
        OpenValue open = held(versions, pin, length);
        open.reads = reads;
        open.logicalOffset = logicalOffset;
        return open;
    }

    /**
     * A value that an entry of a version which is pinned refers to.
     *
     * @param reference a {@link LargeReference}, from the beginning on
     * @param keyLength of the entry
     * @param expiry of the entry
     */
    static OpenValue staged(
            StoreVersions versions,
            PinnedVersion pin,
            LargeValues large,
            ByteBuffer reference,
            int keyLength,
            long expiry) {
        OpenValue open = held(versions, pin, LargeReference.valueLength(reference, 0));
        open.large = large;
        open.reference = reference;
        open.keyLength = keyLength;
        open.expiry = expiry;
        return open;
    }

    private static OpenValue held(StoreVersions versions, PinnedVersion pin, long length) {
        OpenValue open = new OpenValue(length);
        open.versions = versions;
        open.pin = pin;
        pin.whenStoreEnds(
                new Runnable() { // no lambda, which the JVM may fail to make in a full heap, for good
                    @Override
                    public void run() {
                        open.letGo();
                    }
                });
        return open;
    }

    /** Bytes of it. */
    public long length() {
        return length;
    }

    /**
     * Copies a part, as much as there is room for, to the position of a buffer, which moves behind it.
     *
     * @param from where in the value; not negative
     * @return how many bytes there were; -1 at the value's end and behind it
     */
    public int read(long from, ByteBuffer destination) {
        if (closed) {
            throw new StoreClosedException("the value");
        }
        if (from >= length) {
            return -1;
        }
        int wanted = (int) Math.min(destination.remaining(), length - from);
        for (int done = 0; done < wanted; ) {
            int step = Math.min(STEP_BYTES, wanted - done);
            readStep(from + done, destination, step);
            destination.position(destination.position() + step);
            done += step;
        }
        return wanted;
    }

    private void readStep(long from, ByteBuffer destination, int step) {
        int at = destination.position();
        if (bytes != null) {
            health.requireReadable();
            destination.put(at, bytes, (int) from, step);
            return;
        }
        StoreVersions of = versions; // before the read begins, so that they are there if it does
        SpaceReads inSpace = reads;
        LargeValues staged = large;
        pin.beginRead();
        try {
            int ticket = of.enterToRead();
            try {
                if (staged != null) {
                    ByteBuffer part = destination.duplicate().limit(at + step);
                    staged.copy(reference, 0, keyLength, expiry, (int) from, part);
                } else {
                    inSpace.read(pin.version().space(), logicalOffset + from, destination, at, step);
                }
            } finally {
                of.exit(ticket);
            }
        } finally {
            pin.endRead();
        }
    }

    /** Keeps nothing of the store: the value, or the store, is closed. */
    private void letGo() {
        versions = null;
        reads = null;
        large = null;
    }

    /** Whether all of it is in memory, and nothing is held. */
    boolean isHere() {
        return bytes != null;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Lets go of what it holds. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        if (pin != null) {
            pin.close();
            letGo();
        }
    }
}
