package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.store.fs.FilePath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** H2's MVStore keeps its file in a file system of ours, with a lock on it. */
class MVStoreTest extends FilesTest {
    private FilePath registered;

    @BeforeEach
    void register() {
        registered = new PathOfH2();
        PathOfH2.root = path("/");
        FilePath.register(registered);
    }

    @AfterEach
    void unregister() {
        FilePath.unregister(registered);
    }

    private static MVStore database() {
        return new MVStore.Builder().fileName("flexdb:/h2").autoCommitDisabled().open();
    }

    @Test
    void aDatabaseIsReadAfterTheStoreWasOpenedAgain() throws IOException {
        TreeMap<Integer, String> expected = new TreeMap<>();
        Random random = new Random(7);
        for (int round = 0; round < 3; round++) {
            try (MVStore database = database()) {
                MVMap<Integer, String> map = database.openMap("map");
                assertEquals(expected, new TreeMap<>(map));
                for (int i = 0; i < 3000; i++) {
                    int key = random.nextInt(2000);
                    if (random.nextInt(3) == 0) {
                        map.remove(key);
                        expected.remove(key);
                    } else {
                        String value = "value " + i + " of round " + round;
                        map.put(key, value);
                        expected.put(key, value);
                    }
                    if (i % 500 == 0) {
                        database.commit();
                        database.sync();
                    }
                }
                database.commit();
                database.compactFile(50);
                assertThrows(MVStoreException.class, MVStoreTest::database, "the file is locked");
            }
            fixture.reopen();
            PathOfH2.root = path("/");
        }
        try (MVStore database = database()) {
            assertEquals(expected, new TreeMap<>(database.<Integer, String>openMap("map")));
        }
    }

    /** What H2 knows of files, by paths of ours. */
    public static final class PathOfH2 extends FilePath {
        private static Path root;

        private static Path of(FilePath path) {
            return root.getFileSystem().getPath(path.name.substring(path.name.indexOf(':') + 1));
        }

        private static FilePath of(Path path) {
            return new PathOfH2().getPath("flexdb:" + path);
        }

        @Override
        public FilePath getPath(String path) {
            PathOfH2 found = new PathOfH2();
            found.name = path;
            return found;
        }

        @Override
        public String getScheme() {
            return "flexdb";
        }

        private interface Attempt<T> {
            T run() throws IOException;
        }

        private static <T> T run(Attempt<T> attempt) {
            try {
                return attempt.run();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        @Override
        public long size() {
            return run(() -> Files.size(of(this)));
        }

        @Override
        public void moveTo(FilePath target, boolean atomicReplace) {
            run(() -> Files.move(of(this), of(target), StandardCopyOption.ATOMIC_MOVE));
        }

        @Override
        public boolean createFile() {
            return run(() -> Files.exists(of(this)) ? null : Files.createFile(of(this))) != null;
        }

        @Override
        public boolean exists() {
            return Files.exists(of(this));
        }

        @Override
        public void delete() {
            run(() -> Files.deleteIfExists(of(this)));
        }

        @Override
        public List<FilePath> newDirectoryStream() {
            return run(() -> {
                try (Stream<Path> paths = Files.list(of(this))) {
                    return paths.map(PathOfH2::of).toList();
                }
            });
        }

        @Override
        public FilePath toRealPath() {
            return of(of(this).toAbsolutePath().normalize());
        }

        @Override
        public FilePath getParent() {
            return of(of(this).getParent());
        }

        @Override
        public boolean isDirectory() {
            return Files.isDirectory(of(this));
        }

        @Override
        public boolean isRegularFile() {
            return Files.isRegularFile(of(this));
        }

        @Override
        public boolean isAbsolute() {
            return of(this).isAbsolute();
        }

        @Override
        public long lastModified() {
            return run(() -> Files.getLastModifiedTime(of(this)).toMillis());
        }

        @Override
        public boolean canWrite() {
            return Files.isWritable(of(this));
        }

        @Override
        public void createDirectory() {
            run(() -> Files.createDirectories(of(this)));
        }

        @Override
        public FileChannel open(String mode) throws IOException {
            return mode.equals("r")
                    ? FileChannel.open(of(this), StandardOpenOption.READ)
                    : FileChannel.open(
                            of(this), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        }

        @Override
        public boolean setReadOnly() {
            return false;
        }
    }
}
