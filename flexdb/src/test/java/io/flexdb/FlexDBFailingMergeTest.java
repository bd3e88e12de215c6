package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.storage.MergeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys for which the merge function fails: they alone can't be read, and have all that was written. */
class FlexDBFailingMergeTest {
    private static final Path COPY = Path.of("/copy");
    private static final String BAD = "k";

    private final TestClock clock = new TestClock();
    private FlexDBOptions options = StoreDriver.SMALL
            .withClock(clock)
            .withMergeFunction(new Fragile(() -> new IllegalStateException("by intent")));
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db = open();

    /** Appends, and throws for keys that begin with k, after it has spoilt what it was given. */
    private record Fragile(Supplier<Throwable> failure) implements MergeFunction {
        @Override
        public byte[] merge(byte[] key, byte[] value, List<byte[]> operands) {
            if (key[0] != 'k') {
                return APPEND.merge(key, value, operands);
            }
            Arrays.fill(key, (byte) 0);
            operands.forEach(operand -> Arrays.fill(operand, (byte) 0));
            if (value != null) {
                Arrays.fill(value, (byte) 0);
            }
            Throwable thrown = failure.get();
            if (thrown == null) {
                return null;
            }
            throw FlexDBFailingMergeTest.<RuntimeException>unchecked(thrown);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable e) throws T {
        throw (T) e;
    }

    private FlexDB open() {
        return StoreDriver.open(vfs, options);
    }

    private void reopen() {
        db.close();
        db = open();
    }

    private void kill() {
        vfs = vfs.kill();
        db = open();
    }

    private void cut() {
        db.sync();
        vfs = vfs.crash(7);
        db = open();
    }

    private void withWorkingFunction() {
        options = options.withMergeFunction(MergeFunction.APPEND);
        reopen();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] value) {
        return value == null ? null : new String(value, UTF_8);
    }

    private void merge(String key, String operand) {
        db.merge(bytes(key), bytes(operand));
    }

    /** Commits, as there is no room for so much in a memtable. */
    private void fill() {
        for (int i = 0; i < 2000; i++) {
            db.put(bytes(String.format(Locale.ROOT, "n%05d", i)), new byte[60]);
        }
    }

    private void assertFails(String key, Executable read) {
        MergeException e = assertThrows(MergeException.class, read);
        assertEquals(key, text(e.key()));
    }

    /** Of all ways of reading, those that need the value fail, and no others do. */
    private void assertFails(ReadView view, String key) {
        byte[] bytes = bytes(key);
        assertFails(key, () -> view.get(bytes));
        assertFails(key, () -> view.get(bytes, new byte[100], 0));
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        assertFails(key, () -> view.get(buffer, ByteBuffer.allocate(100)));
        assertEquals(0, buffer.position());
        assertFails(key, () -> view.valueLength(bytes));
        assertFails(key, () -> view.valueLength(ByteBuffer.wrap(bytes)));
        assertFails(key, () -> view.openValue(bytes));
        assertFails(key, () -> view.multiGet(List.of(bytes("a"), bytes)));
        assertFails(key, () -> view.multiGet(List.of(ByteBuffer.wrap(bytes)), (value, index) -> {}));
        assertEquals(Optional.empty(), view.expiresAt(bytes));
        try (FlexCursor cursor = view.cursor();
                FlexCursor keys = view.cursor(ReadOptions.defaults().withKeysOnly(true))) {
            List<String> forward = new ArrayList<>();
            for (cursor.seek(bytes("j")); cursor.isValid() && cursor.compareKey(bytes("n")) < 0; cursor.next()) {
                forward.add(text(cursor.key()));
                if (text(cursor.key()).equals(key)) {
                    assertFails(key, cursor::value);
                    assertFails(key, cursor::valueLength);
                    assertFails(key, () -> cursor.value(ByteBuffer.allocate(100)));
                } else {
                    assertEquals(1, cursor.valueLength());
                }
            }
            assertEquals(List.of("j", key, "l"), forward);
            cursor.seekForPrev(bytes);
            assertEquals(key, text(cursor.key()));
            cursor.prev();
            assertEquals("0", text(cursor.value()));
            keys.seek(bytes);
            assertEquals(key, text(keys.key()));
            keys.next();
            assertEquals("l", text(keys.key()));
        }
        assertEquals("0", text(view.get(bytes("j"))));
        assertEquals("2", text(view.get(bytes("l"))));
        assertNull(view.get(bytes("a")));
    }

