package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A container may have no directory for temporary files, or one whose files can't be executed: then JNA is on the class
 * path and can't load its library. A store works as without JNA, and writes nothing outside of its directory.
 */
class WithoutTemporaryFilesTest {
    @TempDir
    private Path directory;

    @Test
    void aStoreIsWrittenAndReadWhereJnaCantLoadItsLibrary() throws Exception {
        Path home = Files.createDirectory(directory.resolve("home"));
        Path none = Files.createFile(directory.resolve("no directory"));
        Path store = directory.resolve("store");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + home, // newer JDKs warn if there is none
                        "-Djna.tmpdir=" + none,
                        "-Duser.home=" + home,
                        "-cp",
                        System.getProperty("java.class.path"),
                        PrintedVersion.class.getName(),
                        store.toString())
                .directory(home.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertEquals(1, output.lines().count(), output);
        assertTrue(System.getProperty("java.class.path").contains(File.separator + "jna-"), "JNA is on the class path");
        try (FlexDB db = FlexDB.open(store)) {
            assertFalse(db.get(new byte[1]) == null);
        }
        assertEquals(0, Files.size(none));
        assertEquals(0, home.toFile().list().length, "files in the home directory");
    }
}
