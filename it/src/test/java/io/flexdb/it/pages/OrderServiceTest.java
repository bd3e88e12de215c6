package io.flexdb.it.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDBOptions;
import io.flexdb.it.pages.OrderService.Order;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service of the tutorial does what the tutorial says. */
class OrderServiceTest {
    @TempDir
    private Path directory;

    private OrderService open() {
        return new OrderService(directory.resolve("shop"), FlexDBOptions.defaults());
    }

    @Test
    void ordersAreFoundByCustomerPageByPage() {
        try (OrderService service = open()) {
            service.place("ann", "pears");
            service.place("bob", "plums");
            service.place("ann", "plums");
            service.place("anna", "figs");
            long last = service.place("ann", "quinces");
            List<Order> first = service.page("ann", Long.MAX_VALUE, 2);
            assertEquals(List.of(new Order(last, "ann", "quinces"), new Order(3, "ann", "plums")), first);
            assertEquals(List.of(new Order(1, "ann", "pears")), service.page("ann", 3, 2));
            assertEquals(List.of(), service.page("ann", 1, 2));
            assertEquals(List.of(), service.page("carl", Long.MAX_VALUE, 2));
        }
    }

    @Test
    void aCancelledOrderIsGoneFromOrdersIndexAndCounter() {
        try (OrderService service = open()) {
            long number = service.place("ann", "pears");
            service.place("bob", "pears");
            assertEquals(2, service.count("sold pears"));
            assertTrue(service.cancel(number));
            assertFalse(service.cancel(number));
            assertEquals(1, service.count("sold pears"));
            assertEquals(0, service.count("sold figs"));
            assertEquals(List.of(), service.page("ann", Long.MAX_VALUE, 10));
        }
    }

    @Test
    void everythingIsThereAfterAnotherOpening() {
        try (OrderService service = open()) {
            assertEquals(1, service.place("ann", "pears"));
        }
        try (OrderService service = open()) {
            assertEquals(2, service.place("ann", "pears"));
            assertEquals(2, service.page("ann", Long.MAX_VALUE, 10).size());
            assertEquals(2, service.count("sold pears"));
        }
    }

    @Test
    void sessionsEndAfterHalfAnHour() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        FlexDBOptions options = FlexDBOptions.defaults().withClock(now::get);
        try (OrderService service = new OrderService(directory.resolve("shop"), options)) {
            String token = service.login("ann");
            assertEquals("ann", service.customer(token));
            now.updateAndGet(time -> time.plus(Duration.ofMinutes(31)));
            assertNull(service.customer(token));
        }
    }

    @Test
    void manyThreadsPlaceAndCancelOrders() {
        try (OrderService service = open()) {
            IntStream.range(0, 400).parallel().forEach(i -> {
                long number = service.place("customer " + i % 4, "pears");
                if (i % 2 == 0) {
                    assertTrue(service.cancel(number));
                }
            });
            assertEquals(200, service.count("sold pears"));
            int found = 0;
            for (int i = 0; i < 4; i++) {
                found += service.page("customer " + i, Long.MAX_VALUE, 1000).size();
            }
            assertEquals(200, found);
        }
    }
}
