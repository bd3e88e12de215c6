package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.FlexDB;
import io.flexdb.Keyspace;
import io.flexdb.ReadOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The orders in a store. For any number of threads. */
final class Orders {
    record Order(long id, String item) {}

    private static final byte[] LAST_ID = "last id".getBytes(UTF_8);

    private final FlexDB store; // with the last id
    private final Keyspace orders; // id -> item

    Orders(FlexDB store) {
        this.store = store;
        orders = store.createKeyspaceIfAbsent("orders");
    }

    /** Two orders never have the same id: if another was placed meanwhile, the transaction runs again. */
    Order place(String item) {
        return store.transact(transaction -> {
            byte[] last = transaction.get(LAST_ID);
            long id = last == null ? 1 : id(last) + 1;
            transaction.put(LAST_ID, bytes(id));
            transaction.in(orders).put(bytes(id), item.getBytes(UTF_8));
            return new Order(id, item);
        });
    }

    Optional<Order> find(long id) {
        return Optional.ofNullable(orders.get(bytes(id))).map(item -> new Order(id, new String(item, UTF_8)));
    }

    /** The orders from an id on, at most so many. */
    List<Order> page(long from, int size) {
        ReadOptions page = ReadOptions.defaults().withLowerBound(bytes(from)).withLimit(size);
        List<Order> found = new ArrayList<>();
        orders.forEach(page, (key, item) -> found.add(new Order(id(key), new String(item, UTF_8))));
        return found;
    }

    void cancel(long id) {
        orders.delete(bytes(id));
    }

    /** Big-endian, so that keys are in the order of the ids, which are not negative. */
    private static byte[] bytes(long id) {
        return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }

    private static long id(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }
}
