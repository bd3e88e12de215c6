package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.flexspace.simulation.VirtualThreads;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFailedException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Futures of writes that become durable. */
class FlexDBWhenDurableTest {
    private static final Path WAL = Path.of("wal");
    private static final FlexDBOptions NONE = StoreDriver.SMALL.withDurability(Durability.NONE);

    private final SimulatedVfs vfs = new SimulatedVfs();
    private final AtomicInteger forces = new AtomicInteger();
    private volatile CountDownLatch forceBegun = new CountDownLatch(1);
    private volatile CountDownLatch mayForce = new CountDownLatch(0);
    private volatile boolean forcesFail;
    private final FlexDB db = open(NONE);

    private FlexDB open(FlexDBOptions options) {
        return open(options, StoreDriver.DIRECTORY, false);
    }

    private FlexDB open(FlexDBOptions options, Path directory, boolean inline) {
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            if (kind == HookedVfs.Kind.FORCE && path.getParent().endsWith(WAL)) {
                if (Thread.currentThread().getName().startsWith("flexdb-force")) { // not that of a new log
                    forces.incrementAndGet();
                    forceBegun.countDown();
                    Waiting.until(mayForce);
                }
                if (forcesFail) {
                    throw new StoreIoException("forcing", path, new IOException("Input/output error"));
                }
            }
        });
        return FlexDB.open(hooked, directory, options, inline);
    }

    @AfterEach
    void close() {
        mayForce.countDown();
        db.close();
    }

    private void holdForces() {
        forceBegun = new CountDownLatch(1);
        mayForce = new CountDownLatch(1);
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private long put(long number) {
        return db.put(key(number), key(number));
    }

    private static Throwable failureOf(CompletableFuture<Void> future) {
        return assertThrows(CompletionException.class, future::join).getCause();
    }

    @Test
    void itIsCompletedOnceTheWriteIsDurable() {
        long first = put(1);
        long second = put(2);
        assertEquals(0, db.durableSequence());
        db.whenDurable(first).join();
        assertTrue(db.durableSequence() >= first);
        db.whenDurable(second).join();
        assertTrue(db.durableSequence() >= second);
        int before = forces.get();
        assertTrue(db.whenDurable(first).isDone());
        assertTrue(db.whenDurable(0).isDone());
        assertEquals(before, forces.get(), "nothing is forced twice");
    }

    @Test
    void aNumberOfNoWriteIsRefused() {
        put(1);
        int before = forces.get();
        String expected = assertThrows(IllegalArgumentException.class, () -> db.awaitDurable(2))
                .getMessage();
        assertEquals(
                expected,
                assertThrows(IllegalArgumentException.class, () -> db.whenDurable(2))
                        .getMessage());
        assertEquals(before, forces.get());
    }

    @Test
    void thousandsShareOneForce() {
        put(0);
        holdForces();
        CompletableFuture<Void> first = db.whenDurable(1);
        Waiting.until(forceBegun);
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            long sequence = put(i);
            for (int j = 0; j < 100; j++) {
                pending.add(db.whenDurable(sequence));
            }
        }
        assertFalse(first.isDone());
        assertTrue(pending.stream().noneMatch(CompletableFuture::isDone));
        int before = forces.get();
        mayForce.countDown();
        first.join();
        CompletableFuture.allOf(pending.toArray(new CompletableFuture<?>[0])).join();
        assertEquals(51, db.durableSequence());
        assertTrue(forces.get() - before <= 3, () -> forces.get() - before + " forces, one for each log at most");
    }

    @Test
    void actionsRunOnNoThreadThatForcesAndHoldNothingUp() {
        long sequence = put(1);
        CountDownLatch acts = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicReference<String> actor = new AtomicReference<>();
        AtomicReference<List<StackTraceElement>> stack = new AtomicReference<>();
        holdForces();
        CompletableFuture<Void> done = db.whenDurable(sequence).thenRun(() -> {
            actor.set(Thread.currentThread().getName());
            stack.set(List.of(Thread.currentThread().getStackTrace()));
            acts.countDown();
            Waiting.until(mayEnd);
        });
        mayForce.countDown();
        Waiting.until(acts);
        assertTrue(actor.get().startsWith("flexdb-durable"), actor.get());
        assertTrue(
                stack.get().stream().noneMatch(frame -> frame.getClassName().contains("SharedForce")),
                () -> stack.get().toString());
        long other = put(2);
        db.awaitDurable(other); // forced although the action goes on
        assertTrue(db.whenDurable(other).isDone());
        CompletableFuture<Void> behind = db.whenDurable(put(3));
        db.sync();
        db.close();
        assertFalse(done.isDone());
        mayEnd.countDown();
        done.join();
        behind.join();
    }

    @Test
    void anActionMayWriteWaitAndCloseTheStore() {
        AtomicReference<CompletableFuture<Void>> inner = new AtomicReference<>();
        holdForces();
        CompletableFuture<Void> closed = db.whenDurable(put(1)).thenRun(() -> {
            db.put(key(2), key(2), WriteOptions.durability(Durability.SYNC));
            inner.set(db.whenDurable(put(3)));
            db.close();
        });
        mayForce.countDown();
        closed.join();
        inner.get().join();
        assertInstanceOf(StoreClosedException.class, failureOf(db.whenDurable(1)));
    }

    @Test
    void anActionThatThrowsOrInterruptsIsItsOwnAffair() {
        holdForces();
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        CompletableFuture<Void> one = db.whenDurable(put(1));
        CompletableFuture<Void> throwing = one.thenRun(() -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("own");
        });
        CompletableFuture<Void> other = db.whenDurable(put(2)).thenRun(() -> interrupted.set(Thread.interrupted()));
        mayForce.countDown();
        other.join();
        one.join();
        assertEquals("own", failureOf(throwing).getMessage());
        assertEquals(false, interrupted.get());
    }

    @Test
    void aCloseMakesDurableWhatIsPending() throws Exception {
        holdForces();
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pending.add(db.whenDurable(put(i)));
        }
        Waiting.until(forceBegun);
        Thread closing = new Thread(db::close);
        closing.start();
        mayForce.countDown();
        closing.join();
        for (CompletableFuture<Void> future : pending) {
            future.join();
        }
        assertThrows(StoreClosedException.class, () -> db.awaitDurable(1));
        assertInstanceOf(StoreClosedException.class, failureOf(db.whenDurable(1)));
    }

    @Test
    void aFailedForceFailsAllThatArePending() {
        holdForces();
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pending.add(db.whenDurable(put(i)));
        }
        AtomicReference<Throwable> seen = new AtomicReference<>();
        CompletableFuture<Void> recovered = pending.get(50).exceptionally(failure -> {
            seen.set(failure);
            db.close();
            return null;
        });
        Waiting.until(forceBegun);
        forcesFail = true;
        mayForce.countDown();
        for (CompletableFuture<Void> future : pending) {
            Throwable failure = failureOf(future);
            assertInstanceOf(StoreFailedException.class, failure);
            assertTrue(failure.getCause().getMessage().contains("Input/output error"), failure.toString());
        }
        recovered.join();
        assertInstanceOf(StoreFailedException.class, seen.get());
        assertInstanceOf(StoreClosedException.class, failureOf(db.whenDurable(1)));
    }

    @Test
    void aStoreThatHasFailedGivesWhatAwaitDurableThrows() {
        put(1);
        forcesFail = true;
        StoreFailedException thrown = assertThrows(StoreFailedException.class, db::sync);
        Throwable failure = failureOf(db.whenDurable(1));
        assertInstanceOf(StoreFailedException.class, failure);
        assertEquals(thrown.getCause(), failure.getCause());
    }

    @Test
    void oneThatIsCancelledStaysSoAndChangesNothingElse() {
        holdForces();
        CompletableFuture<Void> cancelled = db.whenDurable(put(1));
        CompletableFuture<Void> same = db.whenDurable(1);
        assertTrue(cancelled.cancel(true));
        mayForce.countDown();
        same.join();
        assertThrows(CancellationException.class, cancelled::join);
        assertTrue(db.durableSequence() >= 1);
    }

    @Test
    void withoutThreadsTheCallerForces() {
        FlexDB inline = open(NONE, Path.of("/inline"), true);
        long first = inline.put(key(1), key(1));
        AtomicInteger told = new AtomicInteger();
        CompletableFuture<Void> done = inline.whenDurable(first).thenRun(() -> {
            told.incrementAndGet();
            inline.whenDurable(inline.put(key(2), key(2))).thenRun(told::incrementAndGet);
        });
        assertTrue(done.isDone());
        assertEquals(2, told.get());
        assertEquals(first + 1, inline.durableSequence());
        long last = inline.put(key(3), key(3));
        forcesFail = true;
        assertInstanceOf(StoreFailedException.class, failureOf(inline.whenDurable(last)));
        inline.close();
        assertInstanceOf(StoreClosedException.class, failureOf(inline.whenDurable(last)));
        forcesFail = false;
    }

    @Test
    void interruptedThreadsGetThemLikeOthers() {
        Thread.currentThread().interrupt();
        CompletableFuture<Void> future = db.whenDurable(put(1));
        assertTrue(Thread.interrupted());
        future.join();
    }

    @Test
    void noCrashTakesWhatWasTold() throws InterruptedException {
        writeAndCrash(task -> {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        });
    }

    @Test
    void noCrashTakesWhatVirtualThreadsWereTold() throws InterruptedException {
        VirtualThreads.assumeThereAre();
        writeAndCrash(VirtualThreads::start);
    }

    /** Whatever was told before the power is cut, or the process is killed, is there when the store is opened again. */
    private void writeAndCrash(Function<Runnable, Thread> starter) throws InterruptedException {
        int writers = 4;
        int writes = Effort.times(300);
        Set<Long> told = ConcurrentHashMap.newKeySet();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger running = new AtomicInteger(writers);
        for (int w = 0; w < writers; w++) {
            int writer = w;
            threads.add(starter.apply(() -> {
                try {
                    CompletableFuture<Void> last = null;
                    for (int i = 0; i < writes; i++) {
                        long number = (long) i * writers + writer;
                        last = db.whenDurable(put(number)).thenRun(() -> told.add(number));
                        if (i % 10 == 0) {
                            last.join();
                        }
                    }
                    last.join();
                } catch (Throwable e) {
                    failure.set(e);
                }
                running.decrementAndGet();
            }));
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int crash = 0; running.get() > 0; crash++) {
            List<Long> before = List.copyOf(told);
            SimulatedVfs dead = vfs.copy();
            checkHas(crash % 4 == 0 ? dead.kill() : dead.crash(crash % 3 == 0 ? 0 : random.nextLong()), before);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
        assertEquals(writers * writes, told.size());
        checkHas(vfs.copy().crash(0), List.copyOf(told));
    }

    private static void checkHas(SimulatedVfs found, List<Long> told) {
        FlexDB again = StoreDriver.open(found, NONE);
        for (long number : told) {
            assertArrayEquals(key(number), again.get(key(number)), () -> "lost: " + number);
        }
        again.close();
    }
}
