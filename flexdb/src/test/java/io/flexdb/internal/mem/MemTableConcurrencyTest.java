package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.KeyHash;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many threads write one table while others read it, by the rules of its owner. */
class MemTableConcurrencyTest {
    private static final int WRITERS = 4;
    private static final int READERS = 2;

    /** The owner: numbers given under a lock, inserts in parallel, numbers made visible in order. */
    private static final class Store {
        final MemTable table = MemTable.allocate(1, 1 << 20);
        final AtomicInteger underWay = new AtomicInteger();
        final AtomicLong visible = new AtomicLong();
        final Map<Long, Long> finished = new HashMap<>();
        long next = 1;

        boolean write(Payloads payload) {
            long first;
            int reserved;
            synchronized (this) {
                first = next;
                reserved = table.reserve(payload.bodyBytes(), payload.entries(), first);
                if (reserved == MemTable.NONE) {
                    return false;
                }
                next += payload.entries();
                underWay.incrementAndGet();
            }
            table.insertAll(payload.bytes(), 0, payload.length(), first, reserved);
            becomeVisible(first, first + payload.entries() - 1);
            return true;
        }

        private synchronized void becomeVisible(long first, long last) {
            finished.put(first, last);
            for (Long end; (end = finished.remove(visible.get() + 1)) != null; ) {
                visible.set(end);
                underWay.decrementAndGet();
            }
        }
    }

    @Test
    void readersSeeAllThatIsVisibleWhileWritersInsert() throws Exception {
        for (int round = 0; round < Effort.times(6); round++) {
            System.out.println("seed " + round);
            stress(round, round % 3 == 0 ? 20 : round % 3 == 1 ? 2_000 : 1_000_000);
        }
    }

    private static void stress(long seed, int keys) throws InterruptedException, ExecutionException {
        Store store = new Store();
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + READERS);
        List<Future<?>> writers = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            SplittableRandom random = new SplittableRandom(seed * 100 + w);
            writers.add(threads.submit(() -> write(store, random, keys)));
        }
        List<Future<?>> readers = new ArrayList<>();
        for (int r = 0; r < READERS; r++) {
            SplittableRandom random = new SplittableRandom(seed * 100 + 50 + r);
            readers.add(threads.submit(() -> {
                do {
                    readOnce(store, random, keys);
                } while (store.underWay.get() > 0 || writers.stream().anyMatch(w -> !w.isDone()));
            }));
        }
        for (Future<?> each : writers) {
            each.get();
        }
        for (Future<?> each : readers) {
            each.get();
        }
        threads.shutdown();
        assertEquals(0, store.underWay.get());
        assertEquals(store.next - 1, store.table.entryCount());
        MemTableChecker.check(store.table);
    }

    /**
     * Each write is a batch of twins: the same key in two families, so that a reader can tell a part from the whole.
     */
    private static void write(Store store, SplittableRandom random, int keys) {
        Payloads payload = new Payloads();
        int ascending = 0;
        do {
            payload.clear();
            int twins = 1 + random.nextInt(3);
            boolean inOrder = random.nextInt(4) == 0;
            for (int i = 0; i < twins; i++) {
                int number = inOrder ? keys + ascending++ : random.nextInt(keys);
                payload.put(key('a', number), new byte[8]).put(key('b', number), new byte[24]);
            }
        } while (store.write(payload));
    }

    private static byte[] key(char family, int number) {
        return String.format(Locale.ROOT, "%c%08d", family, number).getBytes(StandardCharsets.US_ASCII);
    }

    private static void readOnce(Store store, SplittableRandom random, int keys) {
        long snapshot = store.visible.get();
        MemTable table = store.table;
        for (int i = 0; i < 100; i++) {
            int number = random.nextInt(keys + 100);
            long a = sequenceOf(table, key('a', number), snapshot);
            long b = sequenceOf(table, key('b', number), snapshot);
            assertEquals(a == 0 ? 0 : a + 1, b);
        }
        MemTableCursor cursor = new MemTableCursor();
        cursor.reset(table, snapshot);
        int forward = 0;
        long sum = 0;
        byte[] previous = null;
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            byte[] key = new byte[table.keyLength(cursor.ref())];
            table.copyKey(cursor.ref(), key, 0);
            assertTrue(previous == null || VersionedModel.KEY_ORDER.compare(previous, key) < 0);
            assertTrue(table.sequence(cursor.ref()) <= snapshot);
            sum += key[0] == 'a' ? table.sequence(cursor.ref()) + 1 : -table.sequence(cursor.ref());
            previous = key;
            forward++;
        }
        assertEquals(0, sum);
        int backward = 0;
        cursor.reset(table, snapshot);
        for (cursor.seekToLast(); cursor.isValid() && backward < 2000; cursor.previous()) {
            assertNotEquals(MemTable.NONE, cursor.ref());
            backward++;
        }
        assertEquals(Math.min(forward, 2000), backward);
    }

    private static long sequenceOf(MemTable table, byte[] key, long snapshot) {
        int ref = table.find(key, 0, key.length, KeyHash.hash(key, 0, key.length), snapshot);
        return ref == MemTable.NONE ? 0 : table.sequence(ref);
    }
}
