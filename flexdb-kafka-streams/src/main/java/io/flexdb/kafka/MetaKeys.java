package io.flexdb.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.TopicPartition;

/**
 * Keys of the keyspace {@code meta}: a store's name, a slash, which no name has, and what it is.
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
final class MetaKeys {
    private MetaKeys() {}

    static byte[] format(String store) {
        return bytes(store + "/format");
    }

    static byte[] offset(String store, TopicPartition partition) {
        return bytes(store + "/offset/" + partition.topic() + "/" + partition.partition());
    }

    /** The beginning of the keys of all offsets of a store. */
    static byte[] offsets(String store) {
        return bytes(store + "/offset/");
    }

    static byte[] position(String store) {
        return bytes(store + "/position");
    }

    static byte[] time(String store) {
        return bytes(store + "/time");
    }

    static byte[] ahead(String store) {
        return bytes(store + "/ahead");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
