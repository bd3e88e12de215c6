package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command in a process of its own. */
class ChildProcessTest {
    @TempDir
    private Path directory;

    private Process start(Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED"); // as the manifest of the jar says
        }
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FlexDBCli.class.getName()));
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
}
