package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Values longer than all memory that the JVM may have, with all that a store offers. {@code -Dflexdb.large.mib=1023}
 * takes the longest that there may be, and a heap of 256 MiB.
 */
class LargeValueTest {
    private static final int DEFAULT_MIB = 26;
    private static final int MIB = Integer.getInteger("flexdb.large.mib", DEFAULT_MIB);
    private static final int HEAP_MIB = MIB <= DEFAULT_MIB ? 24 : 256;
    private static final long MOST_MINUTES = 30;

    @TempDir
    private Path directory;

    @Test
    void allCanBeDoneWithValuesLongerThanHeapAndDirectMemory() throws Exception {
        int length = Math.toIntExact(Math.min((long) MIB << 20, FlexDB.MAX_VALUE_BYTES));
        run(length, "merge");
        run(length, "write", "read", "change", "copy", "halt");
        run(length, "recover");
        if (MIB > DEFAULT_MIB) {
            run(length, "halt uncommitted");
            run(length, "recover");
        }
    }

    private void run(int length, String... steps) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + HEAP_MIB + "m",
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                LargeValueStore.class.getName(),
                directory.toString(),
                String.valueOf(length)));
        command.addAll(List.of(steps));
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            assertTrue(process.waitFor(MOST_MINUTES, TimeUnit.MINUTES), steps[0]);
            assertEquals(0, process.exitValue(), steps[0]);
        } finally {
            process.destroyForcibly();
        }
    }
}
