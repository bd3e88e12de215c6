package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WantOfSpaceTest {
    private static final String GERMAN_FULL = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar";
    private static final String GERMAN_DEVICE_ERROR = "Eingabe-/Ausgabefehler";

    @TempDir
    private Path directory;

    private final WantOfSpace german = new WantOfSpace(Arrays.asList(null, "", GERMAN_FULL), GERMAN_DEVICE_ERROR);

    @Test
    void theTextsThatWereLearnedCount() {
        assertTrue(german.isTextOf(new IOException(GERMAN_FULL)));
        assertTrue(german.isTextOf(new FileSystemException("/store/data", null, GERMAN_FULL)));
        assertFalse(german.isTextOf(new IOException(GERMAN_DEVICE_ERROR)));
        assertFalse(german.isTextOf(new IOException((String) null)));
    }

    @Test
    void theNameOfAFileSaysNothing() {
        String name = "/No space left on device/quota exceeded";
        FileSystemException failure = new FileSystemException(name, null, "Permission denied");
        assertFalse(WantOfSpace.ofProcess().isTextOf(failure));
        assertInstanceOf(StoreIoException.class, IoFailures.wrap("open", Path.of(name), failure));
    }

    /** Whatever language this test runs in. */
    @Test
    void whatAFullDiskSaysIsLearned() {
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is a device that is always full");
        String text = WantOfSpace.textOfFullDisk();
        assertTrue(WantOfSpace.ofProcess().isTextOf(new IOException(text)));
        assertEquals(!NativeIo.isAvailable(), NativeIo.wantOfSpaceTexts().isEmpty());
        assertTrue(!NativeIo.isAvailable() || NativeIo.wantOfSpaceTexts().contains(text), text);
    }

    @Test
    void aFailureOfADeviceIsNoWantOfSpace() {
        Path file = directory.resolve("data");
        assertFalse(german.isCauseOf(new IOException(GERMAN_DEVICE_ERROR), Place.of(file), 0));
        assertFalse(german.isCauseOf(new IOException(), Place.of(file), 0));
    }

    @Test
    void aFailureThatANewFileDoesNotMeetIsNoWantOfSpace() throws IOException {
        Path file = directory.resolve("data");
        assertFalse(german.isCauseOf(new IOException("Etwas anderes"), Place.of(file), 1 << 20));
        assertFalse(german.isCauseOf(new IOException("Etwas anderes"), Place.of(directory.resolve("none/data")), 0));
        try (var left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** With texts that tell nothing: as in a language that could not be learned. */
    @Test
    void aFileThatMayNotBecomeLongerIsRefusedWhateverThatIsCalled() {
        RealVfs vfs = new RealVfs(new WantOfSpace(List.of(GERMAN_FULL), GERMAN_DEVICE_ERROR));
        Path path = directory.resolve("data");
        long tooFar = Long.MAX_VALUE - 4096;
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            ByteBuffer bytes = ByteBuffer.allocate(10);
            RuntimeException thrown = failureOf(() -> file.write(bytes, tooFar));
            assumeTrue(thrown != null, "a file may be as long as positions go, as on XFS");
            assumeTrue(
                    !(thrown instanceof StoreIoException e) || isFarRefused(e), "the file system has a largest file");
            StoreFullException full = assertInstanceOf(StoreFullException.class, thrown);
            assertTrue(full.getMessage().contains(path.toString()), full.getMessage());
            file.write(bytes, 0);
            Thread.currentThread().interrupt();
            assertThrows(StoreFullException.class, () -> file.write(ByteBuffer.allocate(10), tooFar));
            assertTrue(Thread.interrupted());
            assertFalse(vfs.exists(path.resolveSibling(WantOfSpace.PROBE_NAME)));
        }
    }

    private static RuntimeException failureOf(Runnable action) {
        try {
            action.run();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static boolean isFarRefused(StoreIoException e) {
        return WantOfSpace.ofProcess().isTextOf((IOException) e.getCause());
    }
}
