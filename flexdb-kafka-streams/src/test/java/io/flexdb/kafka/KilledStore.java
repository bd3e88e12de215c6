package io.flexdb.kafka;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** A JVM with a store that restores records or makes large commits until it is halted. */
final class KilledStore {
    /** Of a commit's values, 30 MiB. */
    private static final int KEYS = 120;

    private static final int VALUE_BYTES = 1 << 18;

    private KilledStore() {}

    /**
     * @param args {@code restore} or {@code commit}, the directory, after how many milliseconds of that to halt, and the
     *     kind of store to be restored
     */
    public static void main(String[] args) {
        Path directory = Path.of(args[1]);
        long haltMillis = Long.parseLong(args[2]);
        if (args[0].equals("restore")) {
            restore(Restorable.valueOf(args[3]), directory, haltMillis);
        } else {
            commit(directory, haltMillis);
        }
    }

    private static void restore(Restorable kind, Path directory, long haltMillis) {
        List<ConsumerRecord<byte[], byte[]>> records = kind.changelog();
        haltAfter(haltMillis);
        TestContext context = new TestContext(directory).with("enable.transactional.statestores", true);
        StateStore store = kind.store();
        long had = Restorable.open(store, context);
        System.out.println("had " + had);
        Restorable.restore(context, records, had, records.size());
        System.out.println("restored");
        kind.check(store, records);
        store.close();
        Restorable.open(store, context);
        kind.check(store, records);
        System.out.println("checked");
    }

    private static void commit(Path directory, long haltMillis) {
        KeyValueStore<Bytes, byte[]> store = openCommitted(directory);
        long last = check(store);
        System.out.println("committed " + last);
        haltAfter(haltMillis);
        while (true) {
            last++;
            for (int i = 0; i < KEYS; i++) {
                byte[] value = new byte[VALUE_BYTES];
                Arrays.fill(value, (byte) last);
                store.put(key(i), isDeletedBy(last, i) ? null : value);
            }
            store.commit(Map.of(Restorable.CHANGELOG, last));
            System.out.println("committed " + last);
        }
    }

    private static void haltAfter(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        Thread thread = new Thread(() -> {
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            Runtime.getRuntime().halt(9);
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** Opens the store of large commits. */
    static KeyValueStore<Bytes, byte[]> openCommitted(Path directory) {
        TestContext context = new TestContext(directory)
                .with("processing.guarantee", "exactly_once_v2")
                .with("enable.transactional.statestores", true)
                .with("flexdb.memory-bytes", "32m"); // so that commits spill
        KeyValueStore<Bytes, byte[]> store = FlexDBStores.keyValueStore("store").get();
        store.init(context, store);
        return store;
    }

    /** Fails unless the store has all of the commit that its offset is of, and nothing else; returns the offset. */
    static long check(KeyValueStore<Bytes, byte[]> store) {
        long last = Restorable.had(store) - 1;
        List<Bytes> keys = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            all.forEachRemaining(pair -> {
                keys.add(pair.key);
                for (byte b : pair.value) {
                    if (b != (byte) last) {
                        throw new AssertionError(pair.key + " is of commit " + b + " after " + last);
                    }
                }
            });
        }
        List<Bytes> expected = new ArrayList<>();
        for (int i = 0; i < KEYS && last >= 0; i++) {
            if (!isDeletedBy(last, i)) {
                expected.add(key(i));
            }
        }
        if (!keys.equals(expected)) {
            throw new AssertionError(keys + " after commit " + last);
        }
        return last;
    }

    private static boolean isDeletedBy(long commit, int key) {
        return (commit + key) % 7 == 0;
    }

    private static Bytes key(int number) {
        return Bytes.wrap(new byte[] {1, (byte) number});
    }

    /** The command that runs it. */
    static ProcessBuilder command(Path output, String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-ea",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                KilledStore.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    }
}
