package io.flexdb.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service in examples/service runs, and gives what docs/monitoring.md and the dashboard say. */
class SampleServiceTest {
    private static final Path SOURCE =
            Path.of("..", "examples", "service", "src", "main", "java", "com", "example", "Service.java");
    private static final Path DOCUMENT = Path.of("..", "docs", "monitoring.md");
    private static final Path DASHBOARD = Path.of("..", "docs", "grafana-dashboard.json");

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    @Test
    void serviceTellsHealthAndFigures() throws Exception {
        String classPath = System.getProperty("java.class.path");
        Path classes = Files.createDirectory(directory.resolve("classes"));
        assertEquals(
                0,
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-cp", classPath, "-d", classes.toString(), SOURCE.toString()));
        try (URLClassLoader loader = new URLClassLoader(
                        new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
                Running running = new Running(loader.loadClass("com.example.Service"), directory.resolve("data"))) {
            port = running.port();
            assertEquals(404, get("/orders/7").statusCode());
            HttpRequest put = HttpRequest.newBuilder(uri("/orders/7"))
                    .PUT(BodyPublishers.ofString("paid"))
                    .build();
            assertEquals(200, client.send(put, BodyHandlers.ofString()).statusCode());
            assertEquals("paid", get("/orders/7").body());
            assertEquals(400, get("/orders/").statusCode());

            HttpResponse<String> health = get("/health");
            assertEquals(200, health.statusCode());
            String document = Files.readString(DOCUMENT);
            assertTrue(document.contains("$ curl localhost:8080/health\n" + health.body()), health.body());

            String scrape = get("/prometheus").body();
            document.lines()
                    .filter(line -> line.startsWith("# HELP") || line.startsWith("# TYPE"))
                    .forEach(line -> assertTrue(scrape.contains(line + "\n"), () -> line + " in " + scrape));
            Set<String> figures = names("(?m)^(flexdb_\\w+)", scrape);
            requireAll(figures, names("\\b(flexdb_\\w+)(?=\\{|, store)", Files.readString(DASHBOARD)), 16);
            requireAll(figures, names("\\b(flexdb_\\w+)", document), 4);
            assertTrue(scrape.contains("flexdb_health{state=\"usable\",store=\"orders\"} 1.0"));
        }
    }

    private static void requireAll(Set<String> figures, Set<String> asked, int least) {
        assertTrue(asked.size() >= least, asked::toString);
        Set<String> missing = new TreeSet<>(asked);
        missing.removeAll(figures);
        assertEquals(Set.of(), missing, figures::toString);
    }

    private static Set<String> names(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    /** The service, which is not on the class path. */
    private record Running(Class<?> type, AutoCloseable service) implements AutoCloseable {
        Running(Class<?> type, Path data) throws ReflectiveOperationException {
            this(type, (AutoCloseable)
                    type.getConstructor(Path.class, int.class).newInstance(data, 0));
        }

        int port() throws ReflectiveOperationException {
            return (int) type.getMethod("port").invoke(service);
        }

        @Override
        public void close() throws IOException {
            try {
                service.close();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
