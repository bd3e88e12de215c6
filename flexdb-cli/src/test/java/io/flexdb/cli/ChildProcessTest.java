package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command in a process of its own. */
class ChildProcessTest {
    @TempDir
    private Path directory;

    private Process start(Object... arguments) throws IOException {
        return startWith(System.getProperty("java.class.path"), arguments);
    }

    private Process startWith(String classPath, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED"); // as the manifest of the jar says
        }
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of("-cp", classPath, FlexDBCli.class.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command)
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private String err() throws IOException {
        return Files.readString(directory.resolve("err"));
    }

    @Test
    void successLeavesStandardErrorEmpty() throws Exception {
        Path store = directory.resolve("store");
        assertEquals(0, start("put", store, "key", "value", "--create").waitFor());
        assertEquals("", err());
        Process get = start("get", store, "key");
        assertEquals("value", new String(get.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, get.waitFor());
        assertEquals("", err());
    }

    @Test
    void holderOfAnOpenStoreIsNamed() throws Exception {
        Path store = directory.resolve("store");
        try (FlexDB db = FlexDB.open(store)) {
            db.put(new byte[1], new byte[1]);
            assertEquals(
                    ExitCode.CANNOT_OPEN, start("put", store, "key", "value").waitFor());
            String holder = "process " + ProcessHandle.current().pid();
            assertTrue(err().contains(holder), err());
            Process info = start("info", store);
            String out = new String(info.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(out.contains("by " + holder), out);
            assertEquals(0, info.waitFor());
        }
    }

    @Test
    void readerThatGoesAwayEndsItQuietly() throws Exception {
        Path store = directory.resolve("store");
        try (FlexDB db = FlexDB.open(store)) {
            for (int i = 0; i < 2000; i++) {
                db.put(("key" + i).getBytes(StandardCharsets.UTF_8), new byte[1000]);
            }
        }
        Process scan = start("scan", store);
        try (BufferedReader reader = scan.inputReader(StandardCharsets.UTF_8)) {
            assertTrue(reader.readLine().startsWith("key0\t"));
        }
        assertEquals(ExitCode.PIPE_CLOSED, scan.waitFor());
        assertEquals("", err());
    }

    /** As with the jar of the command, which has no library of another engine. */
    @ParameterizedTest
    @CsvSource({
        "rocksdb, org.rocksdb:rocksdbjni",
        "lmdb, org.lmdbjava:lmdbjava",
        "mvstore, com.h2database:h2-mvstore",
        "mapdb, org.mapdb:mapdb"
    })
    void importTakesTheLibraryOfAnotherEngineFromTheDriverPath(String engine, String artifact) throws Exception {
        Path source = Others.make(engine, directory.resolve("source"));
        Path store = directory.resolve("store");
        List<String> own = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            boolean isOwn = !entry.endsWith(".jar") || entry.matches(".*(flex|jspecify|jna-|picocli).*");
            (isOwn ? own : others).add(entry);
        }
        String classPath = String.join(File.pathSeparator, own);

        Process without = startWith(classPath, "import", store, source, "--from", engine, "--create");
        assertEquals(ExitCode.CANNOT_OPEN, without.waitFor());
        assertTrue(err().contains(artifact) && err().contains("--driver-path"), err());
        assertFalse(err().contains("\tat ") || Files.exists(store), err());

        String jars = others.stream()
                .map(jar ->
                        jar.contains("rocksdb") ? jar : Path.of(jar).getParent().toString())
                .collect(Collectors.joining(File.pathSeparator));
        Process with =
                startWith(classPath, "import", store, source, "--from", engine, "--create", "--driver-path", jars);
        String out = new String(with.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, with.waitFor(), err());
        assertTrue(out.startsWith("imported 30"), out);
    }
}
