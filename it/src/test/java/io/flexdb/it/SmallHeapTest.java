package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A store with default options works in a JVM of any size. {@code -Dflexdb.heap.puts=600000} sets how much is written,
 * {@code -Dflexdb.heap.seed=...} repeats a run.
 */
class SmallHeapTest {
    private static final int PUTS = Integer.getInteger("flexdb.heap.puts", Math.max(60_000, Effort.times(60_000)));
    private static final long MOST_MINUTES = Waiting.LONGEST.toMinutes();

    private final long seed = Long.getLong("flexdb.heap.seed", System.nanoTime());

    @TempDir
    private Path directory;

    static List<String> sizes() {
        return Effort.some(
                List.of("-Xmx64m", "-Xmx128m", "-Xmx256m", "-Xmx512m", "-Xmx256m -XX:MaxDirectMemorySize=32m"));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void defaultOptionsSuitAHeapOfAnySize(String limits) throws Exception {
        run(limits, SmallHeapWriter.class, String.valueOf(PUTS), String.valueOf(seed));
    }

    @Test
    void valuesThatAreLongerThanTheHeapAreWrittenFromAStreamAndReadByParts() throws Exception {
        run("-Xmx32m", LongValueWriter.class);
    }

    private void run(String limits, Class<?> main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(limits.split(" ")));
        command.addAll(List.of("-ea", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.add(directory.resolve("store").toString());
        command.addAll(List.of(arguments));
        Process writer = new ProcessBuilder(command).inheritIO().start();
        try {
            assertTrue(writer.waitFor(MOST_MINUTES, TimeUnit.MINUTES), limits + ", seed " + seed);
            assertEquals(0, writer.exitValue(), limits + ", seed " + seed);
        } finally {
            writer.destroyForcibly();
        }
    }
}
