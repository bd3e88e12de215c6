package io.flexdb.files.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DirectoryCacheTest {
    private static final int EFFORT = Integer.getInteger("flexdb.test.effort", 1);

    private final DirectoryCache cache = new DirectoryCache();
    private final EntryKey key = EntryKey.of(FileTree.ROOT, "d");

    @Test
    void whatWasLookedUpBeforeSomethingWasForgottenIsNotKept() {
        long begun = cache.time();
        cache.keep(key, 7, begun);
        assertEquals(7, cache.get(key));
        cache.forget(key);
        assertNull(cache.get(key));
        cache.keep(key, 7, begun);
        assertNull(cache.get(key));
    }

    /** A number tells when its lookup began. */
    @Test
    void nobodyMeetsANumberThatHasBeenForgotten() throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        Thread keeper = new Thread(() -> {
            while (!ended.get()) {
                long begun = cache.time();
                cache.keep(key, begun, begun);
            }
        });
        keeper.start();
        try {
            for (int i = 0; i < 300_000 * EFFORT; i++) {
                cache.forget(key);
                long now = cache.time();
                Long found = cache.get(key);
                assertTrue(found == null || found >= now, "a number of " + found + " at " + now);
            }
        } finally {
            ended.set(true);
            keeper.join();
        }
    }
}
