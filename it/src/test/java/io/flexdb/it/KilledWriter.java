package io.flexdb.it;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that writes {@link History} to a store with several threads until it is killed, and tells its parent
 * through its output what was acknowledged.
 *
 * <p>Arguments: directory, durability, seed, and for each thread the number of its first write.
 */
final class KilledWriter {
    private static final int SYNC_EVERY = 100;

    private KilledWriter() {}

    /**
     * What the writer opens its store with: small, so that memtables are committed all the time. Of the long values most
     * go to the data file at once, and some take the log.
     */
    static FlexDBOptions options(Durability durability) {
        return FlexDBOptions.defaults()
                .withDurability(durability)
                .withMemtableBytes(1 << 20)
                .withLargeValueBytes(8 << 10)
                .withCacheBytes(4 << 20);
    }

    public static void main(String[] arguments) {
        Durability durability = Durability.valueOf(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        FlexDB store = FlexDB.open(Path.of(arguments[0]), options(durability));
        // Not System.out, which may buffer and cut what one call writes.
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        for (int i = 3; i < arguments.length; i++) {
            int thread = i - 3;
            long firstWrite = Long.parseLong(arguments[i]);
            new Thread(() -> write(store, durability, new History(seed, thread), thread, firstWrite, out)).start();
        }
        new Thread(() -> read(store)).start();
    }

    /** Scans again and again, so that what lies scattered is written in one piece by the way. */
    private static void read(FlexDB store) {
        while (true) {
            try (FlexCursor cursor = store.cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    cursor.value();
                }
            } catch (RuntimeException e) {
                e.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void write(
            FlexDB store, Durability durability, History history, int thread, long firstWrite, FileOutputStream out) {
        long durable = firstWrite;
        try {
            for (long i = firstWrite; ; i++) {
                long sequence = history.apply(i, store);
                if (durability != Durability.NONE) {
                    durable = i + 1;
                } else if ((i + 1) % SYNC_EVERY == 0) {
                    store.sync();
                    durable = i + 1;
                }
                out.write(new Acknowledgement(thread, i + 1, sequence, durable).toBytes());
            }
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // the parent sees a process that ended before it was killed
        }
    }
}
