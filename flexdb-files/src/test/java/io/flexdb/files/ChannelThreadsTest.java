package io.flexdb.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several threads with channels of one file; threads that are interrupted, and channels that are closed meanwhile. */
class ChannelThreadsTest extends FilesTest {
    private static final int ROUNDS = Effort.times(300);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private List<Future<Object>> start(List<Callable<Object>> tasks) {
        List<Future<Object>> started = new ArrayList<>();
        tasks.forEach(task -> started.add(threads.submit(task)));
        return started;
    }

    private static void end(List<Future<Object>> started) throws Exception {
        for (Future<Object> each : started) {
            each.get();
        }
    }

    private static ByteBuffer full(int value, int length) {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    /** Two channels write the same range, each write in one step, while others read it. */
    @Test
    void aReadSeesNoPartOfAWriteOfAnotherChannel() throws Exception {
        int length = 5000;
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger reads = new AtomicInteger();
        try (FileChannel one = FileChannel.open(path("/f"), CREATE, READ, WRITE);
                FileChannel other = FileChannel.open(path("/f"), READ, WRITE)) {
            one.write(full(0, length));
            List<Callable<Object>> readers = new ArrayList<>();
            for (FileChannel channel : List.of(one, other)) {
                readers.add(() -> {
                    ByteBuffer first = ByteBuffer.allocate(1000);
                    ByteBuffer second = ByteBuffer.allocateDirect(length - 1000);
                    while (!ended.get()) {
                        first.clear();
                        second.clear();
                        boolean whole = channel == one;
                        int count = whole ? channel.read(second, 1000) : channel.read(first, 0);
                        ByteBuffer read = whole ? second.flip() : first.flip();
                        assertEquals(read.capacity(), count);
                        byte value = read.get(0);
                        assertEquals(full(value, count), read);
                        reads.incrementAndGet();
                    }
                    return null;
                });
            }
            List<Future<Object>> reading = start(readers);
            List<Callable<Object>> writers = new ArrayList<>();
            for (FileChannel channel : List.of(one, other)) {
                writers.add(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        ByteBuffer bytes = full(i, length);
                        if (i % 2 == 0) {
                            channel.write(bytes, 0);
                        } else {
                            channel.position(0).write(new ByteBuffer[] {bytes.slice(0, 7), bytes.slice(7, length - 7)});
                        }
                    }
                    return null;
                });
            }
            end(start(writers));
            ended.set(true);
            end(reading);
        }
        assertTrue(reads.get() > 0);
    }

    @Test
    void channelsThatAppendLoseNothingAndMixNothing() throws Exception {
        List<Callable<Object>> writers = new ArrayList<>();
        Files.createFile(path("/f"));
        for (int i = 0; i < 4; i++) {
            int value = i + 1;
            writers.add(() -> {
                try (FileChannel channel = FileChannel.open(path("/f"), APPEND)) {
                    for (int j = 0; j < ROUNDS; j++) {
                        assertEquals(100, channel.write(new ByteBuffer[] {full(value, 30), full(value, 70)}));
                    }
                }
                return null;
            });
        }
        end(start(writers));
        ByteBuffer read = ByteBuffer.wrap(Files.readAllBytes(path("/f")));
        assertEquals(4 * ROUNDS * 100, read.remaining());
        int[] counts = new int[5];
        while (read.hasRemaining()) {
            byte value = read.get(read.position());
            assertEquals(full(value, 100), read.slice(read.position(), 100));
            read.position(read.position() + 100);
            counts[value]++;
        }
        assertEquals(ROUNDS, counts[4]);
    }

    /** Threads that share a position write behind one another. */
    @Test
    void threadsOfOneChannelTakeTurns() throws Exception {
        try (FileChannel channel = FileChannel.open(path("/f"), CREATE, READ, WRITE)) {
            List<Callable<Object>> writers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                writers.add(() -> {
                    for (int j = 0; j < ROUNDS; j++) {
                        channel.write(full(1, 10));
                    }
                    return null;
                });
            }
            end(start(writers));
            assertEquals(4 * ROUNDS * 10, channel.position());
            assertEquals(channel.position(), channel.size());
        }
    }

    @Test
    void ofThreadsThatLockARangeOneHasIt() throws Exception {
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger locked = new AtomicInteger();
        Files.createFile(path("/f"));
        List<Callable<Object>> lockers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            lockers.add(() -> {
                try (FileChannel channel = FileChannel.open(path("/f"), READ, WRITE)) {
                    for (int j = 0; j < ROUNDS; j++) {
                        try (FileLock lock = j % 2 == 0 ? channel.lock(j % 5, 5, false) : channel.tryLock(4, 3, true)) {
                            assertEquals(1, holders.incrementAndGet());
                            locked.incrementAndGet();
                            holders.decrementAndGet();
                            assertTrue(lock.isValid());
                        } catch (OverlappingFileLockException e) {
                            assertTrue(channel.isOpen());
                        }
                    }
                }
                return null;
            });
        }
        end(start(lockers));
        assertTrue(locked.get() > 0);
    }

    /** Whatever a thread does when it is interrupted, its channel is closed and the store goes on. */
    @Test
    void anInterruptClosesTheChannelAndNothingElse() throws Exception {
        Files.write(path("/f"), random(20_000));
        for (int i = 0; i < ROUNDS; i++) {
            FileChannel channel = FileChannel.open(path("/f"), READ, WRITE);
            AtomicBoolean right = new AtomicBoolean();
            CountDownLatch begun = new CountDownLatch(1);
            Thread thread = new Thread(() -> right.set(endsByInterrupt(channel, begun)));
            thread.start();
            begun.await();
            thread.interrupt();
            thread.join();
            assertTrue(right.get());
            assertFalse(channel.isOpen());
            assertThrows(ClosedChannelException.class, channel::size);
        }
        assertEquals(ByteBuffer.wrap(random(20_000)), ByteBuffer.wrap(Files.readAllBytes(path("/f"))));
        fixture.db().sync();
        fixture.assertSound();
    }

    private static boolean endsByInterrupt(FileChannel channel, CountDownLatch begun) {
        try {
            while (true) {
                channel.write(ByteBuffer.wrap(random(20_000)), 0);
                channel.force(false);
                channel.read(ByteBuffer.allocate(20_000), 0);
                begun.countDown();
            }
        } catch (ClosedByInterruptException e) {
            return Thread.currentThread().isInterrupted();
        } catch (IOException e) {
            return false;
        }
    }

    /** Threads in the middle of reading, writing and waiting for their turn, when the channel is closed. */
    @Test
    void closingEndsWhatOthersDoWithAChannel() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            FileChannel channel = FileChannel.open(path("/f"), CREATE, READ, WRITE, DELETE_ON_CLOSE);
            CountDownLatch begun = new CountDownLatch(3);
            List<Callable<Object>> users = new ArrayList<>();
            for (int j = 0; j < 3; j++) {
                int kind = j;
                users.add(() -> {
                    try {
                        while (true) {
                            switch (kind) {
                                case 0 -> channel.write(full(1, 700));
                                case 1 -> channel.read(ByteBuffer.allocate(2000));
                                default -> channel.write(full(1, 700), 300);
                            }
                            begun.countDown();
                        }
                    } catch (AsynchronousCloseException e) {
                        assertFalse(e instanceof ClosedByInterruptException);
                        return e;
                    } catch (ClosedChannelException e) {
                        return e;
                    }
                });
            }
            List<Future<Object>> using = start(users);
            begun.await();
            channel.close();
            assertFalse(Files.exists(path("/f")), "it is deleted when the call has returned");
            end(using);
        }
        assertEquals(0, fixture.files().check().files());
    }

    /** A thread that waits for another channel keeps nobody from closing this one. */
    @Test
    void aTransferThatWaitsForItsSourceEndsWhenTheChannelIsClosed() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        FileChannel channel = FileChannel.open(path("/f"), CREATE, READ, WRITE);
        ReadableByteChannel source = new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer to) throws IOException {
                waiting.countDown();
                try {
                    closed.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                to.put((byte) 1);
                return 1;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {
                // There is nothing to close.
            }
        };
        Future<Long> transfer = threads.submit(() -> channel.transferFrom(source, 0, 10));
        waiting.await();
        channel.close();
        closed.countDown();
        ExecutionException thrown = assertThrows(ExecutionException.class, transfer::get);
        assertTrue(thrown.getCause() instanceof ClosedChannelException);
        assertEquals(0, Files.size(path("/f")));
    }
}
