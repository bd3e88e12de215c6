package io.flexdb.base.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WaiterTest {
    private static final int ROUNDS = Effort.times(5000);

    private final Waiter waiter = new Waiter();

    @Test
    void anInterruptNeitherEndsAWaitNorGetsLost() throws InterruptedException {
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread thread = new Thread(() -> {
            Thread.currentThread().interrupt();
            waiter.begin();
            waiter.await();
            interrupted.set(Thread.interrupted());
        });
        thread.start();
        for (int i = 0; i < 3; i++) {
            awaitParked(thread); // it does not spin
            thread.interrupt();
        }
        awaitParked(thread);
        waiter.wake();
        thread.join();
        assertTrue(interrupted.get());
    }

    @Test
    void aWaitWithALimitEndsByTheTimeOrByBeingWoken() {
        waiter.begin();
        Thread.currentThread().interrupt();
        long before = System.nanoTime();
        assertFalse(waiter.await(2_000_000));
        assertTrue(System.nanoTime() - before >= 2_000_000);
        assertTrue(Thread.interrupted());
        waiter.wake();
        assertTrue(waiter.await(Long.MAX_VALUE / 2));
    }

    @Test
    void aThreadThatHasNotParkedGetsNoPermit() throws InterruptedException {
        AtomicBoolean go = new AtomicBoolean();
        Thread thread = new Thread(() -> {
            waiter.begin();
            waiter.wake();
            waiter.await();
            waiter.begin();
            waiter.await(1);
            waiter.wake();
            while (!go.get()) {
                LockSupport.park();
            }
        });
        thread.start();
        awaitParked(thread);
        go.set(true);
        LockSupport.unpark(thread);
        thread.join();
    }

    @Test
    void itIsUsedAgainAsSoonAsItWasWokenWhileInterruptsCome() throws InterruptedException {
        AtomicReference<Waiter> posted = new AtomicReference<>();
        AtomicInteger woken = new AtomicInteger();
        Thread waits = new Thread(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                waiter.begin();
                posted.set(waiter);
                waiter.await();
                assertEquals(round + 1, woken.get());
            }
        });
        Thread wakes = new Thread(() -> {
            while (woken.get() < ROUNDS) {
                Waiter found = posted.getAndSet(null);
                if (found != null) {
                    woken.incrementAndGet();
                    found.wake();
                }
                if (!waits.isAlive()) {
                    return; // it has failed
                }
            }
        });
        waits.start();
        wakes.start();
        while (wakes.isAlive()) {
            waits.interrupt();
            Thread.yield();
        }
        waits.join();
        assertEquals(ROUNDS, woken.get());
    }

    private static void awaitParked(Thread thread) {
        Waiting.whileTrue(() -> thread.getState() != Thread.State.WAITING);
    }
}
