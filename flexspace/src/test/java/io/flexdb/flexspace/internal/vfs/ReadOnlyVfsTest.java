package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadOnlyVfsTest {
    private static final Set<String> HARMLESS = Set.of(
            "open",
            "exists",
            "isDirectory",
            "isPlainDirectory",
            "isPlainFile",
            "letGo",
            "grant",
            "isReadOnly",
            "list",
            "start",
            "worker",
            "mapsSafely",
            "replacesOpenFiles");

    private final Path root = Path.of("/some/store");
    private final Path file = root.resolve("file");
    private final SimulatedVfs files = new SimulatedVfs(root);
    private final Vfs vfs = new ReadOnlyVfs(files);

    @BeforeEach
    void makeAFile() {
        files.createDirectories(root);
        try (VfsFile made = files.open(file, OpenMode.CREATE)) {
            made.write(ByteBuffer.wrap(new byte[] {7}), 0);
        }
    }

    @Test
    void everyOperationThatChangesNamesIsRefused() throws ReflectiveOperationException {
        int refused = 0;
        for (Method method : Vfs.class.getMethods()) {
            if (!HARMLESS.contains(method.getName())) {
                Object[] paths = new Object[method.getParameterCount()];
                Arrays.fill(paths, file);
                Throwable thrown = assertThrows(InvocationTargetException.class, () -> method.invoke(vfs, paths))
                        .getCause();
                assertEquals(UnsupportedOperationException.class, thrown.getClass(), method.getName());
                refused++;
            }
        }
        assertTrue(refused >= 6, "there are operations that change names");
        assertEquals(List.of("file"), files.list(root));
    }

    @Test
    void filesAreOpenedForReadingWhateverIsAskedFor() {
        assertThrows(UnsupportedOperationException.class, () -> vfs.open(root.resolve("other"), OpenMode.CREATE));
        for (OpenMode mode : List.of(OpenMode.READ, OpenMode.READ_WRITE)) {
            try (VfsFile opened = vfs.open(file, mode)) {
                assertEquals(1, opened.size());
                assertThrows(RuntimeException.class, () -> opened.write(ByteBuffer.wrap(new byte[] {8}), 0));
            }
        }
        assertEquals(List.of("file"), vfs.list(root));
        assertTrue(vfs.exists(file));
        assertTrue(vfs.isDirectory(root));
        assertTrue(vfs.toString().startsWith("ReadOnlyVfs["), vfs::toString);
    }
}
