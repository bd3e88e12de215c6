package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.FlexDB;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores where there is little else: a runtime image without other modules, a container. */
class SmallRuntimeTest {
    private static final String PROGRAM = """
            package probe;

            public final class Probe {
                public static void main(String[] args) {
                    byte[] key = {1};
                    for (int run = 1; run <= 2; run++) {
                        try (io.flexdb.FlexDB db = io.flexdb.FlexDB.open(java.nio.file.Path.of(args[0]))) {
                            db.put(key, key);
                            System.out.println(db.get(key).length + db.health().state().label());
                        }
                    }
                }
            }
            """;

    @TempDir
    private Path directory;

    /** Needs the jars that Maven makes, with their module descriptors. */
    @Test
    void runtimeImageOfTheBaseModuleAndTheStoreOpensOne() throws Exception {
        List<String> jars = jars();
        assumeTrue(jars.size() == 3, "made by Maven's phase package only");
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElse(null);
        assumeTrue(jlink != null && Files.isDirectory(Path.of(System.getProperty("java.home"), "jmods")), "no jlink");
        Path sources = Files.createDirectory(directory.resolve("sources"));
        Path module = Files.writeString(
                sources.resolve("module-info.java"), "module probe { requires io.flexdb; exports probe; }");
        Path program = Files.writeString(sources.resolve("Probe.java"), PROGRAM);
        Path classes = directory.resolve("classes");
        String path = String.join(File.pathSeparator, jars);
        run("javac", "-p", path, "-d", classes.toString(), module.toString(), program.toString());
        Path image = directory.resolve("image");
        String all = path + File.pathSeparator + classes;
        run("jlink", "-p", all, "--add-modules", "probe", "--output", image.toString());

        String java = image.resolve("bin").resolve("java").toString();
        String modules = output(java, "--list-modules");
        List<String> names =
                modules.lines().map(line -> line.replaceAll("@.*", "")).toList();
        assertEquals(
                List.of("io.flexdb", "io.flexdb.flexspace", "io.flexdb.flextree", "java.base", "probe"),
                names.stream().sorted().toList());
        assertEquals(
                "1usable\n1usable\n",
                output(
                        java,
                        "-Xmx64m",
                        "-m",
                        "probe/probe.Probe",
                        directory.resolve("store").toString()));
    }

    private static List<String> jars() throws IOException {
        List<String> jars = new ArrayList<>();
        for (String module : List.of("flextree", "flexspace", "flexdb")) {
            Path target = Path.of("..", module, "target");
            if (Files.isDirectory(target)) {
                try (Stream<Path> files = Files.list(target)) {
                    files.map(Path::toString)
                            .filter(file -> file.matches(".*-[0-9.]+(-SNAPSHOT)?\\.jar"))
                            .forEach(jars::add);
                }
            }
        }
        return jars;
    }

    private static void run(String tool, String... arguments) {
        assertEquals(0, ToolProvider.findFirst(tool).orElseThrow().run(System.out, System.err, arguments), tool);
    }

    /**
     * As in a read-only container with one processor: JNA finds no place for its library, which a temporary directory
     * that forbids to run programs amounts to. The store does without.
     */
    @Test
    void storeWorksWhereJnaCanPutNoLibraryAndWithOneProcessor() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED"); // or JNA is not asked for anything
        }
        command.addAll(List.of(
                "-Djna.tmpdir=" + file.resolve("none"), "-Djna.nosys=true", "-XX:ActiveProcessorCount=1", "-Xmx64m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PrintedVersion.class.getName()));
        command.add(directory.resolve("store").toString());
        String out = output(command.toArray(String[]::new));
        assertTrue(out.contains(FlexDB.version() + " ") && !out.contains("Exception in"), out);
        try (FlexDB db = FlexDB.open(directory.resolve("store"))) {
            assertTrue(db.containsKey(new byte[1]));
        }
    }

    /** What a program prints, to both. */
    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
        return out;
    }
}
