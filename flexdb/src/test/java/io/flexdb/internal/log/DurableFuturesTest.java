package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.SharedThreads;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.testing.Effort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DurableFuturesTest {
    private static final Path DIRECTORY = Path.of("/store/wal");

    private final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
    private final SharedThreads threads = new SharedThreads(SharedThreads.usualWorkers());
    private final Health health = new Health("the log", DIRECTORY, null);
    private final SharedForce force = new SharedForce(0, health, () -> {}, () -> {});
    private final WalWriter log = Writes.create(vfs, DIRECTORY, 1, 5, 1, 1 << 20, true);
    private final DurableFutures futures = new DurableFutures(force, health, () -> {}, threads, DIRECTORY);
    private long written;

    DurableFuturesTest() {
        force.add(log);
    }

    private long write() {
        Writes.append(log, ++written, 100);
        return written;
    }

    private boolean isEmpty() {
        return !futures.toString().contains("pending");
    }

    @Test
    void whoeverIsDoneWithOneHasItLeaveTheList() {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(futures.add(write()));
        }
        assertFalse(isEmpty());
        all.get(2).cancel(false);
        all.get(0).complete(null);
        all.get(4).completeExceptionally(new IllegalStateException("mine"));
        all.get(4).complete(null); // again
        assertThrows(CompletionException.class, all.get(1).orTimeout(1, TimeUnit.MICROSECONDS)::join);
        assertFalse(isEmpty());
        all.get(3).cancel(true);
        assertTrue(isEmpty());
        force.sync();
        assertTrue(all.get(2).isCancelled());
        assertFalse(all.get(0).isCompletedExceptionally());
        futures.end();
    }

    /** Against a list of what is pending: adds, cancels and forces in any order. */
    @Test
    void eachIsCompletedByTheForceThatReachesIt() {
        SplittableRandom random = new SplittableRandom(5);
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < Effort.times(2000); i++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    write();
                    pending.add(futures.add(written));
                }
                case 2 -> pending.add(futures.add(1 + random.nextLong(write())));
                case 3 -> {
                    if (!pending.isEmpty()) {
                        pending.remove(random.nextInt(pending.size())).cancel(false);
                    }
                }
                case 4 ->
                    assertFalse(
                            pending.stream().anyMatch(CompletableFuture::isCompletedExceptionally),
                            "completed wrongly");
                default -> {
                    if (random.nextInt(10) == 0) {
                        force.sync();
                        CompletableFuture.allOf(pending.toArray(new CompletableFuture<?>[0]))
                                .join();
                        assertTrue(isEmpty());
                        pending.clear();
                    }
                }
            }
        }
        force.sync();
        futures.end();
        CompletableFuture.allOf(pending.toArray(new CompletableFuture<?>[0])).join();
    }

    @Test
    void whatIsNeitherForcedNorFailedIsClosed() {
        CompletableFuture<Void> pending = futures.add(write());
        health.beginClose();
        futures.end();
        Throwable failure =
                assertThrows(CompletionException.class, pending::join).getCause();
        assertInstanceOf(StoreClosedException.class, failure);
        assertTrue(isEmpty());
        CompletableFuture<Void> late = futures.add(written);
        assertTrue(late.isCompletedExceptionally());
        assertTrue(isEmpty());
    }

    @Test
    void aFailureOfTheStoreFailsThem() {
        IllegalStateException cause = new IllegalStateException("broken");
        long durable = write();
        force.sync();
        CompletableFuture<Void> pending = futures.add(write());
        health.fail(cause);
        Throwable failure =
                assertThrows(CompletionException.class, pending::join).getCause();
        assertInstanceOf(StoreFailedException.class, failure);
        assertEquals(cause, failure.getCause());
        futures.add(durable).join();
        assertTrue(futures.add(written).isCompletedExceptionally());
        assertTrue(isEmpty());
        futures.end();
    }
}
