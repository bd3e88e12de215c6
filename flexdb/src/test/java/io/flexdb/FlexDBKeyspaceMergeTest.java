package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.MergeException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Keyspaces with merge functions of their own: each operand goes to the function of its keyspace, whatever happens. */
class FlexDBKeyspaceMergeTest {
    private static final KeyspaceOptions COUNTS = KeyspaceOptions.defaults().withMergeFunction(MergeFunction.ADD);
    private static final KeyspaceOptions GROWS = KeyspaceOptions.defaults().withMergeFunction(MergeFunction.APPEND);
    private static final byte[] KEY = bytes("k");

    /** The largest operand: tells from those of the others whatever was merged with what. */
    private static final MergeFunction LARGEST = (key, value, operands) -> {
        byte[] largest = value;
        for (byte[] operand : operands) {
            largest = largest == null || Arrays.compareUnsigned(operand, largest) > 0 ? operand : largest;
        }
        return largest;
    };

    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL
            .withClock(new TestClock())
            .withMergeFunction(LARGEST)
            .withKeyspace("counts", COUNTS)
            .withKeyspace("grows", KeyspaceOptions.defaults().withMergeFunction(new FailsInCommits(StoreOracle.TAIL)))
            .withKeyspace("comes and goes", GROWS);

    private FlexDBOptions options = OPTIONS;
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] value) {
        return value == null ? null : new String(value, UTF_8);
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private void open() {
        db = StoreDriver.open(vfs, options);
    }

    private void reopen() {
        db.close();
        open();
    }

    private void kill() {
        vfs = vfs.kill();
        open();
    }

    private Keyspace keyspace(String name) {
        return db.createKeyspaceIfAbsent(name);
    }

    /** Writes so much that memtables are committed. */
    private static void fill(Keyspace keyspace) {
        for (int i = 0; i < 3000; i++) {
            keyspace.put(bytes("filler " + i % 1000), new byte[40]);
        }
    }

    private void assertAll(String most, long count, String grown) {
        assertEquals(most, text(db.get(KEY)));
        assertEquals(most, text(db.keyspace("plain").get(KEY)));
        assertArrayEquals(number(count), db.keyspace("counts").get(KEY));
        assertEquals(grown, text(db.keyspace("grows").get(KEY)));
    }

    private void mergeAll(String text, long number) {
        db.merge(KEY, bytes(text));
        keyspace("plain").merge(KEY, bytes(text));
        keyspace("counts").merge(KEY, number(number));
        keyspace("grows").merge(KEY, bytes(text));
    }

    @Test
    void eachKeyspaceMergesByItsOwnFunctionThroughCommitsClosesAndKills() {
        open();
        mergeAll("b", 3);
        assertAll("b", 3, "b");
        kill(); // all operands are in the log
        assertAll("b", 3, "b");
        mergeAll("a", 4);
        fill(db);
        assertAll("b", 7, "ba");
        kill();
        mergeAll("c", -1);
        assertAll("c", 6, "bac");
        reopen();
        assertAll("c", 6, "bac");
        mergeAll("a", 1);
        reopen();
        assertAll("c", 7, "baca");
        db.close();
    }

    /** The names are in the space, or in the log; and there they are values, however small large ones may be. */
    @ParameterizedTest
    @CsvSource({"true, 150", "false, 150", "true, 1", "false, 1"})
    void operandsInTheLogAloneGoToTheRightFunctionThoughNobodyAsksForAKeyspace(boolean isInSpace, int largeValueBytes) {
        options = options.withLargeValueBytes(largeValueBytes);
        open();
        keyspace("grows");
        keyspace("counts");
        if (isInSpace) {
            reopen();
        }
        mergeAll("b", 3);
        vfs = vfs.kill();
        for (int i = 0; i < 3; i++) {
            try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true)) {
                assertEquals("b", text(reader.keyspace("grows").get(KEY)));
                assertArrayEquals(number(3), reader.keyspace("counts").get(KEY));
            }
            open();
            fill(db); // commits what was replayed
            vfs = vfs.kill();
        }
        open();
        assertAll("b", 3, "b");
        db.close();
    }

    @Test
    void batchesAndTransactionsMergeIntoSeveral() {
        open();
        Keyspace counts = keyspace("counts");
        Keyspace grows = keyspace("grows");
        WriteBatch batch = new WriteBatch().merge(KEY, bytes("b"));
        batch.in(counts).merge(KEY, number(1)).merge(KEY, number(2));
        batch.in(grows).merge(KEY, bytes("1")).merge(KEY, bytes("2"));
        db.write(batch);
        try (Transaction transaction = db.begin()) {
            transaction.merge(KEY, bytes("a"));
            transaction.in(counts).merge(KEY, number(10));
            transaction.in(grows).merge(KEY, bytes("3"));
            assertArrayEquals(number(13), transaction.in(counts).get(KEY));
            assertEquals("123", text(transaction.in(grows).get(KEY)));
            assertEquals("b", text(transaction.get(KEY)));
            transaction.commit();
        }
        WriteBatch large = new WriteBatch();
        for (int i = 0; i < 3000; i++) {
            large.in(counts).put(number(i), number(i));
        }
        large.in(counts).merge(KEY, number(100));
        large.in(grows).merge(KEY, bytes("4"));
        db.write(large);
        String refused = assertThrows(
                        IllegalArgumentException.class,
                        () -> db.write(new WriteBatch()
                                .in(grows)
                                .merge(KEY, bytes("5"))
                                .in(counts)
                                .merge(KEY, KEY)))
                .getMessage();
        assertTrue(refused.contains("a counter has 8 bytes"), refused);
        assertArrayEquals(number(113), counts.get(KEY));
        assertEquals("1234", text(grows.get(KEY)));
        kill();
        assertArrayEquals(number(113), db.keyspace("counts").get(KEY));
        assertEquals("1234", text(db.keyspace("grows").get(KEY)));
        db.close();
    }

    @Test
    void aKeyspaceThatIsMadeAnewHasTheFunctionOfItsName() {
        open();
        for (int round = 0; round < 4; round++) {
            Keyspace comes = db.createKeyspace("comes and goes");
            comes.merge(KEY, bytes("1"));
            Snapshot before = db.snapshot();
            comes.merge(KEY, bytes("2"));
            db.dropKeyspace("comes and goes");
            Keyspace again = db.createKeyspace("comes and goes");
            assertNull(again.get(KEY));
            again.merge(KEY, bytes("3"));
            assertEquals("1", text(before.in("comes and goes").get(KEY)));
            again.merge(KEY, bytes("4"));
            assertEquals("34", text(again.get(KEY)));
            before.close();
            if (round % 2 == 0) {
                kill();
            } else {
                reopen();
            }
            assertEquals("34", text(db.keyspace("comes and goes").get(KEY)));
            db.dropKeyspace("comes and goes");
        }
        db.close();
    }

    // ---- without a function

    private String assertNotOpened(FlexDBOptions with) {
        SimulatedVfs found = vfs.copy();
        Map<Path, byte[]> before = contentOf(found);
        String message = assertThrows(MergeException.class, () -> StoreDriver.open(found, with))
                .getMessage();
        Map<Path, byte[]> after = contentOf(found);
        assertEquals(before.keySet(), after.keySet());
        before.forEach((path, bytes) -> assertArrayEquals(bytes, after.get(path), path.toString()));
        String ofReader = assertThrows(
                        MergeException.class, () -> FlexDB.openReadOnly(vfs.copy(), StoreDriver.DIRECTORY, with, true))
                .getMessage();
        assertEquals(message, ofReader);
        return message;
    }

    private static Map<Path, byte[]> contentOf(SimulatedVfs files) {
        Map<Path, byte[]> content = new TreeMap<>();
        files.files().forEach(path -> content.put(path, files.content(path)));
        return content;
    }

    @Test
    void aStoreWithOperandsInItsLogIsNotOpenedWithoutTheFunctionOfTheirKeyspace() {
        FlexDBOptions none = StoreDriver.SMALL;
        for (boolean isInSpace : new boolean[] {false, true}) {
            vfs = new SimulatedVfs();
            options = none.withKeyspace("counts", COUNTS);
            open();
            keyspace("plain");
            keyspace("counts");
            if (isInSpace) {
                reopen();
            }
            keyspace("counts").merge(KEY, number(7));
            String refused = assertThrows(
                            IllegalStateException.class, () -> keyspace("plain").merge(KEY, number(7)))
                    .getMessage();
            assertTrue(refused.contains("for keyspace \"plain\"; open it with"), refused);
            assertThrows(IllegalStateException.class, () -> db.merge(KEY, number(7)));
            assertThrows(
                    IllegalStateException.class,
                    () -> db.write(new WriteBatch().in(keyspace("plain")).merge(KEY, number(7))));
            vfs = vfs.kill();
            String message = assertNotOpened(none);
            assertTrue(message.contains("merges into keyspace \"counts\", and there is no function for it"), message);
            assertNotOpened(none.withKeyspace("plain", COUNTS));
            open();
            assertArrayEquals(number(7), db.keyspace("counts").get(KEY));
            reopen();
            db.close();
            options = none; // nothing is in the log
            open();
            assertArrayEquals(number(7), db.keyspace("counts").get(KEY));
            db.close();
        }
    }

    @Test
    void aKeyspaceThatIsDroppedNeedsNoFunction() {
        for (boolean isInSpace : new boolean[] {false, true}) {
            vfs = new SimulatedVfs();
            options = StoreDriver.SMALL.withKeyspace("grows", GROWS);
            open();
            keyspace("grows");
            if (isInSpace) {
                reopen();
            }
            keyspace("grows").merge(KEY, bytes("1"));
            db.dropKeyspace("grows");
            keyspace("grows").put(KEY, bytes("2"));
            vfs = vfs.kill();
            options = StoreDriver.SMALL.withKeyspace("other", COUNTS);
            try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true)) {
                assertEquals("2", text(reader.keyspace("grows").get(KEY)));
            }
            open();
            assertEquals("2", text(db.keyspace("grows").get(KEY)));
            fill(db);
            assertEquals("2", text(db.keyspace("grows").get(KEY)));
            db.close();
        }
    }

    // ---- while the store is open

    @Test
    void aKeyspaceWithoutAFunctionMayGetOneAndKeepsIt() {
        options = StoreDriver.SMALL;
        open();
        Keyspace counts = db.createKeyspaceIfAbsent("counts", COUNTS.withTimeToLive(Duration.ofDays(1)));
        counts.merge(KEY, number(1));
        db.createKeyspaceIfAbsent("counts", COUNTS).merge(KEY, number(1));
        String refused = assertThrows(IllegalArgumentException.class, () -> db.createKeyspaceIfAbsent("counts", GROWS))
                .getMessage();
        assertTrue(
                refused.contains("mergeFunction of keyspace \"counts\" must be ADD")
                        && refused.contains("APPEND; open the store with FlexDBOptions.withKeyspace"),
                refused);
        db.createKeyspaceIfAbsent("counts", KeyspaceOptions.defaults());
        assertEquals(COUNTS, counts.keyspaceOptions());
        assertArrayEquals(number(2), counts.get(KEY));
        db.createKeyspace("other");
        assertThrows(IllegalStateException.class, () -> db.keyspace("other").merge(KEY, KEY));
        db.createKeyspaceIfAbsent("other", GROWS).merge(KEY, KEY);
        db.dropKeyspace("other");
        assertThrows(
                IllegalStateException.class, () -> db.createKeyspace("other").merge(KEY, KEY));
        fill(db);
        assertArrayEquals(number(2), counts.get(KEY));
        counts.merge(KEY, number(3));
        vfs = vfs.kill();
        assertNotOpened(StoreDriver.SMALL);
        options = StoreDriver.SMALL.withKeyspace("counts", COUNTS);
        open();
        assertArrayEquals(number(5), db.keyspace("counts").get(KEY));
        db.close();
    }

    @Test
    void aKeyspaceWithTheFunctionOfTheStoreCantGetAnother() {
        options = StoreDriver.SMALL.withMergeFunction(MergeFunction.APPEND).withKeyspace("grows", GROWS);
        open();
        assertThrows(IllegalArgumentException.class, () -> db.createKeyspaceIfAbsent("counts", COUNTS));
        assertEquals(List.of(), db.keyspaces());
        db.createKeyspaceIfAbsent("counts", GROWS).merge(KEY, KEY);
        assertEquals(KeyspaceOptions.defaults(), db.keyspace("counts").keyspaceOptions());
        db.createKeyspaceIfAbsent("grows", GROWS);
        assertThrows(IllegalArgumentException.class, () -> db.createKeyspaceIfAbsent("grows", COUNTS));
        assertEquals(GROWS, db.keyspace("grows").keyspaceOptions());
        assertEquals(KeyspaceOptions.defaults(), db.keyspaceOptions());
        String filter = assertThrows(
                        IllegalArgumentException.class,
                        () -> db.createKeyspaceIfAbsent("grows", GROWS.withRangeFilter(true)))
                .getMessage();
        assertTrue(filter.contains("rangeFilter of keyspace \"grows\" must be false"), filter);
        db.createKeyspaceIfAbsent("grows", GROWS.withRangeFilter(false));
        db.close();
    }

    @Test
    void valuesLiveAsLongAsTheOptionsOfTheOpeningSay() {
        TestClock clock = new TestClock();
        options = StoreDriver.SMALL
                .withClock(clock)
                .withKeyspace("short", KeyspaceOptions.timeToLive(Duration.ofMillis(10)));
        open();
        for (int round = 0; round < 3; round++) {
            Keyspace brief = keyspace("short");
            brief.put(KEY, KEY);
            assertEquals(
                    Optional.of(Duration.ofMillis(10)), brief.keyspaceOptions().timeToLive());
            clock.advance(9);
            assertArrayEquals(KEY, brief.get(KEY));
            clock.advance(1);
            assertNull(brief.get(KEY));
            if (round == 0) {
                kill();
            } else {
                db.dropKeyspace("short");
            }
        }
        db.createKeyspaceIfAbsent("short", KeyspaceOptions.defaults()).put(KEY, KEY);
        clock.advance(100);
        assertArrayEquals(KEY, db.keyspace("short").get(KEY));
        db.close();
    }

    @Test
    void theOptionsOfKeyspacesAreOptionsOfTheStore() {
        FlexDBOptions none = FlexDBOptions.defaults();
        FlexDBOptions some = none.withKeyspace("b", COUNTS).withKeyspace("a", GROWS.withRangeFilter(true));
        assertEquals(Map.of(), none.keyspaces());
        assertEquals(List.of("a", "b"), List.copyOf(some.keyspaces().keySet()));
        assertEquals(GROWS.withRangeFilter(true), some.keyspaces().get("a"));
        assertEquals(MergeFunction.ADD, some.keyspaces().get("b").mergeFunction());
        assertEquals(some, none.withKeyspace("a", GROWS.withRangeFilter(true)).withKeyspace("b", COUNTS));
        assertTrue(
                some.toString()
                        .contains(
                                "keyspaces={a=KeyspaceOptions[timeToLive=none, mergeFunction=APPEND, rangeFilter=true], "
                                        + "b=KeyspaceOptions[timeToLive=none, mergeFunction=ADD]}"),
                some::toString);
        assertThrows(UnsupportedOperationException.class, () -> some.keyspaces().clear());
        assertThrows(IllegalArgumentException.class, () -> none.withKeyspace("", COUNTS));
        assertThrows(IllegalArgumentException.class, () -> none.withKeyspace("\uD800", COUNTS));
        assertThrows(IllegalArgumentException.class, () -> none.withKeyspace("x".repeat(256), COUNTS));
    }

    // ---- readers

    @Test
    void aReaderMergesAsTheWriterDoesAndFollowsKeyspacesThatCome() {
        open();
        mergeAll("b", 3);
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true)) {
            assertArrayEquals(number(3), reader.keyspace("counts").get(KEY));
            mergeAll("a", 4);
            keyspace("comes and goes").merge(KEY, bytes("1"));
            keyspace("comes and goes").merge(KEY, bytes("2"));
            reader.refresh();
            assertEquals("b", text(reader.get(KEY)));
            assertArrayEquals(number(7), reader.keyspace("counts").get(KEY));
            assertEquals("12", text(reader.keyspace("comes and goes").get(KEY)));
            Snapshot before = reader.snapshot();
            db.dropKeyspace("comes and goes");
            fill(db);
            keyspace("comes and goes").merge(KEY, bytes("3"));
            keyspace("comes and goes").merge(KEY, bytes("4"));
            keyspace("grows").merge(KEY, bytes("c"));
            reader.refresh();
            assertEquals("34", text(reader.keyspace("comes and goes").get(KEY)));
            assertEquals("bac", text(reader.keyspace("grows").get(KEY)));
            assertEquals("12", text(before.in("comes and goes").get(KEY)));
            before.close();
        }
        FlexDBOptions without = StoreDriver.SMALL.withMergeFunction(LARGEST).withKeyspace("counts", COUNTS);
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, without, true)) {
            assertArrayEquals(number(7), reader.keyspace("counts").get(KEY));
        }
        db.close();
    }

    @Test
    void aReaderWithoutAFunctionIsToldSoWhenItMeetsOperands() {
        options = StoreDriver.SMALL.withKeyspace("counts", COUNTS).withKeyspace("grows", GROWS);
        FlexDBOptions one = StoreDriver.SMALL.withKeyspace("counts", COUNTS);
        open();
        keyspace("counts").merge(KEY, number(1));
        keyspace("grows").put(KEY, bytes("1"));
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, one, true)) {
            assertArrayEquals(number(1), reader.keyspace("counts").get(KEY));
            keyspace("grows").merge(KEY, bytes("2"));
            String message = assertThrows(MergeException.class, reader::refresh).getMessage();
            assertTrue(message.contains("keyspace \"grows\""), message);
        }
        db.close();
    }

    // ---- names that are lost

    /** Flips a bit of the record of a name, and with it of all that lies in the same frame. */
    private void damageName(String name) {
        Path data = StoreDriver.DIRECTORY.resolve("space/data");
        byte[] content = vfs.content(data);
        byte[] sought = bytes(name);
        int damaged = 0;
        for (int i = 0; i + sought.length <= content.length; i++) {
            if (Arrays.equals(content, i, i + sought.length, sought, 0, sought.length)) {
                content[i] ^= 1;
                damaged++;
            }
        }
        assertTrue(damaged > 0, "no name");
        vfs.setContent(data, content);
    }

    private void killWithoutName() {
        open();
        for (String name : List.of("counts", "grows", "plain")) {
            for (int i = 0; i < 300; i++) {
                keyspace(name).put(bytes("pair " + i), number(i));
            }
        }
        for (int i = 0; i < 300; i++) {
            db.put(bytes("pair " + i), number(i));
        }
        reopen();
        keyspace("counts").put(KEY, number(1));
        keyspace("grows").put(KEY, bytes("1"));
        keyspace("plain").put(KEY, bytes(""));
        db.put(KEY, bytes(""));
        mergeAll("0", 4);
        keyspace("grows").merge(KEY, bytes("2"));
        db.sync();
        vfs = vfs.kill();
        damageName("grows");
    }

    @Test
    void operandsOfAKeyspaceThatHasLostItsNameWaitForTheirFunctionInASalvagedStore() {
        killWithoutName();
        Path fresh = Path.of("/fresh");
        FlexDBSalvageReport report =
                FlexDBSalvage.salvage(vfs, StoreDriver.DIRECTORY, fresh, options, Progress.NONE, new NoThreads());
        assertTrue(report.recoveredKeyspaces().contains("recovered-2"), report::toString);
        FlexDBOptions with = options.withKeyspace("recovered-1", COUNTS).withKeyspace("recovered-2", GROWS);
        try (FlexDB salvaged = FlexDB.open(vfs, fresh, with, true)) {
            assertEquals("102", text(salvaged.keyspace("recovered-2").get(KEY)));
            String counts = salvaged.keyspaces().contains("counts") ? "counts" : "recovered-1";
            assertArrayEquals(number(5), salvaged.keyspace(counts).get(KEY));
            assertEquals("0", text(salvaged.get(KEY)));
        }
    }

    @Test
    void aStoreThatCantReadItsNamesMergesNothingByTheWrongFunction() {
        killWithoutName();
        for (int i = 0; i < 3; i++) {
            open();
            assertEquals("0", text(db.get(KEY)));
            assertThrows(CorruptionException.class, () -> db.keyspace("grows"));
            vfs = vfs.kill();
        }
        FlexDBSalvage.salvage(vfs, StoreDriver.DIRECTORY, Path.of("/fresh"), options, Progress.NONE, new NoThreads());
        FlexDBOptions with = options.withKeyspace("recovered-2", GROWS);
        try (FlexDB salvaged = FlexDB.open(vfs, Path.of("/fresh"), with, true)) {
            assertEquals("102", text(salvaged.keyspace("recovered-2").get(KEY)));
        }
    }

    @Test
    void aSalvageNeedsTheFunctionsOfAllKeyspacesWithOperands() {
        options = StoreDriver.SMALL.withKeyspace("counts", COUNTS);
        open();
        keyspace("counts").merge(KEY, number(5));
        vfs = vfs.kill();
        SimulatedVfs other = vfs.copy();
        String message = assertThrows(
                        MergeException.class,
                        () -> FlexDBSalvage.salvage(
                                other,
                                StoreDriver.DIRECTORY,
                                Path.of("/fresh"),
                                StoreDriver.SMALL,
                                Progress.NONE,
                                new NoThreads()))
                .getMessage();
        assertTrue(message.contains("of keyspace \"counts\", and there is no function for it"), message);
        assertTrue(FlexDBSalvage.salvage(
                        vfs, StoreDriver.DIRECTORY, Path.of("/fresh"), options, Progress.NONE, new NoThreads())
                .isComplete());
        try (FlexDB salvaged = FlexDB.open(vfs, Path.of("/fresh"), options, true)) {
            assertArrayEquals(number(5), salvaged.keyspace("counts").get(KEY));
        }
    }

    // ---- against maps

    private final Map<String, TreeMap<byte[], byte[]>> model = new TreeMap<>();
    private Random random;

    private static final Map<String, MergeFunction> FUNCTIONS = Map.of(
            "", LARGEST,
            "plain", LARGEST,
            "counts", MergeFunction.ADD,
            "grows", StoreOracle.TAIL,
            "comes and goes", MergeFunction.APPEND);

    private ReadView view(ReadView store, String name) {
        if (name.isEmpty()) {
            return store;
        }
        return store instanceof FlexDB writer
                ? writer.keyspace(name)
                : store instanceof FlexDBReader reader ? reader.keyspace(name) : ((Snapshot) store).in(name);
    }

    private void assertModel(ReadView store, Map<String, TreeMap<byte[], byte[]>> expected, String at) {
        expected.forEach((name, pairs) -> {
            TreeMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            try (FlexCursor cursor = view(store, name).cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    found.put(cursor.key(), cursor.value());
                }
            }
            StoreOracle.assertSame(pairs, found, at + ", keyspace \"" + name + "\"");
        });
    }

    private Map<String, TreeMap<byte[], byte[]>> copyOfModel() {
        Map<String, TreeMap<byte[], byte[]>> copy = new TreeMap<>();
        model.forEach((name, pairs) -> copy.put(name, new TreeMap<>(pairs)));
        return copy;
    }

    private WriteBatch batch() {
        WriteBatch batch = new WriteBatch();
        for (int i = random.nextInt(12); i >= 0; i--) {
            String name = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
            WriteBatch in = name.isEmpty() ? batch : batch.in(db.keyspace(name));
            TreeMap<byte[], byte[]> pairs = model.get(name);
            byte[] key = bytes(String.format(Locale.ROOT, "key%04d", random.nextInt(150) * 10));
            byte[] operand = number(random.nextLong());
            int kind = random.nextInt(12);
            if (kind == 0) {
                in.delete(key);
                pairs.remove(key);
            } else if (kind < 3) {
                in.put(key, operand);
                pairs.put(key, operand);
            } else {
                in.merge(key, operand);
                pairs.put(key, FUNCTIONS.get(name).merge(key, pairs.get(key), List.of(operand)));
            }
        }
        return batch;
    }

    private static List<Long> seeds() {
        return Effort.some(List.of(1L, 2L, 3L, 4L));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void allIsAsInMapsWhateverHappens(long seed) {
        random = new Random(seed);
        options = options.withKeyspace("counts", COUNTS.withRangeFilter(true))
                .withKeyspace("comes and goes", GROWS.withRangeFilter(true));
        open();
        for (String name : FUNCTIONS.keySet()) {
            model.put(name, new TreeMap<>(Arrays::compareUnsigned));
            if (!name.isEmpty()) {
                db.createKeyspace(name);
            }
        }
        FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true);
        Snapshot snapshot = db.snapshot();
        Map<String, TreeMap<byte[], byte[]>> inSnapshot = copyOfModel();
        for (int step = 0; step < Effort.times(6000); step++) {
            String at = "seed " + seed + ", step " + step;
            int kind = random.nextInt(400);
            if (kind < 6) {
                reader.close();
                assertModel(snapshot, inSnapshot, at + ", snapshot");
                snapshot.close();
                if (kind < 4) {
                    kill();
                } else {
                    reopen();
                }
                reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true);
                snapshot = db.snapshot();
                inSnapshot = copyOfModel();
                assertModel(db, model, at);
            } else if (kind < 10) {
                db.dropKeyspace("comes and goes");
                db.createKeyspace("comes and goes");
                model.get("comes and goes").clear();
            } else if (kind < 16) {
                reader.refresh();
                assertModel(reader, model, at + ", reader");
                db.buildFilters();
            } else if (kind < 24) {
                assertModel(snapshot, inSnapshot, at + ", snapshot");
                snapshot.close();
                snapshot = db.snapshot();
                inSnapshot = copyOfModel();
            } else {
                db.write(batch());
                String name = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
                byte[] key = bytes(String.format(Locale.ROOT, "key%04d", random.nextInt(1500)));
                assertArrayEquals(model.get(name).get(key), view(db, name).get(key), at);
            }
        }
        assertModel(db, model, "seed " + seed + ", in the end");
        snapshot.close();
        reader.close();
        db.close();
    }
}
