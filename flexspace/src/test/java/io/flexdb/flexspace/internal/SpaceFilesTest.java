package io.flexdb.flexspace.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.simulation.ForwardingVfs;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
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
    private static final FlexSpaceOptions OPTIONS = FlexSpaceOptions.defaults().withSegments(64 << 10, 512);

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
    void aSpaceIsMadeBelowADirectoryThatMayOnlyBeSearched() throws IOException {
        Path home = Files.createDirectory(root.resolve("home"));
        Path user = Files.createDirectory(home.resolve("user"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("--x--x--x"));
        try {
            assumeFalse(Files.isReadable(home), "this user may not read everything");
            FlexSpace.open(user.resolve("space"), OPTIONS).close();
            try (FlexSpace space = FlexSpace.open(user.resolve("space"), OPTIONS)) {
                space.insertRange(0, ByteBuffer.allocate(5));
            }
        } finally {
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        }
    }
}
