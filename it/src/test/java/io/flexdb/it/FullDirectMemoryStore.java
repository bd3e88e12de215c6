package io.flexdb.it;

import io.flexdb.BulkLoad;
import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBOptions;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreHealth;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@link FullMemoryTest} runs in a JVM of its own: the application takes all direct memory there is while a store
 * is in use, which refuses writes at worst, and goes on once there is some again. Ends with 0 if nothing is wrong.
 */
final class FullDirectMemoryStore {
    private static final int VALUE_BYTES = 400;
    private static final int REFUSALS_WITHOUT_MEMORY = 6;
    private static final int MUCH = 10_000; // pairs, which are more than memtables have room for

    private FullDirectMemoryStore() {}

    /** Arguments: the directory, and how many writes. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0], "direct");
        int writes = Integer.parseInt(args[1]);
        FlexDBOptions options = FlexDBOptions.defaults()
                .withMemtableBytes(1 << 20)
                .withCacheBytes(1 << 20)
                .withMemoryBytes(32 << 20);
        List<ByteBuffer> taken = new ArrayList<>();
        int[] last = new int[writes];
        int refused = 0;
        try (FlexDB db = FlexDB.open(directory, options)) {
            for (int i = 0; i < 2 * writes; i++) {
                if (i == writes) {
                    takeAllDirectMemory(taken);
                    doWithoutMemory(db, directory);
                    takeAllDirectMemory(taken);
                }
                int write = i;
                while (!(i % 1000 == 0 ? inNewThread(() -> putDurably(db, write, writes)) : put(db, i, writes))) {
                    if (++refused >= REFUSALS_WITHOUT_MEMORY) {
                        taken.clear();
                    } // and tried again: the collector takes its time to find what was let go of
                }
                last[i % writes] = i;
            }
            require(db.health().state() == StoreHealth.State.USABLE, "the store is " + db.health());
            taken.clear(); // closing commits, for which there must be some
        }
        try (FlexDB db = FlexDB.open(directory, options)) {
            for (int key = 0; key < writes; key++) {
                require(Arrays.equals(value(last[key]), db.get(key(key))), "key " + key);
            }
        }
        System.out.println(refused + " writes were refused without direct memory");
    }

    private static void takeAllDirectMemory(List<ByteBuffer> taken) {
        for (int bytes = 1 << 20; bytes > 0; ) {
            try {
                taken.add(ByteBuffer.allocateDirect(bytes));
            } catch (OutOfMemoryError e) {
                bytes /= 16; // a try that fails takes the JDK half a second
            }
        }
    }

    /** Each may do its work or refuse it, and has no other way out. */
    private static void doWithoutMemory(FlexDB db, Path directory) {
        List<Runnable> works = List.of(
                () -> load(db),
                () -> writeMuch(db),
                () -> db.exportTo(directory.resolveSibling("export")),
                () -> db.importFrom(directory.resolveSibling("export")),
                () -> db.checkpoint(directory.resolveSibling("checkpoint")),
                () -> backUp(db, directory.resolveSibling("backups")),
                db::check);
        for (Runnable work : works) {
            try {
                work.run();
            } catch (StorageException e) {
                System.out.println(e.getMessage());
            }
        }
        require(db.health().state() == StoreHealth.State.USABLE, "the store is " + db.health());
    }

    private static void load(FlexDB db) {
        try (BulkLoad load = db.bulkLoad()) {
            load.add(new byte[] {1}, new byte[VALUE_BYTES]);
            load.commit();
        }
    }

    private static void backUp(FlexDB db, Path directory) {
        try (FlexDBBackups backups = FlexDBBackups.open(directory)) {
            backups.create(db);
        }
    }

    private static void writeMuch(FlexDB db) {
        try (Transaction transaction = db.begin()) {
            for (int i = 0; i < MUCH; i++) {
                transaction.put(ByteBuffer.allocate(9).put((byte) 2).putInt(i).array(), new byte[VALUE_BYTES]);
            }
            transaction.commit();
        }
    }

    private static boolean put(FlexDB db, int write, int keys) {
        try {
            db.put(key(write % keys), value(write));
            return true;
        } catch (StoreFullException e) {
            return false;
        }
    }

    private static boolean putDurably(FlexDB db, int write, int keys) {
        try {
            db.write(new WriteBatch().put(key(write % keys), value(write)), Durability.SYNC);
            return true;
        } catch (StoreFullException e) {
            return false;
        }
    }

    private interface Task {
        boolean run() throws Exception;
    }

    private static boolean inNewThread(Task task) throws Exception {
        Object[] result = new Object[1];
        Thread thread = new Thread(() -> {
            try {
                result[0] = task.run();
            } catch (Throwable e) {
                result[0] = e;
            }
        });
        thread.start();
        thread.join();
        if (result[0] instanceof Throwable e) {
            throw new IllegalStateException("in a thread of its own", e);
        }
        return (boolean) result[0];
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
    }

    private static byte[] value(int write) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(write).array();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
