package io.flexdb.kafka;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import io.flexdb.WriteOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.internals.PositionSerde;

/**
 * The entries of a store in the keyspace {@code meta}, beside its data. A key is the store's name, a slash, which no name
 * has, and the kind of the entry. Changes are handed to a consumer, which writes them with the data; it gets null for a
 * value to delete a key. For the thread that writes to the store.
 *
 * <table>
 *   <caption>entries</caption>
 *   <tr><th>key</th><th>value</th></tr>
 *   <tr><td>{@code store/format}</td><td>what the store is: {@link StoreFormat}, as text</td></tr>
 *   <tr><td>{@code store/offset/topic/partition}</td><td>changelog offset, 8 bytes</td></tr>
 *   <tr><td>{@code store/position}</td><td>position in the input topics, as Kafka Streams encodes it</td></tr>
 *   <tr><td>{@code store/time}</td><td>the highest time that the store has seen, 8 bytes</td></tr>
 *   <tr><td>{@code store/ahead}</td><td>empty: the store may have writes beyond its offset</td></tr>
 * </table>
 */
final class StoreMeta {
    private static final WriteOptions UNFORCED = WriteOptions.durability(Durability.NONE);
    private static final byte[] EMPTY = {};

    private final String store;
    private final Keyspace meta;

    StoreMeta(String store, Keyspace meta) {
        this.store = store;
        this.meta = meta;
    }

    static byte[] offsetKey(String store, TopicPartition partition) {
        return key(store, "offset/" + partition.topic() + "/" + partition.partition());
    }

    static byte[] timeKey(String store) {
        return key(store, "time");
    }

    private static byte[] key(String store, String entry) {
        return (store + "/" + entry).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] key(String entry) {
        return key(store, entry);
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static Long number(byte[] bytes) {
        return bytes == null ? null : ByteBuffer.wrap(bytes).getLong();
    }

    // ---- format

    /** The format, as text; null if the store is new. */
    String format() {
        byte[] encoded = meta.get(key("format"));
        return encoded == null ? null : new String(encoded, StandardCharsets.UTF_8);
    }

    void addFormat(BiConsumer<byte[], byte[]> writes, StoreFormat format) {
        writes.accept(key("format"), format.encode());
    }

    // ---- the mark of writes beyond the offset; written at once, and not forced

    boolean isAhead() {
        return meta.containsKey(key("ahead"));
    }

    void markAhead() {
        meta.put(key("ahead"), EMPTY, UNFORCED);
    }

    void clearAhead() {
        meta.delete(key("ahead"), UNFORCED);
    }

    // ---- offsets, position and time

    /** The offset of a partition of the changelog, or null. */
    Long offset(TopicPartition partition) {
        return number(meta.get(offsetKey(store, partition)));
    }

    Position position() {
        byte[] stored = meta.get(key("position"));
        return stored == null ? Position.emptyPosition() : PositionSerde.deserialize(ByteBuffer.wrap(stored));
    }

    /** The time, or -1. */
    long time() {
        Long stored = number(meta.get(timeKey(store)));
        return stored == null ? -1 : stored;
    }

    void addTime(BiConsumer<byte[], byte[]> writes, long time) {
        writes.accept(timeKey(store), bytes(time));
    }

    void addPosition(BiConsumer<byte[], byte[]> writes, Position position) {
        ByteBuffer encoded = PositionSerde.serialize(position);
        byte[] array = new byte[encoded.remaining()];
        encoded.get(array);
        writes.accept(key("position"), array);
    }

    /**
     * Adds offsets. One that is null is removed; if there are none at all, all that are stored are.
     *
     * @return whether any was removed: the store is marked then, since nobody knows what is wrong with it
     */
    boolean addOffsets(BiConsumer<byte[], byte[]> writes, Map<TopicPartition, Long> offsets) {
        boolean removed = offsets.isEmpty() && removeOffsets(writes);
        for (Map.Entry<TopicPartition, Long> entry : offsets.entrySet()) {
            Long offset = entry.getValue();
            writes.accept(offsetKey(store, entry.getKey()), offset == null ? null : bytes(offset));
            removed |= offset == null;
        }
        if (removed) {
            writes.accept(key("ahead"), EMPTY);
        }
        return removed;
    }

    /** Returns whether there were some: a store without a changelog has none. */
    private boolean removeOffsets(BiConsumer<byte[], byte[]> writes) {
        boolean any = false;
        try (FlexCursor cursor = meta.cursor(ReadOptions.defaults().withPrefix(key("offset/")))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                writes.accept(cursor.key(), null);
                any = true;
            }
        }
        return any;
    }
}
