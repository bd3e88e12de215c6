package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores whose JVMs end while they restore or commit, in the middle of whatever FlexDB does then. */
@Tag("long")
class KilledStoreTest {
    private static final int KILLS = 6;
    private static final int NEVER = 600_000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SESSION") // which is restored as windows are
    void aRestorationGoesOnAfterEachKill(Restorable kind) throws Exception {
        Random random = new Random(5);
        for (int run = 0; run < KILLS; run++) {
            int millis = 100 + random.nextInt(1000);
            String output = run("restore", run, millis, kind.name());
            assertTrue(output.startsWith("had ") || output.isEmpty(), output);
        }
        String output = run("restore", KILLS, NEVER, kind.name());
        assertTrue(output.endsWith("checked"), output);
    }

    @Test
    void aCommitThatSpillsIsAllOrNothing() throws Exception {
        Random random = new Random(6);
        long committed = -1;
        for (int run = 0; run < KILLS; run++) {
            String[] lines = run("commit", run, 200 + random.nextInt(1500), "").split("\n");
            for (String line : lines) {
                assertTrue(line.startsWith("committed "), () -> String.join("\n", lines));
            }
            long first = Long.parseLong(lines[0].substring(10));
            assertTrue(first >= committed, () -> String.join("\n", lines));
            committed = Long.parseLong(lines[lines.length - 1].substring(10));
        }
        assertTrue(committed > 0, "there were commits");
        KeyValueStore<Bytes, byte[]> store = KilledStore.openCommitted(directory.resolve("states"));
        assertTrue(KilledStore.check(store) >= committed);
        store.close();
    }

    private String run(String what, int run, int haltMillis, String kind) throws Exception {
        Path output = directory.resolve("output-" + run);
        Path states = directory.resolve("states");
        Process process = KilledStore.command(output, what, states.toString(), String.valueOf(haltMillis), kind)
                .start();
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS), () -> "it did not end: " + read(output));
            int exit = process.exitValue();
            if (exit != 9) { // all was done in time
                assertEquals(0, exit, () -> read(output));
            }
            return read(output)
                    .lines()
                    .filter(line -> !line.startsWith("SLF4J"))
                    .collect(Collectors.joining("\n"));
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
