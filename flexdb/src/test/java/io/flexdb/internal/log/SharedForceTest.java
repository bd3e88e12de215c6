package io.flexdb.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.base.Health;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SharedForceTest {
    private static final Path DIRECTORY = Path.of("/store/wal");
    private static final int THREADS = 8;
    private static final int WRITES = 200;

    /** A store that logs and nothing else. */
    private static final class Store {
        final SimulatedVfs vfs = new SimulatedVfs(DIRECTORY);
        final AtomicInteger failures = new AtomicInteger();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Health health = new Health("the log", DIRECTORY, null);
        final SharedForce group = new SharedForce(0, health, () -> {}, () -> {});
        final List<WalWriter> writers = new ArrayList<>();
        long sequence;

        Store() {
            health.onChange(() -> {
                failure.set(health.current().cause());
                failures.incrementAndGet();
            });
        }

        synchronized long write() {
            if (writers.isEmpty() || !writers.get(writers.size() - 1).hasRoom(200)) {
                int number = writers.size() + 1;
                WalWriter next = Writes.create(vfs, DIRECTORY, number, 5, number, 16_384, true);
                writers.add(next);
                group.add(next);
            }
            Writes.append(writers.get(writers.size() - 1), ++sequence, 100);
            return sequence;
        }
    }

    @Test
    void whatWasAwaitedIsDurableAndForcesAreShared() throws Exception {
        Store store = new Store();
        AtomicLong highest = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            boolean interrupt = t % 2 == 0;
            all.add(threads.submit(() -> {
                for (int i = 0; i < WRITES; i++) {
                    if (interrupt) {
                        Thread.currentThread().interrupt();
                    }
                    long sequence = store.write();
                    store.group.awaitDurable(sequence);
                    assertTrue(store.group.durableSequence() >= sequence);
                    highest.accumulateAndGet(store.group.durableSequence(), Math::max);
                    assertEquals(interrupt, Thread.interrupted(), "the interrupt must be kept");
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
        threads.shutdown();
        assertEquals(THREADS * WRITES, store.group.durableSequence());
        assertEquals(THREADS * WRITES, highest.get());
        assertEquals(0, store.failures.get());
        WalRecovery recovery = WalRecovery.open(store.vfs.crash(0), DIRECTORY, 5);
        assertEquals(THREADS * WRITES, recovery.replay(0, (s, p) -> {}));
    }

    @Test
    void whoComesDuringAForceWaitsForTheNextOne() {
        Store store = new Store();
        for (int i = 0; i < 50; i++) {
            store.write();
        }
        int before = store.vfs.forceCount(name -> !name.equals(DIRECTORY.toString()));
        store.group.awaitDurable(10);
        assertEquals(50, store.group.durableSequence());
        store.group.awaitDurable(50);
        store.group.sync();
        assertEquals(before + 1, store.vfs.forceCount(name -> !name.equals(DIRECTORY.toString())));
    }

    @Test
    void anOlderLogIsForcedBeforeAYoungerCounts() {
        Store store = new Store();
        while (store.writers.size() < 3) {
            store.write();
        }
        store.vfs.startTrace();
        store.group.sync();
        List<String> forces = new ArrayList<>();
        for (String line : store.vfs.trace()) {
            if (line.startsWith("force")) {
                forces.add(line);
            }
        }
        assertEquals(
                List.of(
                        "force " + DIRECTORY.resolve(WalFormat.fileName(1)),
                        "force " + DIRECTORY.resolve(WalFormat.fileName(2)),
                        "force " + DIRECTORY.resolve(WalFormat.fileName(3))),
                forces);
        assertEquals(store.sequence, store.group.durableSequence());
    }

    @Test
    void aFailedForceFailsAllWhoWaitAndAllWhoCome() throws Exception {
        for (int round = 0; round < 20; round++) {
            Store store = new Store();
            store.write();
            store.group.sync();
            store.vfs.failAt(store.vfs.operationCount() + 1 + round * 3, Fault.FORCE_FAILS);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            AtomicLong acknowledged = new AtomicLong();
            List<Future<Boolean>> all = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                all.add(threads.submit(() -> {
                    try {
                        for (int i = 0; i < WRITES; i++) {
                            long sequence = store.write();
                            store.group.awaitDurable(sequence);
                            acknowledged.accumulateAndGet(sequence, Math::max);
                        }
                        return false;
                    } catch (StoreFailedException | StoreIoException e) {
                        return true;
                    }
                }));
            }
            for (Future<Boolean> each : all) {
                assertTrue(each.get());
            }
            threads.shutdown();
            checkFailed(store, acknowledged.get());
        }
    }

    private static void checkFailed(Store store, long acknowledged) {
        store.vfs.clearFaults();
        long durable = store.group.durableSequence();
        assertTrue(durable >= acknowledged);
        if (store.failures.get() > 0) { // otherwise it was the making of a file that failed
            assertEquals(1, store.failures.get());
            StoreFailedException e =
                    assertThrows(StoreFailedException.class, () -> store.group.awaitDurable(store.sequence));
            assertSame(store.failure.get(), e.getCause());
            assertTrue(store.group.toString().contains("failed="), store.group.toString());
        }
        store.group.awaitDurable(durable); // what was durable stays so
        WalRecovery recovery = WalRecovery.open(store.vfs.crash(0), DIRECTORY, 5);
        assertTrue(recovery.replay(0, (s, p) -> {}) >= acknowledged);
    }

    @Test
    void ofAFailedForceAndALostLockBothAreTold() {
        Store store = new Store();
        StoreIoException lost = new StoreIoException("reading", DIRECTORY, new IOException("the lock is lost"));
        SharedForce group = new SharedForce(0, store.health, () -> {}, () -> {
            throw lost;
        });
        WalWriter writer = Writes.create(store.vfs, DIRECTORY, 1, 5, 1, 16_384, true);
        group.add(writer);
        Writes.append(writer, 1, 100);
        store.vfs.failAt(store.vfs.operationCount() + 1, Fault.FORCE_FAILS);
        StoreFailedException e = assertThrows(StoreFailedException.class, () -> group.awaitDurable(1));
        assertTrue(e.getCause().getMessage().contains("Input/output error"), "the first failure: " + e.getCause());
        assertSame(lost, e.getCause().getSuppressed()[0]);
        assertEquals(0, group.durableSequence());
    }

    @Test
    void aNumberThatWasNeverWrittenIsRefused() {
        Store store = new Store();
        store.write();
        assertThrows(IllegalArgumentException.class, () -> store.group.awaitDurable(2));
        assertEquals(1, store.group.durableSequence());
    }
}
