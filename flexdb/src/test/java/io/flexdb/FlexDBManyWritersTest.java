package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.simulation.VirtualThreads;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More threads that write than there are processors, and interrupts all the time. */
class FlexDBManyWritersTest {
    private static final int THREADS = 200;
    private static final int PUTS = Effort.times(20);
    private static final int INTERRUPTED = 7; // every so many a put begins in an interrupted thread

    @TempDir
    private Path directory;

    private final AtomicInteger lostInterrupts = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private FlexDB open(Durability durability) {
        return FlexDB.open(
                directory.resolve("store"),
                FlexDBOptions.defaults()
                        .withDurability(durability)
                        .withMemtableBytes(256 << 10)
                        .withCacheBytes(1 << 20)
                        .withSpace(FlexSpaceOptions.defaults().withSegments(256 << 10, 4096)));
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void threadsThatAreInterruptedWrite(Durability durability) throws InterruptedException {
        write(durability, task -> {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        });
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void virtualThreadsThatAreInterruptedWrite(Durability durability) throws InterruptedException {
        VirtualThreads.assumeThereAre();
        write(durability, VirtualThreads::start);
    }

    private void write(Durability durability, Function<Runnable, Thread> starter) throws InterruptedException {
        try (FlexDB db = open(durability)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int writer = i;
                threads.add(starter.apply(() -> putAll(db, writer, PUTS)));
            }
            joinAll(threads);
            assertEquals(0, lostInterrupts.get());
            for (int writer = 0; writer < THREADS; writer++) {
                for (int i = 0; i < PUTS; i++) {
                    assertArrayEquals(key(writer, i), db.get(key(writer, i)));
                }
            }
        }
    }

    @Test
    void aStoreIsClosedWhileManyWrite() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        try (FlexDB db = open(Durability.SYNC)) {
            for (int i = 0; i < THREADS; i++) {
                int writer = i;
                threads.add(new Thread(() -> putAll(db, writer, Integer.MAX_VALUE)));
            }
            threads.forEach(Thread::start);
            Waiting.whileTrue(() -> db.durableSequence() < THREADS);
            Thread.currentThread().interrupt();
        }
        assertTrue(Thread.interrupted());
        joinAll(threads);
        assertEquals(THREADS, closed.get());
    }

    private void putAll(FlexDB db, int writer, int puts) {
        try {
            for (int i = 0; i < puts; i++) {
                boolean interrupted = (writer + i) % INTERRUPTED == 0;
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                db.put(key(writer, i), key(writer, i));
                if (interrupted != Thread.interrupted()) {
                    lostInterrupts.incrementAndGet();
                }
            }
        } catch (StoreClosedException e) {
            closed.incrementAndGet();
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void joinAll(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }

    private static byte[] key(int writer, int number) {
        return ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(number)
                .putInt(writer)
                .array();
    }
}
