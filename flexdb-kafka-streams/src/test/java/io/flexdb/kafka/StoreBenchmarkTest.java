package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark gives the figures that the suite {@code kafka} of {@code jmh/run.sh} shows, and leaves no files. */
class StoreBenchmarkTest {
    private static final List<String> OF_A_GUARANTEE = List.of(
            "updates",
            "processor for each update",
            "written for each byte",
            "restored after a kill",
            "running after a kill",
            "restored from nothing",
            "running from nothing");

    @TempDir
    Path directory;

    @Test
    void wrongArgumentsAreRefusedFirst() {
        for (String wrong : List.of(
                "--stores=lmdb",
                "--records=15",
                "--records=many",
                "--commit=0",
                "--color=red",
                "x",
                "--task-commit=7")) {
            assertThrows(IllegalArgumentException.class, () -> new StoreBenchmark("--quick", wrong), wrong);
        }
    }

    @Tag("long")
    @Test
    void bothStoresGiveAllFigures() throws Exception {
        Path json = directory.resolve("figures.json");
        Path place = directory.resolve("place");
        for (String which : List.of(
                "--stores=flexdb --guarantees=exactly-once --tasks=5", "--stores=rocksdb --guarantees=at-least-once")) {
            String all = "--quick --records=800 --keys=200 --commit=100 --tasks=0 --task-records=500 --task-commit=50"
                    + " --heap=128m --threads=1 --dir=" + place + " --json=" + json + " " + which;
            new StoreBenchmark(all.split(" ")).run();
            String figures = Files.readString(json);
            boolean exactlyOnce = which.contains("exactly-once");
            for (String each : OF_A_GUARANTEE) {
                String name = (exactlyOnce ? "exactly once: " : "at least once: ") + each;
                assertTrue(figures.contains("\"experiment\": \"" + name + "\""), figures);
            }
            assertEquals(exactlyOnce, figures.contains("tasks: heap in use"), figures);
            // The built-in store has its offset on disk with its pairs only, which it writes when there are many.
            assertTrue(value(figures, "restored after a kill") <= (exactlyOnce ? 200 : 1000), figures);
            assertTrue(value(figures, "restored from nothing") > 0, figures);
            try (var left = Files.list(place)) {
                assertEquals(List.of(), left.toList());
            }
        }
    }

    private static double value(String figures, String experiment) {
        var found = Pattern.compile(": " + experiment + "\", \"value\": ([-0-9.E]+)")
                .matcher(figures);
        assertTrue(found.find(), figures);
        return Double.parseDouble(found.group(1));
    }
}
