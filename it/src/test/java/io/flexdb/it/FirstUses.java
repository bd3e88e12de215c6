package io.flexdb.it;

import io.flexdb.BulkLoad;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.Keyspace;
import io.flexdb.MergeFunction;
import io.flexdb.Snapshot;
import io.flexdb.Transaction;
import io.flexdb.WriteBatch;
import io.flexdb.WriteOptions;
import io.flexdb.flexspace.FlexSpaceOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What {@link FirstUsesTest} runs in a JVM of its own: a store is opened and used in most ways there are, or another
 * process has done so, and it is opened to be read.
 */
final class FirstUses {
    /** Printed between the opening and the uses. */
    static final String OPEN = "the store is open";

    static final String WRITE = "write";
    static final String WRITE_AGAIN = "write again";
    static final String READ = "read";

    /** Printed behind the uses. */
    static final String USED = "the store was used";

    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int MEMTABLE_BYTES = 256 << 10;
    private static final int CHECKPOINT_LOG_BYTES = 1 << 20;
    private static final int KEYS = 20_000;
    private static final int WRITES = 5 * KEYS;

    private FirstUses() {}

    /** Arguments: the directory, and whether to read only, or to write to a store that is new or to one that is not. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        FlexDBOptions options = FlexDBOptions.defaults()
                .withMemtableBytes(MEMTABLE_BYTES)
                .withCacheBytes(1 << 20)
                .withMergeFunction(MergeFunction.APPEND)
                .withSpace(FlexSpaceOptions.defaults()
                        .withSegments(SEGMENT_BYTES, 4096)
                        .withCheckpointLogBytes(CHECKPOINT_LOG_BYTES));
        Path store = directory.resolve("store");
        if (args[1].equals(READ)) {
            try (FlexDBReader reader = FlexDB.openReadOnly(store, options)) {
                System.out.println(OPEN);
                reader.get(key(1));
                reader.multiGet(List.of(key(1), key(KEYS)));
                try (FlexCursor cursor = reader.cursor()) {
                    readBothWays(cursor);
                }
                reader.refresh();
                System.out.println(USED);
            }
            return;
        }
        try (FlexDB db = FlexDB.open(store, options)) {
            System.out.println(OPEN);
            writeAndRead(db);
            try (Snapshot snapshot = db.snapshot();
                    FlexCursor cursor = snapshot.cursor()) {
                readBothWays(cursor);
            }
            writeTogether(db);
            db.checkpoint(directory.resolve("copy of " + args[1]));
            db.check();
            System.out.println(USED);
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** Commits, checkpoints and the garbage collector have their turns. */
    private static void writeAndRead(FlexDB db) {
        SplittableRandom random = new SplittableRandom(1);
        List<Keyspace> named = List.of(db.createKeyspaceIfAbsent("one"), db.createKeyspaceIfAbsent("another"));
        for (int i = 0; i < WRITES; i++) {
            byte[] key = key(random.nextInt(KEYS));
            Keyspace other = named.get(i % named.size());
            if (i % 10 < named.size()) { // so each memtable has keys of all
                other.put(key, new byte[random.nextInt(300)]);
                other.get(key);
            }
            switch (i % 100) {
                case 0 -> db.delete(key);
                case 1 -> db.merge(key, new byte[3]);
                case 2 -> db.put(key, new byte[3], WriteOptions.timeToLive(Duration.ofDays(1)));
                case 3 -> db.putIfAbsent(key, new byte[3]);
                case 4 -> db.multiGet(List.of(key, key(i)));
                case 5 -> db.estimateRange(key, key(KEYS));
                default -> db.put(key, new byte[random.nextInt(300)]);
            }
            db.get(key);
        }
        db.put(key(KEYS), new byte[SEGMENT_BYTES]);
        db.whenDurable(db.deleteRange(key(KEYS / 4), key(KEYS / 2))).join();
        db.deleteRange(key(KEYS / 3), key(KEYS / 2 + 1));
        db.sync();
    }

    private static void readBothWays(FlexCursor cursor) {
        int forth = 0;
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            forth += cursor.value().length;
        }
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
            forth -= cursor.value().length;
        }
        if (forth != 0) {
            throw new IllegalStateException(forth + " more bytes forth than back");
        }
    }

    private static void writeTogether(FlexDB db) {
        db.write(new WriteBatch().put(key(1), key(1)).delete(key(2)));
        try (Transaction transaction = db.begin()) {
            transaction.multiGet(List.of(key(1), key(2)));
            try (FlexCursor cursor = transaction.cursor()) {
                readBothWays(cursor);
            }
            for (int i = 0; i < KEYS; i++) { // more than a memtable has room for
                transaction.put(key(i), new byte[2 * MEMTABLE_BYTES / KEYS]);
            }
            transaction.commit();
        }
        try (BulkLoad load = db.bulkLoad()) {
            for (int i = KEYS; i < 2 * KEYS; i++) {
                load.add(key(i), new byte[10]);
            }
            load.commit();
        }
        db.sync();
    }
}
