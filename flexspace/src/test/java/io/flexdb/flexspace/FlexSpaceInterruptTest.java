package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interrupted threads in every operation, on real files: the operation is done, and nobody finds anything closed. */
class FlexSpaceInterruptTest {

    @TempDir
    Path directory;

    @FunctionalInterface
    private interface Operation {
        void run(FlexSpace space) throws Exception;
    }

    /** Each leaves the first 1000 bytes as they were. */
    private static Map<String, Operation> operations(byte[] start) {
        Map<String, Operation> all = new TreeMap<>();
        ByteBuffer some = ByteBuffer.wrap(SpaceOracle.randomBytes(new Random(3), 2000));
        all.put("insertRange, collapseRange", space -> {
            space.insertRange(1500, some.duplicate());
            space.collapseRange(1500, 2000);
        });
        all.put("insertHole, truncate", space -> {
            long size = space.size();
            space.insertHole(2000, 500);
            space.truncate(size);
        });
        all.put("punchHole", space -> space.punchHole(3000, 100));
        all.put("write", space -> space.write(4000, some.duplicate()));
        all.put("moveRange", space -> space.moveRange(7000, 300, 5000));
        all.put("defragment", space -> space.defragment(1000, 5000));
        all.put("read", space -> assertStart(start, space));
        all.put("readExtent", space -> space.readExtent(100, ByteBuffer.allocate(100)));
        all.put("snapshot", space -> {
            try (FlexSpaceSnapshot snapshot = space.snapshot()) {
                byte[] found = new byte[1000];
                snapshot.read(0, ByteBuffer.wrap(found));
                assertArrayEquals(start, found);
            }
        });
        all.put("channel", space -> {
            try (SeekableByteChannel channel = space.openChannel(true)) {
                channel.position(6000);
                assertEquals(2000, channel.write(some.duplicate()));
                ByteBuffer found = ByteBuffer.allocate(1000);
                channel.position(0);
                assertEquals(1000, channel.read(found));
                assertArrayEquals(start, found.array());
                assertTrue(channel.isOpen());
            }
        });
        all.put("sync", space -> {
            space.write(1200, some.duplicate());
            space.sync();
        });
        all.put("checkpoint", space -> {
            space.write(1200, some.duplicate());
            space.checkpoint();
        });
        all.put("check", space -> {
            CheckReport report = space.check();
            assertTrue(report.isSound(), report::toString);
        });
        all.put("stats", FlexSpace::stats);
        return all;
    }

    private static void assertStart(byte[] start, FlexSpace space) {
        byte[] found = new byte[1000];
        space.read(0, ByteBuffer.wrap(found));
        assertArrayEquals(start, found);
    }

    private static FlexSpace filled(Path directory, byte[] content) {
        FlexSpace space = FlexSpace.open(directory, CrashHistory.SMALL);
        space.insertRange(0, ByteBuffer.wrap(content));
        space.sync();
        return space;
    }

    @Test
    void anOperationOfAnInterruptedThreadIsDoneAndTheInterruptStays() throws Exception {
        byte[] content = SpaceOracle.randomBytes(new Random(1), 40_000);
        byte[] start = Arrays.copyOf(content, 1000);
        FlexSpace space = filled(directory, content);
        for (Map.Entry<String, Operation> operation : operations(start).entrySet()) {
            for (int i = 0; i < 10; i++) {
                Thread.currentThread().interrupt();
                operation.getValue().run(space);
                assertTrue(Thread.interrupted(), operation.getKey() + " has swallowed the interrupt");
                assertStart(start, space);
            }
        }
        space.checkInvariants();
        byte[] all = SpaceOracle.contentOf(space);
        Thread.currentThread().interrupt();
        space.close();
        assertTrue(Thread.interrupted(), "close has swallowed the interrupt");
        Thread.currentThread().interrupt();
        try (FlexSpace again = FlexSpace.open(directory, CrashHistory.SMALL)) {
            assertTrue(Thread.interrupted(), "open has swallowed the interrupt");
            assertArrayEquals(all, SpaceOracle.contentOf(again));
        }
    }

    /** Interrupts at any moment, in threads that do one kind of operation each, over and over. */
    @Test
    void interruptsAtAnyMomentAreHeardOfByNobodyElse() throws Exception {
        int loops = Effort.times(60);
        // Truncating cuts off what others have inserted at the time, and they remove as much nevertheless.
        byte[] content = SpaceOracle.randomBytes(new Random(1), 20_000 + loops * 2500);
        byte[] start = Arrays.copyOf(content, 1000);
        AtomicReference<Throwable> problem = new AtomicReference<>();
        AtomicInteger running = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        try (FlexSpace space = filled(directory, content)) {
            List<Thread> threads = new ArrayList<>();
            for (Map.Entry<String, Operation> operation : operations(start).entrySet()) {
                running.incrementAndGet();
                Thread thread = new Thread(
                        () -> {
                            try {
                                for (int i = 0; i < loops; i++) {
                                    operation.getValue().run(space);
                                }
                            } catch (Throwable e) {
                                problem.compareAndSet(null, new AssertionError(operation.getKey(), e));
                            } finally {
                                running.decrementAndGet();
                            }
                        },
                        operation.getKey());
                thread.start();
                threads.add(thread);
            }
            Thread interrupter = new Thread(() -> {
                Random random = new Random(2);
                while (!done.get()) {
                    threads.get(random.nextInt(threads.size())).interrupt();
                    Thread.onSpinWait();
                }
            });
            interrupter.start();
            for (Thread thread : threads) {
                thread.join();
            }
            done.set(true);
            interrupter.join();
            assertEquals(0, running.get());
            assertNull(
                    problem.get(),
                    () -> "" + problem.get() + ": " + problem.get().getCause());
            assertStart(start, space);
            space.checkInvariants();
        }
    }

    /** Interrupts close channels, and what is opened again has another path than before. */
    @Test
    void aSpaceWhoseDirectoryWasRenamedIsReadByInterruptedThreads() throws Exception {
        byte[] content = SpaceOracle.randomBytes(new Random(1), 400_000);
        Path before = directory.resolve("before");
        FlexSpace space = filled(before, content);
        Path after = Files.move(before, directory.resolve("after"));
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger seen = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            Random random = new Random(2);
            byte[] found = new byte[3000];
            try {
                while (!stopped.get()) {
                    int offset = random.nextInt(content.length - found.length);
                    space.read(offset, ByteBuffer.wrap(found));
                    assertArrayEquals(Arrays.copyOfRange(content, offset, offset + found.length), found);
                    seen.addAndGet(Thread.interrupted() ? 1 : 0);
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        reader.start();
        for (int sent = 1; sent <= Effort.times(300) && reader.isAlive(); sent++) {
            reader.interrupt();
            int wanted = sent;
            Waiting.whileTrue(() -> seen.get() < wanted && reader.isAlive());
        }
        stopped.set(true);
        reader.join();
        assertNull(failure.get(), () -> String.valueOf(failure.get()));
        space.close();
        try (FlexSpace again = FlexSpace.open(after, CrashHistory.SMALL)) {
            assertArrayEquals(content, SpaceOracle.contentOf(again));
        }
    }
}
