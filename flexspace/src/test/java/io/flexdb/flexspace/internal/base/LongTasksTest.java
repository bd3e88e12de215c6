package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.testing.Waiting;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LongTasksTest {
    private final LongTasks tasks = new LongTasks("the store");

    @Test
    void aTaskReturnsItsResult() {
        String result = tasks.run(task -> {
            task.goOn();
            return "done";
        });
        assertEquals("done", result);
        tasks.close();
        assertThrows(StoreClosedException.class, () -> tasks.run(task -> 6));
    }

    /** Its user may be the one who closes, and is not waited for. */
    @Test
    void aTaskEndsAtItsNextLookAfterItsUserHasClosed() {
        boolean[] wentOn = {false};
        assertThrows(
                StoreClosedException.class,
                () -> tasks.run(task -> {
                    task.tell(tasks::close);
                    wentOn[0] = true;
                    return null;
                }));
        assertFalse(wentOn[0]);
    }

    @Test
    void closingWaitsForTheStepThatIsUnderWay() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<String> order = new AtomicReference<>("");
        Thread worker = new Thread(() -> {
            try {
                tasks.run(task -> {
                    begun.countDown();
                    Waiting.until(goOn);
                    order.accumulateAndGet("step ", String::concat);
                    task.goOn();
                    return null;
                });
            } catch (StoreClosedException e) {
                order.accumulateAndGet("ended ", String::concat);
            }
        });
        worker.start();
        begun.await();
        Thread closer = new Thread(() -> {
            tasks.close();
            order.accumulateAndGet("closed ", String::concat);
        });
        closer.start();
        Waiting.whileTrue(() -> closer.getState() != Thread.State.WAITING);
        goOn.countDown();
        worker.join();
        closer.join();
        assertTrue(order.get().matches("step (ended closed|closed ended) "), order.get());
    }

    @Test
    void wantOfMemoryIsToldAsTheStoresUnlessItIsTheUsers() {
        OutOfMemoryError error = new OutOfMemoryError("for a test");
        StoreMemoryException thrown = assertThrows(
                StoreMemoryException.class,
                () -> tasks.run(task -> {
                    throw error;
                }));
        assertSame(error, thrown.getCause());
        assertSame(
                error,
                assertThrows(
                        OutOfMemoryError.class,
                        () -> tasks.run(task -> {
                            task.tell(() -> {
                                throw error;
                            });
                            return null;
                        })));
    }
}
