package io.flexdb.it.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.Keyspace;
import io.flexdb.KeyspaceOptions;
import io.flexdb.MergeFunction;
import io.flexdb.ReadOptions;
import io.flexdb.Snapshot;
import io.flexdb.WriteBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The service of the tutorial: orders with an index by customer, counters, sessions. For any number of threads. */
final class OrderService implements AutoCloseable {
    record Order(long number, String customer, String item) {}

    private final FlexDB db;
    private final Keyspace orders; // number -> customer, item
    private final Keyspace byCustomer; // customer, number -> nothing
    private final Keyspace counters; // name -> number
    private final Keyspace sessions; // token -> customer
    private long lastNumber;

    OrderService(Path directory, FlexDBOptions options) {
        db = FlexDB.open(directory, options.withMergeFunction(MergeFunction.ADD));
        orders = db.createKeyspaceIfAbsent("orders");
        byCustomer = db.createKeyspaceIfAbsent("orders by customer");
        counters = db.createKeyspaceIfAbsent("counters");
        sessions = db.createKeyspaceIfAbsent("sessions", KeyspaceOptions.timeToLive(Duration.ofMinutes(30)));
        lastNumber = count("last order");
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    static long number(byte[] bytes) { // in the last eight
        return ByteBuffer.wrap(bytes).getLong(bytes.length - Long.BYTES);
    }

    static byte[] indexKey(String customer, long number) {
        byte[] name = bytes(customer);
        return ByteBuffer.allocate(name.length + 1 + Long.BYTES)
                .put(name)
                .put((byte) 0)
                .putLong(number)
                .array();
    }

    static Order order(long number, byte[] value) {
        String[] parts = new String(value, UTF_8).split("\n", 2);
        return new Order(number, parts[0], parts[1]);
    }

    /** Places an order: the order, its index entry and the counters, all or nothing. */
    synchronized long place(String customer, String item) {
        long number = lastNumber + 1;
        WriteBatch batch = new WriteBatch();
        batch.in(orders).put(bytes(number), bytes(customer + "\n" + item));
        batch.in(byCustomer).put(indexKey(customer, number), new byte[0]);
        batch.in(counters).put(bytes("last order"), bytes(number)).merge(bytes("sold " + item), bytes(1));
        db.write(batch);
        lastNumber = number;
        return number;
    }

    /** Cancels an order, once; false if there is none. */
    boolean cancel(long number) {
        return db.transact(transaction -> {
            byte[] found = transaction.in(orders).get(bytes(number));
            if (found == null) {
                return false;
            }
            Order order = order(number, found);
            transaction.in(orders).delete(bytes(number));
            transaction.in(byCustomer).delete(indexKey(order.customer(), number));
            transaction.in(counters).merge(bytes("sold " + order.item()), bytes(-1));
            return true;
        });
    }

    /** A page of a customer's orders, newest first, all older than an order; Long.MAX_VALUE for the first page. */
    List<Order> page(String customer, long before, int size) {
        ReadOptions page = ReadOptions.defaults()
                .withLowerBound(indexKey(customer, 0))
                .withUpperBound(indexKey(customer, before))
                .withReverse(true)
                .withLimit(size);
        List<Order> found = new ArrayList<>();
        try (Snapshot snapshot = db.snapshot()) {
            snapshot.in(byCustomer).forEach(page, (key, nothing) -> {
                byte[] order = snapshot.in(orders).get(bytes(number(key)));
                found.add(order(number(key), order));
            });
        }
        return found;
    }

    /** The value of a counter, such as "sold pears". */
    long count(String name) {
        byte[] count = counters.get(bytes(name));
        return count == null ? 0 : number(count);
    }

    /** Begins a session of half an hour. */
    String login(String customer) {
        String token = UUID.randomUUID().toString();
        sessions.put(bytes(token), bytes(customer));
        return token;
    }

    /** Whose session it is; null if it ended. */
    String customer(String token) {
        byte[] customer = sessions.get(bytes(token));
        return customer == null ? null : new String(customer, UTF_8);
    }

    @Override
    public void close() {
        db.close();
    }
}
