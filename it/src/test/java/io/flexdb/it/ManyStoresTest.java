package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two hundred stores with default options are open and written to in a JVM of 1 GiB. */
class ManyStoresTest {
    private static final int STORES = Effort.times(200);

    @TempDir
    private Path directory;

    @Test
    void eachTakesWhatItUses() throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-ea",
                        Effort.asArgument(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ManyStores.class.getName(),
                        directory.resolve("stores").toString(),
                        String.valueOf(STORES))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(Waiting.LONGEST.toMinutes(), TimeUnit.MINUTES));
            String said = Files.readString(output, StandardCharsets.ISO_8859_1);
            System.out.println(said);
            assertEquals(0, process.exitValue(), said);
        } finally {
            process.destroyForcibly();
        }
    }
}
