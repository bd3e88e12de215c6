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

    @Test
    void methodsThatHaveGrownAreNamed() {
        String before = tables("| `A.same` | 20 | 10 | 2 | 1,000 | 300 |", "| `A.larger` | 20 | 10 | 2 | 100 | 300 |")
                + "Other, B: optimizing compiler 1.0 s\n\n| `A.new` | 20 | 10 | 2 | 100 | 300 |\n";
        String now = tables(
                "| `A.same` | 20 | 10 | 2 | 2,000 | 300 |",
                "| `A.larger` | 20 | 10 | 2 | 1,126 | 300 |",
                "| `A.new` | 2 | 1 | 1 | 100 | 300 |");
        assertEquals(
                "FlexDB, B: bytecodes of methods that are new or twice as large: `A.larger` 1,126 instead of 100; `A.new`"
                        + " 100, new",
                Compilations.grown(now, before));
        assertEquals("FlexDB, B: no method is new or twice as large", Compilations.grown(before, now));
        assertEquals("FlexDB, B: no table to compare with", Compilations.grown(now, "# Something else\n"));
    }

    private static String tables(String... lines) {
        return "FlexDB, B: optimizing compiler 6.0 s, 4.0 s of it on FlexDB's methods and what they inline\n\n"
                + "| method | ms | longest, ms | times | bytecodes inlined | machine code, bytes |\n"
                + "|---|---:|---:|---:|---:|---:|\n" + String.join("\n", lines) + "\n\n";
    }
}
