package io.flexdb.flexspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A space whose directory is renamed by others, and gets a successor at the old name. */
class FlexSpaceRenamedTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void aSpaceGoesOnWhenItsDirectoryIsRenamedAndTouchesNothingElse(boolean jna, boolean interrupted) throws Exception {
        String classPath = Arrays.stream(testClassPath().split(File.pathSeparator))
                .filter(element -> jna || !element.contains("jna"))
                .collect(Collectors.joining(File.pathSeparator));
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (jna && Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-ea", "-Xmx256m", "-cp", classPath, RenamedSpaceProcess.class.getName()));
        command.addAll(List.of(directory.toString(), String.valueOf(seed), String.valueOf(interrupted)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> "seed " + seed + ": " + said);
        assertTrue(said.contains("well: "), said);
    }

    /** Surefire hides it behind a jar of its own. */
    private static String testClassPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }
}
