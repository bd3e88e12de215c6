package io.flexdb.micrometer;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDBOptions;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What examples/spring-boot takes from FlexDB is there, and docs/monitoring.md shows its code. Its own test starts it:
 * this one does without the jars of Spring.
 */
class SampleSpringBootTest {
    private static final Path SAMPLE = Path.of("..", "examples", "spring-boot", "src", "main");
    private static final Path SOURCES = SAMPLE.resolve(Path.of("java", "com", "example"));
    private static final Path PROPERTIES = SAMPLE.resolve(Path.of("resources", "application.properties"));
    private static final Path DOCUMENT = Path.of("..", "docs", "monitoring.md");

    @TempDir
    private Path directory;

    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.map(SampleSpringBootTest::text).toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> found(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().map((MatchResult result) -> result.group(1));
    }

    @Test
    void theClassThatUsesTheStoreCompiles() {
        String classPath = System.getProperty("java.class.path");
        String source = SOURCES.resolve("Orders.java").toString();
        assertEquals(
                0,
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-cp", classPath, "-d", directory.toString(), source));
    }

    @Test
    void theClassesThatItImportsAreThere() throws IOException {
        List<String> imported = sources().stream()
                .flatMap(source -> found("import (io\\.flexdb\\.[\\w.]+);", source))
                .toList();
        assertTrue(imported.contains(FlexDBMetrics.class.getName()), imported::toString);
        for (String name : imported) {
            assertDoesNotThrow(() -> Class.forName(name), name);
        }
    }

    @Test
    void itsPropertiesAreOptionsOfAStore() throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(PROPERTIES)) {
            properties.load(reader);
        }
        FlexDBOptions defaults = FlexDBOptions.defaults();
        assertNotEquals(defaults, defaults.withProperties(properties, "flexdb.options."));
    }

    @Test
    void thePageShowsItsCodeAndProperties() throws IOException {
        String code = sources().stream().map(SampleSpringBootTest::stripped).collect(Collectors.joining("\n"));
        String settings = stripped(Files.readString(PROPERTIES));
        List<String> missing = new ArrayList<>();
        String page = Files.readString(DOCUMENT);
        found("(?s)\n```java\n(.*?)\n```\n", page)
                .flatMap(block -> Stream.of(block.split("\n\n")))
                .filter(paragraph -> !code.contains(stripped(paragraph)))
                .forEach(missing::add);
        found("(?s)\n```properties\n(.*?)\n```\n", page)
                .flatMap(String::lines)
                .filter(line -> !settings.contains(line))
                .forEach(missing::add);
        assertEquals(List.of(), missing);
        assertTrue(page.contains("\n```java\n") && page.contains("\n```properties\n"));
    }

    private static String stripped(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }
}
