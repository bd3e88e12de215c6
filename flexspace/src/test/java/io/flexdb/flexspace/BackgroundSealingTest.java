package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments sealed by a thread of their own, on real files. */
class BackgroundSealingTest {
    private static final int RECORD = 64;

    @TempDir
    Path directory;

    private final AtomicReference<Throwable> problem = new AtomicReference<>();

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("flexdb-seal "))
                .count();
    }

    /** A record that is made of its number, which is its place: appended ones keep it. */
    private static void put(ByteBuffer records, long number) {
        for (int i = 0; i < RECORD; i += Long.BYTES) {
            records.putLong(number * 31 + i);
        }
    }

    private Thread reader(FlexSpace space, AtomicLong appended, int seed) {
        Thread thread = new Thread(() -> {
            Random random = new Random(seed);
            ByteBuffer found = ByteBuffer.allocateDirect(40 * RECORD);
            ByteBuffer expected = ByteBuffer.allocate(40 * RECORD);
            try {
                for (long known = appended.get(); known >= 0; known = appended.get()) {
                    int count = (int) Math.min(known, 1 + random.nextInt(40));
                    // Mostly what has been appended just now, in the segments that are open or being sealed.
                    long back = random.nextInt(4) == 0 ? known : Math.min(known, 2000);
                    long first = known - count - (long) (random.nextDouble() * (back - count));
                    expected.clear();
                    for (int i = 0; i < count; i++) {
                        put(expected, first + i);
                    }
                    space.read(first * RECORD, found.clear().limit(count * RECORD));
                    assertEquals(expected.flip(), found.flip(), "records from " + first);
                }
            } catch (Throwable e) {
                problem.compareAndSet(null, e);
            }
        });
        thread.start();
        return thread;
    }

    @Test
    void readersFindEveryByteWhileSegmentsAreSealed() throws Exception {
        AtomicLong appended = new AtomicLong(1000);
        try (FlexSpace space = FlexSpace.open(directory.resolve("space"), CrashHistory.SMALL)) {
            ByteBuffer records = ByteBuffer.allocate(1000 * RECORD);
            for (int i = 0; i < 1000; i++) {
                put(records, i);
            }
            space.insertRange(0, records.flip());
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(reader(space, appended, i));
            }
            Random random = new Random(7);
            for (int i = 0; i < Effort.times(6000) && problem.get() == null; i++) {
                records.clear();
                int count = 1 + random.nextInt(60);
                for (int record = 0; record < count; record++) {
                    put(records, appended.get() + record);
                }
                space.insertRange(space.size(), records.flip());
                appended.addAndGet(count);
                if (i % 1000 == 999) {
                    space.sync();
                    assertEquals(List.of(), space.check().findings());
                }
            }
            appended.set(-1);
            for (Thread reader : readers) {
                reader.join();
            }
            assertNull(problem.get(), () -> "" + problem.get());
            assertEquals(1, threads());
        }
        assertEquals(0, threads(), "threads left behind");
    }

    @Test
    void whatIsRemovedWhileItIsBeingSealedLeavesRoomAndNothingElse() {
        SpaceOracle oracle = new SpaceOracle();
        Random random = new Random(3);
        byte[] kept = SpaceOracle.randomBytes(random, 5000);
        try (FlexSpace space = FlexSpace.open(directory.resolve("space"), CrashHistory.SMALL)) {
            space.insertRange(0, ByteBuffer.wrap(kept));
            for (int round = 0; round < Effort.times(300); round++) {
                int offset = random.nextInt(kept.length);
                byte[] bytes = SpaceOracle.randomBytes(random, 1 + random.nextInt(60_000));
                space.insertRange(offset, ByteBuffer.wrap(bytes));
                space.collapseRange(offset, bytes.length);
                if (round % 7 == 0) {
                    space.sync();
                }
            }
            assertArrayEquals(kept, SpaceOracle.contentOf(space));
            space.checkInvariants();
            assertEquals(List.of(), space.check().findings());
            int segments = space.stats().data().segments();
            assertTrue(segments < 200, segments + " segments for " + kept.length + " bytes");
        }
        try (FlexSpace space = FlexSpace.open(directory.resolve("space"), CrashHistory.SMALL)) {
            assertArrayEquals(kept, SpaceOracle.contentOf(space));
        }
        assertEquals(0, threads(), "threads left behind");
    }
}
