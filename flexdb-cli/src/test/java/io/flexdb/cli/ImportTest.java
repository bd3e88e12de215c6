package io.flexdb.cli;

import static io.flexdb.cli.Others.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexDB;
import io.flexdb.typed.KeyCodec;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lmdbjava.ByteArrayProxy;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.rocksdb.BuiltinComparator;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

class ImportTest {
    @TempDir
    private Path directory;

    private Path store;
    private Path source;

    @BeforeEach
    void name() {
        store = directory.resolve("store");
        source = directory.resolve("source");
    }

    private static String users(String engine) {
        return engine.equals("rocksdb") ? "" : "users";
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "lmdb", "mvstore", "mapdb"})
    void allMapsBecomeKeyspaces(String engine) throws Exception {
        Others.make(engine, source);
        int orders = engine.equals("rocksdb") ? Others.ORDERS - 1 : Others.ORDERS;
        assertEquals(
                "imported " + (2 + orders) + " pairs into 2 keyspaces\n",
                Tool.done("import", store, source, "--from", engine, "--create"));
        String[] keyspace = users(engine).isEmpty() ? new String[0] : new String[] {"-k", users(engine)};
        Object[] scan =
                Stream.concat(Stream.of("scan", store), Stream.of(keyspace)).toArray();
        assertEquals("user:1\tAnn\nuser:2\tBob\n", Tool.done(scan));
        assertEquals(orders + "\n", Tool.done("count", store, "-k", "orders"));
        assertEquals("paid", Tool.done("get", store, Others.order(8), "-k", "orders"));
        assertTrue(Tool.done("verify", store).contains("findings=0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "lmdb", "mvstore", "mapdb"})
    void sourceStaysAsItIs(String engine) throws Exception {
        Others.make(engine, source);
        Map<Path, Long> before = contents();
        Tool.done("import", store, source, "--from", engine, "--create");
        assertEquals(before, contents());
        try (Stream<Path> entries = Files.list(directory)) {
            assertEquals(2, entries.count(), "nothing is left of sorting");
        }
    }

    private Map<Path, Long> contents() throws IOException {
        Map<Path, Long> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                boolean isLock = file.endsWith("lock.mdb"); // readers have their places in it
                contents.put(file, isLock ? 0L : Files.mismatch(file, copyOf(file)) + Files.size(file));
            }
        }
        return contents;
    }

    /** A copy that is made when a file is seen for the first time. */
    private Path copyOf(Path file) throws IOException {
        Path copies = Path.of(directory + "-copies");
        Path copy = copies.resolve(directory.relativize(file).toString().replace('/', '_'));
        Files.createDirectories(copies);
        return Files.exists(copy) ? copy : Files.copy(file, copy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "lmdb", "mvstore", "mapdb"})
    void oneMapGoesIntoTheKeyspaceThatIsNamed(String engine) throws Exception {
        Others.make(engine, source);
        Tool.done("put", store, "own", "x", "--create");
        Tool.done("put", store, Others.order(1), "open");
        Tool.done("import", store, source, "--from", engine, "--from-map", "orders", "-k", "");
        assertEquals("paid", Tool.done("get", store, Others.order(1)));
        assertEquals("x", Tool.done("get", store, "own"));
        assertEquals("", Tool.done("keyspaces", "list", store));
    }

    @Test
    void namesOfMapsAreChecked() throws Exception {
        Others.make("mvstore", source);
        Tool.Result none = Tool.run("import", store, source, "--from", "mvstore", "--create", "--from-map", "none");
        assertTrue(none.expect(ExitCode.NOT_FOUND).err().contains("it has [orders, users]"), none.err());
        Tool.Result two = Tool.run("import", store, source, "--from", "mvstore", "--create", "-k", "all");
        assertTrue(two.expect(ExitCode.USAGE).err().contains("[orders, users]"), two.err());
        assertFalse(Files.exists(store));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "lmdb", "mvstore", "mapdb"})
    void whatIsNoStoreIsRefusedAndNothingIsMade(String engine) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "text ".repeat(10_000));
        Path empty = Files.createDirectory(directory.resolve("empty"));
        for (Path path : new Path[] {directory.resolve("missing"), file, empty}) {
            Tool.Result result = Tool.run("import", store, path, "--from", engine, "--create");
            assertTrue(result.code() == ExitCode.CANNOT_OPEN || result.code() == ExitCode.DAMAGED, result.err());
            assertTrue(result.requireNoTrace().err().contains(path.toString()), result.err());
        }
        assertFalse(Files.exists(store));
    }

    @ParameterizedTest
    @CsvSource({"rocksdb,.log", "rocksdb,.sst", "mvstore,", "mapdb,"})
    void damagedSourceIsDescribedAndNothingOfTheKeyspaceIsImported(String engine, String ending) throws Exception {
        Others.make(engine, source);
        Path file = largest(ending == null ? "" : ending);
        byte[] bytes = Files.readAllBytes(file);
        if (file.toString().endsWith(".log")) {
            bytes[new String(bytes, ISO_8859_1).indexOf("order:0007")] ^= 1; // a torn end would be what a kill leaves
        } else {
            for (int i = bytes.length / 8; i < bytes.length; i++) {
                bytes[i] ^= 0x55;
            }
        }
        Files.write(file, bytes);
        Tool.Result result = Tool.run("import", store, source, "--from", engine, "--create");
        assertTrue(
                result.code() == ExitCode.DAMAGED || result.code() == ExitCode.CANNOT_OPEN,
                result.code() + result.out() + result.err());
        assertTrue(result.requireNoTrace().err().contains(source.toString()), result.err());
        if (Files.exists(store)) {
            assertEquals("0\n", Tool.done("count", store));
        }
    }

    private Path largest(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().matches("LOG.*|OPTIONS.*"))
                    .filter(file -> file.toString().endsWith(ending))
                    .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
                    .orElseThrow();
        }
    }

    @Test
    void shortFileOfLmdbIsRefusedBeforeItEndsTheProcess() throws Exception {
        Others.make("lmdb", source);
        Path file = source.resolve("data.mdb");
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, 3 * 4096));
        Tool.Result result = Tool.run("import", store, source, "--from", "lmdb", "--create");
        assertTrue(result.expect(ExitCode.DAMAGED).err().contains("expected at least"), result.err());
    }

    @Test
    void fileOfLmdbAndItsUnnamedDatabaseAreRead() throws Exception {
        try (Env<byte[]> env = Env.create(ByteArrayProxy.PROXY_BA).open(source.toFile(), EnvFlags.MDB_NOSUBDIR)) {
            Dbi<byte[]> unnamed = env.openDbi((byte[]) null);
            unnamed.put(bytes("b"), new byte[48]); // as long as what stands for a database
            unnamed.put(bytes("a"), bytes("1"));
        }
        Files.delete(Path.of(source + "-lock"));
        assertEquals(
                "imported 2 pairs into 1 keyspaces\n",
                Tool.done("import", store, source, "--from", "lmdb", "--create"));
        assertEquals("1", Tool.done("get", store, "a"));
        assertArrayEquals(new byte[48], Tool.run("get", store, "b").bytes());
        assertFalse(Files.exists(Path.of(source + "-lock")));
    }

    @Test
    void lmdbWithSeveralValuesForAKeyIsRefused() throws Exception {
        Files.createDirectory(source);
        try (Env<byte[]> env = Env.create(ByteArrayProxy.PROXY_BA).setMaxDbs(2).open(source.toFile())) {
            env.openDbi("first", DbiFlags.MDB_CREATE).put(bytes("a"), bytes("1"));
            env.openDbi("second", DbiFlags.MDB_CREATE, DbiFlags.MDB_DUPSORT).put(bytes("a"), bytes("1"));
        }
        Tool.Result result = Tool.run("import", store, source, "--from", "lmdb", "--create");
        String err = result.expect(ExitCode.FAILED).err();
        assertTrue(err.contains("MDB_DUPSORT") && err.contains("imported before: [first]"), err);
    }

    @Test
    void rocksDbOfAnotherOrderIsSorted() throws Exception {
        RocksDB.loadLibrary();
        try (Options options = new Options()
                        .setCreateIfMissing(true)
                        .setComparator(BuiltinComparator.REVERSE_BYTEWISE_COMPARATOR);
                RocksDB db = RocksDB.open(options, source.toString())) {
            for (int i = 0; i < 10; i++) {
                db.put(bytes("key" + i), bytes("value" + i));
            }
        }
        Tool.done("import", store, source, "--from", "rocksdb", "--create");
        assertTrue(Tool.done("scan", store).startsWith("key0\tvalue0\nkey1\tvalue1\n"));
        assertEquals("10\n", Tool.done("count", store));
    }

    @Test
    void rocksDbAndLmdbAreReadWhileTheyAreOpen() throws Exception {
        Others.make("lmdb", source);
        try (Env<byte[]> env = Env.create(ByteArrayProxy.PROXY_BA).setMaxDbs(4).open(source.toFile())) {
            env.openDbi("users").put(bytes("user:3"), bytes("Cid"));
            Tool.done("import", store, source, "--from", "lmdb", "--create");
        }
        assertEquals("3\n", Tool.done("count", store, "-k", "users"));
        Path rocks = directory.resolve("rocks");
        try (RocksDB db = RocksDB.open(rocks.toString())) {
            db.put(bytes("a"), bytes("1"));
            Tool.done("import", store, rocks, "--from", "rocksdb");
        }
        assertEquals("1", Tool.done("get", store, "a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mvstore", "mapdb"})
    void fileThatIsOpenIsRefused(String engine) throws Exception {
        Others.make(engine, source);
        if (engine.equals("mvstore")) {
            try (MVStore open = MVStore.open(source.toString())) {
                assertFalse(open.isClosed());
                refuseWhatIsOpen(engine);
            }
        } else {
            try (DB open = DBMaker.fileDB(source.toFile()).make()) {
                assertFalse(open.isClosed());
                refuseWhatIsOpen(engine);
            }
        }
        Tool.done("import", store, source, "--from", engine, "--create");
    }

    private void refuseWhatIsOpen(String engine) {
        Tool.Result result = Tool.run("import", store, source, "--from", engine, "--create");
        assertTrue(result.expect(ExitCode.CANNOT_OPEN).err().contains(source.toString()), result.err());
    }

    @Test
    void keysOfOtherTypesKeepTheirOrder() {
        try (MVStore mvStore = MVStore.open(source.toString())) {
            MVMap<Long, Integer> longs = mvStore.openMap("longs");
            for (long i = -3; i <= 3; i++) {
                longs.put(i, (int) i);
            }
            mvStore.<byte[], byte[]>openMap("bytes").put(new byte[] {-1}, new byte[] {1});
            mvStore.<byte[], byte[]>openMap("bytes").put(new byte[] {1}, new byte[] {2});
        }
        Tool.done("import", store, source, "--from", "mvstore", "--create");
        try (FlexDB db = FlexDB.open(store)) {
            try (var cursor = db.keyspace("longs").cursor()) {
                long expected = -3;
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    assertEquals(expected++, KeyCodec.longs().decode(cursor.key()));
                }
                assertEquals(4, expected);
            }
            assertArrayEquals(new byte[] {1}, db.keyspace("bytes").get(new byte[] {-1}));
        }
    }

    @Test
    void typesThatTheFileDoesNotTellAreNamed() {
        try (MVStore mvStore = MVStore.open(source.toString())) {
            MVMap<Long, String> map = mvStore.openMap(
                    "map",
                    new MVMap.Builder<Long, String>()
                            .keyType(LongDataType.INSTANCE)
                            .valueType(StringDataType.INSTANCE));
            map.put(300L, "three hundred");
        }
        Tool.done(
                "import",
                store,
                source,
                "--from",
                "mvstore",
                "--create",
                "--key-type",
                "long",
                "--value-type",
                "string",
                "-k",
                "");
        assertEquals("three hundred", Tool.done("get", store, "hex:800000000000012c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mvstore", "mapdb"})
    void typesWithoutAFormAndMixedOnesAreRefused(String engine) throws Exception {
        if (engine.equals("mvstore")) {
            try (MVStore mvStore = MVStore.open(source.toString())) {
                mvStore.<Object, Object>openMap("map").put(new BigDecimal("1.5"), "x");
                mvStore.<Object, Object>openMap("mixed").put("a", "x");
                mvStore.<Object, Object>openMap("mixed").put(1L, "x");
            }
        } else {
            try (DB db = DBMaker.fileDB(source.toFile()).make()) {
                db.hashMap("map", Serializer.BIG_DECIMAL, Serializer.STRING)
                        .create()
                        .put(new BigDecimal("1.5"), "x");
                var mixed = db.hashMap("mixed").create();
                putMixed(mixed);
            }
        }
        for (String map : new String[] {"map", "mixed"}) {
            Tool.Result result = Tool.run("import", store, source, "--from", engine, "--create", "--from-map", map);
            String err = result.expect(ExitCode.FAILED).err();
            assertTrue(err.contains(map.equals("map") ? "java.math.BigDecimal" : "one type"), err);
        }
    }

    @SuppressWarnings("unchecked")
    private static void putMixed(Map<?, ?> map) {
        ((Map<Object, Object>) map).put("a", "x");
        ((Map<Object, Object>) map).put(1L, "x");
    }

    @Test
    void keysThatNoStoreOfOursTakesAreRefusedAsAWhole() throws Exception {
        RocksDB.loadLibrary();
        try (RocksDB db = RocksDB.open(source.toString())) {
            db.put(new byte[0], bytes("empty"));
            db.put(bytes("a"), bytes("1"));
        }
        Tool.Result result = Tool.run("import", store, source, "--from", "rocksdb", "--create");
        assertTrue(result.expect(ExitCode.FAILED).err().contains("key must not be empty"), result.err());
        assertEquals("0\n", Tool.done("count", store));
    }

    @Test
    void progressIsShownInPairs() throws Exception {
        Others.make("lmdb", source);
        Tool.Result result = Tool.run("import", store, source, "--from", "lmdb", "--create", "--progress");
        assertTrue(result.expect(ExitCode.DONE).err().contains(" of 300 pairs"), result.err());
    }

    @Test
    void wrongArgumentsAreRefused() throws Exception {
        Others.make("mvstore", source);
        Tool.run("import", store, source, "--create").expect(ExitCode.USAGE);
        Tool.run("import", store, source, "--create", "--from", "oracle").expect(ExitCode.USAGE);
        Tool.run("import", store, source, "--from", "mvstore").expect(ExitCode.CANNOT_OPEN);
        Path missing = directory.resolve("missing");
        Tool.run("import", store, source, "--from", "mvstore", "--create", "--driver-path", missing)
                .expect(ExitCode.CANNOT_OPEN);
        assertTrue(Tool.done("import", "--help").replaceAll("\\s+", " ").contains("rocksdb, lmdb, mvstore, mapdb"));
    }
}