    private void putNeighbours() {
        db.put(bytes("j"), bytes("0"));
        db.put(bytes("l"), bytes("2"));
    }

    private List<Consumer<FlexDBFailingMergeTest>> ways() {
        return List.of(
                test -> {},
                FlexDBFailingMergeTest::fill,
                FlexDBFailingMergeTest::reopen,
                FlexDBFailingMergeTest::kill,
                FlexDBFailingMergeTest::cut,
                test -> {
                    test.fill();
                    test.kill();
                });
    }

    @Test
    void aFailureFailsReadsOfItsKeyAndNothingElseAndNoOperandIsLost() {
        FlexDBOptions failing = options;
        int number = 0;
        for (String base : Arrays.asList(null, "x", "x".repeat(200))) { // the last of which is a large value
            for (Consumer<FlexDBFailingMergeTest> first : ways()) {
                for (Consumer<FlexDBFailingMergeTest> second : ways()) {
                    if (number++ % 4 != 0) {
                        continue; // some of all, each with each base
                    }
                    putNeighbours();
                    if (base != null) {
                        db.put(bytes(BAD), bytes(base));
                        first.accept(this);
                    }
                    merge(BAD, "1");
                    first.accept(this);
                    assertFails(db, BAD);
                    merge(BAD, "");
                    merge(BAD, "23");
                    second.accept(this);
                    assertFails(db, BAD);
                    merge(BAD, "4");
                    first.accept(this);
                    assertTrue(db.health().isUsable());
                    assertFails(db, BAD);
                    withWorkingFunction();
                    String expected = (base == null ? "" : base) + "1234";
                    assertEquals(expected, text(db.get(bytes(BAD))));
                    assertEquals(expected.length(), db.valueLength(bytes(BAD)));
                    merge(BAD, "5");
                    second.accept(this);
                    assertEquals(expected + "5", text(db.get(bytes(BAD))));
                    assertTrue(db.check().isSound());
                    db.deleteAll();
                    options = failing;
                    reopen();
                }
            }
        }
    }

    @Test
    void whateverIsThrownIsAMatterOfTheKey() {
        List<Supplier<Throwable>> failures = List.of(
                () -> null,
                () -> new AssertionError("by intent"),
                () -> new OutOfMemoryError("by intent"),
                FlexDBFailingMergeTest::overflow,
                () -> new IOException("by intent"),
                () -> new MergeException(bytes("another"), "by intent", null),
                () -> {
                    Thread.currentThread().interrupt();
                    return new InterruptedException("by intent");
                });
        for (Supplier<Throwable> failure : failures) {
            options = options.withMergeFunction(new Fragile(failure));
            reopen();
            putNeighbours();
            merge(BAD, "1");
            assertFails(db, BAD);
            fill();
            Thread.interrupted();
            assertFails(db, BAD);
            Thread.interrupted();
            reopen();
            assertFails(db, BAD);
            Thread.interrupted();
            withWorkingFunction();
            assertEquals("1", text(db.get(bytes(BAD))));
            db.deleteAll();
        }
    }

    private static Throwable overflow() {
        return overflow(); // ends at the end of the stack
    }

    @Test
    void aPutADeleteOrADeletedRangeOfTheKeyEndsIt() {
        List<Consumer<FlexDB>> cures = List.of(
                store -> store.put(bytes(BAD), bytes("9")),
                store -> store.delete(bytes(BAD)),
                store -> store.deleteRange(bytes("k"), bytes("l")),
                store -> store.write(new WriteBatch().delete(bytes(BAD)).put(bytes(BAD), bytes("9"))));
        for (Consumer<FlexDBFailingMergeTest> first : ways()) {
            for (Consumer<FlexDB> cure : cures) {
                putNeighbours();
                merge(BAD, "1");
                first.accept(this);
                assertFails(db, BAD);
                cure.accept(db);
                String expected = text(db.get(bytes(BAD)));
                assertTrue(expected == null || expected.equals("9"), expected);
                first.accept(this);
                assertEquals(expected, text(db.get(bytes(BAD))));
                fill();
                reopen();
                assertEquals(expected, text(db.get(bytes(BAD))));
                db.deleteAll();
            }
        }
    }

