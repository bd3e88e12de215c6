package io.flexdb.agrona;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.ObjIntConsumer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Reads and writes a store with keys and values in Agrona's buffers. Errors, durability and limits are those of the
 * methods of {@link FlexDB}, {@link WriteBatch} and {@link FlexCursor} that it calls.
 *
 * <p>For one thread at a time: it has memory of its own, through which keys and values are copied, so that calls make no
 * garbage once that is large enough. Any number of them may use one store; nothing has to be closed. Agrona itself is
 * an optional dependency, to be added by the program; a module requires {@code org.agrona} itself. Of its buffers only
 * the interfaces are used; its own classes of them need flags of the JVM from version 2 on, whatever they are used for.
 *
 * <p>A position and a length that are not within a buffer give whatever the buffer throws for that, before anything is
 * written to the store.
 */
@SuppressWarnings("exports") // the module of the buffers is required by who has it
public final class DirectBuffers {
    private static final int KEPT_BYTES = 64 << 10;

    private final Keyspace keyspace;
    private final Scratch keys = new Scratch();
    private final Scratch values = new Scratch();

    // The lookup under way:
    private List<ByteBuffer> oneKey; // null before the first
    private final ObjIntConsumer<ByteBuffer> take = (value, index) -> take(value);
    private MutableDirectBuffer destination;
    private int destinationIndex;
    private int length;

    /** For use with a store, or with a named keyspace of one. */
    public DirectBuffers(Keyspace keyspace) {
        this.keyspace = Objects.requireNonNull(keyspace, "keyspace must not be null");
    }

    /** Memory through which bytes go. */
    private static final class Scratch {
        private ByteBuffer buffer = ByteBuffer.allocate(256);

        /** Room for so many bytes, from the beginning to the limit. */
        ByteBuffer room(int bytes) {
            if (bytes > buffer.capacity() || buffer.capacity() > KEPT_BYTES && bytes <= KEPT_BYTES) {
                buffer = ByteBuffer.allocate(Math.max(256, bytes <= KEPT_BYTES / 2 ? 2 * bytes : bytes));
            }
            return buffer.clear().limit(bytes);
        }

        ByteBuffer copy(DirectBuffer source, int index, int bytes) {
            source.boundsCheck(index, bytes);
            ByteBuffer room = room(bytes);
            source.getBytes(index, room.array(), 0, bytes);
            return room;
        }
    }

    // ---- writing

    /** Sets the value of a key, with the store's durability. */
    public long put(
            DirectBuffer key, int keyIndex, int keyLength, DirectBuffer value, int valueIndex, int valueLength) {
        return keyspace.put(keys.copy(key, keyIndex, keyLength), values.copy(value, valueIndex, valueLength));
    }

    /** Sets the value of a key, with a durability or a time to live of its own. */
    public long put(
            DirectBuffer key,
            int keyIndex,
            int keyLength,
            DirectBuffer value,
            int valueIndex,
            int valueLength,
            WriteOptions options) {
        return keyspace.put(keys.copy(key, keyIndex, keyLength), values.copy(value, valueIndex, valueLength), options);
    }

    /** Changes the value of a key by an operand, as {@link FlexDB#merge(ByteBuffer, ByteBuffer)}. */
    public long merge(
            DirectBuffer key, int keyIndex, int keyLength, DirectBuffer operand, int operandIndex, int operandLength) {
        return keyspace.merge(keys.copy(key, keyIndex, keyLength), values.copy(operand, operandIndex, operandLength));
    }

    /** Changes the value of a key by an operand, with a durability of its own. */
    public long merge(
            DirectBuffer key,
            int keyIndex,
            int keyLength,
            DirectBuffer operand,
            int operandIndex,
            int operandLength,
            WriteOptions options) {
        return keyspace.merge(
                keys.copy(key, keyIndex, keyLength), values.copy(operand, operandIndex, operandLength), options);
    }

    /** Removes a key, if it is there. */
    public long delete(DirectBuffer key, int keyIndex, int keyLength) {
        return keyspace.delete(keys.copy(key, keyIndex, keyLength));
    }

    /** Removes a key, if it is there, with a durability of its own. */
    public long delete(DirectBuffer key, int keyIndex, int keyLength, WriteOptions options) {
        return keyspace.delete(keys.copy(key, keyIndex, keyLength), options);
    }

    /** Removes all keys from one on to before another, as {@link FlexDB#deleteRange(ByteBuffer, ByteBuffer)}. */
    public long deleteRange(
            DirectBuffer from, int fromIndex, int fromLength, DirectBuffer to, int toIndex, int toLength) {
        return keyspace.deleteRange(keys.copy(from, fromIndex, fromLength), values.copy(to, toIndex, toLength));
    }

