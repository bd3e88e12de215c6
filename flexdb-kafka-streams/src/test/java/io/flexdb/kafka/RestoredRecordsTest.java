package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class RestoredRecordsTest {
    private static final long MORE_THAN_ALL_MAY = 1L << 40; // counted only

    @Test
    void aStoreIsNotAskedToWriteAfterEachRecordSinceOthersHaveTooMany() {
        RestoredRecords one = new RestoredRecords();
        RestoredRecords other = new RestoredRecords();
        other.take(MORE_THAN_ALL_MAY);
        try {
            assertTrue(other.areMany());
            assertFalse(one.areManyInAll(), "it has none");
            one.take(100);
            one.reached(new TopicPartition("changelog", 0), 7);
            assertFalse(one.areMany());
            assertTrue(one.areManyInAll());
        } finally {
            other.clear();
        }
        assertFalse(one.areManyInAll());
        one.clear();
        assertTrue(one.isEmpty());
    }
}