    @Test
    void whatWaitsIsOverWhenTheValueBelowItIs() {
        for (int commits = 0; commits < 16; commits++) {
            db.put(bytes(BAD), bytes("x"), WriteOptions.timeToLive(Duration.ofSeconds(1)));
            maybeCommit(commits & 1);
            merge(BAD, "1");
            maybeCommit(commits & 2);
            assertFails(BAD, () -> db.get(bytes(BAD)));
            assertEquals(Optional.of(clock.instant().plusSeconds(1)), db.expiresAt(bytes(BAD)));
            try (FlexCursor cursor = db.cursor()) {
                cursor.seek(bytes(BAD));
                assertEquals(Optional.of(clock.instant().plusSeconds(1)), cursor.expiresAt());
            }
            clock.advance(1000);
            assertNull(db.get(bytes(BAD)));
            assertEquals(Optional.empty(), db.expiresAt(bytes(BAD)));
            maybeCommit(commits & 4);
            try (FlexCursor cursor = db.cursor()) {
                cursor.seek(bytes(BAD));
                assertFalse(cursor.isValid() && cursor.compareKey(bytes(BAD)) == 0);
            }
            merge(BAD, "2");
            maybeCommit(commits & 8);
            assertFails(BAD, () -> db.get(bytes(BAD)));
            FlexDBOptions failing = options;
            withWorkingFunction();
            assertEquals("2", text(db.get(bytes(BAD))));
            assertEquals(Optional.empty(), db.expiresAt(bytes(BAD)));
            db.deleteAll();
            options = failing;
            reopen();
        }
    }

    private void maybeCommit(int yes) {
        if (yes != 0) {
            reopen();
        }
    }

    @Test
    void snapshotsAndTransactionsFailForTheKeyAloneToo() {
        putNeighbours();
        try (Snapshot before = db.snapshot()) {
            merge(BAD, "1");
            reopenNot(before);
            assertNull(before.get(bytes(BAD)));
            try (Snapshot after = db.snapshot()) {
                assertFails(after, BAD);
                db.put(bytes(BAD), bytes("9"));
                fill();
                assertFails(after, BAD);
            }
        }
        for (Isolation isolation : Isolation.values()) {
            db.delete(bytes(BAD));
            try (Transaction transaction = db.begin(isolation)) {
                transaction.merge(bytes(BAD), bytes("1"));
                assertFails(transaction, BAD);
                transaction.put(bytes("j"), bytes("0"));
                transaction.commit();
            }
            assertFails(db, BAD);
            try (Transaction transaction = db.begin(isolation)) {
                assertFails(transaction, BAD);
                transaction.merge(bytes(BAD), bytes("2"));
                assertFails(transaction, BAD);
                transaction.commit();
            }
            reopen();
            try (Transaction transaction = db.begin(isolation)) {
                assertFails(transaction, BAD);
                transaction.put(bytes(BAD), bytes("3"));
                assertEquals("3", text(transaction.get(bytes(BAD))));
                transaction.commit();
            }
            assertEquals("3", text(db.get(bytes(BAD))));
        }
    }

    private void reopenNot(Snapshot open) {
        fill();
        assertEquals("0", text(open.get(bytes("j"))));
    }

    /** Which are merged into the space with what it has. */
    @Test
    void whatLargeTransactionsAndBatchesMergeWaitsToo() {
        FlexDBOptions failing = options;
        for (int kind = 0; kind < 4; kind++) {
            putNeighbours();
            db.put(bytes(BAD), bytes("x"));
            merge(BAD, "1");
            if (kind >= 2) {
                reopen();
            }
            WriteBatch batch = new WriteBatch().merge(bytes(BAD), bytes("2"));
            try (Transaction transaction = db.begin()) {
                transaction.merge(bytes(BAD), bytes("2"));
                for (int i = 0; i < 3000; i++) {
                    byte[] key = bytes(String.format(Locale.ROOT, "m%05d", i));
                    transaction.put(key, new byte[60]);
                    batch.put(key, new byte[60]);
                }
                if (kind % 2 == 0) {
                    transaction.commit();
                }
            }
            if (kind % 2 == 1) {
                db.write(batch);
            }
            db.deleteRange(bytes("m"), bytes("n"));
            assertFails(db, BAD);
            merge(BAD, "3");
            fill();
            kill();
            assertFails(db, BAD);
            withWorkingFunction();
            assertEquals("x123", text(db.get(bytes(BAD))));
            db.deleteAll();
            options = failing;
            reopen();
        }
    }

