package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.FlexDBSalvage;
import io.flexdb.Progress;
import io.flexdb.storage.StorageException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stores on file systems that are mounted read-only, one closed and one as its killed writer has left it. These are
 * images mounted by a loop device, so this needs root, and runs only with the profile {@code filesystems}; see
 * docs/testing.md. A file system whose {@code mkfs} is not installed (xfsprogs, btrfs-progs) is said to be skipped.
 */
class ReadOnlyMountIT {
    private static final long IMAGE_BYTES = 1L << 30;
    private static final int KEYS = 20_000;

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
    @ValueSource(strings = {"ext4", "xfs", "btrfs"})
    void aStoreIsReadWhereNobodyMayWrite(String type) throws Exception {
        assumeTrue(isInstalled("mkfs." + type), () -> type + " is skipped: there is no mkfs." + type);
        Path image = directory.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE_BYTES);
        }
        run("mkfs." + type, "-q", image.toString());
        Path mountPoint = Files.createDirectory(directory.resolve("mounted"));
        run("mount", "-o", "loop", image.toString(), mountPoint.toString());
        mounted = mountPoint;
        Path store = mountPoint.resolve("store");
        Path killed = mountPoint.resolve("killed");
        Path made = directory.resolve("made"); // not there: what this process has mapped would keep it busy
        try (FlexDB db = FlexDB.open(made)) {
            for (int i = 0; i < KEYS; i++) {
                db.put(bytes(i), bytes(-i));
            }
            db.sync();
            run("cp", "-r", made.toString(), killed.toString());
        }
        run("cp", "-r", made.toString(), store.toString());
        run("mount", "-o", "remount,ro", mountPoint.toString());
        for (Path path : List.of(store, killed)) {
            assertThrows(StorageException.class, () -> FlexDB.open(path));
            try (FlexDBReader reader = FlexDB.openReadOnly(path)) {
                assertEquals(KEYS, reader.refresh());
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(bytes(-i), reader.get(bytes(i)));
                }
            }
            Path salvaged = directory.resolve("salvaged from " + path.getFileName());
            FlexDBSalvage.salvage(path, salvaged, FlexDBOptions.defaults(), Progress.NONE);
            try (FlexDB db = FlexDB.open(salvaged)) {
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(bytes(-i), db.get(bytes(i)));
                }
            }
        }
    }

    /** Whether a program is on the path, or where those for root are. */
    private static boolean isInstalled(String program) {
        return Stream.concat(
                        Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin", "/sbin"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static byte[] bytes(int i) {
        return ("some bytes of " + i).getBytes(StandardCharsets.UTF_8);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> String.join(" ", command) + ": " + output);
    }
}
