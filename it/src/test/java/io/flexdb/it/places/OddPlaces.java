package io.flexdb.it.places;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs tests of the store in JVMs in odd places. A few of them, in some places in the normal build and in all in the
 * profile {@code long}; all tests of {@code flexspace} and {@code flexdb}, everywhere, with
 * {@code -Dflexdb.places=ALL}, or in some places, named with commas in between. Then an image of a file system is
 * mounted where one is asked for, which needs root.
 *
 * <p>In two classes, for two JVMs of the build.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
abstract class OddPlaces {
    private static final String ASKED_FOR = System.getProperty("flexdb.places", "");
    private static final Path OUTPUT = Path.of("target/odd-places");
    private static final int SHORT_MINUTES = 15;
    private static final int LONG_MINUTES = 60;

    @TempDir
    private Path temporary;

    static List<OddPlace> places(boolean areLocales) {
        List<String> names = List.of(ASKED_FOR.split(",", -1));
        List<OddPlace> places = Stream.of(OddPlace.values())
                .filter(place -> place.isLocale() == areLocales)
                .filter(place -> ASKED_FOR.isEmpty()
                        ? !place.needsMount()
                        : ASKED_FOR.equals("ALL") || names.contains(place.name()))
                .toList();
        return ASKED_FOR.isEmpty() && !Effort.isLong() ? Effort.some(places) : places;
    }

    final void theStoreIsAtHomeIn(OddPlace place) throws Exception {
        if (place.fileSystem == null) {
            runIn(place, temporary);
        } else if (!place.needsMount()) {
            Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "flexdb");
            try {
                runIn(place, directory);
            } finally {
                run(List.of("rm", "-r", directory.toString()));
            }
        } else {
            Path mount = mount(place.fileSystem);
            try {
                runIn(place, mount);
            } finally {
                run(List.of("umount", mount.toString()));
            }
        }
    }

    private void runIn(OddPlace place, Path directory) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "bash",
                "-c",
                (place.shellCommand.isEmpty() ? "" : place.shellCommand + " && ") + "exec \"$@\"",
                "bash",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:TieredStopAtLevel=1", // most of so short a life is the compilers'
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + directory,
                Effort.asArgument(),
                Effort.triesAsArgument()));
        command.addAll(place.arguments);
        command.addAll(List.of("-cp", classPath(), SuiteRunner.class.getName()));
        command.add(place.suite(ASKED_FOR.isEmpty()));
        Files.createDirectories(OUTPUT);
        Path output = OUTPUT.resolve(place + ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(place.environment);
        Process process = builder.start();
        try {
            int minutes = ASKED_FOR.isEmpty() ? SHORT_MINUTES : LONG_MINUTES;
            assertTrue(process.waitFor(minutes, TimeUnit.MINUTES), place + " takes more than " + minutes + " minutes");
        } finally {
            process.destroyForcibly();
        }
        // Whatever charset the place has, names of tests are ASCII.
        String text = Files.readString(output, StandardCharsets.ISO_8859_1);
        assertTrue(
                process.exitValue() == 0,
                () -> place + ": " + text.substring(Math.max(0, text.length() - 10_000)) + "\nall of it is in "
                        + output);
    }

    /** Without jars that the suites don't use: each takes one of the few descriptors. */
    private static String classPath() {
        Pattern unused =
                Pattern.compile(".*[/\\\\](jcstress|jopt-simple|jna-platform|jqwik-time|jqwik-web)[^/\\\\]*\\.jar");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !unused.matcher(entry).matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Path mount(String fileSystem) throws IOException, InterruptedException {
        Path image = temporary.resolve("image");
        Path mount = Files.createDirectory(temporary.resolve("mount"));
        run(List.of("truncate", "-s", "8G", image.toString()));
        run(List.of("mkfs." + fileSystem, "-q", image.toString()));
        run(List.of("mount", "-o", "loop", image.toString(), mount.toString()));
        return mount;
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertTrue(process.waitFor() == 0, () -> String.join(" ", command) + " failed");
    }
}
