package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TemporaryDirectoryTest {
    @Test
    void itIsRemovedWithAllItContains() throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("flexdb-ycsb-test-");
        Path inner = Files.createDirectories(directory.path().resolve("a/b"));
        Files.writeString(inner.resolve("file"), "content");
        assertTrue(Files.isDirectory(directory.path()));
        directory.close();
        assertFalse(Files.exists(directory.path()));
        directory.close();
    }
}
