package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.flexspace.internal.vfs.NativeIo;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies of a store on file systems that let files share their blocks. These are images mounted by a loop device, so
 * this needs root, xfsprogs and btrfs-progs, and runs only with the profile {@code filesystems}; see docs/testing.md.
 */
class SharedBlocksIT {
    private static final long IMAGE_BYTES = 1L << 30;
    private static final int KEYS = 50_000;
    private static final int VALUE_BYTES = 2_000;

    @TempDir
    private Path directory;

    private Path mounted;

    @AfterEach
    void unmount() throws Exception {
        System.gc(); // a mapping keeps its file system busy, and lasts until it is collected
        if (mounted != null) {
            run("umount", "-l", mounted.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xfs", "btrfs"})
    void aCheckpointTakesNextToNoSpace(String type) throws Exception {
        Path image = directory.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        run("mkfs." + type, "-q", image.toString());
        Path mountPoint = Files.createDirectory(directory.resolve("mounted"));
        // XFS takes space ahead of what is written to a file, as much as the file has, and gives it back minutes later.
        String options = type.equals("xfs") ? "loop,allocsize=64k" : "loop";
        run("mount", "-o", options, image.toString(), mountPoint.toString());
        mounted = mountPoint;
        try (FlexDB db = FlexDB.open(mountPoint.resolve("store"))) {
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i), value(i));
            }
        }
        try (FlexDB db = FlexDB.open(mountPoint.resolve("store"))) {
            long dataBytes = Files.size(mountPoint.resolve("store/space/data"));
            assertTrue(dataBytes > (long) KEYS * VALUE_BYTES, dataBytes + " bytes of data");
            long free = free(mountPoint);
            db.checkpoint(mountPoint.resolve("copy"));
            long taken = free - free(mountPoint);
            assertTrue(!NativeIo.isAvailable() || taken < dataBytes / 4, taken + " bytes taken of " + dataBytes);
            try (FlexDBBackups backups = FlexDBBackups.open(mountPoint.resolve("backups"))) {
                long id = backups.create(db).id();
                assertEquals(List.of(), backups.verify(id));
                backups.restore(id, mountPoint.resolve("restored"));
            }
            taken = free - free(mountPoint);
            assertTrue(!NativeIo.isAvailable() || taken < dataBytes / 2, taken + " bytes taken of " + dataBytes);
            for (int i = 0; i < KEYS; i++) {
                db.put(key(i), value(-i)); // blocks that are shared are kept apart
            }
            db.sync();
        }
        for (String copy : List.of("copy", "restored")) {
            try (FlexDB db = FlexDB.open(mountPoint.resolve(copy))) {
                assertTrue(db.check().isSound(), copy);
                for (int i = 0; i < KEYS; i += 7) {
                    assertArrayEquals(value(i), db.get(key(i)), copy);
                }
            }
        }
    }

    private static byte[] key(int i) {
        return ("key" + i).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int seed) {
        byte[] value = new byte[VALUE_BYTES];
        new Random(seed).nextBytes(value);
        return value;
    }

    private static long free(Path path) throws Exception {
        run("sync");
        return Files.getFileStore(path).getUsableSpace();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(new ArrayList<>(List.of(command)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> List.of(command) + ": " + output);
    }
}
