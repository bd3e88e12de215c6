package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.Latencies;
import io.flexdb.internal.base.Operations;
import io.flexdb.storage.ConflictException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlexDBOperationsTest {
    private static final byte[] KEY = "key".getBytes(UTF_8);
    private static final byte[] VALUE = new byte[8];

    @TempDir
    private Path directory;

    @Test
    void eachKindOfOperationIsCounted() {
        FlexDBOptions options = FlexDBOptions.defaults().withMergeFunction(MergeFunction.ADD);
        try (FlexDB db = FlexDB.open(directory.resolve("store"), options)) {
            db.put(KEY, VALUE);
            db.putIfAbsent(KEY, VALUE); // a get, as it is there
            db.merge(KEY, VALUE);
            db.get(KEY);
            db.containsKey(KEY);
            db.multiGet(List.of(KEY, KEY, KEY));
            db.write(new WriteBatch().put(KEY, VALUE).delete(KEY));
            db.delete(KEY);
            db.cursor().close();
            db.transact(transaction -> transaction.put(KEY, VALUE));
            Transaction first = db.begin();
            first.put(KEY, VALUE);
            db.deleteRange(KEY, null);
            assertThrows(ConflictException.class, first::commit);

            FlexDBStats.Operations counted = db.stats().operations();
            assertEquals(6, counted.gets());
            assertEquals(1, counted.puts());
            assertEquals(1, counted.merges());
            assertEquals(1, counted.batches());
            assertEquals(2, counted.deletes());
            assertEquals(1, counted.scans());
            assertEquals(2, counted.transactionsBegun());
            assertEquals(1, counted.transactionsCommitted());
            assertEquals(1, counted.transactionsConflicted());
            assertEquals(0, counted.writeStalls());
            assertEquals(0, counted.writeStallNanos());
        }
    }

    @Test
    void oneOfSixtyFourOperationsIsTimed() {
        try (FlexDB db = FlexDB.open(directory.resolve("store"))) {
            for (int i = 0; i < 640; i++) {
                db.put(KEY, VALUE);
                db.get(KEY);
            }
            FlexDBStats.Latencies timed = db.stats().latencies();
            for (FlexDBStats.Latency latency : List.of(timed.gets(), timed.writes())) {
                assertEquals(10, latency.samples());
                assertTrue(latency.medianNanos() > 0);
                assertTrue(latency.medianNanos() <= latency.p99Nanos());
                assertTrue(latency.p99Nanos() <= latency.p999Nanos());
                assertTrue(latency.p999Nanos() <= latency.maxNanos());
            }
            assertEquals(0, timed.transactionCommits().samples());
            assertEquals(0, timed.transactionCommits().maxNanos());
        }
    }

    @Test
    void aHistogramIsRightToASixteenth() {
        for (long nanos = 1; nanos < 1L << 39; nanos = nanos * 17 / 16 + 1) {
            Latencies one = new Latencies();
            one.add(nanos);
            assertEquals(nanos, one.nanosOf(0.5), nanos / 16.0, () -> "durations");
        }
        Latencies many = new Latencies();
        for (int i = 1; i <= 1000; i++) {
            many.add(i * 1000L);
        }
        assertEquals(1000, many.count());
        assertEquals(500_000, many.nanosOf(0.5), 500_000 / 16.0);
        assertEquals(990_000, many.nanosOf(0.99), 990_000 / 16.0);
        many.add(Long.MAX_VALUE);
        many.add(-1);
        assertEquals(1L << 40, many.nanosOf(1), (1L << 40) / 16.0);
    }

    @Test
    void threadsCountWithoutLosses() throws InterruptedException {
        Operations operations = new Operations();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 10_000; j++) {
                    operations.begin(Operations.SCANS);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(80_000, operations.sum(Operations.SCANS));
        assertEquals(0, operations.sum(Operations.GETS));
    }
}
