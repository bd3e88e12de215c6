package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.read.MergeCursor;
import io.flexdb.internal.read.Scan;
import io.flexdb.storage.ConflictException;
import io.flexdb.storage.KeyspaceExistsException;
import io.flexdb.storage.NoSuchKeyspaceException;
import io.flexdb.storage.StoreClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Named keyspaces beside the default one: what each of them shows, and how they come and go. */
class FlexDBKeyspaceTest {
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL);

    @AfterEach
    void close() {
        db.close();
    }

    private void reopen() {
        db.close();
        db = StoreDriver.open(vfs, StoreDriver.SMALL);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] high(int... rest) {
        byte[] key = new byte[1 + rest.length];
        key[0] = (byte) 0xFF;
        for (int i = 0; i < rest.length; i++) {
            key[i + 1] = (byte) rest[i];
        }
        return key;
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String shown(byte[] key) {
        return key[0] >= 'a' ? text(key) : HexFormat.of().formatHex(key);
    }

    private static String walk(ReadView view) {
        return walk(view, ReadOptions.defaults());
    }

    /** All keys, forward; fails if they are others backward. */
    private static String walk(ReadView view, ReadOptions options) {
        try (FlexCursor cursor = view.cursor(options)) {
            return walk(cursor);
        }
    }

    private static String walk(FlexCursor cursor) {
        List<String> forward = new ArrayList<>();
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            assertEquals(cursor.key().length, cursor.keyLength());
            assertEquals(0, cursor.compareKey(cursor.key()));
            ByteBuffer key = ByteBuffer.allocate(10);
            assertEquals(cursor.keyLength(), cursor.key(key));
            assertEquals(ByteBuffer.wrap(cursor.key()), key.flip());
            forward.add(shown(cursor.key()));
        }
        List<String> backward = new ArrayList<>();
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
            backward.add(shown(cursor.key()));
        }
        Collections.reverse(backward);
        assertEquals(forward, backward);
        return String.join(" ", forward);
    }

    /** Keys of all kinds in three keyspaces, the same ones in each; values tell whose they are. */
    private List<Keyspace> three() {
        Keyspace one = db.createKeyspaceIfAbsent("one");
        Keyspace two = db.createKeyspaceIfAbsent("two");
        List<Keyspace> all = List.of(db, one, two);
        for (Keyspace keyspace : all) {
            for (byte[] key : keys()) {
                keyspace.put(key, bytes(keyspace.name() + "!" + shown(key)));
            }
        }
        return all;
    }

    private static List<byte[]> keys() {
        return List.of(
                new byte[] {0},
                bytes("a"),
                bytes("b"),
                bytes("bb"),
                high(),
                high(0),
                high(0, 255),
                high(1),
                high(1, 0),
                high(1, 1, 7),
                high(255, 255));
    }

    private static final String ALL = "00 a b bb ff ff00 ff00ff ff01 ff0100 ff010107 ffffff";

    private void commit() {
        reopen();
    }

    @Test
    void eachShowsItsOwnPairsAndNoOthers() {
        for (int round = 0; round < 2; round++) {
            for (Keyspace keyspace : three()) {
                assertEquals(ALL, walk(keyspace));
                for (byte[] key : keys()) {
                    byte[] value = bytes(keyspace.name() + "!" + shown(key));
                    assertArrayEquals(value, keyspace.get(key));
                    assertEquals(value.length, keyspace.valueLength(key));
                    assertEquals(value.length, keyspace.valueLength(ByteBuffer.wrap(key)));
                    assertTrue(keyspace.containsKey(key) && keyspace.containsKey(ByteBuffer.wrap(key)));
                    ByteBuffer destination = ByteBuffer.allocate(50);
                    assertEquals(value.length, keyspace.get(ByteBuffer.wrap(key), destination));
                    assertEquals(ByteBuffer.wrap(value), destination.flip());
                    byte[] room = new byte[50];
                    assertEquals(value.length, keyspace.get(key, room, 3));
                    assertArrayEquals(value, Arrays.copyOfRange(room, 3, 3 + value.length));
                }
                List<byte[]> values = keyspace.multiGet(keys());
                for (int i = 0; i < values.size(); i++) {
                    assertEquals(keyspace.name() + "!" + shown(keys().get(i)), text(values.get(i)));
                }
                assertNull(keyspace.get(high(0, 0)));
                assertNull(keyspace.get(high(1, 2)));
            }
            commit(); // and the same out of the space
        }
    }

    @Test
    void cursorsStayWithinTheirKeyspaceAndTheirBounds() {
        for (int round = 0; round < 2; round++) {
            for (Keyspace keyspace : three()) {
                ReadOptions all = ReadOptions.defaults();
                assertEquals(
                        "ff00 ff00ff ff01",
                        walk(keyspace, all.withLowerBound(high(0)).withUpperBound(high(1, 0))));
                assertEquals("00 a b bb ff", walk(keyspace, all.withUpperBound(high(0))));
                assertEquals(
                        "bb ff ff00",
                        walk(keyspace, all.withLowerBound(bytes("bb")).withUpperBound(high(0, 0))));
                assertEquals("b bb", walk(keyspace, all.withPrefix(bytes("b"))));
                assertEquals("ff01 ff0100 ff010107", walk(keyspace, all.withPrefix(high(1))));
                assertEquals("ff ff00 ff00ff ff01 ff0100 ff010107 ffffff", walk(keyspace, all.withPrefix(high())));
                assertEquals("", walk(keyspace, all.withUpperBound(new byte[0])));
                assertEquals(ALL, walk(keyspace, all.withLowerBound(new byte[0])));
                try (FlexCursor cursor = keyspace.cursor()) {
                    cursor.seek(high(255, 255, 0));
                    assertFalse(cursor.isValid());
                    cursor.seekForPrev(high(255, 255, 255, 255));
                    assertEquals("ffffff", shown(cursor.key()));
                    cursor.seekForPrev(ByteBuffer.wrap(high(1, 1)));
                    assertEquals("ff0100", shown(cursor.key()));
                    cursor.seek(ByteBuffer.wrap(bytes("c")));
                    assertEquals("ff", shown(cursor.key()));
                    cursor.prev();
                    assertEquals("bb", shown(cursor.key()));
                    cursor.seek(new byte[0]);
                    assertEquals("00", shown(cursor.key()));
                    cursor.prev();
                    assertFalse(cursor.isValid());
                    cursor.seekForPrev(new byte[0]);
                    assertFalse(cursor.isValid());
                }
            }
            commit();
        }
    }

    @Test
    void aRangeIsDeletedInOneKeyspaceOnly() {
        for (int i = 0; i < 3; i++) {
            List<Keyspace> all = three();
            all.get(i).deleteRange(bytes("bb"), high(1));
            all.get(i).deleteRange(high(1, 1), null);
            all.get(i).deleteRange((byte[]) null, bytes("a"));
            for (int j = 0; j < 3; j++) {
                assertEquals(i == j ? "a b ff01 ff0100" : ALL, walk(all.get(j)));
            }
            all.get(i).deleteAll();
            assertEquals("", walk(all.get(i)));
            assertEquals(ALL, walk(all.get((i + 1) % 3)));
            assertEquals(List.of("one", "two"), db.keyspaces());
            commit();
            assertEquals(List.of("one", "two"), db.keyspaces());
            assertEquals(i == 0 ? "" : ALL, walk(db));
        }
    }

    @Test
    void aBatchWritesToSeveralOfThemTogether() {
        Keyspace one = db.createKeyspace("one");
        Keyspace two = db.createKeyspace("two");
        two.put(bytes("x"), bytes("0"));
        long before = db.stats().lastSequence();
        WriteBatch batch = new WriteBatch().put(bytes("a"), bytes("1"));
        batch.in(one)
                .put(bytes("b"), bytes("2"))
                .in(two)
                .deleteAll()
                .put(bytes("c"), bytes("3"))
                .in(db)
                .put(high(), bytes("4"));
        assertEquals(5, batch.size());
        assertEquals(before + 5, db.write(batch.in(two)));
        assertEquals("a ff", walk(db));
        assertEquals("b", walk(one));
        assertEquals("c", walk(two));
        db.dropKeyspace("two");
        assertThrows(NoSuchKeyspaceException.class, () -> db.write(batch));
        assertEquals(0, batch.clear().size());
        db.write(batch.in(one).delete(bytes("b")));
        assertEquals("", walk(one));
    }

    @Test
    void aSnapshotShowsAllOfThemAsOfOneMomentThoughOneIsDroppedThen() {
        List<Keyspace> all = three();
        Keyspace one = all.get(1);
        try (Snapshot snapshot = db.snapshot();
                FlexCursor cursor = one.cursor()) {
            one.put(bytes("new"), bytes("x"));
            db.dropKeyspace("one");
            Keyspace later = db.createKeyspace("later");
            later.put(bytes("a"), bytes("b"));
            assertEquals(ALL, walk(snapshot.in(one)));
            assertEquals(ALL, walk(cursor));
            assertEquals(ALL, walk(one, ReadOptions.defaults().withSnapshot(snapshot)));
            assertEquals("one!a", text(snapshot.in(one).get(bytes("a"))));
            assertEquals("two!a", text(snapshot.in(one).in(all.get(2)).get(bytes("a"))));
            assertEquals("!a", text(snapshot.in(one).in(db).get(bytes("a"))));
            assertEquals("", walk(snapshot.in(later)), "which was made later");
            assertEquals(ALL, walk(all.get(2), ReadOptions.defaults().withSnapshot(snapshot.in(one))));
            try (Snapshot after = db.snapshot()) {
                assertThrows(NoSuchKeyspaceException.class, () -> after.in(one));
                assertThrows(
                        NoSuchKeyspaceException.class,
                        () -> one.cursor(ReadOptions.defaults().withSnapshot(after)));
            }
            Snapshot view = snapshot.in(all.get(2));
            view.close();
            snapshot.in(all.get(2).name()).close();
            assertEquals("!a", text(snapshot.get(bytes("a"))), "what shows another keyspace ends nothing");
            assertEquals("two!a", text(view.get(bytes("a"))));
            close(snapshot);
            assertThrows(StoreClosedException.class, () -> snapshot.get(bytes("a")));
            assertThrows(StoreClosedException.class, () -> view.get(bytes("a")));
        }
    }

    private static void close(Snapshot snapshot) {
        snapshot.close();
    }

    @Test
    void closingWhatShowsAnotherKeyspaceEndsNoTransaction() {
        Keyspace one = db.createKeyspace("one");
        try (Transaction transaction = db.begin()) {
            transaction.put(bytes("a"), bytes("1"));
            try (Transaction view = transaction.in(one)) {
                view.put(bytes("b"), bytes("2"));
            }
            transaction.put(bytes("c"), bytes("3"));
            transaction.in(one).commit();
            assertThrows(StoreClosedException.class, () -> transaction.get(bytes("a")));
        }
        assertEquals(
                "1 2 3", text(db.get(bytes("a"))) + " " + text(one.get(bytes("b"))) + " " + text(db.get(bytes("c"))));
    }

    @Test
    void theSameKeyspaceIsEqual() {
        Keyspace one = db.createKeyspace("one");
        assertEquals(one, db.keyspace("one"));
        assertEquals(one.hashCode(), db.createKeyspaceIfAbsent("one").hashCode());
        assertNotEquals(one, db.createKeyspace("two"));
        assertNotEquals(one, db);
        assertEquals(db, db);
        db.dropKeyspace("one");
        assertNotEquals(one, db.createKeyspace("one"));
        try (FlexDB other = new StoreDriver(StoreDriver.SMALL).db) {
            assertNotEquals(db, other);
            assertNotEquals(db.keyspace("one"), other.createKeyspace("one"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionReadsAndWritesSeveralOfThem(Isolation isolation) {
        List<Keyspace> all = three();
        Keyspace one = all.get(1);
        Keyspace two = all.get(2);
        try (Transaction transaction = db.begin(isolation)) {
            transaction
                    .put(bytes("own"), bytes("1"))
                    .in(one)
                    .put(bytes("own"), bytes("2"))
                    .delete(bytes("a"));
            transaction.in(two).deleteRange(bytes("a"), null).put(high(9), bytes("3"));
            assertEquals("2", text(transaction.in(one).get(bytes("own"))));
            assertNull(transaction.in(one).get(bytes("a")));
            assertEquals("!a", text(transaction.get(bytes("a"))));
            assertEquals("00 ff09", walk(transaction.in(two)));
            assertEquals("00 a b bb own" + ALL.substring(9), walk(transaction));
            assertEquals("00 b bb own" + ALL.substring(9), walk(transaction.in(one)));
            assertNull(one.get(bytes("own")));
            transaction.in(two).commit();
            assertThrows(StoreClosedException.class, () -> transaction.get(bytes("a")));
        }
        assertEquals("1", text(db.get(bytes("own"))));
        assertEquals("2", text(one.get(bytes("own"))));
        assertEquals("00 ff09", walk(two));
    }

    @Test
    void whatIsWrittenToAnotherKeyspaceIsNoConflict() {
        List<Keyspace> all = three();
        for (Keyspace walked : all) {
            for (Keyspace written : all) {
                for (boolean backward : new boolean[] {false, true}) {
                    try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
                        try (FlexCursor cursor = transaction.in(walked).cursor()) {
                            if (backward) {
                                cursor.seekToLast();
                            } else {
                                cursor.seekToFirst();
                            }
                            while (cursor.isValid()) {
                                if (backward) {
                                    cursor.prev();
                                } else {
                                    cursor.next();
                                }
                            }
                        }
                        transaction.in(walked).put(bytes("mine"), bytes("1"));
                        written.put(new byte[] {0}, bytes("other"));
                        written.put(high(255, 255), bytes("other"));
                        if (walked == written) {
                            String message = assertThrows(ConflictException.class, transaction::commit)
                                    .getMessage();
                            assertTrue(
                                    message.contains(walked == db ? "key 0x00 was" : "key 0x00 of a named"), message);
                        } else {
                            transaction.commit();
                        }
                    }
                }
            }
        }
    }

    @Test
    void aKeyspaceThatIsDroppedUnderATransactionCanBeReadAndWhatIsWrittenThereIsAConflict() {
        List<Keyspace> all = three();
        Keyspace one = all.get(1);
        try (Transaction transaction = db.begin();
                Transaction reader = db.begin()) {
            transaction.in(one).put(bytes("x"), bytes("y"));
            db.dropKeyspace("one");
            assertEquals("one!a", text(transaction.in(one).get(bytes("a"))));
            assertThrows(ConflictException.class, transaction::commit);
            assertEquals(ALL, walk(reader.in(one)));
            reader.put(bytes("z"), bytes("z"));
            reader.commit();
        }
        AtomicInteger runs = new AtomicInteger();
        assertThrows(
                NoSuchKeyspaceException.class,
                () -> db.transact(Isolation.SNAPSHOT, transaction -> {
                    runs.incrementAndGet();
                    return transaction.in(one).put(bytes("x"), bytes("y"));
                }));
        assertEquals(1, runs.get());
        assertNothingOf(one);
    }

    /** Fails if the store has keys of a keyspace that is dropped. */
    private void assertNothingOf(Keyspace dropped) {
        try (MergeCursor cursor = db.access.reader().cursor(null, null, Scan.ALL.in(dropped.heads))) {
            cursor.seekToFirst();
            assertFalse(cursor.isValid());
        }
    }

    @Test
    void aDroppedKeyspaceIsRefusedByNameAndByObject() {
        Keyspace dropped = three().get(1);
        long sequence = db.dropKeyspace("one");
        assertEquals(sequence, db.stats().lastSequence());
        List<Executable> calls = List.of(
                () -> dropped.get(bytes("a")),
                () -> dropped.get(ByteBuffer.wrap(bytes("a")), ByteBuffer.allocate(10)),
                () -> dropped.get(bytes("a"), new byte[10], 0),
                () -> dropped.containsKey(bytes("a")),
                () -> dropped.valueLength(ByteBuffer.wrap(bytes("a"))),
                () -> dropped.multiGet(List.of(bytes("a"))),
                () -> dropped.multiGet(List.of(ByteBuffer.wrap(bytes("a"))), (value, index) -> {}),
                dropped::cursor,
                dropped::estimate,
                () -> dropped.estimateRange(bytes("a"), bytes("a")),
                () -> dropped.put(bytes("a"), bytes("b")),
                () -> dropped.put(ByteBuffer.wrap(bytes("a")), ByteBuffer.wrap(bytes("b"))),
                () -> dropped.delete(bytes("a")),
                () -> dropped.deleteRange(bytes("a"), bytes("a")),
                () -> dropped.deleteRange(bytes("a"), null),
                dropped::deleteAll,
                () -> dropped.putIfAbsent(bytes("a"), bytes("b")),
                () -> dropped.compareAndSet(bytes("a"), null, bytes("b")),
                () -> db.write(
                        new WriteBatch().put(bytes("q"), bytes("q")).in(dropped).delete(bytes("a"))),
                () -> db.begin().in(dropped),
                () -> db.keyspace("one"),
                () -> db.dropKeyspace("one"));
        for (int i = 0; i < calls.size(); i++) {
            NoSuchKeyspaceException thrown = assertThrows(NoSuchKeyspaceException.class, calls.get(i), "call " + i);
            assertEquals("one", thrown.name());
            assertTrue(thrown.getMessage().contains("dropped"), thrown.getMessage());
        }
        assertEquals(sequence, db.stats().lastSequence(), "nothing was written");
        Keyspace another = db.createKeyspace("one");
        assertEquals("", walk(another));
        another.put(bytes("k"), bytes("v"));
        assertThrows(NoSuchKeyspaceException.class, () -> dropped.get(bytes("k")));
        assertNothingOf(dropped);
        reopen();
        assertEquals("k", walk(db.keyspace("one")));
    }

    @Test
    void namesAreCheckedAndKeptInOrder() {
        String longest = "x".repeat(253) + "é";
        for (String name : List.of(longest, "b", " ", "a/b", "\u0000", "\uD83D\uDE00", "B")) {
            assertEquals(name, db.createKeyspace(name).name());
        }
        assertEquals("", db.name());
        List<String> expected = List.of("\u0000", " ", "B", "a/b", "b", longest, "\uD83D\uDE00");
        assertEquals(expected, db.keyspaces());
        reopen();
        assertEquals(expected, db.keyspaces());
        for (String name : Arrays.asList(null, "", longest + "x", "\uD83D", "x\uDE00")) {
            Class<? extends RuntimeException> refusal =
                    name == null ? NullPointerException.class : IllegalArgumentException.class;
            assertThrows(refusal, () -> db.createKeyspace(name));
            assertThrows(refusal, () -> db.createKeyspaceIfAbsent(name));
            assertThrows(refusal, () -> db.keyspace(name));
            assertThrows(refusal, () -> db.dropKeyspace(name));
        }
        long sequence = db.stats().lastSequence();
        KeyspaceExistsException thrown = assertThrows(KeyspaceExistsException.class, () -> db.createKeyspace("b"));
        assertEquals("b", thrown.name());
        assertEquals("b", db.createKeyspaceIfAbsent("b").name());
        assertThrows(NoSuchKeyspaceException.class, () -> db.keyspace("c"));
        assertEquals(sequence, db.stats().lastSequence());
    }

    @Test
    void keysMayBeLongUpToTheirLimit() {
        FlexDBOptions large = FlexDBOptions.defaults().withMemtableBytes(1 << 20);
        try (FlexDB store = StoreDriver.open(new SimulatedVfs(), large)) {
            Keyspace named = store.createKeyspace("n");
            byte[] longest = new byte[65_528];
            Arrays.fill(longest, (byte) 0xFF);
            byte[] tooLong = Arrays.copyOf(longest, 65_529);
            for (Keyspace keyspace : List.of(store, named)) {
                keyspace.put(longest, bytes("v"));
                assertEquals("v", text(keyspace.get(longest)));
                keyspace.deleteRange(longest, null);
                assertNull(keyspace.get(longest));
                for (Executable call : List.<Executable>of(
                        () -> keyspace.put(tooLong, bytes("v")),
                        () -> keyspace.get(tooLong),
                        () -> keyspace.deleteRange(tooLong, null),
                        () -> new WriteBatch().in(keyspace).put(tooLong, bytes("v")),
                        () -> keyspace.estimateRange(null, tooLong))) {
                    String message =
                            assertThrows(IllegalArgumentException.class, call).getMessage();
                    assertTrue(message.contains("65528"), message);
                }
            }
            byte[] usual = new byte[65_535];
            store.put(usual, bytes("v"));
            assertEquals("v", text(store.get(usual)));
            assertThrows(IllegalArgumentException.class, () -> named.put(usual, bytes("v")));
        }
    }

    @Test
    void aKeyspaceOfAnotherStoreIsRefused() {
        Keyspace here = db.createKeyspace("k");
        try (FlexDB other = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL);
                Snapshot snapshot = other.snapshot();
                Transaction transaction = other.begin()) {
            other.createKeyspace("k");
            WriteBatch batch = new WriteBatch().in(here).put(bytes("a"), bytes("b"));
            assertThrows(IllegalArgumentException.class, () -> other.write(batch));
            assertThrows(IllegalArgumentException.class, () -> snapshot.in(here));
            assertThrows(IllegalArgumentException.class, () -> transaction.in(here));
            assertThrows(NullPointerException.class, () -> transaction.in(null));
            assertThrows(NullPointerException.class, () -> new WriteBatch().in(null));
            assertEquals("", walk(other));
        }
        reopen();
        assertThrows(StoreClosedException.class, () -> here.put(bytes("a"), bytes("b")));
        WriteBatch old = new WriteBatch().in(here).put(bytes("a"), bytes("b"));
        assertThrows(IllegalArgumentException.class, () -> db.write(old));
    }

    @Test
    void aBatchForTheDefaultKeyspaceOfAStoreThatWasNamedGoesToNoOther() {
        Keyspace here = db.createKeyspace("k");
        try (FlexDB other = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            WriteBatch any = new WriteBatch().put(bytes("any"), bytes("1"));
            any.in(db); // nothing is added by it
            other.write(any);
            WriteBatch named = any.clear().in(db).put(bytes("mine"), bytes("1"));
            String message = assertThrows(IllegalArgumentException.class, () -> other.write(named))
                    .getMessage();
            assertTrue(message.contains("give it the store that the batch is written to"), message);
            assertThrows(IllegalArgumentException.class, () -> other.write(any), "the same batch");
            WriteBatch mixed = new WriteBatch();
            mixed.in(db).delete(bytes("any"));
            mixed.in(other).delete(bytes("any"));
            mixed.in(db).deleteRange(bytes("a"), bytes("z"));
            assertThrows(IllegalArgumentException.class, () -> other.write(mixed));
            assertThrows(IllegalArgumentException.class, () -> db.write(mixed));
            mixed.clear().in(here).put(bytes("k"), bytes("1")).in(other).put(bytes("k"), bytes("1"));
            assertThrows(IllegalArgumentException.class, () -> other.write(mixed));
            assertThrows(IllegalArgumentException.class, () -> db.write(mixed));
            WriteBatch large = new WriteBatch().in(other);
            for (int i = 0; i < 200; i++) { // more than a memtable takes
                large.put(bytes("large" + i), new byte[1000]);
            }
            assertThrows(IllegalArgumentException.class, () -> db.write(large));
            assertEquals("any", walk(other));
            assertNull(db.get(bytes("any")));
            named.clear().put(bytes("again"), bytes("1")); // the view still is of this store
            assertThrows(IllegalArgumentException.class, () -> other.write(named));
            db.write(named);
            assertEquals("1", text(db.get(bytes("again"))));
        }
        WriteBatch before = new WriteBatch().in(db).put(bytes("again"), bytes("2"));
        reopen();
        assertThrows(IllegalArgumentException.class, () -> db.write(before));
        assertEquals("1", text(db.get(bytes("again"))));
    }

    @Test
    void viewsOfAKeyspaceThatWasMadeAnewGoToNeither() {
        Keyspace old = db.createKeyspace("k");
        WriteBatch view = new WriteBatch().in(old);
        Transaction transaction = db.begin();
        Transaction inOld = transaction.in(old).put(bytes("t"), bytes("1"));
        BulkLoad load = old.bulkLoad().add(bytes("l"), bytes("1"));
        db.dropKeyspace("k");
        Keyspace made = db.createKeyspace("k");
        String message = assertThrows(NoSuchKeyspaceException.class, () -> db.write(view.put(bytes("b"), bytes("1"))))
                .getMessage();
        assertTrue(message.contains("what is made by this name now is another"), message);
        assertThrows(ConflictException.class, inOld::commit);
        assertThrows(NoSuchKeyspaceException.class, load::commit);
        load.close();
        try (Transaction later = db.begin();
                Snapshot snapshot = db.snapshot()) {
            assertThrows(NoSuchKeyspaceException.class, () -> later.in(old));
            assertThrows(NoSuchKeyspaceException.class, () -> snapshot.in(old));
            ReadOptions then = ReadOptions.defaults().withSnapshot(snapshot);
            assertThrows(NoSuchKeyspaceException.class, () -> old.cursor(then));
        }
        assertEquals("", walk(made));
    }

    @Test
    void singleKeysAreSetByComparing() {
        Keyspace one = db.createKeyspace("one");
        db.put(bytes("a"), bytes("default"));
        assertNull(one.putIfAbsent(bytes("a"), bytes("1")));
        assertEquals("1", text(one.putIfAbsent(bytes("a"), bytes("2"))));
        assertFalse(one.compareAndSet(bytes("a"), bytes("2"), bytes("3")));
        assertTrue(one.compareAndSet(bytes("a"), bytes("1"), null));
        assertNull(one.get(bytes("a")));
        assertEquals("default", text(db.get(bytes("a"))));
    }

    @Test
    void aThousandKeyspacesComeBack() {
        int count = 1000; // numbers of one byte, of two and of three
        for (int i = 0; i < count; i++) {
            Keyspace keyspace = db.createKeyspace("keyspace " + i);
            keyspace.put(bytes("same"), bytes("value " + i));
        }
        for (int i = 0; i < count; i += 3) {
            db.dropKeyspace("keyspace " + i);
        }
        for (int round = 0; round < 2; round++) {
            assertEquals(666, db.keyspaces().size());
            for (int i = 0; i < count; i++) {
                String name = "keyspace " + i;
                if (i % 3 == 0) {
                    assertThrows(NoSuchKeyspaceException.class, () -> db.keyspace(name));
                } else {
                    assertEquals("value " + i, text(db.keyspace(name).get(bytes("same"))));
                    assertEquals("same", walk(db.keyspace(name)));
                }
            }
            assertEquals("", walk(db));
            reopen();
        }
        Keyspace next = db.createKeyspace("keyspace 0");
        assertArrayEquals(KeyHeads.named(count + 1).begin(), next.heads.begin(), "numbers are not used again");
    }

    /** What it costs is counted, and not measured. */
    @Test
    void aKeyspaceOfAHundredThousandPairsIsDroppedByAFewBytes() {
        Keyspace large = db.createKeyspace("large");
        Keyspace small = db.createKeyspace("small");
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 100_000; i++) {
            batch.in(large).put(bytes(String.format(Locale.ROOT, "key%06d", i)), new byte[30]);
            if (batch.size() == 500) {
                db.write(batch);
                batch.clear();
            }
        }
        small.put(bytes("a"), bytes("b"));
        RangeEstimate full = large.estimate();
        assertEquals(100_000, full.pairs(), 10_000, "about");
        assertTrue(small.estimate().pairs() < 300, small.estimate().toString());
        reopen();
        FlexDBStats before = db.stats();
        assertTrue(before.space().bytes() > 4_000_000, before.toString());
        db.dropKeyspace("large");
        assertEquals(
                before.written().walBytes() + 8 + 5 + 10,
                db.stats().written().walBytes(),
                10,
                "a frame of two entries");
        assertThrows(NoSuchKeyspaceException.class, () -> db.keyspace("large"));
        assertEquals("a", walk(db.keyspace("small")));
        db.close();
        db = StoreDriver.open(vfs, StoreDriver.SMALL);
        FlexDBStats after = db.stats();
        assertTrue(after.space().bytes() < 200, after.toString());
        assertEquals("a", walk(db.keyspace("small")));
    }

    @Test
    void aStoreWithoutThemShowsNoTraceOfThem() {
        db.put(bytes("a"), bytes("b"));
        assertEquals(List.of(), db.keyspaces());
        assertThrows(NoSuchKeyspaceException.class, () -> db.keyspace("one"));
        assertThrows(NoSuchKeyspaceException.class, () -> db.dropKeyspace("one"));
        assertEquals(1, db.stats().lastSequence());
        assertEquals(new Figures.Range(db.estimateRange(null, null).bytes(), 1), db.estimate());
        assertSame(db.heads, KeyHeads.DEFAULT);
    }
}
