package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.storage.ReaderOvertakenException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers beside a writer that never rests, on real files, each with memory, threads and descriptors of its own. */
class FlexDBReaderThreadsTest {
    private static final int KEYS = 40; // that each batch sets
    private static final int OTHERS = 3000;
    private static final int BATCHES = Effort.times(4000);
    private static final int READERS = 3;

    private static final FlexDBOptions SMALL = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(1 << 20)
            .withSpace(FlexSpaceOptions.defaults()
                    .withSegments(1 << 17, 4096)
                    .withCheckpointLogBytes(1 << 16)
                    .withLogBufferBytes(1 << 13));

    @TempDir
    private Path temporary;

    private final AtomicLong returned = new AtomicLong();
    private volatile boolean ended;
    private long overtaken;

    private static byte[] key(int i) {
        return ByteBuffer.allocate(5).put((byte) 'k').putInt(i * 101).array();
    }

    private static byte[] other(int i) {
        return ByteBuffer.allocate(5)
                .put((byte) (i % 2 == 0 ? 'a' : 'z'))
                .putInt(i)
                .array();
    }

    /** Each batch sets all keys to its number, and others to anything, so that everything is replaced all the time. */
    private void write(FlexDBOptions options) {
        Random random = new Random(1);
        Path directory = temporary.resolve("store");
        for (int life = 0; life < 3; life++) {
            try (FlexDB db = FlexDB.open(directory, options)) {
                for (int i = 0; i < BATCHES / 3; i++) {
                    long number = returned.get() + 1;
                    WriteBatch batch = new WriteBatch();
                    for (int j = 0; j < KEYS; j++) {
                        batch.put(key(j), ByteBuffer.allocate(8).putLong(number).array());
                    }
                    for (int j = 0; j < 5; j++) {
                        batch.put(other(random.nextInt(OTHERS)), new byte[random.nextInt(600)]);
                    }
                    db.write(batch);
                    returned.set(number);
                }
            }
        }
    }

    private void read(FlexDBOptions options) {
        Random random = new Random();
        long last = 0;
        try (FlexDBReader reader = FlexDB.openReadOnly(temporary.resolve("store"), options)) {
            boolean over = false;
            while (!over) {
                over = ended;
                long before = returned.get();
                long sequence = reader.refresh();
                try (Snapshot snapshot = reader.snapshot()) {
                    long number = requireOneNumber(snapshot, random);
                    assertTrue(number >= Math.max(before, last), () -> number + " after " + before);
                    assertTrue(snapshot.sequence() >= sequence);
                    last = number;
                } catch (ReaderOvertakenException e) {
                    synchronized (this) {
                        overtaken++;
                    }
                }
                byte[] now = reader.get(key(random.nextInt(KEYS))); // is never overtaken
                assertTrue(now == null && last == 0 || ByteBuffer.wrap(now).getLong() >= last);
            }
            assertEquals(returned.get(), last);
        }
    }

    private static long requireOneNumber(Snapshot snapshot, Random random) {
        byte[] first = snapshot.get(key(0));
        for (int i = 0; i < 5; i++) {
            assertArrayEquals(first, snapshot.get(key(random.nextInt(KEYS))));
        }
        int found = 0;
        try (FlexCursor cursor = snapshot.cursor()) {
            for (cursor.seek(key(0)); cursor.isValid() && cursor.key()[0] == 'k'; cursor.next()) {
                assertArrayEquals(first, cursor.value());
                found++;
            }
        }
        assertEquals(first == null ? 0 : KEYS, found);
        return first == null ? 0 : ByteBuffer.wrap(first).getLong();
    }

    @ParameterizedTest
    @EnumSource
    void readersShowWholeBatchesAndNeverGoBack(Reads reads) throws Exception {
        FlexDBOptions options = SMALL.withReads(reads);
        FlexDB.open(temporary.resolve("store"), options).close();
        Workers workers = new Workers();
        workers.start("writer", () -> {
            try {
                write(options);
            } finally {
                ended = true;
            }
        });
        for (int i = 0; i < READERS; i++) {
            workers.start("reader-" + i, () -> read(options));
        }
        workers.join();
        System.out.println(reads + ": " + overtaken + " snapshots were overtaken");
    }
}
