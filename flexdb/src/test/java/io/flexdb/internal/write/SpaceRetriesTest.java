package io.flexdb.internal.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writers that are refused for want of room, and the commit thread, which a thread of the test stands for. */
class SpaceRetriesTest {
    private final AtomicLong tries = new AtomicLong();
    private final AtomicLong visible = new AtomicLong(7);
    private final Health health = new Health("the store", Path.of("/store"), null);
    private final CountDownLatch tried = new CountDownLatch(1);
    private final WriteMonitor monitor = new WriteMonitor(health, tried::countDown, () -> {});
    private final SpaceRetries retries = new SpaceRetries(monitor, () -> {}, visible::get);
    private final Thread commits = new Thread(this::findNoRoom);

    private volatile Runnable duringTry = () -> {};

    private void findNoRoom() {
        do {
            duringTry.run();
            tries.incrementAndGet();
            retries.refused(new StoreFullException("no room, for a test"), false);
        } while (awaitWanted());
    }

    private boolean awaitWanted() {
        monitor.lock();
        try {
            while (!retries.beginWanted(!health.isUsable())) {
                monitor.await();
            }
            return health.isUsable();
        } finally {
            monitor.unlock();
        }
    }

    /** Returns how many tries a writer waits for; the one that it leaves behind has begun and ended then, too. */
    private long triesOfOneWriter() {
        return triesOfOneWriter(false);
    }

    private long triesOfOneWriter(boolean patient) {
        long before;
        long after;
        awaitEndOfTry(1);
        monitor.lock();
        try {
            before = tries.get();
            assertFalse(retries.await(patient), "there is no room");
            after = tries.get(); // as before if this did not wait, as it has the lock
        } finally {
            monitor.unlock();
        }
        awaitEndOfTry(after + 1);
        return after - before;
    }

    private void awaitEndOfTry(long number) {
        Waiting.whileTrue(() -> tries.get() < number || commits.getState() != Thread.State.WAITING);
    }

    @AfterEach
    void stop() throws InterruptedException {
        health.beginClose();
        monitor.wake();
        commits.join();
    }

    /**
     * A delete has its number a moment before it is visible. A try that begins in between does not see it, so who comes
     * next hopes for another one.
     */
    @Test
    void aDeleteThatIsNotVisibleYetIsHopeForTheNextTry() throws InterruptedException {
        commits.start();
        tried.await();
        triesOfOneWriter(); // who comes first always waits: deletes before that were not noted
        monitor.lock();
        retries.freed(8);
        monitor.unlock();
        assertTrue(triesOfOneWriter() > 0, "something was deleted");
        assertTrue(triesOfOneWriter() > 0, "which the last try did not see");
        visible.set(8);
        assertTrue(triesOfOneWriter() > 0, "nor this one");
        assertEquals(0, triesOfOneWriter(), "all that was deleted was tried with");
    }

    /** Nothing in the store tells of space that somebody else has made free on the disk: only a try finds it. */
    @Test
    void whoIsPatientWaitsForATryThatBeginsAfterIt() throws InterruptedException {
        commits.start();
        tried.await();
        triesOfOneWriter();
        assertEquals(0, triesOfOneWriter(), "nothing gives hope");
        for (int i = 0; i < 3; i++) {
            assertTrue(triesOfOneWriter(true) > 0, "nothing gives hope, and it waits all the same");
        }
    }

    /**
     * A try commits one memtable and finds no room for the next, all of it before a writer who waits has the lock. He
     * can go on, with one memtable less.
     */
    @Test
    void aCommitCountsThoughTheNextOneFindsNoRoomBeforeTheWriterLooks() throws InterruptedException {
        commits.start();
        tried.await();
        awaitEndOfTry(1);
        duringTry = () -> {
            monitor.lock();
            retries.committed(); // nobody is woken before the try has ended
            monitor.unlock();
        };
        monitor.lock();
        try {
            assertTrue(retries.await(false), "a memtable was committed");
            assertTrue(retries.isFull(), "and another one was not");
        } finally {
            monitor.unlock();
        }
    }
}
