package io.flexdb.files.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.flexdb.testing.Effort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

class DirectoryCacheTest {

    private final DirectoryCache cache = new DirectoryCache();
    private final EntryKey key = EntryKey.of(FileTree.ROOT, "d");
    private final EntryKey other = EntryKey.of(FileTree.ROOT, "e");

    private static long notAsked() {
        return fail("the store is asked for what is kept");
    }

    @Test
    void theStoreIsAskedOnceForADirectoryAndAgainWhenItWasForgotten() throws IOException {
        assertEquals(7, cache.find(key, () -> 7));
        assertEquals(7, cache.find(key, DirectoryCacheTest::notAsked));
        cache.forget(key);
        assertEquals(8, cache.find(key, () -> 8));
        assertEquals(8, cache.find(key, DirectoryCacheTest::notAsked));
    }

    @Test
    void whatIsNotThereAndWhatCanNotBeReadIsNotKept() throws IOException {
        assertEquals(DirectoryCache.NONE, cache.find(key, () -> DirectoryCache.NONE));
        assertThrows(
                IOException.class,
                () -> cache.find(key, () -> {
                    throw new IOException("no reading today");
                }));
        assertEquals(9, cache.find(key, () -> 9));
    }

    @Test
    void whatWasLookedUpBeforeSomethingWasForgottenIsNotKept() throws IOException {
        for (EntryKey forgotten : List.of(key, other)) {
            long old = cache.find(key, () -> {
                cache.forget(forgotten); // by somebody else, who has deleted it since it was read
                return 7;
            });
            assertEquals(7, old, "who looks meanwhile may go by the old one");
            assertEquals(8, cache.find(key, () -> 8));
            cache.forget(key);
        }
    }

    @Test
    void moreDirectoriesThanItKeepsAreFoundAllTheSame() throws IOException {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 70_000; i++) {
                long number = i;
                assertEquals(number, cache.find(EntryKey.of(number, "d"), () -> number));
            }
        }
    }

    /** A number tells when its lookup began. */
    @Test
    void nobodyMeetsANumberThatHasBeenForgotten() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong now = new AtomicLong();
        ExecutorService keeper = Executors.newSingleThreadExecutor();
        Future<?> keeping = keeper.submit(() -> {
            while (!ended.get()) {
                cache.find(key, now::get);
            }
            return null;
        });
        try {
            for (int i = 0; i < Effort.times(300_000); i++) {
                long changed = now.incrementAndGet(); // in the store, before it is forgotten
                cache.forget(key);
                long found = cache.find(key, now::get);
                assertTrue(found >= changed, "a number of " + found + " at " + changed);
            }
        } finally {
            ended.set(true);
            keeping.get();
            keeper.shutdown();
        }
    }

    /** What directories are called changes under those who look for them, and whoever has changed one finds it so. */
    @Test
    void onceAllIsQuietTheCacheSaysWhatTheStoreSays() throws Exception {
        int names = 4;
        AtomicLongArray store = new AtomicLongArray(names);
        EntryKey[] keys = new EntryKey[names];
        for (int i = 0; i < names; i++) {
            keys[i] = EntryKey.of(FileTree.ROOT, "d" + i);
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < Effort.times(200); round++) {
                List<Future<?>> running = new ArrayList<>();
                for (int thread = 0; thread < 4; thread++) {
                    Random random = new Random(4L * round + thread);
                    boolean changes = thread < 2;
                    running.add(threads.submit(() -> {
                        for (int i = 0; i < 200; i++) {
                            int name = random.nextInt(names);
                            if (changes) {
                                store.incrementAndGet(name);
                                cache.forget(keys[name]);
                            }
                            long found = cache.find(keys[name], () -> store.get(name));
                            assertTrue(found <= store.get(name));
                        }
                        return null;
                    }));
                }
                for (Future<?> each : running) {
                    each.get();
                }
                for (int name = 0; name < names; name++) {
                    int of = name;
                    assertEquals(store.get(of), cache.find(keys[of], () -> store.get(of)), "round " + round);
                }
            }
        } finally {
            threads.shutdown();
        }
    }
}
