package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks between processes, and within one that holds them. */
class FileLocksTest {
    private static final String THIS_PROCESS =
            "process " + ProcessHandle.current().pid();

    @TempDir
    private Path root;

    private final RealVfs vfs = new RealVfs();
    private Path lockFile;

    @BeforeEach
    void name() {
        lockFile = root.resolve("LOCK");
    }

    @Test
    void anotherProcessIsRefusedAndToldTheHolder() {
        try (VfsLock lock = vfs.lock(lockFile)) {
            assertEquals(THIS_PROCESS, LockingProcess.ask(lock.path()));
        }
        assertEquals("locked", LockingProcess.ask(lockFile));
    }

    @Test
    void refusedAttemptsInThisProcessDoNotGiveTheLockUp() throws IOException {
        Path elsewhere = Files.createSymbolicLink(root.resolve("link"), Files.createDirectory(root.resolve("store")));
        lockFile = root.resolve("store").resolve("LOCK");
        try (VfsLock lock = vfs.lock(lockFile)) {
            assertThrows(StoreLockedException.class, () -> vfs.lock(lock.path()));
            assertThrows(StoreLockedException.class, () -> vfs.lock(elsewhere.resolve("LOCK")));
            assertThrows(StoreLockedException.class, () -> new RealVfs().lock(lockFile));
            for (OpenMode mode : OpenMode.values()) {
                assertThrows(StoreLockedException.class, () -> vfs.open(elsewhere.resolve("LOCK"), mode));
            }
            assertEquals(THIS_PROCESS, LockingProcess.ask(lockFile));
        }
    }

    @Test
    void aProcessThatIsKilledLeavesNoLock() {
        try (LockingProcess other = LockingProcess.start(lockFile)) {
            assertEquals("locked", other.answer());
            StoreLockedException refused = assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
            assertEquals("process " + other.pid(), refused.holder());
            assertEquals(lockFile, refused.lockFile());
        }
        assertTrue(Files.exists(lockFile));
        vfs.lock(lockFile).close();
    }

    @Test
    void aHolderThatLeftNoNumberIsUnknown() throws IOException {
        try (LockingProcess other = LockingProcess.start(lockFile)) {
            for (String content : new String[] {"", "someone\n", "99999999999999999999999999999999999"}) {
                Files.writeString(lockFile, content);
                StoreLockedException refused = assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
                assertEquals(
                        content.startsWith("9") ? "process 99999999999999999999" : "an unknown process",
                        refused.holder());
            }
            assertEquals("locked", other.answer());
        }
    }

    @Test
    void aLockHeldByOtherCodeOfThisProcessSurvivesTheAttempt() throws IOException {
        Files.createFile(lockFile);
        try (FileChannel other = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                FileLock held = other.lock()) {
            for (int i = 0; i < 3; i++) {
                StoreLockedException refused = assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
                assertEquals("this process", refused.holder());
            }
            assertTrue(held.isValid());
            assertEquals("an unknown process", LockingProcess.ask(lockFile));
        }
        try (VfsLock lock = vfs.lock(lockFile)) {
            assertEquals(THIS_PROCESS, LockingProcess.ask(lock.path()));
        }
    }

    @Test
    void aSymbolicLinkIsNoLockFile() throws IOException {
        Files.createSymbolicLink(lockFile, root.resolve("victim"));
        assertThrows(StoreIoException.class, () -> vfs.lock(lockFile));
        Files.writeString(root.resolve("victim"), "precious");
        assertThrows(StoreIoException.class, () -> vfs.lock(lockFile));
        assertEquals("precious", Files.readString(root.resolve("victim")));
    }

    @Test
    void aRelativeNameIsTheSameLock() {
        Path relative = Path.of("").toAbsolutePath().relativize(lockFile);
        try (VfsLock lock = vfs.lock(relative)) {
            assertEquals(relative, lock.path());
            assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
        }
    }
}
