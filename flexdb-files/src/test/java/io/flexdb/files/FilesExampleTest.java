package io.flexdb.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.flexdb.FlexDB;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/files.md}, by the public API alone. */
class FilesExampleTest {
    @TempDir
    private Path directory;

    @Test
    void filesInAStore() throws IOException {
        try (FlexDB db = FlexDB.open(directory.resolve("data"));
                FlexFileSystem files = FlexFileSystem.open(db)) {
            Path notes = Files.createDirectories(files.getPath("/notes"));
            Files.writeString(notes.resolve("today.txt"), "buy pears\nwrite to Ann\n");
            try (Stream<String> lines = Files.lines(notes.resolve("today.txt"))) {
                assertEquals(List.of("buy pears", "write to Ann"), lines.toList());
            }
            Files.move(notes, files.getPath("/archive")); // one short write, whatever is in it
            files.deleteRecursively(files.getPath("/archive"));
            assertFalse(Files.exists(files.getPath("/archive")));
        }
    }

    @Test
    void filesByTheNameOfTheStore() throws IOException {
        URI store = URI.create("flexdb:" + directory.resolve("data").toUri());
        URI notes;
        try (FileSystem files = FileSystems.newFileSystem(store, Map.of("create", "true"))) {
            Files.writeString(files.getPath("/notes.txt"), "buy pears");
            notes = files.getPath("/notes.txt").toUri(); // flexdb:file:///var/data!/notes.txt
            assertEquals("buy pears", Files.readString(Path.of(notes)));
        }
    }
}
