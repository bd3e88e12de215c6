package io.flexdb.flexspace.internal.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.flexspace.internal.vfs.BackgroundWorker;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PendingResultTest {
    private final BackgroundWorker worker = new RealVfs().worker("test-worker");

    @AfterEach
    void close() {
        worker.close();
    }

    @Test
    void theResultIsWaitedFor() {
        CountDownLatch asked = new CountDownLatch(1);
        PendingResult<Integer> first = new PendingResult<>(worker::start, () -> {
            try {
                asked.await();
                return 1;
            } catch (InterruptedException e) {
                return -1;
            }
        });
        PendingResult<Integer> second = new PendingResult<>(worker::start, () -> first.get() + 1);
        asked.countDown();
        assertEquals(2, second.get());
        assertEquals(2, second.get(), "again");
        assertEquals(1, first.get());
    }

    @Test
    void whoeverAsksHearsOfAFailure() {
        RuntimeException exception = new IllegalStateException();
        PendingResult<Object> failed = new PendingResult<>(worker::start, () -> {
            throw exception;
        });
        assertSame(exception, assertThrows(IllegalStateException.class, failed::get));
        Error error = new AssertionError();
        PendingResult<Object> broken = new PendingResult<>(worker::start, () -> {
            throw error;
        });
        assertSame(error, assertThrows(AssertionError.class, broken::get));
        assertSame(error, assertThrows(AssertionError.class, broken::get), "again");
    }
}
