package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class IoFailuresTest {
    private final Path file = Path.of("/store/data");

    @Test
    void missingSpaceIsToldFromOtherFailures() {
        assertFull(new IOException("No space left on device"));
        assertFull(new FileSystemException("/store/data", null, "No space left on device"));
        assertFull(new IOException("Disk quota exceeded"));
        assertInstanceOf(StoreIoException.class, IoFailures.wrap("write", file, new IOException("Input/output error")));
        assertInstanceOf(StoreIoException.class, IoFailures.wrap("write", file, new IOException()));
    }

    private void assertFull(IOException cause) {
        assertInstanceOf(StoreFullException.class, IoFailures.wrap("write", file, cause));
    }
}
