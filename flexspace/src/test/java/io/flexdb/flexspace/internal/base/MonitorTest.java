package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MonitorTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;

    private final Monitor monitor = new Monitor();
    private long count; // under the lock

    @Test
    void oneThreadAtATimeHoldsItAsOftenAsItLikes() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    monitor.lock();
                    monitor.lock();
                    count++;
                    monitor.unlock();
                    count++;
                    monitor.unlock();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(2L * THREADS * ROUNDS, count);
    }

    @Test
    void whoeverWaitsIsWokenByEachOfTheOthers() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int mine = i;
            threads.add(new Thread(() -> {
                for (int round = 0; round < ROUNDS / 10; round++) { // in turn
                    monitor.lock();
                    try {
                        while (count % THREADS != mine) {
                            monitor.await();
                        }
                        count++;
                        monitor.signalAll();
                    } finally {
                        monitor.unlock();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals((long) THREADS * (ROUNDS / 10), count);
    }

    @Test
    void anInterruptStaysPending() throws InterruptedException {
        Thread.currentThread().interrupt();
        Monitor made = new Monitor();
        made.lock();
        Thread waker = new Thread(made::wake);
        waker.start();
        made.await();
        made.unlock();
        assertTrue(Thread.interrupted());
        waker.join();
    }

    @Test
    void aWaitWithALimitEndsAndLeavesAnInterruptPending() {
        Thread.currentThread().interrupt();
        monitor.lock();
        long before = System.nanoTime();
        monitor.await(5_000_000); // may end early for no reason
        while (System.nanoTime() - before < 5_000_000) {
            monitor.await(5_000_000);
        }
        monitor.unlock();
        assertTrue(Thread.interrupted());
    }

    @Test
    void onlyItsHolderGivesItUpOrSignals() {
        assertThrows(IllegalMonitorStateException.class, monitor::unlock);
        assertThrows(IllegalMonitorStateException.class, monitor::signalAll);
        assertThrows(IllegalMonitorStateException.class, monitor::await);
        monitor.wake();
    }
}