    /** Adds a put to a batch. */
    public void put(
            WriteBatch batch,
            DirectBuffer key,
            int keyIndex,
            int keyLength,
            DirectBuffer value,
            int valueIndex,
            int valueLength) {
        batch.put(keys.copy(key, keyIndex, keyLength), values.copy(value, valueIndex, valueLength));
    }

    /** Adds a put for some time to a batch. */
    public void put(
            WriteBatch batch,
            DirectBuffer key,
            int keyIndex,
            int keyLength,
            DirectBuffer value,
            int valueIndex,
            int valueLength,
            Duration ttl) {
        batch.put(keys.copy(key, keyIndex, keyLength), values.copy(value, valueIndex, valueLength), ttl);
    }

    /** Adds an operand to a batch. */
    public void merge(
            WriteBatch batch,
            DirectBuffer key,
            int keyIndex,
            int keyLength,
            DirectBuffer operand,
            int operandIndex,
            int operandLength) {
        batch.merge(keys.copy(key, keyIndex, keyLength), values.copy(operand, operandIndex, operandLength));
    }

    /** Adds a delete to a batch. */
    public void delete(WriteBatch batch, DirectBuffer key, int keyIndex, int keyLength) {
        batch.delete(keys.copy(key, keyIndex, keyLength));
    }

    /** Adds to a batch that all keys from one on to before another are removed. */
    public void deleteRange(
            WriteBatch batch,
            DirectBuffer from,
            int fromIndex,
            int fromLength,
            DirectBuffer to,
            int toIndex,
            int toLength) {
        batch.deleteRange(keys.copy(from, fromIndex, fromLength), values.copy(to, toIndex, toLength));
    }

    // ---- reading

    /**
     * Copies the value of a key to a buffer, from an index on. An expandable buffer grows if it has to.
     *
     * @return bytes of the value, or -1 if the key is absent
     * @throws IndexOutOfBoundsException if the buffer has less room and is not expandable
     * @throws IllegalStateException as {@link FlexDB#multiGet(List)}
     */
    public int get(
            DirectBuffer key,
            int keyIndex,
            int keyLength,
            MutableDirectBuffer newDestination,
            int newDestinationIndex) {
        ByteBuffer sought = keys.copy(key, keyIndex, keyLength);
        if (oneKey == null || oneKey.get(0) != sought) {
            oneKey = List.of(sought);
        }
        destination = newDestination;
        destinationIndex = newDestinationIndex;
        length = -1;
        try {
            keyspace.multiGet(oneKey, take);
            return length;
        } finally {
            destination = null;
        }
    }

    private void take(ByteBuffer value) {
        if (value != null) {
            int bytes = value.remaining();
            ByteBuffer room = values.room(bytes).put(value); // to use as little of the interface as can be
            destination.putBytes(destinationIndex, room.array(), 0, bytes);
            length = bytes;
        }
    }

    /** Whether the store has a key. */
    public boolean containsKey(DirectBuffer key, int keyIndex, int keyLength) {
        return keyspace.containsKey(keys.copy(key, keyIndex, keyLength));
    }

    /** Bytes of a key's value, or -1 if the key is absent. */
    public int valueLength(DirectBuffer key, int keyIndex, int keyLength) {
        return keyspace.valueLength(keys.copy(key, keyIndex, keyLength));
    }

    // ---- cursors

    /** Has a cursor go to the first pair whose key is not below the one given. */
    public void seek(FlexCursor cursor, DirectBuffer key, int keyIndex, int keyLength) {
        cursor.seek(keys.copy(key, keyIndex, keyLength));
    }

    /** Has a cursor go to the last pair whose key is not above the one given. */
    public void seekForPrev(FlexCursor cursor, DirectBuffer key, int keyIndex, int keyLength) {
        cursor.seekForPrev(keys.copy(key, keyIndex, keyLength));
    }

    /** Copies a cursor's key to a buffer, from an index on, and returns its length. */
    public int key(FlexCursor cursor, MutableDirectBuffer to, int index) {
        ByteBuffer room = keys.room(cursor.keyLength());
        int bytes = cursor.key(room);
        to.putBytes(index, room.array(), 0, bytes);
        return bytes;
    }

    /** Copies a cursor's value to a buffer, from an index on, and returns its length. */
    public int value(FlexCursor cursor, MutableDirectBuffer to, int index) {
        ByteBuffer room = values.room(cursor.valueLength());
        int bytes = cursor.value(room);
        to.putBytes(index, room.array(), 0, bytes);
        return bytes;
    }
}