    /** Copies, what can be saved, and readers: an export alone has values only. */
    @Test
    void copiesHaveWhatWaitsAndAnExportSaysThatItCant() {
        putNeighbours();
        db.put(bytes("k1"), bytes("y"), WriteOptions.timeToLive(Duration.ofHours(1)));
        merge("k1", "1");
        merge("k2", "2");
        reopen();
        merge("k2", "3"); // the one waits in the space, the other in the log
        Path target = Path.of("/pairs");
        assertFails("k1", () -> db.exportTo(target));
        assertFalse(vfs.exists(target));
        db.checkpoint(COPY);
        Path backups = Path.of("/backups");
        Path restored = Path.of("/restored");
        try (FlexDBBackups of = FlexDBBackups.open(vfs, backups)) {
            of.restore(of.create(db).id(), restored);
        }
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, StoreDriver.DIRECTORY, options, true)) {
            assertFails("k1", () -> reader.get(bytes("k1")));
            assertFails("k2", () -> reader.get(bytes("k2")));
            assertEquals("2", text(reader.get(bytes("l"))));
            db.put(bytes("k2"), bytes("4"));
            fill();
            reader.refresh();
            assertEquals("4", text(reader.get(bytes("k2"))));
            assertFails("k1", () -> reader.get(bytes("k1")));
        }
        FlexDBOptions working = options.withMergeFunction(MergeFunction.APPEND);
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, COPY, working, true)) {
            assertEquals("y1", text(reader.get(bytes("k1"))));
            assertEquals("23", text(reader.get(bytes("k2"))));
        }
        Path salvaged = Path.of("/salvaged");
        vfs = vfs.kill();
        FlexDBSalvageReport report =
                FlexDBSalvage.salvage(vfs, restored, salvaged, working, Progress.NONE, new NoThreads());
        assertTrue(report.isComplete(), report::toString);
        assertThrows(
                MergeException.class,
                () -> FlexDBSalvage.salvage(
                        vfs.copy(),
                        restored,
                        Path.of("/not"),
                        options.withMergeFunction(null),
                        Progress.NONE,
                        new NoThreads()));
        for (Path path : List.of(COPY, restored, salvaged)) {
            try (FlexDB copy = FlexDB.open(vfs, path, working, true)) {
                assertEquals("y1", text(copy.get(bytes("k1"))), path.toString());
                assertEquals(Optional.of(clock.instant().plus(Duration.ofHours(1))), copy.expiresAt(bytes("k1")));
                assertEquals("23", text(copy.get(bytes("k2"))), path.toString());
                assertEquals(4, StoreDriver.all(copy).size());
            }
        }
    }

    /** Or each commit would write more and more. */
    @Test
    void whereMuchWaitsNoMoreIsTakenUntilTheFunctionWorksOrTheKeyIsPut() {
        Keyspace other = db.createKeyspace("other");
        byte[] operand = new byte[100];
        long merged = 0;
        while (isTaken(operand)) {
            merged += operand.length;
            assertTrue(merged < 4 * FlexDBOptions.MIN_MEMTABLE_BYTES, merged + " bytes");
        }
        MergeException refused = assertThrows(MergeException.class, () -> db.merge(bytes(BAD), operand));
        assertEquals(BAD, text(refused.key()));
        assertTrue(refused.getMessage().contains("bytes wait to be merged"), refused.getMessage());
        assertFails(
                BAD, () -> db.write(new WriteBatch().merge(bytes("a"), operand).merge(bytes(BAD), operand)));
        try (Transaction transaction = db.begin()) {
            assertFails(BAD, () -> transaction.merge(bytes(BAD), operand));
        }
        assertNull(db.get(bytes("a")));
        merge("k1", "1");
        other.merge(bytes(BAD), operand);
        db.delete(bytes(BAD));
        merge(BAD, "1");
        assertFails(BAD, () -> db.get(bytes(BAD)));
        FlexDBOptions failing = options;
        withWorkingFunction();
        assertEquals("1", text(db.get(bytes(BAD))));
        options = failing;
        reopen();
        while (isTaken(operand)) {
            merged += operand.length;
        }
        withWorkingFunction();
        db.merge(bytes(BAD), operand);
        assertTrue(db.valueLength(bytes(BAD)) > FlexDBOptions.MIN_MEMTABLE_BYTES / 4);
    }

    private boolean isTaken(byte[] operand) {
        try {
            db.merge(bytes(BAD), operand);
            return true;
        } catch (MergeException e) {
            return false;
        }
    }

    @Test
    void withoutAFunctionWhatWaitsWaits() {
        putNeighbours();
        merge(BAD, "1");
        reopen();
        FlexDBOptions failing = options;
        options = options.withMergeFunction(null);
        reopen();
        assertFails(db, BAD);
        fill();
        reopen();
        assertFails(db, BAD);
        options = failing;
        reopen();
        withWorkingFunction();
        assertEquals("1", text(db.get(bytes(BAD))));
    }

    @Test
    void aValueThatACounterCantHaveFailsItsKeyAlone() {
        options = options.withMergeFunction(MergeFunction.ADD);
        reopen();
        putNeighbours();
        db.put(bytes(BAD), new byte[7]);
        byte[] one = ByteBuffer.allocate(8).putLong(1).array();
        db.merge(bytes(BAD), one);
        assertEquals(0, db.stats().commits().failedMerges());
        fill();
        assertEquals(1, db.stats().commits().failedMerges());
        reopen();
        assertFails(BAD, () -> db.get(bytes(BAD)));
        assertTrue(db.health().isUsable());
        db.delete(bytes(BAD));
        db.merge(bytes(BAD), one);
        reopen();
        assertArrayEquals(one, db.get(bytes(BAD)));
    }

    /** Merges at random, with a function that fails for some keys until the store is opened again. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whateverIsWrittenBesideFailuresIsThereWhenTheFunctionWorks(long seed) {
        Random random = new Random(seed);
        FlexDBOptions failing = options;
        TreeMap<String, String> model = new TreeMap<>();
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 400; i++) {
                String key = (random.nextBoolean() ? "k" : "g") + random.nextInt(40);
                int kind = random.nextInt(12);
                if (kind == 0) {
                    db.delete(bytes(key));
                    model.remove(key);
                } else if (kind == 1) {
                    db.put(bytes(key), bytes("p"));
                    model.put(key, "p");
                } else if (kind == 2 && i % 20 == 0) {
                    db.deleteRange(bytes("k1"), bytes("k2"));
                    model.subMap("k1", "k2").clear();
                } else {
                    String operand = "" + (char) ('a' + random.nextInt(26));
                    merge(key, operand);
                    model.merge(key, operand, String::concat);
                }
                if (random.nextInt(100) == 0) {
                    fill();
                    db.deleteRange(bytes("n"), bytes("o"));
                }
            }
            for (String key : model.headMap("k").keySet()) {
                assertEquals(model.get(key), text(db.get(bytes(key))), key);
            }
            try (FlexCursor cursor = db.cursor(ReadOptions.defaults().withKeysOnly(true))) {
                List<String> keys = new ArrayList<>();
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    keys.add(text(cursor.key()));
                }
                assertEquals(new ArrayList<>(model.keySet()), keys);
            }
            ways().get(1 + random.nextInt(ways().size() - 1)).accept(this);
            if (round % 3 == 2) {
                options = options.withMergeFunction(MergeFunction.APPEND);
                reopen();
                db.deleteRange(bytes("n"), bytes("o"));
                TreeMap<String, String> found = new TreeMap<>();
                StoreDriver.all(db).forEach((key, value) -> found.put(text(key), text(value)));
                assertEquals(model, found, "seed " + seed + ", round " + round);
                options = failing;
                reopen();
            }
            db.deleteRange(bytes("n"), bytes("o"));
        }
        assertTrue(db.check().isSound());
    }
}
