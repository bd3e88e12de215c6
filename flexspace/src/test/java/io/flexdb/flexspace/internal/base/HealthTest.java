package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.HealthListener;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreHealth.State;
import io.flexdb.storage.StoreReadOnlyException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HealthTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final Throwable DAMAGE = new IllegalStateException("damage");
    private static final Throwable FAILURE = new IllegalStateException("a failed write");

    private final Logger logger = Logger.getLogger("io.flexdb");
    private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listenToTheLog() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void leaveTheLog() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    private static Health health(HealthListener listener) {
        return new Health("the store", DIRECTORY, listener);
    }

    private static void assertIs(Health health, State state, Throwable cause) {
        assertEquals(new StoreHealth(state, cause), health.current());
        assertEquals(state == State.USABLE, health.isUsable());
        assertEquals(state == State.USABLE || state == State.READ_ONLY, health.isReadable());
    }

    @Test
    void itGoesFromUsableToReadOnlyToFailedToClosedAndTellsEachOnce() {
        List<StoreHealth> told = new CopyOnWriteArrayList<>();
        Health health = health(told::add);
        assertIs(health, State.USABLE, null);
        health.requireUsable();
        health.requireReadable();

        health.makeReadOnly(DAMAGE);
        health.makeReadOnly(FAILURE);
        assertIs(health, State.READ_ONLY, DAMAGE);
        health.requireReadable();
        health.requireNotFailed();
        assertSame(
                DAMAGE,
                assertThrows(StoreReadOnlyException.class, health::requireUsable)
                        .getCause());

        health.fail(FAILURE);
        health.fail(DAMAGE);
        health.makeReadOnly(DAMAGE);
        assertIs(health, State.FAILED, FAILURE);
        assertSame(
                FAILURE,
                assertThrows(StoreFailedException.class, health::requireUsable).getCause());
        assertSame(
                FAILURE,
                assertThrows(StoreFailedException.class, health::requireReadable)
                        .getCause());
        assertThrows(StoreFailedException.class, health::requireNotFailed);

        health.beginClose();
        assertIs(health, State.CLOSED, FAILURE);
        assertThrows(StoreClosedException.class, health::requireUsable);
        assertThrows(StoreClosedException.class, health::requireReadable);
        assertThrows(StoreFailedException.class, health::requireNotFailed);
        health.endClose();
        health.endClose();
        assertEquals(
                List.of(
                        new StoreHealth(State.READ_ONLY, DAMAGE),
                        new StoreHealth(State.FAILED, FAILURE),
                        new StoreHealth(State.CLOSED, FAILURE)),
                told);
        assertEquals(2, logged.size());
        assertEquals(Level.WARNING, logged.get(0).getLevel());
        assertSame(DAMAGE, logged.get(0).getThrown());
        assertEquals(Level.SEVERE, logged.get(1).getLevel());
        assertSame(FAILURE, logged.get(1).getThrown());
        assertTrue(logged.get(1).getMessage().contains(DIRECTORY.toString()));
    }

    @Test
    void anExceptionThatRepeatsACauseIsNoCauseOfItsOwn() {
        Health health = health(null);
        health.makeReadOnly(new StoreReadOnlyException(DAMAGE));
        health.fail(new StoreFailedException(FAILURE));
        health.endClose();
        assertSame(FAILURE, health.current().cause());
        assertSame(DAMAGE, logged.get(0).getThrown());
    }

    @Test
    void aStoreThatFailsWhileItIsBeingClosedIsClosedAndHasFailed() {
        List<StoreHealth> told = new CopyOnWriteArrayList<>();
        Health health = health(told::add);
        health.beginClose();
        health.fail(FAILURE);
        assertTrue(health.hasFailed());
        assertIs(health, State.CLOSED, FAILURE);
        health.endClose();
        assertEquals(List.of(new StoreHealth(State.FAILED, FAILURE), new StoreHealth(State.CLOSED, FAILURE)), told);
    }

    @Test
    void aListenerMayTakeTheLocksOfWhoeverMetTheFailureAndCloseTheStore() throws InterruptedException {
        Object lock = new Object();
        CountDownLatch closed = new CountDownLatch(1);
        List<Health> it = new ArrayList<>();
        Health health = health(to -> {
            synchronized (lock) {
                if (to.state() == State.FAILED) {
                    it.get(0).beginClose();
                    it.get(0).endClose(); // which waits for nobody here
                } else {
                    closed.countDown();
                }
            }
        });
        it.add(health);
        synchronized (lock) {
            health.fail(FAILURE);
            assertIs(health, State.FAILED, FAILURE);
        }
        closed.await();
        assertIs(health, State.CLOSED, FAILURE);
    }

    @Test
    void whatAListenerThrowsIsLoggedAndTheNextChangeIsTold() {
        List<State> told = new CopyOnWriteArrayList<>();
        Error mistake = new AssertionError("a mistake of the listener");
        Health health = health(to -> {
            told.add(to.state());
            throw mistake;
        });
        health.makeReadOnly(DAMAGE);
        health.beginClose();
        health.endClose();
        assertEquals(List.of(State.READ_ONLY, State.CLOSED), told);
        assertEquals(3, logged.size());
        assertSame(mistake, logged.get(1).getThrown());
        assertSame(mistake, logged.get(2).getThrown());
    }

    @Test
    void reactionsRunBeforeTheChangeReturnsAndSeeIt() {
        Health health = health(null);
        List<State> seen = new ArrayList<>();
        health.onChange(() -> seen.add(health.current().state()));
        health.makeReadOnly(DAMAGE);
        assertEquals(List.of(State.READ_ONLY), seen);
        health.fail(FAILURE);
        assertEquals(List.of(State.READ_ONLY, State.FAILED), seen);
        health.endClose();
    }

    @Test
    void whatIsClosedWellIsNotLoggedAndLeavesNoThread() {
        Health health = health(null);
        health.beginClose();
        health.endClose();
        assertIs(health, State.CLOSED, null);
        assertTrue(logged.isEmpty());
        assertFalse(Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("flexdb-health")));
        assertNull(health.current().cause());
    }

    @Test
    void anOpeningThatFailedIsNoChangeOfHealth() {
        List<StoreHealth> told = new CopyOnWriteArrayList<>();
        Health health = health(told::add);
        health.abandon(FAILURE);
        health.endClose();
        assertTrue(health.hasFailed());
        assertTrue(told.isEmpty());
        assertTrue(logged.isEmpty());
    }

    @Test
    void noStateButUsableAndClosedIsWithoutACause() {
        assertThrows(IllegalArgumentException.class, () -> new StoreHealth(State.FAILED, null));
        assertThrows(IllegalArgumentException.class, () -> new StoreHealth(State.READ_ONLY, null));
        assertThrows(NullPointerException.class, () -> new StoreHealth(null, DAMAGE));
        assertNull(new StoreHealth(State.CLOSED, null).cause());
    }

    /** As at the end of a stack, or where there is no memory. */
    @Test
    void aReactionThatThrowsKeepsNoneOfTheOthersFromRunningAndRunsOnceMore() throws InterruptedException {
        Health health = health(null);
        CountDownLatch repeated = new CountDownLatch(2);
        CountDownLatch others = new CountDownLatch(1);
        health.onChange(() -> {
            repeated.countDown();
            if (repeated.getCount() > 0) {
                throw new StackOverflowError("for a test");
            }
        });
        health.onChange(others::countDown);
        health.fail(FAILURE);
        assertEquals(0, others.getCount());
        repeated.await();
        assertIs(health, State.FAILED, FAILURE);
        health.beginClose();
        health.endClose(); // which waits for the log, or the next test would find this entry
        assertEquals(1, logged.size());
    }
}
