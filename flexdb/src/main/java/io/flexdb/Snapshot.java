package io.flexdb;

import io.flexdb.internal.read.MultiReader;
import io.flexdb.internal.read.StoreReader;
import io.flexdb.internal.version.PinnedVersion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.ObjIntConsumer;

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

    /**
     * Copies the value of a key to an array, from an offset on. Makes no garbage.
     *
     * @return bytes of the value, or -1 if the key is absent
     * @throws IllegalArgumentException if the offset is not within the array or at its end, or if there is less room
     *     behind it than the value needs, and then nothing is copied; the message says how much
     */
    public int get(byte[] key, byte[] destination, int offset) {
        return get(reader, key, destination, offset, pin);
    }

    /** Whether the store had a key. As {@link #valueLength(byte[])}, it reads no more of a long value than it has to. */
    public boolean containsKey(byte[] key) {
        return valueLength(key) >= 0;
    }

    /** The same for the key that a buffer has between position and limit. The position moves to the limit. */
    public boolean containsKey(ByteBuffer key) {
        return valueLength(key) >= 0;
    }

    /**
     * Bytes of a key's value, or -1 if the key is absent. What the answer comes from is verified: a pair of up to 8 KiB
     * is read whole, and verified by its own checksum. Of a longer one only the first bytes are read, which have its key
     * and its lengths; these are verified by their part of the file, the rest of the value is not. Makes no garbage.
     */
    public int valueLength(byte[] key) {
        Limits.keyLength(key);
        return reader.valueLength(key, pin);
    }

    /** The same for the key that a buffer has between position and limit. The position moves to the limit. */
    public int valueLength(ByteBuffer key) {
        Limits.keyLength(key);
        return reader.valueLength(key, pin);
    }

    /**
     * The values of several keys, all as of one moment. They are looked up in the order of the keys, so that those near
     * each other share the way to them.
     *
     * @param keys in any order; a key may come more than once
     * @return their values in the order of the keys in the list, null for each one that is absent
     * @throws IllegalArgumentException if the list or one of the keys is null, or a key is empty or too long
     * @throws IllegalStateException if open snapshots and cursors hold back more than {@code maxPinnedBytes}
     */
    public List<byte[]> multiGet(List<byte[]> keys) {
        return multiGet(reader, keys, pin);
    }

    /**
     * The same without garbage, with keys that buffers have between position and limit; the positions stay.
     *
     * @param values gets, for each key once, its value, or null if it is absent, and the index of the key in the list;
     *     not in the order of the list. The buffer is read-only, and has the value between position and limit until
     *     {@code accept} returns: who needs it longer makes a copy. It may do whatever it likes for as long as it likes,
     *     calls of this store included; whatever it throws ends the call
     */
    public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values) {
        multiGet(reader, keys, values, pin);
    }

    static int get(StoreReader reader, byte[] key, byte[] destination, int offset, PinnedVersion pin) {
        Limits.keyLength(key);
        int length = Limits.notNull(destination, "destination").length;
        if (offset < 0 || offset > length) {
            throw new IllegalArgumentException("offset must be from 0 to " + length + ": " + offset);
        }
        return Limits.requireRoom(reader.get(key, destination, offset, pin), length - offset, "value");
    }

    static List<byte[]> multiGet(StoreReader reader, List<byte[]> keys, PinnedVersion pin) {
        byte[][] values = new byte[Limits.notNull(keys, "keys").size()][];
        keys.forEach(Limits::keyLength); // before anything is read
        try (MultiReader several = reader.several(pin)) {
            keys.forEach(several::add);
            several.read((value, index) -> {
                if (value != null) {
                    values[index] = StoreReader.newValue(value.remaining());
                    value.get(values[index]);
                }
            });
        }
        return Arrays.asList(values);
    }

    static void multiGet(
            StoreReader reader, List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values, PinnedVersion pin) {
        int count = Limits.notNull(keys, "keys").size();
        Limits.notNull(values, "values");
        for (int i = 0; i < count; i++) { // without an iterator, which would be garbage
            Limits.keyLength(keys.get(i));
        }
        try (MultiReader several = reader.several(pin)) {
            for (int i = 0; i < count; i++) {
                several.add(keys.get(i));
            }
            several.read(values);
        }
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
