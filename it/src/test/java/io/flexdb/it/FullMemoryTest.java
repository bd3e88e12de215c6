package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever else is in the JVM may take all of the heap, or all direct memory, at any moment: nothing acknowledged is
 * lost, nothing wrong is read, nobody hangs, and without direct memory the store goes on. {@code -Dtest.effort=N} runs
 * N times as many processes, {@code -Dflexdb.heap.seed=...} repeats some.
 *
 * <p>Two methods at a time, as a process without direct memory waits for the JDK's collector most of its life.
 */
@Execution(ExecutionMode.CONCURRENT)
class FullMemoryTest {
    private static final int PROCESSES = Effort.times(2);
    private static final int SECONDS = 2;
    private static final int DIRECT_WRITES = Effort.times(4000);
    private static final int PAIRS_REOPENED =
            500_000; // whose directories are more than is left beside those of another store
    private static final long MOST_MINUTES = Waiting.LONGEST.toMinutes();

    private final long seed = Long.getLong("flexdb.heap.seed", System.nanoTime());

    @TempDir
    private Path directory;

    private String output;

    @Test
    void aHeapThatIsFullNowAndThenLosesNothingAndHangsNobody() throws Exception {
        for (int process = 0; process <= PROCESSES; process++) { // the first opens what is empty
            int code = run("-Xmx40m -XX:MaxDirectMemorySize=200m", FullHeapStore.class, SECONDS, seed + process);
            assertTrue(code == 0 || code == FullHeapStore.ENDED_BY_THE_JDK, told(seed + process, code));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "await", "await for a while", "fail", "insert", "reset"})
    void whatMustWorkInAFullHeapDoesSoTheFirstTime(String what) throws Exception {
        int code = run("-Xmx16m", FullHeapMonitor.class, List.of(what));
        assertEquals(0, code, () -> told(seed, code));
    }

    @Test
    void aStoreGoesOnWhereOthersHaveAllDirectMemory() throws Exception {
        int code = run("-Xmx128m -XX:MaxDirectMemorySize=64m", FullDirectMemoryStore.class, DIRECT_WRITES, seed);
        assertEquals(0, code, () -> told(seed, code));
    }

    @Test
    void aStoreThatIsOpenedAgainHasItsCacheThoughTheOldOneWasNotCollected() throws Exception {
        int code = run("-Xmx256m -XX:MaxDirectMemorySize=64m", ReopenedStore.class, PAIRS_REOPENED, seed);
        assertEquals(0, code, () -> told(seed, code));
    }

    /** With all that the process said: where the report is all there is, its cause would be lost. */
    private String told(long seed, int code) {
        return "seed " + seed + ", exit code " + code + ": " + output;
    }

    private int run(String limits, Class<?> program, int work, long seed) throws Exception {
        return run(limits, program, List.of(directory.toString(), String.valueOf(work), String.valueOf(seed)));
    }

    private int run(String limits, Class<?> program, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(limits.split(" ")));
        command.addAll(
                List.of("-ea", Effort.asArgument(), "-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        Path file = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .start();
        try {
            assertTrue(process.waitFor(MOST_MINUTES, TimeUnit.MINUTES), "seed " + seed);
            output = Files.readString(file, StandardCharsets.ISO_8859_1);
            System.out.println(output);
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
