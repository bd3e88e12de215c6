package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.storage.StoreHealth;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application starts, answers, shows its health and figures, and finds its orders again. */
class OrdersApplicationTest {
    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private String address;

    /** Starts it as the main method does, but on any port that is free, and with a store of its own. */
    private ConfigurableApplicationContext start(String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "--server.port=0";
        arguments[1] = "--flexdb.directory=" + directory.resolve("data");
        System.arraycopy(more, 0, arguments, 2, more.length);
        ConfigurableApplicationContext context = SpringApplication.run(OrdersApplication.class, arguments);
        address = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
        return context;
    }

    @Test
    void ordersAreThereAfterARestartAndNothingIsOnStandardError() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setErr(new PrintStream(errors, true));
        try {
            FlexDB store;
            try (ConfigurableApplicationContext context = start()) {
                store = context.getBean(FlexDB.class);
                assertEquals("{\"id\":1,\"item\":\"tea\"}", post("{\"item\":\"tea\"}", 201));
                assertEquals("{\"id\":2,\"item\":\"rice\"}", post("{\"item\":\"rice\"}", 201));
                assertEquals("{\"id\":3,\"item\":\"salt\"}", post("{\"item\":\"salt\"}", 201));
                send(HttpRequest.newBuilder(uri("/orders/2")).DELETE(), 204);
                get("/orders/2", 404);
            }
            assertEquals(StoreHealth.State.CLOSED, store.health().state());
            start().close();
            try (ConfigurableApplicationContext context = start()) {
                assertEquals("{\"id\":1,\"item\":\"tea\"}", get("/orders/1", 200));
                String both = "[{\"id\":1,\"item\":\"tea\"},{\"id\":3,\"item\":\"salt\"}]";
                assertEquals(both, get("/orders", 200));
                assertEquals("[{\"id\":3,\"item\":\"salt\"}]", get("/orders?from=2&size=1", 200));
                assertEquals("{\"id\":4,\"item\":\"oil\"}", post("{\"item\":\"oil\"}", 201));
            }
        } finally {
            System.setErr(before);
        }
        assertEquals("", errors.toString());
    }

    @Test
    void badRequestsAreRefused() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            post("{}", 400);
            get("/orders?size=-1", 400);
            get("/orders/x", 400);
        }
    }

    @Test
    void healthAndFiguresAreShown() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            post("{\"item\":\"tea\"}", 201);
            String health = get("/actuator/health/store", 200);
            assertTrue(health.contains("\"status\":\"UP\"") && health.contains("\"state\":\"usable\""), health);
            assertTrue(get("/actuator/health", 200).contains("\"store\":{"));
            String figures = get("/actuator/prometheus", 200);
            assertTrue(figures.contains("flexdb_health{state=\"usable\",store=\"orders\"} 1.0"), figures);
            assertTrue(figures.contains("flexdb_transactions_total{event=\"committed\",store=\"orders\"}"), figures);

            context.getBean(FlexDB.class).close();
            assertTrue(get("/actuator/health/store", 503).contains("\"state\":\"closed\""));
            get("/orders/1", 503);
        }
    }

    @Test
    void propertiesSetTheOptionsOfTheStore() {
        try (ConfigurableApplicationContext context = start("--flexdb.options.space.max-data-bytes=1g")) {
            StoreProperties properties = context.getBean(StoreProperties.class);
            assertEquals("1g", properties.options().get("space.max-data-bytes"));
            assertEquals("128m", properties.options().get("memory-bytes"));
        }
        assertThrows(RuntimeException.class, () -> start("--flexdb.options.memory-bites=1g"));
    }

    private URI uri(String path) {
        return URI.create(address + path);
    }

    private String get(String path, int status) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)), status);
    }

    private String post(String json, int status) throws IOException, InterruptedException {
        return send(
                HttpRequest.newBuilder(uri("/orders"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json)),
                status);
    }

    private String send(HttpRequest.Builder request, int status) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
        assertEquals(status, response.statusCode(), response::body);
        return response.body();
    }
}
