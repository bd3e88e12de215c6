package io.flexdb.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.h2.mvstore.MVStore;
import org.lmdbjava.ByteArrayProxy;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;

/** Little stores of other engines, all with the same pairs in two keyspaces. */
final class Others {
    static final int ORDERS = 300;

    private Others() {}

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static String order(int i) {
        return String.format(Locale.ROOT, "order:%04d", i);
    }

    static Path make(String engine, Path path) throws Exception {
        switch (engine) {
            case "rocksdb" -> rocks(path);
            case "lmdb" -> lmdb(path);
            case "mvstore" -> mvStore(path);
            default -> mapDb(path);
        }
        return path;
    }

    /** Two column families: the default one has the users. */
    static void rocks(Path path) throws Exception {
        RocksDB.loadLibrary();
        List<ColumnFamilyDescriptor> families = List.of(
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY), new ColumnFamilyDescriptor(bytes("orders")));
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (DBOptions options = new DBOptions().setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
                RocksDB db = RocksDB.open(options, path.toString(), families, handles)) {
            db.put(bytes("user:2"), bytes("Bob"));
            db.put(bytes("user:1"), bytes("Ann"));
            for (int i = 0; i < ORDERS; i++) {
                db.put(handles.get(1), bytes(order(i)), bytes("paid"));
            }
            db.delete(handles.get(1), bytes(order(7)));
            try (FlushOptions flush = new FlushOptions()) {
                db.flush(flush, handles.get(1));
            }
            db.put(bytes("user:2"), bytes("Bob"));
            handles.forEach(ColumnFamilyHandle::close);
        }
    }

    /** Two named databases. */
    static void lmdb(Path path) throws Exception {
        Files.createDirectories(path);
        try (Env<byte[]> env = Env.create(ByteArrayProxy.PROXY_BA)
                .setMapSize(10 << 20)
                .setMaxDbs(4)
                .open(path.toFile())) {
            Dbi<byte[]> users = env.openDbi("users", DbiFlags.MDB_CREATE);
            users.put(bytes("user:2"), bytes("Bob"));
            users.put(bytes("user:1"), bytes("Ann"));
            Dbi<byte[]> orders = env.openDbi("orders", DbiFlags.MDB_CREATE);
            for (int i = 0; i < ORDERS; i++) {
                orders.put(bytes(order(i)), bytes("paid"));
            }
        }
    }

    /** Two maps, of strings. */
    static void mvStore(Path path) {
        try (MVStore store = MVStore.open(path.toString())) {
            store.<String, String>openMap("users").put("user:2", "Bob");
            store.<String, String>openMap("users").put("user:1", "Ann");
            for (int i = 0; i < ORDERS; i++) {
                store.<String, byte[]>openMap("orders").put(order(i), bytes("paid"));
            }
        }
    }

    /** A hash map and a tree map, of strings. */
    static void mapDb(Path path) {
        try (DB db = DBMaker.fileDB(path.toFile()).make()) {
            var users =
                    db.hashMap("users", Serializer.STRING, Serializer.STRING).create();
            users.put("user:2", "Bob");
            users.put("user:1", "Ann");
            var orders = db.treeMap("orders", Serializer.STRING, Serializer.BYTE_ARRAY)
                    .create();
            for (int i = 0; i < ORDERS; i++) {
                orders.put(order(i), bytes("paid"));
            }
            db.atomicLong("counter").create();
        }
    }
}
