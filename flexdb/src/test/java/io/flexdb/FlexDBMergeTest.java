package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.mem.WritePayload;
import io.flexdb.internal.write.BatchPayload;
import io.flexdb.internal.write.StoreWriter;
import io.flexdb.storage.MergeException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operands that are merged into values, by functions that work and by some that do not. */
class FlexDBMergeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final TestClock clock = new TestClock();
    private FlexDBOptions options = StoreDriver.SMALL.withClock(clock).withMergeFunction(MergeFunction.APPEND);
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db = open();

    private FlexDB open() {
        return StoreDriver.open(vfs, options);
    }

    private void commit() {
        db.close();
        db = open();
    }

    private void kill() {
        vfs = vfs.kill();
        db = open();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] key(int number) {
        return bytes(String.format(Locale.ROOT, "key%05d", number));
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static String text(byte[] value) {
        return value == null ? null : new String(value, UTF_8);
    }

    private void merge(String key, String operand) {
        db.merge(bytes(key), bytes(operand));
    }

    /** Has every way of reading say the same of a key. */
    private void assertValue(String expected, String key) {
        byte[] bytes = bytes(key);
        assertEquals(expected, text(db.get(bytes)));
        assertEquals(expected == null ? -1 : expected.length(), db.valueLength(bytes));
        assertEquals(expected != null, db.containsKey(bytes));
        assertEquals(expected, text(db.multiGet(List.of(bytes)).get(0)));
        ByteBuffer buffer = ByteBuffer.allocate(1000);
        int length = db.get(ByteBuffer.wrap(bytes), buffer);
        assertEquals(expected, length < 0 ? null : new String(buffer.array(), 0, length, UTF_8));
        try (FlexCursor cursor = db.cursor();
                FlexCursor keys = db.cursor(ReadOptions.defaults().withKeysOnly(true))) {
            cursor.seek(bytes);
            boolean found = cursor.isValid() && text(cursor.key()).equals(key);
            assertEquals(expected, found ? text(cursor.value()) : null);
            cursor.seekForPrev(bytes);
            found = cursor.isValid() && text(cursor.key()).equals(key);
            assertEquals(expected, found ? text(cursor.value()) : null);
            keys.seek(bytes);
            assertEquals(expected != null, keys.isValid() && text(keys.key()).equals(key));
        }
    }

    @Test
    void operandsGoOntoTheValueBelowThemInTheirOrderWhereverBothAre() {
        List<Consumer<FlexDBMergeTest>> between =
                List.of(test -> {}, FlexDBMergeTest::commit, FlexDBMergeTest::kill, test -> {
                    test.kill();
                    test.kill();
                });
        for (Consumer<FlexDBMergeTest> first : between) {
            for (Consumer<FlexDBMergeTest> second : between) {
                for (Consumer<FlexDBMergeTest> third : between) {
                    db.put(bytes("b"), bytes("1"));
                    first.accept(this);
                    merge("a", "x");
                    merge("b", "2");
                    second.accept(this);
                    merge("b", "3");
                    merge("b", "4");
                    merge("a", "y");
                    third.accept(this);
                    assertValue("xy", "a");
                    assertValue("1234", "b");
                    db.delete(bytes("a"));
                    third.accept(this);
                    merge("a", "z");
                    second.accept(this);
                    assertValue("z", "a");
                    db.put(bytes("a"), bytes("p"));
                    first.accept(this);
                    merge("a", "q");
                    assertValue("pq", "a");
                    db.deleteAll();
                    second.accept(this);
                    assertValue(null, "a");
                    merge("a", "");
                    assertValue("", "a");
                    db.deleteRange(bytes("a"), bytes("c"));
                    merge("b", "5");
                    third.accept(this);
                    merge("b", "6");
                    assertValue(null, "a");
                    assertValue("56", "b");
                    db.deleteAll();
                }
            }
        }
    }

    @Test
    void snapshotsSeeTheOperandsUpToTheirNumbers() {
        List<Snapshot> snapshots = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            merge("k", "" + (char) ('a' + i % 26));
            text.append((char) ('a' + i % 26));
            snapshots.add(db.snapshot());
            if (i % 10 == 9) {
                fill(1000);
            }
        }
        for (int i = 0; i < 40; i++) {
            String expected = text.substring(0, i + 1);
            try (Snapshot snapshot = snapshots.get(i);
                    FlexCursor cursor = snapshot.cursor()) {
                assertEquals(expected, text(snapshot.get(bytes("k"))));
                cursor.seekForPrev(bytes("k"));
                assertEquals(expected, text(cursor.value()));
            }
        }
    }

    /** Commits, as there is no room for so much in a memtable. */
    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            db.put(key(i), new byte[60]);
        }
    }

    @Test
    void batchesAndTransactionsMerge() {
        db.write(new WriteBatch()
                .merge(bytes("a"), bytes("1"))
                .put(bytes("b"), bytes("2"))
                .merge(ByteBuffer.wrap(bytes("b")), ByteBuffer.wrap(bytes("3")))
                .merge(bytes("b"), bytes("4")));
        assertValue("234", "b");
        try (Transaction transaction = db.begin(Isolation.SERIALIZABLE)) {
            transaction.merge(bytes("b"), bytes("5"));
            assertEquals("2345", text(transaction.get(bytes("b"))));
            Transaction.Savepoint savepoint = transaction.savepoint();
            transaction.merge(bytes("b"), bytes("x"));
            transaction.merge(bytes("c"), bytes("6"));
            assertEquals("2345x", text(transaction.get(bytes("b"))));
            transaction.rollbackTo(savepoint);
            assertEquals("2345", text(transaction.get(bytes("b"))));
            assertNull(transaction.get(bytes("c")));
            transaction.delete(bytes("a")).merge(bytes("a"), bytes("7"));
            assertEquals(1, transaction.valueLength(bytes("a")));
            assertEquals("7", text(transaction.multiGet(List.of(bytes("a"))).get(0)));
            ByteBuffer buffer = ByteBuffer.allocate(4);
            assertEquals(4, transaction.get(ByteBuffer.wrap(bytes("b")), buffer));
            assertEquals("2345", text(buffer.array()));
            byte[] array = new byte[4];
            assertEquals(4, transaction.get(bytes("b"), array, 0));
            assertEquals("2345", text(array));
            try (FlexCursor cursor = transaction.cursor()) {
                cursor.seekToFirst();
                assertEquals("7", text(cursor.value()));
                cursor.next();
                assertEquals("2345", text(cursor.value()));
                cursor.next();
                assertFalse(cursor.isValid());
            }
            assertEquals("234", text(db.get(bytes("b"))));
            transaction.commit();
        }
        assertValue("7", "a");
        assertValue("2345", "b");
        commit();
        assertValue("2345", "b");
    }

    @Test
    void whatATransactionMergesCountsAsMadeWhenItIsCommitted() {
        db.put(bytes("k"), bytes("1"), WriteOptions.timeToLive(SECOND));
        try (Transaction transaction = db.begin()) {
            transaction.merge(bytes("k"), bytes("2"));
            clock.advance(1000);
            assertEquals("12", text(transaction.get(bytes("k"))));
            transaction.commit();
        }
        assertValue("2", "k");
        commit();
        assertValue("2", "k");
    }

    @Test
    void theFunctionSeesKeysAsTheirUserDoes() {
        List<String> seen = new ArrayList<>();
        options = options.withMergeFunction((key, value, operands) -> {
            seen.add(text(key));
            return MergeFunction.APPEND.merge(key, value, operands);
        });
        commit();
        Keyspace other = db.createKeyspace("other");
        other.merge(bytes("k"), bytes("1"));
        db.write(new WriteBatch().in(other).merge(bytes("k"), bytes("2")));
        assertEquals("12", text(other.get(bytes("k"))));
        assertNull(db.get(bytes("k")));
        assertEquals(List.of("k"), seen);
        byte[] odd = {(byte) 0xFF, 7};
        db.merge(odd, bytes("3"));
        assertEquals("3", text(db.get(odd)));
        commit();
        assertEquals("12", text(db.keyspace("other").get(bytes("k"))));
        assertEquals("3", text(db.get(odd)));
    }

    @Test
    void whatIsMergedIntoAValueThatExpiresExpiresWithItWheneverItIsCommitted() {
        for (int commits = 0; commits < 32; commits++) {
            db.put(bytes("k"), bytes("1"), WriteOptions.timeToLive(SECOND));
            maybeCommit(commits & 1);
            merge("k", "2");
            maybeCommit(commits & 2);
            assertValue("12", "k");
            assertEquals(Optional.of(clock.instant().plusSeconds(1)), db.expiresAt(bytes("k")));
            clock.advance(1000);
            assertValue(null, "k");
            maybeCommit(commits & 4);
            assertValue(null, "k");
            fill(100); // so that the interval is written anew
            maybeCommit(commits & 8);
            assertValue(null, "k");
            merge("k", "3");
            maybeCommit(commits & 16);
            assertValue("3", "k");
            assertEquals(Optional.empty(), db.expiresAt(bytes("k")));
            db.deleteAll();
        }
    }

    /** A value that was seen to be over stays so, and an operand made afterwards begins anew. */
    @Test
    void anOperandThatIsMadeWhenTheClockHasGoneBackBeginsAnew() {
        for (int commits = 0; commits < 4; commits++) {
            db.put(bytes("k"), bytes("1"), WriteOptions.timeToLive(SECOND));
            maybeCommit(commits & 1);
            clock.advance(1000);
            assertValue(null, "k"); // who saw this keeps the time
            clock.advance(-500);
            merge("k", "2");
            assertValue("2", "k");
            fill(100); // so that the interval is written anew
            if ((commits & 2) != 0) {
                fill(2000); // commits
            }
            assertValue("2", "k");
            assertEquals(Optional.empty(), db.expiresAt(bytes("k")));
            clock.advance(500);
            db.deleteAll();
        }
    }

    @Test
    void aValueIsComparedWithWhatItsOperandsMakeOfItUntilItExpires() {
        for (int commits = 0; commits < 4; commits++) {
            db.put(bytes("k"), bytes("1"), WriteOptions.timeToLive(SECOND));
            maybeCommit(commits & 1);
            merge("k", "2");
            maybeCommit(commits & 2);
            clock.advance(999);
            assertFalse(db.compareAndSet(bytes("k"), bytes("1"), bytes("x")));
            assertFalse(db.compareAndSet(bytes("k"), null, bytes("x")));
            assertArrayEquals(bytes("12"), db.putIfAbsent(bytes("k"), bytes("x")));
            clock.advance(1);
            assertFalse(db.compareAndSet(bytes("k"), bytes("12"), bytes("x")));
            merge("k", "3");
            assertTrue(db.compareAndSet(bytes("k"), bytes("3"), bytes("4")));
            merge("k", "5");
            assertValue("45", "k");
            assertEquals(Optional.empty(), db.expiresAt(bytes("k")));
            db.deleteAll();
        }
    }

    private void maybeCommit(int yes) {
        if (yes != 0) {
            commit();
        }
    }

    @Test
    void aCommitOfAnExpiredValueTakesNothingFromOperandsInYoungerMemtables() {
        db.put(bytes("k"), bytes("1"), WriteOptions.timeToLive(SECOND));
        fill(1000); // k is in the space
        merge("k", "2"); // in the active memtable
        clock.advance(1000);
        assertValue(null, "k");
        try (Snapshot snapshot = db.snapshot()) {
            for (int i = 0; i < 1500; i++) { // commits, and writes the interval of k anew
                db.put(bytes("k" + i), new byte[30]);
                assertNull(db.get(bytes("k")), "after " + i);
            }
            assertNull(snapshot.get(bytes("k")));
        }
        kill();
        assertValue(null, "k");
        merge("k", "3");
        assertValue("3", "k");
        commit();
        assertValue("3", "k");
    }

    /** For readers, and for whoever opens what a crash leaves. */
    @Test
    void anExpiredValueIsAbsentAtEveryStepOfTheCommitOfWhatWasMergedIntoIt() {
        db.close();
        AtomicInteger steps = new AtomicInteger(-1); // not yet
        FlexDB hooked = StoreDriver.open(
                new HookedVfs(vfs, (kind, path) -> {
                    if (steps.get() < 0 || kind == HookedVfs.Kind.READ || steps.incrementAndGet() % 8 != 0) {
                        return;
                    }
                    for (long seed : new long[] {1, steps.get()}) {
                        FlexDB found = StoreDriver.open(vfs.copy().crash(seed), options);
                        assertNull(found.get(bytes("k")), "step " + steps + ", seed " + seed);
                    }
                }),
                options);
        hooked.put(bytes("k"), bytes("1"), WriteOptions.timeToLive(SECOND));
        for (int i = 0; i < 1000; i++) { // k is in the space
            hooked.put(key(i), new byte[60]);
        }
        hooked.merge(bytes("k"), bytes("2"));
        clock.advance(1000);
        assertNull(hooked.get(bytes("k")));
        try (Snapshot snapshot = hooked.snapshot()) {
            steps.set(0);
            for (int i = 0; i < 600; i++) {
                hooked.put(bytes("k" + i), new byte[60]);
                assertNull(hooked.get(bytes("k")));
            }
            assertNull(snapshot.get(bytes("k")));
        }
        assertTrue(steps.get() > 200, steps + " steps");
        steps.set(-1);
    }

    @Test
    void anOperandThatIsOlderThanWhatWasReclaimedIsNotWrittenButMadeAnew() {
        long before = clock.millis();
        clock.advance(1000);
        fill(2000); // commits, and so reclaims
        BatchPayload payload = new BatchPayload();
        payload.putTimed(
                WritePayload.MERGE,
                KeyHeads.DEFAULT,
                KeyHeads.DEFAULT.of(key(1)),
                ByteBuffer.wrap(key(1)),
                ByteBuffer.allocate(1),
                0);
        StoreWriter writer = db.access.writer();
        long last = db.stats().lastSequence();
        for (long time = before; time <= before + 1000; time += 100) {
            payload.setTimes(time);
            long result = writer.write(payload, Durability.OS.force(), null, null, time);
            assertEquals(time < before + 1000 ? StoreWriter.TOO_OLD : last + 1, result);
        }
    }

    private void putOthers(int from) {
        for (int i = from; i < from + 1500; i++) {
            db.put(key(i), new byte[100]);
        }
    }

    @Test
    void whatARecoveryCommitsTakesNoExpiredValueFromOperandsThatAreToBeRecovered() {
        options = options.withMemtableBytes(1 << 20);
        commit();
        db.put(bytes("a"), bytes("x"), WriteOptions.timeToLive(SECOND));
        putOthers(0);
        merge("a", "y");
        putOthers(2000);
        assertValue("xy", "a");
        clock.advance(2000);
        options = options.withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES); // so it commits before it has all
        kill();
        assertValue(null, "a");
        commit();
        assertValue(null, "a");
    }

    @Test
    void noOperandIsCountedTwiceOrLostWhateverACutLeaves() {
        options = options.withMergeFunction(MergeFunction.ADD).withDurability(Durability.SYNC);
        vfs = new SimulatedVfs();
        db = open();
        long[] sums = new long[300];
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 300; i++) {
                int key = (i * 37 + round) % 300;
                db.merge(key(key), number(key + round));
                sums[key] += key + round;
            }
            vfs = vfs.crash(round);
            db = open();
            for (int i = 0; i < 300; i++) {
                assertArrayEquals(number(sums[i]), db.get(key(i)), "key " + i + " in round " + round);
            }
        }
    }

    @Test
    void manyOperandsOfOneKeyAreMergedOnceEach() {
        options = options.withMergeFunction(MergeFunction.ADD);
        db.close();
        db = open();
        for (int i = 1; i <= 20_000; i++) {
            db.merge(key(0), number(i));
            if (i % 1000 == 0) {
                assertArrayEquals(number(i * (i + 1L) / 2), db.get(key(0)));
            }
        }
        commit();
        assertArrayEquals(number(200_010_000L), db.get(key(0)));
    }

    @Test
    void writersThatAddToOneCounterLoseNothing(@TempDir Path directory) throws Exception {
        FlexDBOptions counting = FlexDBOptions.defaults()
                .withMergeFunction(MergeFunction.ADD)
                .withMemoryBytes(16 << 20)
                .withMemtableBytes(1 << 20);
        int each = 20_000;
        try (FlexDB shared = FlexDB.open(directory, counting)) {
            Workers workers = new Workers();
            for (int thread = 0; thread < 4; thread++) {
                workers.start("adder " + thread, () -> {
                    for (int i = 0; i < each; i++) {
                        shared.merge(bytes("counter"), number(1));
                    }
                });
            }
            workers.join();
            assertArrayEquals(number(4L * each), shared.get(bytes("counter")));
        }
        try (FlexDB again = FlexDB.open(directory)) { // all is committed, so no function is needed
            assertArrayEquals(number(4L * each), again.get(bytes("counter")));
        }
    }

    @Test
    void aStoreWithOperandsInItsLogIsNotOpenedWithoutAFunction() {
        merge("k", "1");
        vfs = vfs.kill();
        SimulatedVfs before = vfs.copy();
        String message = assertThrows(
                        MergeException.class, () -> StoreDriver.open(vfs, options.withMergeFunction(null)))
                .getMessage();
        assertTrue(message.contains("key 0x6b") && message.contains("open the store with a merge function"), message);
        vfs = before;
        db = open();
        assertValue("1", "k");
        db.close();
        options = options.withMergeFunction(null);
        db = open();
        assertValue("1", "k");
        assertThrows(IllegalStateException.class, () -> merge("k", "2"));
        assertThrows(IllegalStateException.class, () -> db.write(new WriteBatch().merge(bytes("k"), bytes("2"))));
        try (Transaction transaction = db.begin()) {
            assertThrows(IllegalStateException.class, () -> transaction.merge(bytes("k"), bytes("2")));
        }
        assertEquals(1, db.stats().lastSequence());
    }

    @Test
    void aFunctionThatFailsOnceIsAskedAgainByTheNextRead() {
        AtomicInteger calls = new AtomicInteger();
        options = options.withMergeFunction((key, value, operands) -> {
            if (calls.incrementAndGet() % 2 == 1) {
                throw new IllegalStateException("call " + calls);
            }
            return MergeFunction.APPEND.merge(key, value, operands);
        });
        commit();
        merge("k", "1");
        merge("k", "2");
        for (int i = 0; i < 10; i++) {
            MergeException e = assertThrows(MergeException.class, () -> db.get(bytes("k")));
            assertSame(IllegalStateException.class, e.getCause().getClass());
            assertEquals("12", text(db.get(bytes("k"))));
        }
        assertTrue(db.health().isUsable());
    }

    @Test
    void argumentsThatAreNoneAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> db.merge(new byte[0], bytes("1")));
        assertThrows(NullPointerException.class, () -> db.merge(null, bytes("1")));
        assertThrows(NullPointerException.class, () -> db.merge(bytes("k"), null));
        assertThrows(NullPointerException.class, () -> new WriteBatch().merge(bytes("k"), null));
        assertEquals(0, db.stats().lastSequence());
        assertSame(MergeFunction.APPEND, options.mergeFunction());
        assertNull(FlexDBOptions.defaults().mergeFunction());
    }

    @Test
    void countersTakeEightBytes() {
        options = options.withMergeFunction(MergeFunction.ADD);
        commit();
        db.merge(key(1), number(Long.MAX_VALUE));
        db.merge(key(1), number(2));
        assertArrayEquals(number(Long.MIN_VALUE + 1), db.get(key(1)));
        db.merge(key(2), number(-5));
        assertArrayEquals(number(-5), db.get(key(2)));
    }
}
