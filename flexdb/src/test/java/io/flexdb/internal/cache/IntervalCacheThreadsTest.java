package io.flexdb.internal.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flextree.internal.Epochs;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class IntervalCacheThreadsTest {
    private static final int EFFORT = Integer.getInteger("flexdb.test.effort", 1);
    private static final int CONTENTS = 4000;
    private static final int BUDGET = 700_000;

    private final Epochs epochs = new Epochs();
    private final IntervalCache cache = new IntervalCache(epochs, BUDGET);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final ByteBuffer[] images = new ByteBuffer[CONTENTS + 1];

    /** Small regions and a working set five times the cache, so memory is reused all the time. */
    @Test
    void eightThreadsNeverSeeAnotherContentThanTheyAskedFor() throws Exception {
        for (int content = 1; content <= CONTENTS; content++) {
            images[content] = Images.of(content, 100);
        }
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> work(number), "reader-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failure.get(), () -> "" + failure.get());
        assertTrue(cache.hits() > 1000 && cache.misses() > 1000, cache.toString());
        assertTrue(cache.memoryBytes() <= BUDGET);
        long found = 0;
        for (int content = 1; content <= CONTENTS; content++) {
            found += cache.contains(content) ? 1 : 0;
        }
        assertEquals(found, cache.entryCount());
    }

    private void work(int number) {
        Random random = new Random(number);
        try {
            for (int i = 0; i < 40_000 * EFFORT && failure.get() == null; i++) {
                int skewed = Math.min(random.nextInt(CONTENTS), random.nextInt(CONTENTS));
                int content = 1 + skewed;
                int ticket = epochs.enter();
                try {
                    long location = cache.find(content);
                    if (location >= 0) {
                        if (random.nextInt(8) == 0) {
                            Thread.yield(); // so that others get to reuse the memory, if they are wrong to do so
                        }
                        Images.assertIs(images[content], cache.buffer(location), cache.base(location));
                    } else {
                        ByteBuffer image = images[content];
                        cache.insert(content, image, 0, image.capacity(), random.nextInt(10) == 0);
                    }
                } finally {
                    epochs.exit(ticket);
                }
                if (number == 0 && i % 10_000 == 9_999) {
                    cache.clear();
                }
                if (number == 1 && i % 100 == 0) {
                    epochs.advance(); // a committer at work: the only thread that advances
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }
}
