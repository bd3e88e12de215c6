package io.flexdb.files;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.files.internal.FileTree;
import io.flexdb.files.internal.TreeSettings;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The store of a file system, to be written or to be read only.
 *
 * @param db null if it is read only
 * @param reader else null
 * @param directory of a store that ends with its file system; null if it is the caller's
 */
record OpenStore(FlexDB db, FlexDBReader reader, Path directory) {
    boolean isReadOnly() {
        return db == null;
    }

    FileTree tree(TreeSettings settings) throws IOException {
        return isReadOnly() ? FileTree.openReadOnly(reader, settings) : FileTree.open(db, settings);
    }

    /** Whether it is the same object that was opened. */
    boolean isSame(OpenStore other) {
        return db == other.db && reader == other.reader;
    }

    /** Bytes that it has of the disk; 0 where nobody knows. */
    long diskBytes() throws IOException {
        if (!isReadOnly()) {
            return db.stats().space().diskBytes();
        }
        long total = 0;
        if (directory != null) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    total += sizeOf(file);
                }
            }
        }
        return total;
    }

    private static long sizeOf(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0; // the writer has deleted it meanwhile
        }
    }

    void close() {
        if (isReadOnly()) {
            reader.close();
        } else {
            db.close();
        }
    }

    @Override
    public String toString() {
        return String.valueOf(isReadOnly() ? reader : db);
    }
}
