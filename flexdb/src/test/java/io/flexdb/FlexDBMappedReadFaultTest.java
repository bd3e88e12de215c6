package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.simulation.CutUnderReaders;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data file that is mapped becomes shorter under eight threads that get and scan. */
class FlexDBMappedReadFaultTest {
    private static final int KEYS = 20_000;
    /** Nothing is written while only reads go on, so that a copy of the data file stays right. */
    private static final FlexDBOptions OPTIONS = FlexDBOptions.defaults()
            .withMemtableBytes(1 << 20)
            .withCacheBytes(1 << 20)
            .withDefragmentedBytesPerSecond(0);

    @TempDir
    private Path root;

    @BeforeEach
    void mappingIsSafe() {
        assumeTrue(new RealVfs().mapsSafely(root), "the directory for temporary files maps safely");
    }

    private static byte[] key(int i) {
        return ByteBuffer.allocate(8).putInt(i).putInt(~i).array();
    }

    private static byte[] value(int i) {
        byte[] value = new byte[i % 100 == 0 ? 9000 : 100 + i % 50];
        new Random(i).nextBytes(value);
        return value;
    }

    private Path newStore() {
        Path directory = root.resolve("store");
        try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i * 7919 % KEYS), value(i * 7919 % KEYS));
            }
        }
        return directory;
    }

    @Test
    void aDataFileCutShortUnderItsReadersFailsTheirReadsAndNothingElse() throws Exception {
        long seed = System.nanoTime();
        Path directory = newStore();
        CutUnderReaders.Subject<FlexDB> readers = new CutUnderReaders.Subject<>() {
            @Override
            public FlexDB open() {
                FlexDB db = FlexDB.open(directory, OPTIONS);
                assertEquals(Reads.MAPPED, db.stats().reads());
                return db;
            }

            @Override
            public void read(FlexDB db, Random random) {
                int i = random.nextInt(KEYS);
                if (random.nextInt(8) == 0) {
                    scan(db, i, random.nextInt(40));
                } else {
                    assertArrayEquals(value(i), db.get(key(i)));
                }
            }

            @Override
            public void verify(FlexDB db, String at) {
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(value(i), db.get(key(i)), "key " + i + ", " + at);
                }
            }
        };
        new CutUnderReaders<>(directory.resolve("space/data"), readers).run(root.resolve("whole"), seed);
    }

    private static void scan(FlexDB db, int from, int length) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key(from));
            for (int i = from; i < Math.min(KEYS, from + length); i++) {
                assertArrayEquals(key(i), cursor.key());
                assertArrayEquals(value(i), cursor.value());
                cursor.next();
            }
        }
    }

    /** Reads go on where the file is, and the store keeps what is written to other parts of it. */
    @Test
    void aStoreWhoseFileIsWholeAgainGoesOn() throws IOException {
        Path directory = newStore();
        Path data = directory.resolve("space/data");
        byte[] whole = Files.readAllBytes(data);
        try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
            for (int round = 0; round < 3; round++) {
                int failed = 0;
                try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE)) {
                    channel.truncate(4096);
                    for (int i = 0; i < KEYS; i += 50) {
                        failed += isReadable(db, i) ? 0 : 1;
                    }
                    channel.write(ByteBuffer.wrap(whole), 0);
                }
                assertTrue(failed > 0, "some are not in memory");
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(value(i), db.get(key(i)), "key " + i + ", round " + round);
                }
            }
            db.put(key(KEYS), value(KEYS));
        }
        try (FlexDB db = FlexDB.open(directory, OPTIONS)) {
            assertArrayEquals(value(KEYS), db.get(key(KEYS)));
        }
    }

    private static boolean isReadable(FlexDB db, int i) {
        try {
            assertArrayEquals(value(i), db.get(key(i)));
            return true;
        } catch (StoreIoException | CorruptionException e) {
            return false;
        }
    }
}
