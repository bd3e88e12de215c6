package io.flexdb.kafka;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Records of a changelog, as Kafka Streams writes them. */
final class Changelog {
    private Changelog() {}

    static ConsumerRecord<byte[], byte[]> window(long offset, byte[] key, long start, int number, byte[] value) {
        byte[] stored = ByteBuffer.allocate(key.length + 12)
                .put(key)
                .putLong(start)
                .putInt(number)
                .array();
        return versioned(offset, stored, start, value);
    }

    static ConsumerRecord<byte[], byte[]> session(long offset, byte[] key, long start, long end, byte[] value) {
        byte[] stored = ByteBuffer.allocate(key.length + 16)
                .put(key)
                .putLong(end)
                .putLong(start)
                .array();
        return versioned(offset, stored, end, value);
    }

    static ConsumerRecord<byte[], byte[]> versioned(long offset, byte[] key, long time, byte[] value) {
        return new ConsumerRecord<>(
                "test-store-changelog",
                0,
                offset,
                time,
                TimestampType.CREATE_TIME,
                key.length,
                value == null ? 0 : value.length,
                key,
                value,
                new RecordHeaders(),
                Optional.empty());
    }
}
