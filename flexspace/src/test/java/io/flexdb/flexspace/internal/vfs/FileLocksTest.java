package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.internal.vfs.LockingProcess.Way;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreLockedException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks between processes, and within one that holds them; L1 to L5 of {@link FileLocks}. */
class FileLocksTest {
    private static final String THIS_PROCESS =
            "process " + ProcessHandle.current().pid();
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private static LockingProcess another;

    @TempDir
    private Path root;

    private final RealVfs vfs = new RealVfs();
    private Path lockFile;

    @BeforeAll
    static void start() {
        another = LockingProcess.toAsk();
    }

    @AfterAll
    static void end() {
        another.close();
    }

    @BeforeEach
    void name() {
        lockFile = root.resolve("LOCK");
    }

    private VfsLock lock(boolean natively) {
        return FileLocks.lock(lockFile, FilePermissions.OWNER, natively);
    }

    @Test
    void anotherProcessIsRefusedAndToldTheHolder() {
        try (VfsLock lock = vfs.lock(lockFile)) {
            assertEquals(THIS_PROCESS, another.ask(lock.path()));
        }
        assertEquals("locked", another.ask(lockFile));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothKindsOfLocksExcludeEachOther(boolean natively) {
        try (VfsLock lock = lock(natively)) {
            assertEquals("refused", another.ask(Way.BYTES, lock.path()));
            assertEquals(THIS_PROCESS, another.ask(natively ? Way.JDK : Way.NATIVE, lock.path()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProcessThatReadsItsLockFileKeepsTheLock(boolean natively) throws IOException {
        try (VfsLock lock = lock(natively)) {
            readAll();
            assertEquals(THIS_PROCESS, another.ask(Way.JDK, lockFile));
            readAll();
            assertEquals(THIS_PROCESS, another.ask(Way.NATIVE, lockFile));
            lock.requireHeld();
            assertEquals("refused", another.ask(Way.BYTES, lockFile));
        }
        assertEquals("locked", another.ask(lockFile));
    }

    /** As a program does that packs the directory. */
    private void readAll() throws IOException {
        try (Stream<Path> files = Files.list(root)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.readAllBytes(file);
            }
        }
    }

    @Test
    void aHolderWhoseLockWasLostAndTakenIsTold() throws IOException {
        try (VfsLock lock = lock(false)) {
            readAll();
            try (LockingProcess other = LockingProcess.start(Way.BYTES, lockFile)) {
                assertEquals("locked", other.answer());
                assertThrows(StoreLockedException.class, lock::requireHeld);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHolderWhoseLockFileIsDeletedKeepsOthersOut(boolean natively) throws IOException {
        try (VfsLock lock = lock(natively)) {
            Files.delete(lockFile);
            if (hasAttributes()) {
                assertEquals(THIS_PROCESS, another.ask(Way.JDK, lockFile));
                assertTrue(Files.deleteIfExists(lockFile));
            }
            lock.requireHeld();
            assertEquals("refused", another.ask(Way.BYTES, lockFile));
            assertEquals(THIS_PROCESS, another.ask(Way.JDK, lockFile));
        }
        assertEquals("locked", another.ask(lockFile));
    }

    private boolean hasAttributes() throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(root, UserDefinedFileAttributeView.class);
        return view != null && !view.list().isEmpty();
    }

    @Test
    void aHolderWhoseLockFileWasReplacedIsTold() throws IOException {
        try (VfsLock lock = vfs.lock(lockFile)) {
            Files.delete(lockFile);
            Files.createFile(lockFile);
            try (LockingProcess other = LockingProcess.start(Way.BYTES, lockFile)) {
                assertEquals("locked", other.answer());
                assertThrows(StoreLockedException.class, lock::requireHeld);
            }
        }
    }

    @Test
    void aDirectoryThatIsRenamedKeepsItsLock() throws IOException {
        Path store = Files.createDirectory(root.resolve("store"));
        Path renamed = root.resolve("renamed");
        try (VfsLock lock = vfs.lock(store.resolve("LOCK"))) {
            Files.move(store, renamed);
            lock.requireHeld();
            assertEquals(THIS_PROCESS, another.ask(renamed.resolve("LOCK")));
            Files.createDirectory(store);
            lock.requireHeld();
            assertThrows(NoSuchFileException.class, () -> Files.size(store.resolve("LOCK")));
        }
        assertEquals("locked", another.ask(renamed.resolve("LOCK")));
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
            assertEquals(THIS_PROCESS, another.ask(lockFile));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void anotherClassLoaderIsRefusedBeforeItTouchesTheFile() throws Exception {
        List<URL> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            path.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Object other =
                    loader.loadClass(RealVfs.class.getName()).getConstructor().newInstance();
            Method lockByOther = other.getClass().getMethod("lock", Path.class);
            try (VfsLock lock = lock(false)) {
                long open = openLockFiles();
                Throwable refused = assertThrows(
                                InvocationTargetException.class, () -> lockByOther.invoke(other, lock.path()))
                        .getCause();
                assertEquals(
                        StoreLockedException.class.getName(), refused.getClass().getName());
                assertTrue(refused.getMessage().contains("this process"), refused.getMessage());
                assertEquals(open, openLockFiles()); // so nothing is closed when the class loader goes
                assertEquals("refused", another.ask(Way.BYTES, lockFile));
            }
            AutoCloseable held = assertInstanceOf(AutoCloseable.class, lockByOther.invoke(other, lockFile));
            assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
            held.close();
        }
        vfs.lock(lockFile).close();
    }

    private long openLockFiles() throws IOException {
        long count = 0;
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
            for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
                try {
                    count += Files.readSymbolicLink(descriptor).equals(lockFile.toRealPath()) ? 1 : 0;
                } catch (NoSuchFileException e) {
                    // that of the listing
                }
            }
        }
        return count;
    }

    @Test
    void aProcessThatIsKilledLeavesNoLock() {
        for (Way way : List.of(Way.NATIVE, Way.JDK)) {
            try (LockingProcess other = LockingProcess.start(way, lockFile)) {
                assertEquals("locked", other.answer());
                StoreLockedException refused = assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
                assertEquals("process " + other.pid(), refused.holder());
                assertEquals(lockFile, refused.lockFile());
            }
            assertTrue(Files.exists(lockFile));
            vfs.lock(lockFile).close();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessThatIsKilledLeavesNoLockWhenNobodyAsksHowItEnded() throws IOException {
        try (LockingProcess other = LockingProcess.startUnwatched(lockFile)) {
            assertEquals("locked", other.answer());
            String number = Files.readAllLines(lockFile).get(0);
            assumeTrue(Files.exists(Path.of("/proc", number)), "it is in another namespace");
            ProcessHandle holder = ProcessHandle.of(Long.parseLong(number)).orElseThrow();
            assertTrue(holder.destroyForcibly());
            while (isRunning(Path.of("/proc", number))) {
                Thread.onSpinWait();
            }
            vfs.lock(lockFile).close();
        }
    }

    private static boolean isRunning(Path process) throws IOException {
        String[] threads = process.resolve("task").toFile().list();
        return !Files.readString(process.resolve("stat")).contains(") Z ") || threads == null || threads.length > 1;
    }

    @Test
    void aCopyOfTheDirectoryIsNotLocked() throws IOException {
        try (LockingProcess other = LockingProcess.start(lockFile)) {
            assertEquals("locked", other.answer());
            Path copy = Files.createDirectory(root.resolve("copy")).resolve("LOCK");
            Files.copy(lockFile, copy);
            vfs.lock(copy).close();
        }
    }

    @Test
    void aHolderThatLeftNoNumberIsUnknown() throws IOException {
        try (LockingProcess other = LockingProcess.start(lockFile)) {
            for (String content : new String[] {"", "someone\n", "99999999999999999999999999999999999"}) {
                Files.writeString(lockFile, content);
                StoreLockedException refused = assertThrows(StoreLockedException.class, () -> vfs.lock(lockFile));
                assertEquals("an unknown process", refused.holder());
            }
            assertEquals("locked", other.answer());
        }
    }

    @Test
    void whateverAnUnlockedFileHasDoesNotKeepAnybodyOut() throws IOException {
        for (String content : new String[] {
            "",
            "\n\n\n",
            "1",
            "1\n",
            "1\n1\n1\n",
            "1\n" + "x".repeat(100_000),
            "0\n \n",
            another.pid() + "\n1 of another start of that process\n"
        }) {
            Files.writeString(lockFile, content);
            vfs.lock(lockFile).close();
            assertEquals("\n", Files.readString(lockFile).replace(" ", ""), content);
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
            assertEquals("an unknown process", another.ask(lockFile));
        }
        try (VfsLock lock = vfs.lock(lockFile)) {
            assertEquals(THIS_PROCESS, another.ask(lock.path()));
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
