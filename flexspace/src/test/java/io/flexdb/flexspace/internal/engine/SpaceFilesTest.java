package io.flexdb.flexspace.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spaces below directories that may be searched but not read. */
class SpaceFilesTest {
    static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults().withSegments(64 << 10, 512);

    @TempDir
    private Path root;

    private final List<Path> forced = new ArrayList<>();

    /** As a user without privileges finds them, whoever runs this. */
    private class Denying extends ForwardingVfs {
        private final Set<Path> denied;

        Denying(Path... denied) {
            super(new RealVfs());
            this.denied = Set.of(denied);
        }

        @Override
        public void syncDirectory(Path directory) {
            if (denied.contains(directory)) {
                throw new StoreIoException("sync", directory, new AccessDeniedException(directory.toString()));
            }
            forced.add(directory);
            super.syncDirectory(directory);
        }
    }

    @Test
    void aDirectoryBelowOneThatCanNotBeReadIsForcedItself() throws IOException {
        Path home = Files.createDirectories(root.resolve("home/user"));
        SpaceFiles.createDirectory(new Denying(root.resolve("home")), home.resolve("a/b"));
        assertEquals(List.of(home, home, home.resolve("a")), forced);
    }

    @Test
    void aDirectoryMadeInOneThatCanNotBeReadIsForcedItself() throws IOException {
        Path drop = Files.createDirectories(root.resolve("drop"));
        SpaceFiles.createDirectory(new Denying(root, drop), drop.resolve("a/b"));
        assertEquals(List.of(drop.resolve("a"), drop.resolve("a")), forced);
    }

    @Test
    void anyOtherFailureCounts() {
        Denying vfs = new Denying() {
            @Override
            public void syncDirectory(Path directory) {
                throw new StoreIoException("sync", directory, new IOException("Input/output error"));
            }
        };
        assertThrows(StoreIoException.class, () -> SpaceFiles.createDirectory(vfs, root.resolve("a")));
    }

    @Test
    void aSpaceIsMadeBelowADirectoryThatMayOnlyBeSearched() throws Exception {
        Path home = Files.createDirectory(root.resolve("home"));
        Path user = Files.createDirectory(home.resolve("user"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("--x--x--x"));
        try {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            if (Runtime.version().feature() >= 22) {
                command.add("--enable-native-access=ALL-UNNAMED");
            }
            String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            command.addAll(List.of("-ea", "-cp", classPath, UnprivilegedProcess.class.getName()));
            command.addAll(List.of(home.toString(), user.resolve("space").toString()));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), said);
            assertTrue(said.contains("made, opened and read"), said);
        } finally {
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        }
        try (FlexSpace space = FlexSpace.open(user.resolve("space"), OPTIONS)) {
            assertEquals(5, space.size());
        }
    }
}
