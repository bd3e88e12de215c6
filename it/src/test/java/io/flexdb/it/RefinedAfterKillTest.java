package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store whose process has ended without closing it becomes as fine as it was, without being asked to. */
class RefinedAfterKillTest {
    private static final int PAIRS = Effort.times(150_000);

    @TempDir
    private Path directory;

    @Test
    void intervalsAreAsFineAsBeforeAndStaySoWhenItIsClosed() throws Exception {
        long before = loadAndHalt();
        long refined;
        try (FlexDB store = FlexDB.open(directory, HaltedLoader.options())) {
            assertTrue(store.stats().index().coarseIntervals() > 0, "nothing was sampled");
            long deadline = System.nanoTime() + Waiting.LONGEST.toNanos();
            for (int i = 0; store.stats().index().coarseIntervals() > 0; i = (i + 7) % PAIRS) {
                assertArrayEquals(HaltedLoader.value(i), store.get(HaltedLoader.key(i)), "while it is refined, " + i);
                assertTrue(System.nanoTime() < deadline, () -> "still coarse: " + store.stats());
            }
            refined = store.stats().index().intervals();
            assertTrue(refined >= before * 9 / 10, refined + " intervals instead of " + before);
            verify(store);
        }
        try (FlexDB store = FlexDB.open(directory, HaltedLoader.options())) {
            assertEquals(0, store.stats().index().coarseIntervals());
            long reopened = store.stats().index().intervals(); // closing has committed what was in memtables
            assertTrue(reopened >= refined, reopened + " intervals instead of " + refined);
            verify(store);
        }
    }

    private long loadAndHalt() throws Exception {
        Process loader = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HaltedLoader.class.getName(),
                        directory.toString(),
                        String.valueOf(PAIRS))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(loader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertEquals(0, loader.waitFor());
            return Long.parseLong(output.trim());
        } finally {
            loader.destroyForcibly();
        }
    }

    private static void verify(FlexDB store) {
        for (int i = 0; i < PAIRS; i++) {
            assertArrayEquals(HaltedLoader.value(i), store.get(HaltedLoader.key(i)), "pair " + i);
        }
    }
}
