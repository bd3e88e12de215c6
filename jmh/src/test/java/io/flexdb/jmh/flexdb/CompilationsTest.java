package io.flexdb.jmh.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilationsTest {
    private static final int CALLS = 2_000_000;

    @TempDir
    Path directory;

    /** The program that is recorded. */
    static final class Busy {
        private static volatile long sink;

        public static void main(String[] arguments) {
            for (int i = 0; i < CALLS; i++) {
                sink += hot(i);
            }
        }

        static long hot(int number) {
            long sum = 0;
            for (int i = 0; i < 100; i++) {
                sum = sum * 31 + (number ^ i);
            }
            return sum;
        }
    }

    @Test
    void theMethodsThatTheCompilerHasWorkedOnAreListed() throws Exception {
        Path recording = directory.resolve("compilations.jfr");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        Compilations.jvmArgument(recording),
                        "-Xbatch", // compiled while it runs, however busy the machine
                        "-cp",
                        System.getProperty("java.class.path"),
                        Busy.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, process.waitFor());
        String table = Compilations.table("Busy", recording);
        assertTrue(table.startsWith("Busy: optimizing compiler "), table);
        String line = table.lines()
                .filter(each -> each.contains("Busy.hot`"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(table));
        assertTrue(line.matches("\\| `CompilationsTest\\$Busy\\.hot` \\| \\d+ \\| \\d+ \\| \\d+ \\| .*"), line);
        assertTrue(table.toLowerCase(Locale.ROOT).contains("machine code"), table);
    }
}
