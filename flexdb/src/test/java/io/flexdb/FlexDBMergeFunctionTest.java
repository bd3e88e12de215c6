package io.flexdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.MergeException;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A merge function may take long, call the store, and keep its arguments and results without harm. */
class FlexDBMergeFunctionTest {
    private static final byte[] KEY = bytes("k");

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] value) {
        return value == null ? null : new String(value, UTF_8);
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static FlexDBOptions with(MergeFunction function) {
        return StoreDriver.SMALL.withMergeFunction(function);
    }

    private static FlexDB withThreads(SimulatedVfs vfs, FlexDBOptions options) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false);
    }

    /** Writes many times what memtables have room for, so that memory is used again and again. */
    private static void fill(FlexDB db, String prefix) {
        for (int i = 0; i < 6000; i++) {
            db.put(bytes(prefix + String.format(Locale.ROOT, "%05d", i)), new byte[60]);
        }
    }

    private static List<Consumer<FlexDB>> waysToRead() {
        return List.of(
                db -> db.get(KEY),
                db -> db.get(KEY, new byte[10], 0),
                db -> db.get(ByteBuffer.wrap(KEY), ByteBuffer.allocate(10)),
                db -> db.valueLength(KEY),
                db -> db.multiGet(List.of(KEY)),
                db -> db.openValue(KEY).close(),
                db -> {
                    try (FlexCursor cursor = db.cursor()) {
                        cursor.seek(KEY);
                        cursor.value();
                    }
                },
                db -> {
                    try (Transaction transaction = db.begin()) {
                        transaction.merge(KEY, bytes("t"));
                        transaction.get(KEY);
                    }
                });
    }

    @Test
    void readersInASlowFunctionHoldNobodyUp() throws InterruptedException {
        List<Consumer<FlexDB>> ways = waysToRead();
        CountDownLatch inside = new CountDownLatch(ways.size());
        CountDownLatch goOn = new CountDownLatch(1);
        MergeFunction function = (key, value, operands) -> {
            if (Thread.currentThread().getName().startsWith("test-slow")) {
                inside.countDown();
                Waiting.until(goOn);
            }
            return MergeFunction.APPEND.merge(key, value, operands);
        };
        try (FlexDB db = withThreads(new SimulatedVfs(), with(function))) {
            db.merge(KEY, bytes("1"));
            Workers workers = new Workers();
            for (int i = 0; i < ways.size(); i++) {
                Consumer<FlexDB> read = ways.get(i);
                workers.start("slow-" + i, () -> read.accept(db));
            }
            inside.await();
            fill(db, "n");
            assertEquals("1", text(db.get(KEY)));
            goOn.countDown();
            workers.join();
        }
    }

    /** Others read, write and open snapshots; only commits behind it wait. */
    @Test
    void aSlowFunctionInACommitHoldsNoReaderUpAndNoWriterForWhomThereIsRoom() {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        MergeFunction function = (key, value, operands) -> {
            if (Thread.currentThread().getName().startsWith("flexdb-commit ")) {
                inside.countDown();
                Waiting.until(goOn);
            }
            return MergeFunction.APPEND.merge(key, value, operands);
        };
        try (FlexDB db = withThreads(new SimulatedVfs(), with(function).withMemtableBytes(1 << 20))) {
            db.merge(KEY, bytes("1"));
            for (int i = 0; inside.getCount() > 0; i++) {
                db.put(number(i), new byte[60]);
            }
            db.put(bytes("x"), bytes("2"));
            assertEquals("2", text(db.get(bytes("x"))));
            assertEquals("1", text(db.get(KEY)));
            try (Snapshot snapshot = db.snapshot();
                    Transaction transaction = db.begin()) {
                transaction.put(bytes("y"), bytes("3"));
                transaction.commit();
                assertEquals("2", text(snapshot.get(bytes("x"))));
            }
            goOn.countDown();
        }
    }

    private static List<Consumer<FlexDB>> callsOfTheStore() {
        return List.of(
                db -> db.get(bytes("j")),
                db -> db.put(bytes("j"), bytes("1")),
                db -> db.merge(bytes("j"), bytes("1")),
                db -> db.delete(bytes("j")),
                db -> db.deleteAll(),
                db -> db.write(new WriteBatch().put(bytes("j"), bytes("1"))),
                db -> db.multiGet(List.of(bytes("j"))),
                db -> db.cursor().close(),
                db -> db.snapshot().close(),
                db -> db.begin().close(),
                db -> db.bulkLoad().close(),
                db -> db.createKeyspaceIfAbsent("other"),
                db -> db.checkpoint(Path.of("/copy")),
                db -> db.check(),
                db -> db.stats(),
                db -> db.sync(),
                db -> db.close());
    }

    /** Reads, on the caller's thread, and commits, on that of the store. */
    @Test
    void aFunctionThatCallsTheStoreIsToldSoAndNothingHangs() {
        List<Consumer<FlexDB>> calls = callsOfTheStore();
        AtomicReference<FlexDB> store = new AtomicReference<>();
        List<Throwable> thrown = new ArrayList<>();
        MergeFunction function = (key, value, operands) -> {
            if (store.get() != null) {
                synchronized (thrown) {
                    thrown.add(assertThrows(
                            IllegalStateException.class, () -> calls.get(key[0]).accept(store.get())));
                }
                throw new IllegalStateException("at the end");
            }
            return MergeFunction.APPEND.merge(key, value, operands);
        };
        try (FlexDB db = withThreads(new SimulatedVfs(), with(function))) {
            store.set(db);
            for (int call = 0; call < calls.size(); call++) {
                byte[] key = {(byte) call};
                db.merge(key, bytes("1"));
                MergeException e = assertThrows(MergeException.class, () -> db.get(key));
                assertInstanceOf(IllegalStateException.class, e.getCause());
            }
            fill(db, "n");
            assertTrue(db.health().isUsable());
            store.set(null);
            for (int call = 0; call < calls.size(); call++) {
                assertEquals("1", text(db.get(new byte[] {(byte) call})));
            }
        }
        assertTrue(thrown.size() >= 2 * calls.size(), thrown.size() + " calls"); // in reads, and in commits
        for (Throwable e : thrown) {
            assertTrue(e.getMessage().contains("merge function has called the store"), e.toString());
        }
    }

    @Test
    void aTransactionOpenedBeforeCantBeUsedInTheFunctionEither() {
        AtomicReference<Transaction> open = new AtomicReference<>();
        MergeFunction function = (key, value, operands) -> {
            assertThrows(IllegalStateException.class, () -> open.get().put(KEY, KEY));
            assertThrows(IllegalStateException.class, () -> open.get().commit());
            return MergeFunction.APPEND.merge(key, value, operands);
        };
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), with(function));
                Transaction transaction = db.begin()) {
            open.set(transaction);
            db.merge(KEY, bytes("1"));
            assertEquals("1", text(db.get(KEY)));
            transaction.put(bytes("j"), bytes("2")).commit();
            assertEquals("2", text(db.get(bytes("j"))));
        }
    }

    /** One array for all results, which the function and the readers write to; and it spoils its arguments. */
    @Test
    void noArrayIsSharedWithTheFunction() throws IOException {
        byte[] result = bytes("1");
        List<byte[]> given = new ArrayList<>();
        MergeFunction function = (key, value, operands) -> {
            given.add(key);
            given.addAll(operands);
            if (value != null) {
                given.add(value);
            }
            Arrays.fill(result, (byte) '1');
            return result;
        };
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = StoreDriver.open(vfs, with(function));
        for (int round = 0; round < 2; round++) {
            try (Transaction transaction = db.begin()) {
                byte[] operand = bytes("2");
                transaction.merge(KEY, operand);
                List<byte[]> values = new ArrayList<>();
                values.add(transaction.get(KEY));
                values.add(transaction.multiGet(List.of(KEY)).get(0));
                try (ValueReader reader = transaction.openValue(KEY);
                        FlexCursor cursor = transaction.cursor()) {
                    cursor.seek(KEY);
                    values.add(cursor.value());
                    given.forEach(array -> Arrays.fill(array, (byte) 'x'));
                    Arrays.fill(result, (byte) 'x');
                    assertEquals("1", text(cursor.value()));
                    ByteBuffer buffer = ByteBuffer.allocate(1);
                    assertEquals(1, reader.read(buffer));
                    assertEquals("1", text(buffer.array()));
                }
                for (byte[] value : values) {
                    assertEquals("1", text(value));
                    Arrays.fill(value, (byte) 'y');
                }
                assertEquals("1", text(transaction.get(KEY)));
                assertEquals("2", text(operand));
                transaction.commit();
            }
            byte[] value = db.get(KEY);
            Arrays.fill(result, (byte) 'x');
            assertEquals("1", text(value));
            db.close();
            db = StoreDriver.open(vfs, with(function));
            Arrays.fill(result, (byte) 'x');
            assertEquals("1", text(db.get(KEY)));
        }
        db.close();
    }

    // ---- operands that the function does not take

    private static void assertRefused(String expected, Runnable call) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.contains(expected), message);
    }

    @Test
    void operandsAreCheckedBeforeAnythingIsWritten() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDB db = StoreDriver.open(vfs, with(MergeFunction.ADD));
        Keyspace other = db.createKeyspace("other");
        long last = db.stats().lastSequence();
        String seven = "operand of 7 bytes for a key of 1 bytes is refused by the merge function: ";
        assertRefused(seven, () -> db.merge(KEY, new byte[7]));
        assertRefused(seven, () -> db.merge(KEY, new byte[7], WriteOptions.durability(Durability.SYNC)));
        assertRefused(seven, () -> db.merge(ByteBuffer.wrap(KEY), ByteBuffer.allocateDirect(7)));
        assertRefused(seven, () -> other.merge(KEY, new byte[7]));
        WriteBatch batch = new WriteBatch()
                .merge(KEY, number(1))
                .in(other)
                .merge(KEY, new byte[7])
                .put(KEY, KEY);
        assertRefused(seven, () -> db.write(batch));
        WriteBatch large = new WriteBatch();
        for (int i = 0; i < 2000; i++) {
            large.put(number(i), new byte[60]);
        }
        assertRefused(seven, () -> db.write(large.merge(KEY, new byte[7])));
        assertEquals(last, db.stats().lastSequence());
        try (Transaction transaction = db.begin()) {
            transaction.merge(KEY, number(1));
            assertRefused(seven, () -> transaction.merge(KEY, new byte[7]));
            assertRefused(seven, () -> transaction.in(other).merge(KEY, new byte[7]));
            transaction.commit();
        }
        assertArrayEquals(number(1), db.get(KEY));
        assertEquals(null, other.get(KEY));
        db.close();
        try (FlexDB again = StoreDriver.open(vfs, with(MergeFunction.ADD))) {
            assertArrayEquals(number(1), again.get(KEY));
        }
    }

    @Test
    void aFunctionOfTheUsersSaysWhatItTakesAndCantChangeIt() {
        byte[] odd = {(byte) 0xFF, 1};
        List<byte[]> keys = new ArrayList<>();
        AtomicReference<FlexDB> store = new AtomicReference<>();
        MergeFunction function = new MergeFunction() {
            @Override
            public byte[] merge(byte[] key, byte[] value, List<byte[]> operands) {
                return APPEND.merge(key, value, operands);
            }

            @Override
            public void checkOperand(ByteBuffer key, ByteBuffer operand) {
                assertTrue(key.isReadOnly() && operand.isReadOnly());
                assertEquals(ByteOrder.BIG_ENDIAN, operand.order());
                byte[] copy = new byte[key.remaining()];
                key.get(copy);
                keys.add(copy);
                switch (operand.get()) {
                    case 'a' -> throw new IllegalStateException("no a");
                    case 'b' -> store.get().put(KEY, KEY);
                    default -> assertTrue(operand.remaining() < 3);
                }
            }
        };
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), with(function))) {
            store.set(db);
            db.merge(KEY, bytes("c"));
            db.merge(odd, bytes("d"));
            db.write(new WriteBatch().in(db.createKeyspace("other")).merge(odd, bytes("e")));
            long last = db.stats().lastSequence();
            assertRefused("no a", () -> db.merge(KEY, bytes("a")));
            assertRefused("merge function has called the store", () -> db.merge(KEY, bytes("b")));
            assertThrows(AssertionError.class, () -> db.merge(KEY, bytes("cdef")));
            assertEquals(last, db.stats().lastSequence());
            assertEquals("c", text(db.get(KEY)));
            assertEquals("d", text(db.get(odd)));
            for (int i : new int[] {1, 2}) {
                assertArrayEquals(odd, keys.get(i));
            }
        }
    }

    /** Nor is a clock of the user's asked in a short read, or a call that it makes would hang. */
    @Test
    void aSlowClockHoldsNobodyUp() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        InstantSource clock = () -> {
            if (Thread.currentThread().getName().startsWith("test-slow")) {
                inside.countDown();
                Waiting.until(goOn);
            }
            return InstantSource.system().instant();
        };
        try (FlexDB db =
                withThreads(new SimulatedVfs(), with(MergeFunction.APPEND).withClock(clock))) {
            db.put(KEY, bytes("1"), WriteOptions.timeToLive(Duration.ofDays(1)));
            Workers workers = new Workers();
            workers.start("slow-get", () -> assertEquals("1", text(db.get(KEY))));
            workers.start("slow-snapshot", () -> db.snapshot().close());
            inside.await();
            fill(db, "n");
            goOn.countDown();
            workers.join();
        }
    }
}
