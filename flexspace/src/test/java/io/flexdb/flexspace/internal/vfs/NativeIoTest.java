package io.flexdb.flexspace.internal.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class NativeIoTest {
    @TempDir
    Path directory;

    /** Prints whether native calls serve, and uses them or not. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            try (VfsFile file = new RealVfs().open(Path.of(arguments[0]), OpenMode.CREATE)) {
                file.allocate(0, 1 << 20);
                file.prefetch(0, 1 << 20);
                System.out.println(NativeIo.isAvailable() + " " + file.size());
            }
        }
    }

    private String run(String classPath, String... options) throws IOException, InterruptedException {
        return run(Child.class, directory.resolve("file"), classPath, options);
    }

    /** Runs a program with a file and without JNA, and returns what it prints. */
    static String runWithoutJna(Class<?> program, Path file, String... options)
            throws IOException, InterruptedException {
        return run(program, file, classPath(false), options);
    }

    private static String run(Class<?> program, Path file, String classPath, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Arrays.asList(options));
        command.addAll(List.of("-cp", classPath, program.getName(), file.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.strip(); // with whatever was printed as a warning
    }

    private static String classPath(boolean withJna) {
        String separator = System.getProperty("path.separator");
        List<String> entries = new ArrayList<>(
                Arrays.asList(System.getProperty("java.class.path").split(separator)));
        entries.removeIf(entry -> entry.contains("jna") && !withJna);
        return String.join(separator, entries);
    }

    private static boolean mustBeAllowed() {
        return Runtime.version().feature() >= 22;
    }

    @Test
    void nativeCallsServeWhereTheyMay() throws Exception {
        String[] allowed = mustBeAllowed() ? new String[] {"--enable-native-access=ALL-UNNAMED"} : new String[0];
        assertEquals("true 1048576", run(classPath(true), allowed));
    }

    @Test
    void nothingIsPrintedAndNothingFailsWhereTheyMayNot() throws Exception {
        assertEquals(!mustBeAllowed() + " 1048576", run(classPath(true)));
        if (Runtime.version().feature() >= 24) {
            Files.delete(directory.resolve("file"));
            assertEquals("false 1048576", run(classPath(true), "--illegal-native-access=deny"));
        }
    }

    @Test
    void withoutJnaTheJdkServes() throws Exception {
        assertEquals("false 1048576", run(classPath(false)));
    }

    @Test
    void anErrorOfTheSystemIsANumber() {
        if (NativeIo.isAvailable()) {
            assertEquals(
                    2,
                    NativeIo.change(
                            NativeIo.Change.ALLOCATE, NativeIo.NO_DIRECTORY, directory.resolve("missing"), 0, 1),
                    "ENOENT");
            assertTrue(NativeIo.isNoSpace(28));
        }
        try (VfsFile file = new RealVfs().open(directory.resolve("a"), OpenMode.CREATE)) {
            file.write(ByteBuffer.wrap(new byte[10]), 0);
            file.allocate(10, 1 << 16);
            assertEquals((1 << 16) + 10, file.size());
        }
    }
}
