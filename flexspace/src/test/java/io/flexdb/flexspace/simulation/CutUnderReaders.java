package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** A real data file, which may be mapped, becomes shorter under eight threads that read it. */
public final class CutUnderReaders<S extends AutoCloseable> {
    /** What reads the file. */
    public interface Subject<S> {
        S open();

        /** Reads something and compares it with what was written. */
        void read(S opened, Random random);

        /** Reads all of it when the file is whole again. */
        void verify(S opened, String at);
    }

    private static final int THREADS = 8;
    private static final int ROUNDS = Effort.times(4);
    private static final int GOOD_BEFORE_THE_CUT = 2_000;
    private static final int AFTER_THE_CUT = 2_000;

    private final Path data;
    private final Subject<S> subject;

    /** What should leave no thread. */
    private final Queue<Throwable> untyped = new ConcurrentLinkedQueue<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong good = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private final AtomicInteger ended = new AtomicInteger();
    private volatile boolean cut;
    private volatile int dimension = 1;

    /** @param data the file */
    public CutUnderReaders(Path data, Subject<S> subject) {
        this.data = data;
        this.subject = subject;
    }

    /**
     * Fails unless reads fail by exceptions of their type, and nothing else does, and all is well with the whole file.
     *
     * @param whole where a copy of it may be
     */
    public void run(Path whole, long seed) throws Exception {
        Files.copy(data, whole);
        for (int round = 0; round < ROUNDS; round++) {
            String at = "seed " + seed + ", round " + round;
            cutUnderReaders(new Random(seed + round));
            assertEquals(List.of(), List.copyOf(untyped), at);
            Files.copy(whole, data, StandardCopyOption.REPLACE_EXISTING);
            S opened = subject.open();
            try {
                subject.verify(opened, at);
            } finally {
                opened.close();
            }
            Files.copy(data, whole, StandardCopyOption.REPLACE_EXISTING);
        }
        System.out.println(good + " good reads, " + bad + " storage exceptions, " + untyped.size()
                + " errors without a type, " + ended + " of " + ROUNDS * THREADS
                + " threads ended as they should, seed "
                + seed);
        assertEquals(ROUNDS * THREADS, ended.get(), "threads that ended as they should");
        assertTrue(bad.get() > 0, "no read has met the cut");
    }

    private void cutUnderReaders(Random random) throws Exception {
        cut = false;
        long enough = good.get() + GOOD_BEFORE_THE_CUT;
        S opened = subject.open();
        try {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random own = new Random(random.nextLong());
                threads.add(new Thread(() -> read(opened, own), "reader-" + i));
            }
            threads.forEach(thread -> thread.setUncaughtExceptionHandler((dead, e) -> untyped.add(e)));
            threads.forEach(Thread::start);
            Waiting.whileTrue(() -> good.get() < enough && untyped.isEmpty());
            long bytes = Files.size(data);
            try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE)) {
                for (int step = 0; step < 4; step++) {
                    bytes = step == 3 ? 0 : (long) (bytes * random.nextDouble());
                    channel.truncate(bytes);
                    Thread.yield();
                    cut = step > 0;
                }
            }
            for (Thread thread : threads) {
                thread.join(Waiting.LONGEST.toMillis());
                assertFalse(thread.isAlive(), thread + " hangs");
            }
        } finally {
            closeQuietly(opened);
        }
    }

    private void read(S opened, Random random) {
        int left = AFTER_THE_CUT;
        while (left > 0) {
            left -= cut ? 1 : 0;
            lock.lock(); // what a fault that is delivered late strikes as well as anything
            try {
                subject.read(opened, random);
                good.incrementAndGet();
            } catch (StoreIoException | CorruptionException e) {
                bad.incrementAndGet();
            } finally {
                lock.unlock();
            }
        }
        assertTrue(new byte[dimension][dimension].length > 0); // gives the JVM an occasion to deliver what is pending
        ended.incrementAndGet();
    }

    /** Nothing was written, so close may find the file too short, or not look at it. */
    private void closeQuietly(S opened) {
        try {
            opened.close();
        } catch (StoreIoException | CorruptionException e) {
            bad.incrementAndGet();
        } catch (Throwable e) {
            untyped.add(e);
        }
    }
}
