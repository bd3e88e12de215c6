package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.base.StoreSettings;
import io.flexdb.internal.base.Varints;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.storage.MergeException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Merges into values for which commits have no memory: the operands wait with them. */
class FlexDBLongMergeTest {
    private static final JvmMemory AMPLE = new JvmMemory(1L << 30, 1L << 30, Long.MAX_VALUE);
    private static final int LARGE = 70_000;
    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL
            .withLargeValueBytes(2000)
            .withMergeFunction(MergeFunction.APPEND)
            .withDurability(Durability.SYNC);

    private TreeMap<String, byte[]> expected = new TreeMap<>();
    private TreeMap<String, byte[]> underWay = expected; // the content once the write that was begun is done
    private FlexDBOptions options = OPTIONS;
    private boolean tight;
    private long waited;
    private SimulatedVfs vfs = new SimulatedVfs();
    private FlexDB db;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private ByteBuffer allocate(int bytes) {
        if (tight && bytes > LARGE) {
            throw new OutOfMemoryError("none so large, for a test");
        }
        return ByteBuffer.allocateDirect(bytes);
    }

    private void open() {
        db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true, AMPLE, this::allocate);
    }

    private void write(String key, byte[] value, Runnable write) {
        TreeMap<String, byte[]> after = new TreeMap<>(expected);
        if (value == null) {
            after.remove(key);
        } else {
            after.put(key, value);
        }
        write(after, write);
    }

    private void write(TreeMap<String, byte[]> after, Runnable write) {
        underWay = after;
        write.run();
        expected = after;
    }

    private void put(String key, byte[] value) {
        write(key, value, () -> {
            try {
                db.put(bytes(key), new ValueSource(value, 1 << 16, position -> {}), value.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void merge(String key, String operand) {
        byte[] before = expected.getOrDefault(key, new byte[0]);
        byte[] after = Arrays.copyOf(before, before.length + operand.length());
        System.arraycopy(bytes(operand), 0, after, before.length, operand.length());
        write(key, after, () -> db.merge(bytes(key), bytes(operand)));
    }

    private void delete(String key) {
        write(key, null, () -> db.delete(bytes(key)));
    }

    /** Writes what no memtable has room for. */
    private void fill(int round) {
        TreeMap<String, byte[]> after = new TreeMap<>(expected);
        for (int part = 0; part < 3; part++) {
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 30; i++) {
                byte[] value = Arrays.copyOf(bytes("round" + round), 900);
                after.put("n" + part + i, value);
                batch.put(bytes("n" + part + i), value);
            }
            write(new TreeMap<>(after), () -> db.write(batch));
        }
    }

    /** Writes what all memtables together have no room for, so that what was written before is committed. */
    private void fillAll(int round) {
        for (int i = 0; i < 4; i++) {
            fill(round);
        }
    }

    private static byte[] large(int seed) {
        byte[] value = new byte[LARGE];
        new Random(seed).nextBytes(value);
        return value;
    }

    private void script() {
        open();
        tight = true;
        put("large", large(1));
        fill(1);
        put("other", large(2));
        merge("other", "before it is in the space");
        for (int round = 2; round < 5; round++) {
            merge("large", "more" + round);
            merge("n03", "small");
            fill(round);
        }
        delete("other");
        merge("other", "new");
        put("large", large(3));
        merge("large", "end");
        fill(5);
        merge("large", "s");
        waited = db.stats().commits().failedMerges();
        db.close();
    }

    private static boolean areSame(TreeMap<String, byte[]> one, TreeMap<String, byte[]> other) {
        return one.keySet().equals(other.keySet())
                && one.keySet().stream().allMatch(key -> Arrays.equals(one.get(key), other.get(key)));
    }

    private static TreeMap<String, byte[]> all(FlexDB db) {
        TreeMap<String, byte[]> all = new TreeMap<>();
        StoreDriver.all(db).forEach((key, value) -> all.put(new String(key, StandardCharsets.US_ASCII), value));
        return all;
    }

    private static void assertSame(FlexDB db, TreeMap<String, byte[]> wanted, String at) {
        TreeMap<String, byte[]> all = all(db);
        assertEquals(wanted.keySet(), all.keySet(), at);
        wanted.forEach((key, value) -> assertArrayEquals(value, all.get(key), at + ", " + key));
    }

    private void assertKept(SimulatedVfs files, String at) {
        try (FlexDB found = StoreDriver.open(files, options)) {
            assertSame(found, areSame(underWay, all(found)) ? underWay : expected, at);
            assertEquals(List.of(), found.check().findings(), at);
        } catch (StorageException e) {
            throw new AssertionError(at, e);
        }
    }

    /** Some merges did meet want of memory. */
    @Test
    void theOperandsAreInTheValueOnceThereIsMemory() {
        script();
        assertTrue(waited >= 3, waited + " merges that waited");
        assertKept(vfs, "closed");
    }

    /** Each commit stages the value once more, in a data file that has room for a few of them. */
    @Test
    void whatWasStagedBeforeIsCollected() {
        options = OPTIONS.withSpace(OPTIONS.space().withMaxDataBytes(64 * 32 * 512L));
        open();
        put("large", large(1));
        fill(0);
        tight = true;
        for (int round = 1; round < 30; round++) {
            merge("large", "more" + round);
            fill(round);
        }
        assertTrue(db.stats().commits().failedMerges() >= 20, db.stats().toString());
        db.close();
        assertKept(vfs, "closed");
    }

    private void withRoomForOperands(int bytes) {
        StoreSettings settings = OPTIONS.settings().copy();
        settings.longestListBytes = 1 + Varints.bytes(LARGE) + LARGE + bytes;
        options = FlexDBOptions.of(settings);
    }

    private void assertRefused(Runnable merge) {
        MergeException e = assertThrows(MergeException.class, merge::run);
        assertEquals("large", new String(e.key(), StandardCharsets.US_ASCII));
        assertTrue(e.getMessage().contains("a pair has room for"), e.getMessage());
    }

    /** Before a commit and after one, in a store that was opened again, by each way to merge, and with a list of them. */
    @Test
    void anOperandThatCouldNotWaitInThePairIsRefusedWhenItIsGiven() {
        withRoomForOperands(1000);
        open();
        tight = true;
        put("large", large(1));
        assertRefused(() -> db.merge(bytes("large"), new byte[1000]));
        merge("large", "a".repeat(600)); // and 2 bytes with its length
        assertRefused(() -> db.merge(bytes("large"), new byte[400]));
        merge("large", "b".repeat(200));
        merge("other", "c".repeat(2000));
        fillAll(1);
        assertRefused(() -> db.merge(bytes("large"), new byte[199]));
        merge("large", "d".repeat(94));
        fillAll(2);
        db.close();
        tight = false;
        open();
        tight = true;
        assertRefused(() -> db.merge(bytes("large"), new byte[105]));
        assertRefused(() ->
                db.write(new WriteBatch().merge(bytes("large"), new byte[60]).merge(bytes("large"), new byte[60])));
        try (Transaction transaction = db.begin()) {
            assertRefused(() -> transaction.merge(bytes("large"), new byte[105]));
        }
        merge("large", "e".repeat(104));
        assertRefused(() -> db.merge(bytes("large"), new byte[0]));
        fillAll(3);
        assertTrue(db.stats().commits().failedMerges() > 0);
        assertEquals(StoreHealth.State.USABLE, db.health().state());
        db.close();
        tight = false;
        assertKept(vfs, "closed");
        open();
        delete("large");
        merge("large", "f".repeat(2000));
        fillAll(5);
        assertEquals(2000, db.valueLength(bytes("large")));
        db.close();
        assertKept(vfs, "closed again");
    }

    /** The bytes of the operands count, those of the value do not; and the value is not held to count them. */
    @Test
    void whereAQuarterOfAMemtableWaitsNoMoreIsTaken() {
        open();
        tight = true;
        put("large", large(1));
        fillAll(1);
        int quarter = FlexDBOptions.MIN_MEMTABLE_BYTES / 4;
        for (int merged = 0; merged + 1003 <= quarter; merged += 1002) { // with the length of each
            merge("large", "a".repeat(1000));
            fillAll(1);
        }
        merge("large", "b".repeat(1000));
        fillAll(2);
        MergeException e = assertThrows(MergeException.class, () -> db.merge(bytes("large"), new byte[1]));
        assertTrue(e.getMessage().contains("bytes wait to be merged"), e.getMessage());
        assertEquals(StoreHealth.State.USABLE, db.health().state());
        db.close();
        tight = false;
        assertKept(vfs, "closed");
        open();
        merge("large", "c");
        db.close();
        assertKept(vfs, "closed again");
    }

    /** Operands in one write with the value are not refused before. Then a delete of the key ends it, and no store ends. */
    @Test
    void aListThatIsTooLongForAPairKeepsTheStoreFullUntilTheKeyIsDeleted() {
        withRoomForOperands(1000);
        options = options.withMergeFunction((key, value, operands) -> {
            throw new IllegalStateException("for a test");
        });
        open();
        WriteBatch batch = new WriteBatch().put(bytes("large"), large(1));
        for (int i = 0; i < 4; i++) {
            batch.merge(bytes("large"), new byte[300]);
        }
        db.write(batch);
        StoreFullException e = assertThrows(StoreFullException.class, () -> {
            for (int round = 0; round < 9; round++) {
                fill(round);
            }
        });
        assertTrue(e.getMessage().contains("large") || e.getMessage().contains("6c61726765"), e.getMessage());
        assertTrue(e.getMessage().contains("delete"), e.getMessage());
        delete("large");
        fill(9);
        assertEquals(StoreHealth.State.USABLE, db.health().state());
        db.close();
        assertKept(vfs, "closed");
    }

    @Test
    void salvageBringsThemOverByParts() {
        Path fresh = Path.of("/fresh");
        script();
        FlexDBSalvageReport report =
                FlexDBSalvage.salvage(vfs, StoreDriver.DIRECTORY, fresh, OPTIONS, Progress.NONE, new NoThreads());
        assertTrue(report.isComplete(), report.toString());
        try (FlexDB found = FlexDB.open(vfs, fresh, OPTIONS, true)) {
            assertSame(found, expected, "salvaged");
        }
    }

    /** A fault at operations all over the script, and a kill or a power cut after it. */
    @ParameterizedTest
    @EnumSource
    void nothingAcknowledgedIsLostByAFaultOrACrash(Fault fault) {
        FlexDBLongMergeTest whole = new FlexDBLongMergeTest();
        whole.script();
        long operations = whole.vfs.operationCount();
        long step = Math.max(1, operations / Math.max(4, Effort.times(4))); // fewer may meet none that matters
        int failed = 0;
        for (long operation = 1 + fault.ordinal() * step / 4; operation <= operations; operation += step) {
            FlexDBLongMergeTest run = new FlexDBLongMergeTest();
            run.vfs.failAt(operation, fault);
            String at = fault + " at operation " + operation;
            try {
                run.script();
                continue;
            } catch (StorageException e) {
                failed++;
            }
            run.assertKept(run.vfs.kill(), at + ", killed");
            run.assertKept(run.vfs.crash(operation), at + ", cut");
        }
        assertTrue(failed >= Effort.times(1), failed + " faults met");
    }
}
