package io.flexdb;

import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.version.PinnedVersion;
import java.nio.ByteBuffer;

/**
 * The store as it was at one moment, for as long as the snapshot is open. It holds back memory and disk that later
 * writes would free, so it is to be closed. Any thread may use it; after it or the store is closed, reading throws
 * {@link io.flexdb.storage.StoreClosedException}.
 */
public final class Snapshot implements AutoCloseable {
    private final StoreReader reader;
    private final PinnedVersion pin;

    Snapshot(StoreReader reader, PinnedVersion pin) {
        this.reader = reader;
        this.pin = pin;
    }

    /** The value that the key had, or null. */
    public byte[] get(byte[] key) {
        Limits.keyLength(key);
        return reader.get(key, pin);
    }

    /**
     * Copies the value that the key had to a buffer.
     *
     * @return as for {@link FlexDB#get(ByteBuffer, ByteBuffer)}
     */
    public int get(ByteBuffer key, ByteBuffer destination) {
        return get(reader, key, destination, pin);
    }

    static int get(StoreReader reader, ByteBuffer key, ByteBuffer destination, PinnedVersion pin) {
        Limits.keyLength(key);
        int room = Limits.notNull(destination, "destination").remaining();
        return Limits.requireRoom(reader.get(key, destination, pin), room, "value");
    }

    /** The sequence number of the last write that the snapshot sees. */
    public long sequence() {
        return pin.sequence();
    }

    PinnedVersion pin() {
        return pin;
    }

    /** Lets go of what the snapshot holds. Closing again does nothing. */
    @Override
    public void close() {
        pin.close();
    }

    @Override
    public String toString() {
        return "Snapshot[" + pin.sequence() + "]";
    }
}
