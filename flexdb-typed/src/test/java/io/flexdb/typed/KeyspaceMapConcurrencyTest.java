package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A map that several threads change at once. */
class KeyspaceMapConcurrencyTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 500;

    @TempDir
    private Path directory;

    private FlexDB db;
    private ConcurrentNavigableMap<Integer, Long> map;

    @BeforeEach
    void open() {
        db = Stores.open(directory.resolve("data"));
        map = TypedKeyspace.open(db, "map", KeyCodec.ints(), Codec.longs()).asMap();
    }

    @AfterEach
    void close() {
        db.close();
    }

    /** Runs work in all threads, which begin together. */
    private static <T> List<T> inThreads(Callable<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch begin = new CountDownLatch(1);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                futures.add(threads.submit(() -> {
                    begin.await();
                    return work.call();
                }));
            }
            begin.countDown();
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void mergeAndComputeLoseNothing() throws Exception {
        inThreads(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                map.merge(i % 3, 1L, Long::sum);
                map.compute(3, (key, old) -> old == null ? 1 : old + 1);
                map.computeIfAbsent(4, key -> 0L);
                map.computeIfPresent(4, (key, old) -> old + 1);
            }
            return null;
        });
        assertEquals((long) THREADS * ROUNDS, map.get(0) + map.get(1) + map.get(2));
        assertEquals((long) THREADS * ROUNDS, map.get(3));
        assertEquals((long) THREADS * ROUNDS, map.get(4));
    }

    @Test
    void replaceAllLosesNothing() throws Exception {
        for (int key = 0; key < 40; key++) {
            map.put(key, 0L);
        }
        inThreads(() -> {
            map.replaceAll((key, old) -> old + 1);
            return null;
        });
        map.values().forEach(value -> assertEquals(THREADS, value));
    }

    @Test
    void onlyOneGetsEachOf() throws Exception {
        Set<Integer> polled = ConcurrentHashMap.newKeySet();
        for (int key = 0; key < ROUNDS; key++) {
            map.put(key, 1L);
        }
        List<Integer> counts = inThreads(() -> {
            int count = 0;
            for (Map.Entry<Integer, Long> entry = map.pollFirstEntry(); entry != null; entry = map.pollLastEntry()) {
                assertTrue(polled.add(entry.getKey()), "polled twice");
                count++;
            }
            return count;
        });
        assertEquals(ROUNDS, counts.stream().mapToInt(Integer::intValue).sum());
        assertTrue(map.isEmpty());
    }

    @Test
    void onlyOnePutsWhatIsAbsentAndRemovesWhatIsThere() throws Exception {
        List<Integer> won = inThreads(() -> {
            int count = 0;
            for (int key = 0; key < 100; key++) {
                count += map.putIfAbsent(key, 7L) == null ? 1 : 0;
            }
            return count;
        });
        assertEquals(100, won.stream().mapToInt(Integer::intValue).sum());
        List<Integer> removed = inThreads(() -> {
            int count = 0;
            for (int key = 0; key < 100; key++) {
                count += map.remove(key, 7L) ? 1 : 0;
            }
            return count;
        });
        assertEquals(100, removed.stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void iteratorsShowAllThatStaysOnceAndInOrder() throws Exception {
        int stays = 1000;
        for (int key = 0; key < stays; key++) {
            map.put(2 * key, (long) key);
        }
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try {
            Future<?> writes = writer.submit(() -> {
                for (int i = 0; !done.get(); i = (i + 1) % stays) {
                    map.put(2 * i + 1, 0L);
                    map.remove(2 * ((i + stays / 2) % stays) + 1);
                }
            });
            for (int round = 0; round < 20; round++) {
                List<Integer> up = new ArrayList<>(map.keySet());
                List<Integer> down = new ArrayList<>(map.descendingKeySet());
                for (List<Integer> keys : List.of(up, down)) {
                    Set<Integer> seen = new HashSet<>(keys);
                    assertEquals(keys.size(), seen.size());
                    assertEquals(
                            stays, seen.stream().filter(key -> key % 2 == 0).count());
                }
                assertEquals(up.stream().sorted().toList(), up);
            }
            done.set(true);
            writes.get();
        } finally {
            done.set(true);
            writer.shutdown();
        }
    }

    @Test
    void anIteratorSeesChangesBehindItsPage() {
        for (int key = 0; key < 100; key++) {
            map.put(key, 0L);
        }
        Iterator<Integer> keys = map.keySet().iterator();
        assertEquals(0, keys.next());
        map.subMap(50, 1000).clear();
        List<Integer> rest = new ArrayList<>();
        keys.forEachRemaining(rest::add);
        assertEquals(49, rest.get(rest.size() - 1));
        assertEquals(0, db.stats().holders().open().size());
    }

    @Test
    void anEntryThatHasChangedIsNotRemovedByAFilter() {
        map.put(1, 1L);
        map.put(2, 1L);
        assertTrue(map.entrySet().removeIf(entry -> {
            if (entry.getKey() == 1) {
                map.put(1, 5L);
            }
            return true;
        }));
        assertEquals(Map.of(1, 5L), map);
    }

    @Test
    void aFunctionThatFailsChangesNothing() {
        map.put(1, 1L);
        assertThrows(ArithmeticException.class, () -> map.merge(1, 0L, (old, divisor) -> old / divisor));
        assertThrows(NullPointerException.class, () -> map.replaceAll((key, old) -> null));
        assertEquals(1, map.get(1));
        assertNull(map.computeIfAbsent(2, key -> null));
        assertFalse(map.containsKey(2));
    }
}
