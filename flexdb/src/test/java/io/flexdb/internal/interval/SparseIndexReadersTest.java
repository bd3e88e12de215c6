package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SparseIndexReadersTest {
    private static final int KEYS = 3000;

    private final Epochs epochs = new Epochs();
    private final SparseIndex index = new SparseIndex(epochs, 8, 8, new OffHeap());
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile IndexView published = index.current();
    private volatile boolean done;

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "reader%05d", i).getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * In every view all intervals have the same content number, and each has as many bytes as pairs, so a reader can
     * tell a mixture of two versions, and memory that was reused too early.
     */
    @Test
    void readersSeeWholeVersionsWhileTheWriterSplitsAndJoins() throws Exception {
        epochs.advance(); // the first view is published
        Thread[] readers = new Thread[3];
        for (int i = 0; i < readers.length; i++) {
            int seed = i;
            readers[i] = new Thread(() -> read(seed), "reader-" + i);
            readers[i].start();
        }
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        Random random = new Random(seed);
        try {
            for (int i = 0; i < Effort.times(20_000) && failure.get() == null; i++) {
                write(random);
                if (i % 3 == 0) {
                    published = index.current();
                    epochs.advance();
                    index.reclaim();
                }
            }
        } finally {
            done = true;
        }
        for (Thread reader : readers) {
            reader.join();
        }
        assertNull(failure.get(), () -> "-Dflexdb.test.seed=" + seed + " " + failure.get());
        IndexChecker.check(index);
    }

    private void write(Random random) {
        byte[] key = key(random.nextInt(KEYS));
        Interval at = new Interval();
        index.find(index.current(), key, 0, key.length, at);
        if (random.nextInt(2) == 0 && index.intervalCount() > 200) {
            index.mergeWithPrevious(key, 0, key.length, 1);
            return;
        }
        int bytes = random.nextInt(1000);
        IntervalReplacement r = new IntervalReplacement().first(bytes, bytes, 1);
        byte[] anchor = new byte[at.anchorLength()];
        at.anchor(anchor);
        if (!Arrays.equals(anchor, key)) {
            r.add(key, 0, key.length, 17, 17, 1);
        }
        index.replace(key, 0, key.length, r);
    }

    private void read(int seed) {
        Random random = new Random(seed);
        Interval found = new Interval();
        IntervalCursor cursor = index.cursor();
        try {
            while (!done) {
                int ticket = epochs.enter();
                try {
                    IndexView view = published;
                    for (int i = 0; i < 10; i++) {
                        byte[] key = key(random.nextInt(KEYS));
                        index.find(view, key, 0, key.length, found);
                        assertEquals(found.pairCount(), found.lengthBytes());
                        assertTrue(found.isBelowUpperAnchor(key, 0, key.length));
                    }
                    if (random.nextInt(10) == 0) {
                        scan(view, cursor);
                    }
                } finally {
                    epochs.exit(ticket);
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void scan(IndexView view, IntervalCursor cursor) {
        long offset = 0;
        long count = 0;
        cursor.first(view);
        do {
            assertEquals(offset, cursor.logicalOffset());
            assertEquals(cursor.pairCount(), cursor.lengthBytes());
            offset += cursor.lengthBytes();
            count++;
        } while (cursor.next());
        assertEquals(view.totalBytes(), offset);
        assertEquals(view.intervalCount(), count);
    }
}
