package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A file system in a store of its own, with blocks so small that short files have several. */
final class FilesFixture implements AutoCloseable {
    static final FlexFilesOptions SMALL =
            FlexFilesOptions.defaults().withBlockBytes(512).withSmallFileBytes(100);

    private final Path directory;
    private final FlexFilesOptions options;
    private FlexDB db;
    private FlexFileSystem files;

    FilesFixture(Path directory) throws IOException {
        this(directory, SMALL);
    }

    FilesFixture(Path directory, FlexFilesOptions options) throws IOException {
        this.directory = directory;
        this.options = options;
        open();
    }

    private void open() throws IOException {
        db = FlexDB.open(
                directory, FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(1 << 20));
        files = FlexFileSystem.open(db, options);
    }

    FlexDB db() {
        return db;
    }

    FlexFileSystem files() {
        return files;
    }

    Path path(String path) {
        return files.getPath(path);
    }

    /** Closes everything, and opens it again. */
    void reopen() throws IOException {
        files.close();
        db.close();
        open();
    }

    void assertSound() throws IOException {
        assertEquals(List.of(), files.check().problems());
    }

    /** With a check of all. */
    @Override
    public void close() throws IOException {
        try {
            assertSound();
        } finally {
            files.close();
            db.close();
        }
    }
}
