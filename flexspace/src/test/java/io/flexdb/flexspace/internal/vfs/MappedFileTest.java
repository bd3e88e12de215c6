package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
    private static final int THREADS = 8;
    private static final int BYTES = 4 << 20;
    private static final int LARGEST_FOLIO_BYTES = 2 << 20;
    private static final int AFTER_THE_CUT = Effort.times(1_000);
    private static final byte[] NO_HEAD = {};
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    @TempDir
    private Path directory;

    private final RealVfs vfs = new RealVfs();
    private volatile int dimension = 1;

    @BeforeEach
    void mappingIsSafe() {
        assumeTrue(vfs.mapsSafely(directory), "the directory for temporary files maps safely");
    }

    private VfsFile create(String name, int bytes) {
        VfsFile file = vfs.open(directory.resolve(name), OpenMode.CREATE);
        file.allocate(0, bytes);
        return file;
    }

    @Test
    void whatIsWrittenIsReadAndNothingElseChanges() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (VfsFile file = create("a", 1 << 16)) {
            MappedFile mapped = file.map(1 << 16);
            byte[] model = new byte[1 << 16];
            for (int i = 0; i < 3000; i++) {
                int position = random.nextInt(7000) * 8;
                int headLength = random.nextInt(4) * (random.nextBoolean() ? 8 : 1024);
                byte[] head = randomBytes(random, headLength + 3);
                byte[] body = randomBytes(random, random.nextInt(random.nextBoolean() ? 20 : 5000) + 5);
                int bodyLength = Math.min(body.length - 5, model.length - position - headLength);
                if (bodyLength < 0 || headLength + bodyLength == 0) {
                    continue;
                }
                if (random.nextInt(4) == 0) { // the same once more
                    System.arraycopy(model, position, head, 3, headLength);
                }
                mapped.write(position, head, 3, headLength, body, 5, bodyLength);
                int end = position + headLength + bodyLength;
                System.arraycopy(head, 3, model, position, headLength);
                System.arraycopy(body, 5, model, position + headLength, bodyLength);
                ByteBuffer all = read(mapped, 0, 1 << 16, random.nextBoolean());
                for (int at = end; at < (end + 7 & -8); at++) {
                    model[at] = all.get(at); // which may be anything
                }
                assertArrayEquals(model, bytesOf(all), "seed " + seed);
                int from = random.nextInt(model.length);
                int length = 1 + random.nextInt(Math.min(9000, model.length - from));
                byte[] expected = Arrays.copyOfRange(model, from, from + length);
                assertArrayEquals(expected, bytesOf(read(mapped, from, length, random.nextBoolean())), "seed " + seed);
            }
        }
    }

    private static byte[] randomBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer read(MappedFile mapped, int position, int length, boolean direct) {
        ByteBuffer all = direct ? ByteBuffer.allocateDirect(length + 20) : ByteBuffer.allocate(length + 20);
        mapped.read(position, all, 17, length);
        return all.slice(17, length);
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(0, bytes);
        return bytes;
    }

    /** M4: a token of a read in the very file is not a fault. */
    @Test
    void aFileMayHoldWhatMarksABadRead() {
        ByteBuffer tokens = ByteBuffer.allocate(1 << 14);
        while (tokens.hasRemaining()) {
            tokens.putLong(0x9c5d3a7fe1b24608L);
        }
        try (VfsFile file = create("a", 1 << 14)) {
            file.write(tokens.flip(), 0);
            MappedFile mapped = file.map(1 << 14);
            for (int length : new int[] {1, 7, 8, 5000, 1 << 14}) {
                for (int position : new int[] {0, 8, 4096 - 8, (1 << 14) - length}) {
                    int most = Math.min(length, (1 << 14) - position);
                    byte[] expected = bytesOf(tokens.slice(position, most));
                    assertArrayEquals(expected, bytesOf(read(mapped, position, most, true)));
                    assertArrayEquals(expected, bytesOf(read(mapped, position, most, false)));
                    mapped.throwPendingFault();
                }
            }
        }
    }

    @Test
    void argumentsAreChecked() {
        try (VfsFile file = create("a", 4096)) {
            MappedFile mapped = file.map(4096);
            byte[] bytes = new byte[8192];
            assertThrows(IllegalArgumentException.class, () -> mapped.write(4, NO_HEAD, 0, 0, bytes, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> mapped.write(0, bytes, 0, 4, bytes, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> mapped.write(-8, NO_HEAD, 0, 0, bytes, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> mapped.write(4088, NO_HEAD, 0, 0, bytes, 0, 9));
            assertThrows(IllegalArgumentException.class, () -> mapped.write(8, bytes, 0, 4088, bytes, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> mapped.read(4000, ByteBuffer.allocate(200), 0, 97));
            assertThrows(IndexOutOfBoundsException.class, () -> mapped.read(0, ByteBuffer.allocate(200), 104, 97));
            assertThrows(IndexOutOfBoundsException.class, () -> mapped.read(-1, ByteBuffer.allocate(200), 0, 1));
            assertEquals(4096, mapped.bytes());
            assertEquals("MappedFile[" + file.path() + ", 4096 bytes]", mapped.toString());
        }
    }

    @Test
    void aFileThatIsGoneFailsEachCopyAndNamesTheFile() throws IOException {
        try (VfsFile file = create("a", 1 << 16)) {
            MappedFile mapped = file.map(1 << 16);
            cut(file.path(), 0);
            byte[] same = new byte[5000]; // as in the file before
            for (int i = 0; i < 3000; i++) {
                StoreIoException write =
                        assertThrows(StoreIoException.class, () -> mapped.write(64, NO_HEAD, 0, 0, same, 0, 5000));
                assertEquals(file.path(), write.file());
                assertEquals("mapped write", write.operation());
                assertThrows(StoreIoException.class, () -> mapped.write(64, same, 0, 32, same, 0, 3));
                ByteBuffer destination = ByteBuffer.wrap(same);
                assertThrows(StoreIoException.class, () -> mapped.read(64, destination, 0, 5000));
            }
        }
    }

    private static void cut(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    /** Each thread has mapped the file for itself, and writes to a part of its own. */
    private final class Copying implements Runnable {
        private final Random random;
        private final MappedFile mapped;
        private final int begin;
        private final int end;
        private final byte[] bytes = new byte[40_000];
        private final ByteBuffer destination = ByteBuffer.allocateDirect(bytes.length);
        private final ReentrantLock lock = new ReentrantLock();

        Copying(int thread, MappedFile mapped, long seed) {
            this.random = new Random(seed + thread);
            this.mapped = mapped;
            this.begin = BYTES / THREADS * thread;
            this.end = begin + BYTES / THREADS;
        }

        @Override
        public void run() {
            started.countDown();
            for (int left = AFTER_THE_CUT; left > 0; ) {
                left -= cut == 0 ? 1 : 0;
                int length = 8 + random.nextInt(random.nextInt(10) == 0 ? bytes.length - 16 : 500) & -8;
                int position = begin + random.nextInt(end - begin - length) & -8;
                int cutBefore = cut;
                lock.lock(); // what a fault that strikes late strikes, too
                try {
                    if (random.nextBoolean()) {
                        fill(position, length);
                        mapped.write(position, bytes, 0, 8, bytes, 8, length - 8);
                    } else {
                        Arrays.fill(bytes, (byte) 0);
                        mapped.read(position, destination, 0, length);
                        check(position, length);
                    }
                    // Linux keeps the folio that the file still has a part of, for some milliseconds mapped as a whole.
                    assertTrue(
                            (cutBefore + LARGEST_FOLIO_BYTES - 1 & -LARGEST_FOLIO_BYTES) >= position + length,
                            "good behind the cut");
                    good.incrementAndGet();
                } catch (StoreIoException e) {
                    assertTrue(cutting < position + length, "bad before the cut");
                    bad.incrementAndGet();
                } finally {
                    lock.unlock();
                }
            }
            assertTrue(new byte[dimension][dimension].length > 0); // nothing is pending
        }

        private void fill(int position, int length) {
            ByteBuffer words = ByteBuffer.wrap(bytes);
            for (int at = 0; at < length; at += 8) {
                words.putLong(at, (position + at + 1) * MULTIPLIER);
            }
        }

        /**
         * Each word is that of its place or what a bad write has left there, or was not written or has been cut off.
         */
        private void check(int position, int length) {
            for (int at = 0; at < length; at += 8) {
                long word = destination.getLong(at);
                long written = (position + at + 1) * MULTIPLIER;
                if (word != 0 && word != written && word != ~written) {
                    mapped.throwPendingFault(); // as after a checksum that does not match
                    throw new AssertionError("at " + (position + at) + ": " + word);
                }
            }
        }
    }

    private final CountDownLatch started = new CountDownLatch(THREADS);
    private final AtomicLong good = new AtomicLong();
    private final AtomicLong bad = new AtomicLong();
    private volatile int cutting = BYTES; // where the file has been cut, or is being
    private volatile int cut = BYTES; // where it has been

    @Test
    void aFileCutUnderEightThreadsFailsTheirCopiesAndNothingElse() throws Exception {
        long seed = System.nanoTime();
        Queue<Throwable> untyped = new ConcurrentLinkedQueue<>();
        try (VfsFile file = create("a", BYTES)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(new Copying(i, file.map(BYTES), seed), "copying-" + i);
                thread.setUncaughtExceptionHandler((ended, e) -> untyped.add(e));
                threads.add(thread);
            }
            threads.forEach(Thread::start);
            started.await();
            Random random = new Random(seed);
            Waiting.whileTrue(() -> good.get() < 1000);
            for (int bytes = BYTES; threads.stream().anyMatch(Thread::isAlive); ) {
                bytes = Math.max(0, bytes - random.nextInt(BYTES / 20)) & -8;
                cutting = bytes;
                cut(file.path(), bytes);
                cut = bytes;
                Thread.yield();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        untyped.forEach(Throwable::printStackTrace);
        System.out.println(good + " good copies, " + bad + " bad ones, " + untyped.size() + " threads ended otherwise");
        assertEquals(List.of(), List.copyOf(untyped), "seed " + seed);
        assertTrue(bad.get() > 0, "no copy met the cut");
    }
}
