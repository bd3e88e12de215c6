package io.flexdb.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The settings for GraalVM's native-image, as far as they can be checked without it: they name what there is. */
class NativeImageTest {
    private static final List<String> MODULES = List.of("flextree", "flexspace", "flexdb");
    private static final String AT_RUN_TIME = "--initialize-at-run-time=";
    private static final Pattern STATIC_SECRET =
            Pattern.compile("static \\{\\s+[^}]*SecureRandom|static final [^;{]*SecureRandom\\(");

    @Test
    void classesThatAreMadeAtRunTimeAreThere() throws Exception {
        for (String module : MODULES) {
            List<String> names = atRunTime(module);
            assertFalse(names.isEmpty(), module);
            for (String name : names) {
                Class.forName(name, false, getClass().getClassLoader());
            }
        }
    }

    @Test
    void secretsAreDrawnAtRunTime() throws IOException {
        Set<String> named = new TreeSet<>();
        Set<String> secret = new TreeSet<>();
        for (String module : MODULES) {
            atRunTime(module).forEach(name -> named.add(name.substring(name.lastIndexOf('.') + 1)));
            for (Path source : sources(module)) {
                if (STATIC_SECRET.matcher(Files.readString(source)).find()) {
                    secret.add(source.getFileName().toString().replace(".java", ""));
                }
            }
        }
        assertTrue(secret.contains("KeyHash"), secret::toString);
        assertTrue(named.containsAll(secret), () -> secret + " are to be among " + named);
    }

    @Test
    void classesWithNativeMethodsCanBeReflectedOn() throws Exception {
        for (String module : MODULES) {
            Set<String> named = reflected(module);
            for (String name : named) {
                if (name.startsWith("io.flexdb.")) {
                    Class.forName(name, false, getClass().getClassLoader());
                }
            }
            Set<String> calls = new TreeSet<>();
            for (Path source : sources(module)) {
                if (Files.readString(source).contains("Native.register(")) {
                    calls.add(source.getFileName().toString().replace(".java", ""));
                }
            }
            Set<String> ours = named.stream()
                    .filter(name -> name.startsWith("io.flexdb."))
                    .map(name -> name.substring(name.lastIndexOf('.') + 1))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(calls, ours, module);
        }
    }

    private static Path settings(String module, String file) {
        return Path.of("..", module, "src", "main", "resources", "META-INF", "native-image", "io.flexdb", module, file);
    }

    private static List<String> atRunTime(String module) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(settings(module, "native-image.properties"))) {
            properties.load(in);
        }
        String arguments = properties.getProperty("Args");
        assertTrue(arguments.startsWith(AT_RUN_TIME), arguments);
        return List.of(arguments.substring(AT_RUN_TIME.length()).split(","));
    }

    private static Set<String> reflected(String module) throws IOException {
        Path file = settings(module, "reflect-config.json");
        if (!Files.exists(file)) {
            return Set.of();
        }
        return Pattern.compile("\\{\\s+\"name\": \"([^\"]+)\"")
                .matcher(Files.readString(file, StandardCharsets.UTF_8))
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Path> sources(String module) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
