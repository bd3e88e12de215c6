package io.flexdb.base.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EventCountTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = Effort.times(2000);

    private final EventCount events = new EventCount();
    private final AtomicLong count = new AtomicLong();

    @Test
    void noSignalIsMissed() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int mine = i;
            threads.add(new Thread(() -> {
                for (int round = 0; round < ROUNDS / THREADS; round++) { // in turn
                    events.await(turn -> count.get() % THREADS == turn, mine);
                    count.incrementAndGet();
                    events.signal();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (int i = 0; threads.stream().anyMatch(Thread::isAlive); i++) {
            threads.get(i % THREADS).interrupt();
            Thread.yield();
        }
        assertEquals((long) ROUNDS / THREADS * THREADS, count.get());
    }

    @Test
    void aConditionIsAskedOncePerSignalAndNotMeanwhile() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        Thread thread = new Thread(() -> {
            events.await(
                    least -> {
                        asked.incrementAndGet();
                        return count.get() >= least;
                    },
                    2);
            assertTrue(Thread.currentThread().isInterrupted());
        });
        thread.start();
        thread.interrupt();
        awaitParked(thread);
        int before = asked.get();
        count.set(1);
        events.signal();
        Waiting.whileTrue(() -> asked.get() == before);
        awaitParked(thread);
        assertTrue(
                asked.get() <= before + 2, () -> asked.get() - before + " times"); // and again when it is in the list
        count.set(2);
        events.signal();
        thread.join();
    }

    private static void awaitParked(Thread thread) {
        Waiting.whileTrue(() -> thread.getState() != Thread.State.WAITING);
    }
}
