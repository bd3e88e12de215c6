package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.flexdb.FlexDB;
import io.flexdb.micrometer.FlexDBMetrics;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreHealth;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Keeps pairs in a store, and shows how the store is. Run it by {@code mvn -q compile exec:java}, then:
 *
 * <pre>
 * curl -X PUT -d paid localhost:8080/orders/7
 * curl localhost:8080/orders/7
 * curl localhost:8080/health
 * curl localhost:8080/prometheus
 * </pre>
 */
public final class Service implements AutoCloseable {
    private static final String ORDERS = "/orders/";

    private final FlexDB db;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final FlexDBMetrics metrics;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);

    /** Opens the store, and listens on this machine alone; port 0 for any that is free. */
    public Service(Path directory, int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        db = FlexDB.open(directory);
        metrics = new FlexDBMetrics(db, "orders");
        metrics.bindTo(registry);
        server.createContext(ORDERS, guarded(this::order));
        server.createContext("/health", guarded(this::health));
        server.createContext("/prometheus", guarded(this::figures));
        server.setExecutor(threads);
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void order(HttpExchange exchange) throws IOException {
        byte[] key = exchange.getRequestURI().getPath().substring(ORDERS.length()).getBytes(UTF_8);
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                db.put(key, exchange.getRequestBody().readAllBytes());
                answer(exchange, 200, key);
            }
            case "GET" -> {
                byte[] value = db.get(key);
                answer(exchange, value == null ? 404 : 200, value == null ? new byte[0] : value);
            }
            default -> answer(exchange, 405, new byte[0]);
        }
    }

    /** 200 while the store takes reads and writes, 503 otherwise: for a load balancer or a readiness probe. */
    private void health(HttpExchange exchange) throws IOException {
        StoreHealth health = db.health();
        String body = "{\"store\":\"" + health.state().label() + "\"}\n";
        answer(exchange, health.isUsable() ? 200 : 503, body.getBytes(UTF_8));
    }

    private void figures(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        answer(exchange, 200, registry.scrape().getBytes(UTF_8));
    }

    /** Tells faults of the caller, which the store refuses, from a full disk or damage. */
    private static HttpHandler guarded(HttpHandler handler) {
        return exchange -> {
            try {
                handler.handle(exchange);
            } catch (IllegalArgumentException e) {
                answer(exchange, 400, String.valueOf(e.getMessage()).getBytes(UTF_8));
            } catch (StorageException e) {
                answer(exchange, 503, String.valueOf(e.getMessage()).getBytes(UTF_8));
            } finally {
                exchange.close();
            }
        };
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    /** Takes no more requests, then closes the store. */
    @Override
    public void close() {
        server.stop(1);
        threads.shutdown();
        metrics.close();
        db.close();
    }

    public static void main(String[] args) throws IOException {
        Service service = new Service(Path.of("target", "data"), 8080);
        Runtime.getRuntime().addShutdownHook(new Thread(service::close));
        System.out.println("http://localhost:" + service.port() + "/health");
    }
}
