package io.flexdb.files;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests that have a file system in a store of its own for each, which is checked at the end. */
abstract class FilesTest {
    /** Where the store is, and others may be. */
    @TempDir
    Path directory;

    FilesFixture fixture;

    @BeforeEach
    void open() throws IOException {
        fixture = new FilesFixture(directory.resolve("store"));
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    Path path(String path) {
        return fixture.path(path);
    }

    /** The same ones for the same length. */
    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
