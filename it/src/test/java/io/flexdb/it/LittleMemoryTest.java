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

/** What was written with little memory can be opened with it: after a close, after a kill, beside closed stores. */
class LittleMemoryTest {
    private static final int PAIRS = Effort.times(200_000);
    private static final long MOST_MINUTES = Waiting.LONGEST.toMinutes();

    @TempDir
    private Path directory;

    @Test
    void aStoreOpensWithTheMemoryThatItWasWrittenWithAndIsRefusedByNameWithLess() throws Exception {
        for (String step : List.of("load", "again", "kill", "recover", "refuse")) {
            run(step, LittleMemoryStore.class, step, String.valueOf(PAIRS));
        }
    }

    @Test
    void thousandsOfRangesThatOverlapNeedNoMoreHeapThanThereIs() throws Exception {
        for (String step : List.of("ranges", "after ranges")) {
            run(step, LittleMemoryStore.class, step, String.valueOf(PAIRS));
        }
    }

    @Test
    void aTransactionMayWriteSeveralTimesWhatTheHeapHas() throws Exception {
        run("transaction", LargeTransactionStore.class);
    }

    private void run(String step, Class<?> main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx24m",
                "-XX:MaxDirectMemorySize=" + (20 + 20 * PAIRS / 1_000_000) + "m",
                "-ea",
                Effort.asArgument(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                directory.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            assertTrue(process.waitFor(MOST_MINUTES, TimeUnit.MINUTES), step);
            assertEquals(0, process.exitValue(), step);
        } finally {
            process.destroyForcibly();
        }
    }
}
