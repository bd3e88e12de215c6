package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.storage.StoreLockedException;
import io.flexdb.testing.Effort;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store whose directory is renamed by others at any moment, and gets a successor at the old name. */
class FlexDBRenamedTest {
    private static final int KEYS = 3000;
    private static final int MIN_RENAMES = 20;

    @TempDir
    private Path root;

    private final long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger renames = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @ParameterizedTest
    @CsvSource({"OS, false", "OS, true", "SYNC, true", "NONE, false"})
    void aStoreGoesOnWhenItsDirectoryIsRenamedAndTouchesNothingElse(Durability durability, boolean interrupted)
            throws Exception {
        FlexDBOptions options = StoreDriver.SMALL.withDurability(durability);
        int writes = Effort.times(durability == Durability.SYNC ? 2_000 : 12_000);
        Path before = root.resolve("before");
        Map<String, byte[]> model = new HashMap<>();
        Path stranger = root.resolve("stranger");
        try (FlexDB other = FlexDB.open(stranger, options)) {
            other.put(bytes("key"), bytes("of another"));
        }
        Map<String, byte[]> files = filesBelow(stranger);
        AtomicReference<Path> now = new AtomicReference<>(root.resolve("name-0"));
        try (FlexDB db = FlexDB.open(before, options)) {
            write(db, model, new Random(seed), 10); // the same with and without a memtable that is in use
            Files.move(before, now.get());
            Files.move(stranger, before);
            Thread writer = new Thread(() -> {
                try {
                    Random random = new Random(seed + 1);
                    while (renames.get() < MIN_RENAMES) {
                        write(db, model, random, writes / MIN_RENAMES);
                    }
                    write(db, model, random, writes);
                } catch (Throwable e) {
                    failure.set(e);
                } finally {
                    done.set(true);
                }
            });
            writer.start();
            while (!done.get()) {
                if (interrupted) {
                    writer.interrupt();
                }
                now.set(Files.move(now.get(), root.resolve("name-" + renames.incrementAndGet())));
                Thread.yield();
            }
            writer.join();
            assertNull(failure.get(), () -> "seed " + seed + ": " + failure.get());
            assertThrows(StoreLockedException.class, () -> FlexDB.open(now.get(), options));
            verify(db, model);
        }
        Map<String, byte[]> left = filesBelow(before);
        assertEquals(files.keySet(), left.keySet());
        files.forEach((name, bytes) -> assertArrayEquals(bytes, left.get(name), name));
        try (FlexDB other = FlexDB.open(before, options)) {
            assertArrayEquals(bytes("of another"), other.get(bytes("key")));
        }
        try (FlexDB again = FlexDB.open(now.get(), options)) {
            verify(again, model);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(FlexDB db, Map<String, byte[]> model, Random random, int count) {
        for (int i = 0; i < count; i++) {
            String key = "key" + random.nextInt(KEYS);
            if (random.nextInt(4) == 0) {
                db.delete(bytes(key));
                model.remove(key);
            } else {
                byte[] value = new byte[random.nextInt(300)];
                random.nextBytes(value);
                db.put(bytes(key), value);
                model.put(key, value);
            }
            if (random.nextInt(1000) == 0) {
                db.sync();
            }
        }
    }

    private void verify(FlexDB db, Map<String, byte[]> model) {
        for (int i = 0; i < KEYS; i++) {
            String key = "key" + i;
            assertArrayEquals(model.get(key), db.get(bytes(key)), () -> "seed " + seed + ": " + key);
        }
    }

    private static Map<String, byte[]> filesBelow(Path directory) throws IOException {
        Map<String, byte[]> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try (InputStream in = new FileInputStream(file.toFile())) {
                    found.put(directory.relativize(file).toString(), in.readAllBytes());
                }
            }
        }
        return found;
    }
}
