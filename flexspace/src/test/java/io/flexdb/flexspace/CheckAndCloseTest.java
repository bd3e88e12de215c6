package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.check.SpaceChecker;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A check ends when its space is closed: what others do to the files then is none of its business. */
class CheckAndCloseTest {
    private static final int BLOCK = 500;
    private static final int BLOCKS = 2000;

    private final WatchedVfs vfs = new WatchedVfs(new SimulatedVfs());
    private final ExecutorService checking = Executors.newSingleThreadExecutor();
    private final FlexSpace space = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL);

    CheckAndCloseTest() {
        Random random = new Random(6);
        for (int i = 0; i < BLOCKS; i++) {
            space.insertRange(
                    random.nextInt(i + 1) * (long) BLOCK, ByteBuffer.wrap(SpaceOracle.randomBytes(random, BLOCK)));
        }
        space.sync();
    }

    @AfterEach
    void end() {
        checking.shutdownNow();
        space.close();
    }

    private static void assertEndsAsClosed(Future<?> check) {
        ExecutionException thrown = assertThrows(ExecutionException.class, check::get);
        assertSame(StoreClosedException.class, thrown.getCause().getClass(), () -> "" + thrown.getCause());
    }

    @Test
    void aCheckOfAClosedSpaceFindsNothingInWhatCameAfterIt() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch reopened = new CountDownLatch(1);
        Future<CheckReport> check = checking.submit(() -> space.check((bytes, ofBytes) -> {
            told.countDown();
            Waiting.until(reopened);
        }));
        told.await();
        space.close();
        byte[] content;
        try (FlexSpace again = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
            Random random = new Random(7);
            for (int i = 0; i < 3 * BLOCKS; i++) {
                byte[] block = SpaceOracle.randomBytes(random, BLOCK);
                again.write(random.nextInt(BLOCKS) * (long) BLOCK, ByteBuffer.wrap(block));
            }
            again.checkpoint();
            content = SpaceOracle.contentOf(again);
            reopened.countDown();
            assertEndsAsClosed(check);
            assertTrue(again.check().isSound());
        }
        try (FlexSpace again = FlexSpace.open(vfs, CrashHistory.DIRECTORY, CrashHistory.SMALL)) {
            assertArrayEquals(content, SpaceOracle.contentOf(again));
        }
    }

    @Test
    void closingWaitsForAReadOfACheckAndNoneFollows() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean closed = new AtomicBoolean();
        AtomicInteger operationsAfter = new AtomicInteger();
        Thread[] checker = {null};
        vfs.watch(operation -> {
            if (Thread.currentThread() == checker[0]) {
                operationsAfter.addAndGet(closed.get() ? 1 : 0);
                if (operation.equals("read data")) {
                    reading.countDown();
                    Waiting.until(goOn);
                }
            }
        });
        Future<CheckReport> check = checking.submit(() -> {
            checker[0] = Thread.currentThread();
            return space.check();
        });
        reading.await();
        ExecutorService closing = Executors.newSingleThreadExecutor();
        AtomicReference<Thread> closer = new AtomicReference<>();
        Future<?> close = closing.submit(() -> {
            closer.set(Thread.currentThread());
            space.close();
            closed.set(true);
        });
        Waiting.whileTrue(() -> !isClosing() || !waitsForCheck(closer.get()));
        assertFalse(closed.get(), "closed while the check reads");
        goOn.countDown();
        close.get();
        closing.shutdown();
        assertEndsAsClosed(check);
        assertEquals(0, operationsAfter.get(), "file operations of the check after the close");
    }

    /** Whether a check knows that a thread closes the space, which waits for it. */
    private static boolean waitsForCheck(Thread closer) {
        return closer.getState() == Thread.State.WAITING
                && Arrays.stream(closer.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(SpaceChecker.class.getName())
                                && frame.getMethodName().equals("end"));
    }

    private boolean isClosing() {
        try {
            space.size();
            return false;
        } catch (StoreClosedException e) {
            return true;
        }
    }

    @Test
    void whoeverIsToldOfProgressMayClose() throws Exception {
        Future<CheckReport> check = checking.submit(() -> space.check((bytes, ofBytes) -> space.close()));
        assertEndsAsClosed(check);
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("flexdb-check"))
                .count();
        assertEquals(0, threads, "threads left behind");
    }
}
