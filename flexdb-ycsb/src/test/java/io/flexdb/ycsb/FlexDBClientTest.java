package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

class FlexDBClientTest {
    private static final String TABLE = "usertable";

    @TempDir
    private Path directory;

    private final List<FlexDBClient> clients = new ArrayList<>();
    private FlexDBClient client;

    @BeforeEach
    void openOne() throws DBException {
        client = newClient();
    }

    @AfterEach
    void closeAll() throws DBException {
        for (FlexDBClient each : clients) {
            each.cleanup();
        }
    }

    @Test
    void anInsertedRecordIsReadWithAllOrSomeOfItsFields() {
        assertEquals(Status.OK, client.insert(TABLE, "user1", fields("a", "1", "b", "2")));
        assertEquals(Map.of("a", "1", "b", "2"), read("user1", null));
        assertEquals(Map.of("b", "2"), read("user1", Set.of("b")));
    }

    @Test
    void aMissingRecordIsNotFound() {
        assertEquals(Status.NOT_FOUND, client.read(TABLE, "user1", null, new HashMap<>()));
        assertEquals(Status.NOT_FOUND, client.update(TABLE, "user1", fields("a", "1")));
        assertEquals(Status.NOT_FOUND, client.read(TABLE, "user1", null, new HashMap<>()));
    }

    @Test
    void anUpdateKeepsTheFieldsItDoesNotName() {
        client.insert(TABLE, "user1", fields("a", "1", "b", "2"));
        assertEquals(Status.OK, client.update(TABLE, "user1", fields("b", "new", "c", "3")));
        assertEquals(Map.of("a", "1", "b", "new", "c", "3"), read("user1", null));
        assertEquals(Status.OK, client.update(TABLE, "user1", fields("a", "x", "b", "y", "c", "z")));
        assertEquals(Map.of("a", "x", "b", "y", "c", "z"), read("user1", null));
    }

    @Test
    void anInsertReplacesTheWholeRecord() {
        client.insert(TABLE, "user1", fields("a", "1", "b", "2"));
        client.insert(TABLE, "user1", fields("c", "3"));
        assertEquals(Map.of("c", "3"), read("user1", null));
    }

    @Test
    void aDeletedRecordIsGone() {
        client.insert(TABLE, "user1", fields("a", "1"));
        assertEquals(Status.OK, client.delete(TABLE, "user1"));
        assertEquals(Status.NOT_FOUND, client.read(TABLE, "user1", null, new HashMap<>()));
        assertEquals(Status.OK, client.delete(TABLE, "user1"));
    }

    @Test
    void aScanReadsOnInKeyOrderAndStopsAtTheEndOfItsTable() {
        for (String table : List.of("a", TABLE, "z")) {
            for (int i = 0; i < 10; i++) {
                client.insert(table, "user" + i, fields("f", table + i, "g", "other"));
            }
        }
        for (String table : List.of("a", TABLE, "z")) {
            assertEquals(
                    List.of(Map.of("f", table + 7), Map.of("f", table + 8), Map.of("f", table + 9)),
                    scan(table, "user7", 5, Set.of("f")));
            assertEquals(2, scan(table, "", 2, null).size());
            assertEquals(List.of(), scan(table, "user9x", 5, null));
        }
        assertEquals(List.of(), scan("absent", "", 5, null));
    }

    @Test
    void recordsOfDifferentTablesDoNotMeet() {
        client.insert(TABLE, "user1", fields("a", "1"));
        client.insert("other", "user1", fields("a", "2"));
        client.delete("other", "user1");
        assertEquals(Map.of("a", "1"), read("user1", null));
    }

    @Test
    void aRecordLargerThanAnExtentComesBack() {
        String large = "0123456789".repeat(50_000);
        client.insert(TABLE, "user1", fields("a", large, "b", "2"));
        client.update(TABLE, "user1", fields("b", large));
        assertEquals(Map.of("a", large, "b", large), read("user1", null));
    }

