package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process may make files up to some size only ({@code ulimit -f}), and its space grows beyond. */
class LargestFileTest {
    @TempDir
    private Path directory;

    /** The language matters only where its texts are installed. */
    @ParameterizedTest
    @CsvSource({"true, en", "true, de", "false, en", "false, de"})
    void aFileAtItsLargestSizeRefusesWritesAndLosesNothing(boolean jna, String language) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "bash sets the limit");
        String classPath = Arrays.stream(testClassPath().split(File.pathSeparator))
                .filter(element -> jna || !element.contains("jna"))
                .collect(Collectors.joining(File.pathSeparator));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder = new ProcessBuilder(
                "/bin/bash",
                "-c",
                "ulimit -f 16384; exec \"$@\"",
                "bash",
                java.toString(),
                "-ea",
                "-Xmx256m",
                "-XX:-UsePerfData",
                "-cp",
                classPath,
                FillingProcess.class.getName(),
                directory.resolve("space").toString());
        builder.environment().put("LC_ALL", "en_US.UTF-8");
        builder.environment().put("LANGUAGE", language);
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertTrue(said.contains("well: "), said);
        System.out.print(said);
    }

    /** Surefire hides it behind a jar of its own. */
    private static String testClassPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
