package io.flexdb.typed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.Snapshot;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/typed.md}. */
class TypedExampleTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```java\n(.*?)```");

    @TempDir
    private Path directory;

    private FlexDB db;
    private final List<String> shown = new ArrayList<>();

    @BeforeEach
    void open() {
        db = FlexDB.open(directory.resolve("data"));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void show(Object key, Object value) {
        shown.add(key + " " + value);
    }

    @Test
    void pageHasOnlyCodeOfThisClass() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "typed.md"));
        String source =
                Files.readString(Path.of("src", "test", "java", "io", "flexdb", "typed", "TypedExampleTest.java"));
        List<String> blocks = BLOCK.matcher(page)
                .results()
                .map((MatchResult block) -> withoutSpace(block.group(1)))
                .toList();
        assertTrue(blocks.size() >= 5, blocks::toString);
        for (String block : blocks) {
            assertTrue(withoutSpace(source).contains(block), () -> "not in the test: " + block);
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void keysAndValues() {
        TypedKeyspace<Long, String> names = TypedKeyspace.open(db, "names", KeyCodec.longs(), Codec.strings());
        names.put(7L, "Ann");
        names.put(-1L, "Bob", WriteOptions.timeToLive(Duration.ofDays(1)));
        String name = names.get(7L); // null if absent
        names.forEach(KeyRange.<Long>all().withUpperBound(100L, false).withReverse(true), this::show);
        assertEquals("Ann", name);
        assertEquals(List.of("7 Ann", "-1 Bob"), shown);
    }

    record Order(String item, long count) {}

    static final Codec<Order> ORDERS = Codec.list(Codec.strings())
            .map(
                    "order",
                    (Order order) -> List.of(order.item(), Long.toString(order.count())),
                    parts -> new Order(parts.get(0), Long.parseLong(parts.get(1))));

    @Test
    void tuples() {
        Instant time = Instant.parse("2026-11-27T12:00:00Z");
        Tuple2Codec<String, Instant> newestOfCity =
                KeyCodec.tuple(KeyCodec.strings(), KeyCodec.descending(KeyCodec.instants()));
        TypedKeyspace<Tuple2<String, Instant>, Order> orders = TypedKeyspace.open(db, "orders", newestOfCity, ORDERS);
        orders.put(Tuple2.of("Rome", time), new Order("pears", 3));
        orders.put(Tuple2.of("Rome", time.plusSeconds(60)), new Order("plums", 5));
        orders.forEach(newestOfCity.startingWith("Rome").withLimit(20), this::show); // the plums first
        assertEquals(2, shown.size());
        assertTrue(shown.get(0).contains("plums"), shown::toString);
    }

    @Test
    void severalKeyspaces() {
        TypedKeyspace<Long, String> names = TypedKeyspace.open(db, "names", KeyCodec.longs(), Codec.strings());
        TypedKeyspace<String, Long> visits = TypedKeyspace.open(db, "visits", KeyCodec.strings(), Codec.longs());
        WriteBatch batch = new WriteBatch();
        names.in(batch).put(7L, "Ann");
        visits.in(batch).put("Ann", 0L);
        db.write(batch); // both or none

        db.transactWithoutResult(transaction -> {
            String name = names.in(transaction).get(7L);
            TypedTransaction<String, Long> own = visits.in(transaction);
            own.put(name, own.get(name) + 1);
        });
        try (Snapshot snapshot = db.snapshot()) {
            visits.in(snapshot).forEach(this::show);
        }
        assertEquals(List.of("Ann 1"), shown);
    }

    @Test
    void maps() {
        ConcurrentNavigableMap<String, Long> stock = TypedKeyspace.open(db, "stock", KeyCodec.strings(), Codec.longs())
                .asMap();
        stock.put("pears", 10L);
        stock.merge("pears", -1L, Long::sum); // atomic
        stock.tailMap("p").descendingMap().forEach(this::show);
        assertEquals(List.of("pears 9"), shown);
    }

    static final Index<Order, String> BY_ITEM = Index.of("item", KeyCodec.strings(), Order::item);

    @Test
    void indexes() {
        IndexedKeyspace<Long, Order> orders =
                IndexedKeyspace.open(db, "orders by number", KeyCodec.longs(), ORDERS, List.of(BY_ITEM));
        orders.put(1L, new Order("pears", 3)); // the record and its entry, in one transaction
        List<Map.Entry<Long, Order>> pears = orders.find(BY_ITEM, "pears");
        orders.forEach(BY_ITEM, KeyRange.startingWith("p"), this::show);
        assertEquals(List.of(Map.entry(1L, new Order("pears", 3))), pears);
        assertEquals(1, shown.size());
    }
}
