package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class IntervalCacheThreadsTest {

    private final Epochs epochs = new Epochs();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Small regions and a working set of several times the cache, so memory is reused all the time. */
    @Test
    void eightThreadsNeverSeeAnotherContentThanTheyAskedFor() throws Exception {
        runOnEightThreads(new IntervalCache(epochs, 700_000, new OffHeap()), 4000, 1000, Effort.times(40_000));
    }

    /** Far more images fit into the regions than into the table, so slots change hands all the time. */
    @Test
    void slotsThatChangeHandsMisleadNobody() throws Exception {
        runOnEightThreads(new IntervalCache(epochs, 30_000, new OffHeap()), 200, 40, Effort.times(100_000));
    }

    private void runOnEightThreads(IntervalCache cache, int contents, int maxBytes, int reads) throws Exception {
        ByteBuffer[] images = new ByteBuffer[contents + 1];
        for (int content = 1; content <= contents; content++) {
            images[content] = Images.of(content, maxBytes);
        }
        Thread[] threads = new Thread[8];
        AtomicIntegerArray hints = new AtomicIntegerArray(contents + 1);
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> work(cache, images, hints, number, reads), "reader-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failure.get(), () -> "" + failure.get());
        assertTrue(cache.hits() > 1000 && cache.misses() > 1000, cache.toString());
        long found = 0;
        for (int content = 1; content <= contents; content++) {
            found += cache.contains(content) ? 1 : 0;
            for (int pair = 0; pair < 4; pair++) {
                found += cache.contains(KeptPair.contentNumber(content, pair)) ? 1 : 0;
            }
        }
        assertEquals(found, cache.entryCount());
    }

    private void work(IntervalCache cache, ByteBuffer[] images, AtomicIntegerArray hints, int number, int reads) {
        Random random = new Random(number);
        int contents = images.length - 1;
        try {
            for (int i = 0; i < reads && failure.get() == null; i++) {
                int content = 1 + Math.min(random.nextInt(contents), random.nextInt(contents));
                int ticket = epochs.enter();
                try {
                    read(cache, images[content], content, hints, random);
                    readPair(cache, content, random);
                } finally {
                    epochs.exit(ticket);
                }
                if (number == 0 && i % 10_000 == 9_999) {
                    for (int other = 1; other <= contents; other += 2) {
                        cache.forget(other);
                    }
                }
                if (number == 1 && i % 100 == 0) {
                    epochs.advance(); // a committer at work: the only thread that advances
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void read(
            IntervalCache cache, ByteBuffer image, int content, AtomicIntegerArray hints, Random random) {
        long location = cache.find(content, hints.get(content));
        if (location < 0 || cache.isDirectoryDue(location)) {
            location = random.nextInt(4) == 0
                    ? cache.insertOutline(image, 0)
                    : cache.insert(image, 0, random.nextInt(10) == 0);
            if (location >= 0) {
                hints.set(content, cache.hint(location));
            }
            return;
        }
        if (random.nextInt(4) == 0) { // else a hint may be of any age
            hints.set(content, cache.hint(location));
        }
        if (random.nextInt(8) == 0) {
            Thread.yield(); // so that others get to reuse the memory, if they are wrong to do so
        }
        if (Directory.isOutline(cache.buffer(location), cache.base(location))) {
            Images.assertIsOutline(image, cache.buffer(location), cache.base(location));
        } else {
            Images.assertIs(image, cache.buffer(location), cache.base(location));
        }
    }

    /** A pair's bytes follow from its interval and number. */
    private static void readPair(IntervalCache cache, int content, Random random) {
        int pair = random.nextInt(4);
        int bytes = 1 + (content + pair) % 200;
        ByteBuffer record = ByteBuffer.allocate(bytes);
        for (int at = 0; at < bytes; at++) {
            record.put(at, (byte) (content * 31 + pair * 7 + at));
        }
        ByteBuffer found = ByteBuffer.allocate(bytes);
        if (cache.copyPair(content, pair, bytes, found)) {
            assertEquals(record, found);
        } else if (random.nextInt(4) == 0) {
            cache.insertPair(content, pair, record, bytes);
        }
    }
}
