package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.simulation.VirtualThreads;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

class VisibleSequenceTest {
    private static final int WAITERS = 300; // more than slots
    private static final int THREADS = 16;
    private static final int WRITES = Effort.times(500);
    private static final int MOST_ENTRIES = 4;

    private final Health health = new Health("the store", Path.of("store"), null);
    private final VisibleSequence visible = new VisibleSequence(0, health);
    private final ConcurrentLinkedQueue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private final AtomicInteger returned = new AtomicInteger();
    private final AtomicLong parks = new AtomicLong();

    @Test
    void aWriteWithoutPredecessorsIsVisibleAtOnce() {
        visible.advance(1, 3);
        visible.advance(4, 4);
        visible.await(3);
        visible.await(4);
        assertEquals(4, visible.get());
    }

    @Test
    void aLateWriterMakesAllBehindItVisibleAndWakesEachOnce() throws InterruptedException {
        List<Thread> threads = waitersBehindTheFirst();
        visible.advance(1, 1);
        assertEquals(2 * WAITERS + 1, visible.get()); // before any of them has run
        joinAll(threads);
        assertEquals(threads.size(), returned.get());
        // As often as it must; a park may end for no reason, but rarely does.
        assertTrue(parks.get() <= threads.size() + threads.size() / 10, () -> parks + " parks");
    }

    @Test
    void interruptsNeitherEndAWaitNorMakeItSpin() throws InterruptedException {
        List<Thread> threads = waitersBehindTheFirst();
        threads.forEach(Thread::interrupt);
        threads.forEach(VisibleSequenceTest::awaitParked);
        assertEquals(0, returned.get());
        visible.advance(1, 1);
        joinAll(threads);
        assertEquals(threads.size(), returned.get());
    }

    @Test
    void aFailureOfTheStoreEndsAllWaits() throws InterruptedException {
        health.onChange(visible::healthChanged);
        List<Thread> threads = waitersBehindTheFirst();
        health.fail(new IOException("the disk is gone"));
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, returned.get());
        assertEquals(threads.size(), problems.size());
        problems.forEach(problem -> assertEquals(StoreFailedException.class, problem.getClass()));
        assertThrows(StoreFailedException.class, () -> visible.advance(2, 3)); // a later one does not wait either
        assertThrows(StoreFailedException.class, () -> visible.await(1));
    }

    @Test
    void aStoreThatBecomesReadOnlyLetsWritesWithNumbersGoOn() throws InterruptedException {
        health.onChange(visible::healthChanged);
        List<Thread> threads = waitersBehindTheFirst();
        health.makeReadOnly(new IOException("unreadable"));
        assertEquals(0, returned.get());
        visible.advance(1, 1);
        joinAll(threads);
        assertEquals(threads.size(), returned.get());
    }

    /** Of each pair one makes two numbers visible, and one waits for them. */
    private List<Thread> waitersBehindTheFirst() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            long first = 2 + 2L * i;
            threads.add(new Thread(() -> checked(() -> visible.advance(first, first + 1), first + 1)));
            threads.add(new Thread(() -> checked(() -> visible.await(first + 1), first + 1)));
        }
        List<Thread> started = new ArrayList<>(threads);
        Collections.shuffle(started, new Random(7));
        started.forEach(Thread::start);
        started.forEach(VisibleSequenceTest::awaitParked);
        return threads;
    }

    private void checked(Runnable wait, long last) {
        try {
            wait.run();
            assertTrue(visible.get() >= last);
            returned.incrementAndGet();
            parks.addAndGet(parksOfThisThread());
        } catch (Throwable e) {
            problems.add(e);
        }
    }

    private static long parksOfThisThread() {
        ThreadInfo info = ManagementFactory.getThreadMXBean()
                .getThreadInfo(Thread.currentThread().getId());
        return info == null ? 0 : info.getWaitedCount(); // null for a virtual one
    }

    private void joinAll(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), List.copyOf(problems));
    }

    // ---- many writers

    /** Numbers as the write lock gives them, and which of them are inserted. */
    private final Object lock = new Object();

    private final AtomicLongArray inserted = new AtomicLongArray(THREADS * WRITES * MOST_ENTRIES + 1);
    private long lastGiven;

    @Test
    void whatIsVisibleIsInsertedWithAllBeforeItWhateverLosesItsProcessor() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            threads.add(new Thread(() -> checked(() -> write(seed), 0)));
        }
        threads.forEach(Thread::start);
        for (int i = 0; threads.stream().anyMatch(Thread::isAlive); i++) {
            threads.get(i % THREADS).interrupt();
            Thread.yield();
        }
        joinAll(threads);
        assertEquals(lastGiven, visible.get());
    }

    @Test
    void virtualThreadsThatAreInterruptedLeaveTheirCarriers() throws InterruptedException {
        VirtualThreads.assumeThereAre();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            threads.add(VirtualThreads.start(() -> checked(() -> write(seed), 0)));
        }
        for (int i = 0; threads.stream().anyMatch(Thread::isAlive); i++) {
            threads.get(i % THREADS).interrupt();
            Thread.yield();
        }
        joinAll(threads);
        assertEquals(lastGiven, visible.get());
    }

    private void write(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < WRITES; i++) {
            long first;
            long last;
            synchronized (lock) {
                first = lastGiven + 1;
                last = lastGiven + 1 + random.nextInt(MOST_ENTRIES);
                lastGiven = last;
            }
            if (random.nextInt(8) == 0) {
                Thread.yield(); // as one that loses its processor
            }
            for (long number = first; number <= last; number++) {
                inserted.set((int) number, 1);
            }
            if (random.nextInt(4) == 0) {
                visible.await(first - 1);
            }
            visible.advance(first, last);
            long seen = visible.get();
            assertTrue(seen >= last);
            assertEquals(1, inserted.get((int) seen));
            assertEquals(1, inserted.get((int) (1 + random.nextLong(seen))));
        }
    }

    private static void awaitParked(Thread thread) {
        Waiting.whileTrue(() -> thread.getState() != Thread.State.WAITING);
    }
}
