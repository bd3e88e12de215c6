package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;

class BenchmarkRecordsTest {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 4000;

    private final BenchmarkRecords records = new BenchmarkRecords(PARTITIONS, 400);

    @Test
    void aKeyIsInOnePartitionAndAllKeysAreThere() {
        Map<Bytes, Integer> partitions = new HashMap<>();
        for (long record = 0; record < RECORDS; record++) {
            Bytes key = Bytes.wrap(records.key(record));
            int partition = records.partition(record);
            assertEquals(partition, partitions.merge(key, partition, (before, now) -> before));
            assertEquals(partition, records.keyNumber(record) % PARTITIONS);
        }
        assertEquals(400, partitions.size());
    }

    @Test
    void theLatestValueOfAKeyIsItsLastRecords() {
        long[] latest = records.latest(RECORDS);
        Map<Bytes, byte[]> store = new HashMap<>();
        for (long record = 0; record < RECORDS; record++) {
            store.put(Bytes.wrap(records.key(record)), records.value(record));
        }
        store.forEach((key, value) -> assertTrue(records.isLatest(key.get(), value, latest)));
        assertFalse(records.isLatest(records.key(0), records.value(0), latest), "it was written again");
        assertFalse(records.isLatest(new byte[3], records.value(0), latest));
        assertFalse(records.isLatest(records.key(0), records.value(0), records.latest(0)), "there was none yet");
    }

    @Test
    void recordsAreTheSameEachTime() {
        BenchmarkRecords others = new BenchmarkRecords(PARTITIONS, 400);
        assertArrayEquals(records.key(17), others.key(17));
        assertArrayEquals(records.value(17), others.value(17));
        assertEquals(BenchmarkRecords.KEY_BYTES, records.key(17).length);
        assertEquals(BenchmarkRecords.VALUE_BYTES, records.value(17).length);
        assertNotEquals(Bytes.wrap(records.value(17)), Bytes.wrap(records.value(18)));
    }

    @Test
    void fewerKeysThanPartitionsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new BenchmarkRecords(PARTITIONS, 3));
    }
}