    @Test
    void noUpdateOfTheSameRecordGetsLost() throws Exception {
        int threads = 4;
        int updates = 500;
        client.insert(TABLE, "user1", fields("0", "", "1", "", "2", "", "3", ""));
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            String field = Integer.toString(t);
            FlexDBClient own = newClient();
            running.add(executor.submit(() -> {
                for (int i = 0; i < updates; i++) {
                    assertEquals(Status.OK, own.update(TABLE, "user1", fields(field, field + i)));
                    Map<String, ByteIterator> result = new HashMap<>();
                    assertEquals(Status.OK, own.read(TABLE, "user1", Set.of(field), result));
                    assertEquals(field + i, result.get(field).toString());
                }
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
        executor.shutdown();
        assertTrue(executor.awaitTermination(1, TimeUnit.MINUTES));
        assertEquals(Map.of("0", "0499", "1", "1499", "2", "2499", "3", "3499"), read("user1", null));
    }

    @Test
    void theStoreIsClosedWithTheLastClientAndKeepsItsRecords() throws DBException {
        FlexDBClient second = newClient();
        second.insert(TABLE, "user1", fields("a", "1"));
        client.cleanup();
        assertEquals(Status.OK, second.read(TABLE, "user1", null, new HashMap<>()));
        second.cleanup();
        second.cleanup();
        try (FlexDB store = FlexDB.open(directory)) {
            assertTrue(store.get("user1".getBytes(StandardCharsets.UTF_8)).length > 0);
            assertNull(store.get("user2".getBytes(StandardCharsets.UTF_8)));
        }
        client = newClient();
        assertEquals(Map.of("a", "1"), read("user1", null));
    }

    @Test
    void aKeyThatTheStoreRefusesIsABadRequest() {
        assertEquals(Status.BAD_REQUEST, client.insert(TABLE, "k".repeat(70_000), fields("a", "1")));
        assertEquals(Status.BAD_REQUEST, client.insert("a\u0000b", "user1", fields("a", "1")));
    }

    @Test
    void aValueThatIsNoRecordIsAnUnexpectedState() throws DBException {
        client.cleanup();
        try (FlexDB store = FlexDB.open(directory)) {
            store.put("user1".getBytes(StandardCharsets.UTF_8), new byte[] {99});
        }
        client = newClient();
        assertEquals(Status.UNEXPECTED_STATE, client.read(TABLE, "user1", null, new HashMap<>()));
    }

    @Test
    void wrongPropertiesAreRefusedWithTheirName() {
        assertRefused("flexdb.dir", Map.of());
        assertRefused("flexdb.durability", Map.of("flexdb.dir", "x", "flexdb.durability", "maybe"));
        assertRefused("flexdb.cache.bytes", Map.of("flexdb.dir", "x", "flexdb.cache.bytes", "much"));
        assertRefused("flexdb.memtable.bytes", Map.of("flexdb.dir", "x", "flexdb.memtable.bytes", "-1"));
        assertRefused("flexdb.memtable.bytes", Map.of("flexdb.dir", "x", "flexdb.memtable.bytes", "1"));
        assertRefused("flexdb.memtable.bytes", Map.of("flexdb.dir", "x", "flexdb.memtable.bytes", "5g"));
    }

    private static void assertRefused(String name, Map<String, String> given) {
        FlexDBClient refused = new FlexDBClient();
        Properties properties = new Properties();
        properties.putAll(given);
        refused.setProperties(properties);
        DBException exception = assertThrows(DBException.class, refused::init);
        assertTrue(exception.getMessage().startsWith(name + ": "), exception.getMessage());
    }

    private FlexDBClient newClient() throws DBException {
        FlexDBClient opened = new FlexDBClient();
        Properties properties = new Properties();
        properties.setProperty("flexdb.dir", directory.toString());
        properties.setProperty("flexdb.durability", "os");
        properties.setProperty("flexdb.cache.bytes", "8m");
        properties.setProperty("flexdb.memtable.bytes", "4m");
        opened.setProperties(properties);
        opened.init();
        clients.add(opened);
        return opened;
    }

    private Map<String, String> read(String key, Set<String> names) {
        Map<String, ByteIterator> result = new HashMap<>();
        assertEquals(Status.OK, client.read(TABLE, key, names, result));
        return StringByteIterator.getStringMap(result);
    }

    private List<Map<String, String>> scan(String table, String start, int count, Set<String> names) {
        Vector<HashMap<String, ByteIterator>> result = new Vector<>();
        assertEquals(Status.OK, client.scan(table, start, count, names, result));
        List<Map<String, String>> records = new ArrayList<>();
        result.forEach(each -> records.add(StringByteIterator.getStringMap(each)));
        return records;
    }

    private static Map<String, ByteIterator> fields(String... namesAndValues) {
        Map<String, ByteIterator> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(
                    namesAndValues[i],
                    new ByteArrayByteIterator(namesAndValues[i + 1].getBytes(StandardCharsets.UTF_8)));
        }
        return fields;
    }
}
