package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.simulation.FilesBefore;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The budget, what it becomes in JVMs of all sizes, and allocations that fail. */
class FlexDBMemoryTest {
    private static final long MIB = 1 << 20;
    private static final JvmMemory AMPLE = new JvmMemory(1L << 30, 1L << 30, Long.MAX_VALUE);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static FlexDB open(FlexDBOptions options, long directMib, long machineMib) {
        JvmMemory jvm = new JvmMemory(directMib * MIB, directMib * MIB, machineMib * MIB);
        return FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, options, true, jvm, ByteBuffer::allocateDirect);
    }

    @Test
    void whatIsNotSetFollowsFromWhatTheJvmAllows() {
        for (long direct : new long[] {32, 48, 64, 100, 128, 256, 512, 1024, 8192, 1 << 20}) {
            try (FlexDB db = open(FlexDBOptions.defaults(), direct, 4 * direct)) {
                FlexDBOptions effective = db.options();
                long budget = effective.memoryBytes();
                assertTrue(budget <= direct * MIB * 5 / 8, direct + " MiB: " + effective);
                assertTrue(budget <= FlexDBOptions.MAX_DERIVED_MEMORY_BYTES, effective.toString());
                assertTrue(effective.cacheBytes() + 2L * effective.memtableBytes() <= budget, effective.toString());
                assertEquals(budget, db.stats().memory().budgetBytes());
                assertTrue(effective.toString().contains("memoryBytes=" + budget), effective.toString());
            }
        }
        try (FlexDB db = open(FlexDBOptions.defaults(), 64, 256)) { // a container
            assertTrue(db.options().memoryBytes() <= 40 * MIB);
        }
        try (FlexDB db = open(FlexDBOptions.defaults(), 4096, 4352)) { // nearly all of it is heap
            assertTrue(db.options().memoryBytes() <= 128 * MIB);
        }
    }

    @Test
    void whatIsSetIsTakenFromTheBudget() {
        FlexDBOptions options = FlexDBOptions.defaults().withMemoryBytes(200 * MIB);
        try (FlexDB db = open(options, 1024, 8192)) {
            assertEquals(200 * MIB, db.options().memoryBytes());
        }
        try (FlexDB db = open(options.withCacheBytes(150 * MIB), 1024, 8192)) {
            assertEquals(150 * MIB, db.options().cacheBytes());
            assertTrue(
                    4.5 * db.options().memtableBytes() <= 50 * MIB, db.options().toString());
        }
        try (FlexDB db = open(options.withMemtableBytes(16 << 20), 1024, 8192)) {
            assertEquals(16 << 20, db.options().memtableBytes());
            assertTrue(db.options().cacheBytes() <= 128 * MIB, db.options().toString());
        }
    }

    /** Who gives the cache much does not take it from writes, if the JVM has memory for both. */
    @Test
    void aLargeCacheLeavesMemtablesLarge() {
        FlexDBOptions options = FlexDBOptions.defaults();
        int usual;
        try (FlexDB db = open(options, 4096, 24 << 10)) {
            usual = db.options().memtableBytes();
        }
        try (FlexDB db = open(options.withCacheBytes(2048 * MIB), 4096, 24 << 10)) {
            assertEquals(2048 * MIB, db.options().cacheBytes());
            assertEquals(usual, db.options().memtableBytes());
        }
        try (FlexDB db = open(options.withCacheBytes(1024 * MIB), 2048, 24 << 10)) {
            FlexDBOptions effective = db.options();
            assertTrue(effective.memtableBytes() >= 32 << 20, effective.toString());
            assertTrue(effective.memoryBytes() <= 2048 * MIB * 5 / 8, effective.toString());
        }
        try (FlexDB db = open(options.withCacheBytes(1024 * MIB).withMemoryBytes(1200 * MIB), 4096, 24 << 10)) {
            assertEquals(1200 * MIB, db.options().memoryBytes());
        }
    }

    @Test
    void whatCanNotFitIsRefusedWithTheSum() {
        refused(FlexDBOptions.defaults().withCacheBytes(300 * MIB), 256, "direct buffers may take 268435456");
        refused(FlexDBOptions.defaults().withMemtableBytes(256 << 20), 256, "2 memtables of 301989888");
        refused(
                FlexDBOptions.defaults().withCacheBytes(Long.MAX_VALUE),
                256,
                "= " + Long.MAX_VALUE + " bytes, but direct buffers may take 268435456");
        refused(
                FlexDBOptions.defaults().withMemoryBytes(64 * MIB).withCacheBytes(64 * MIB),
                1024,
                "memoryBytes is 67108864");
        refused(FlexDBOptions.defaults().withMemoryBytes(512 * MIB), 256, "= 5");
    }

    private static void refused(FlexDBOptions options, long direct, String expected) {
        String message = assertThrows(IllegalArgumentException.class, () -> open(options, direct, 8192))
                .getMessage();
        for (String part : new String[] {expected, "cacheBytes ", " memtables of ", " segments ", " = ", "reads "}) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void aKeyBufferStaysWhereItIsIfTheDestinationIsTooSmall() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            db.put(bytes("key"), bytes("value"));
            ByteBuffer key = ByteBuffer.wrap(bytes("a key")).position(2);
            assertThrows(IllegalArgumentException.class, () -> db.get(key, ByteBuffer.allocate(4)));
            assertEquals(2, key.position());
            assertEquals(5, db.get(key, ByteBuffer.allocate(5)));
            assertEquals(5, key.position());
            key.position(3);
            assertEquals(-1, db.get(key, ByteBuffer.allocate(5)));
            assertEquals(5, key.position());
        }
    }

    @Test
    void aLargeValueLeavesNothingLargeBehind() {
        byte[] value = new byte[20 << 20];
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options =
                FlexDBOptions.defaults().withMemtableBytes(24 << 20).withCacheBytes(4 * MIB);
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            db.put(bytes("large"), value);
            for (int i = 0; i < 3; i++) { // so that it is committed
                db.put(bytes("next" + i), value);
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            assertEquals(value.length, db.get(bytes("large")).length);
            try (FlexCursor cursor = db.cursor()) {
                cursor.seekToLast();
                assertEquals(value.length, cursor.valueLength());
                assertTrue(db.stats().memory().readBytes() > value.length);
            }
            Waiting.collectWhile(() -> db.stats().memory().readBytes() > 10 * MIB);
            db.put(bytes("large"), value);
            Waiting.collectWhile(() -> db.stats().memory().commitBytes() > MIB);
        }
    }

    @Test
    void aValueThatCanNotBeHeldIsATypedErrorAndHarmsNothing() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(4 << 20);
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            db.put(bytes("large"), new byte[3 << 20]);
            db.put(bytes("small"), bytes("value"));
        }
        OffHeap.Source noLarge = bytes -> {
            if (bytes > 3 << 20) {
                throw new OutOfMemoryError("none so large, for a test");
            }
            return ByteBuffer.allocateDirect(bytes);
        };
        FlexDBOptions smaller = StoreDriver.SMALL.withMemtableBytes(1 << 20);
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, smaller, true, AMPLE, noLarge)) {
            for (int i = 0; i < 5; i++) {
                assertThrows(StoreMemoryException.class, () -> db.get(bytes("large")));
                assertArrayEquals(bytes("value"), db.get(bytes("small")));
                try (FlexCursor cursor = db.cursor()) {
                    cursor.seekToFirst();
                    assertArrayEquals(bytes("large"), cursor.key());
                    assertEquals(3 << 20, cursor.value().length, "read by pieces");
                    cursor.next();
                    assertArrayEquals(bytes("value"), cursor.value());
                }
            }
            db.put(bytes("small"), bytes("newer"));
        } // which returns: no read is left under way
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            assertEquals(3 << 20, db.get(bytes("large")).length);
            assertArrayEquals(bytes("newer"), db.get(bytes("small")));
        }
    }

    private static final int LARGE = 3 << 20;

    /** No memory for three MiB at once. */
    private static ByteBuffer noLarge(int bytes) {
        if (bytes > LARGE) {
            throw new OutOfMemoryError("none so large, for a test");
        }
        return ByteBuffer.allocateDirect(bytes);
    }

    private static FlexDB openWithoutLarge(SimulatedVfs vfs, FlexDBOptions options) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true, AMPLE, FlexDBMemoryTest::noLarge);
    }

    private static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Writes what no memtable has room for, from a number on; returns the number of the next. */
    private static int fill(FlexDB db, int from) {
        for (int i = from; i < from + 1500; i++) {
            db.put(bytes("key" + i), new byte[100]);
        }
        return from + 1500;
    }

    private static byte[] joined(byte[] value, String more) {
        byte[] all = Arrays.copyOf(value, value.length + more.length());
        System.arraycopy(bytes(more), 0, all, value.length, more.length());
        return all;
    }

    /** The operands wait with it, by parts; and are in it once there is memory. */
    @Test
    void operandsWaitForAValueThatCanNotBeHeld() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(4 << 20).withMergeFunction(MergeFunction.APPEND);
        byte[] large = randomBytes(LARGE);
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            db.put(bytes("large"), large);
        }
        FlexDBOptions smaller = options.withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES);
        int written = 0;
        StringBuilder more = new StringBuilder();
        try (FlexDB db = openWithoutLarge(vfs, smaller)) {
            for (int i = 0; i < 4; i++) {
                db.merge(bytes("large"), bytes("more" + i));
                more.append("more").append(i);
                written = fill(db, written);
                StoreMemoryException e = assertThrows(StoreMemoryException.class, () -> db.get(bytes("large")));
                assertTrue(e.getMessage().contains("0x6c61726765"), e.getMessage());
                assertTrue(e.getMessage().contains("put or delete"), e.getMessage());
                assertEquals(100, db.get(bytes("key0")).length);
            }
            assertEquals(List.of(), db.check().findings());
        }
        vfs = vfs.kill();
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            assertArrayEquals(joined(large, more.toString()), db.get(bytes("large")));
            assertEquals(written + 1, StoreDriver.all(db).size());
            db.merge(bytes("large"), bytes("last"));
            more.append("last");
        }
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            assertArrayEquals(joined(large, more.toString()), db.get(bytes("large")));
            assertEquals(List.of(), db.check().findings());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "delete", "deleteRange"})
    void aKeyOfWhichOperandsWaitForMemoryCanBeWrittenAgain(String cure) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options =
                StoreDriver.SMALL.withMergeFunction(MergeFunction.APPEND).withLargeValueBytes(2000);
        try (FlexDB db = openWithoutLarge(vfs, options)) {
            byte[] large = randomBytes(LARGE);
            db.put(bytes("large"), new io.flexdb.ValueSource(large, 1 << 20, position -> {}), large.length);
            db.merge(bytes("large"), bytes("more")); // before the value is in the space
            int written = fill(db, 0);
            assertThrows(StoreMemoryException.class, () -> db.get(bytes("large")));
            switch (cure) {
                case "put" -> db.put(bytes("large"), bytes("small"));
                case "delete" -> db.delete(bytes("large"));
                default -> db.deleteRange(bytes("l"), bytes("m"));
            }
            written = fill(db, written);
            assertArrayEquals(cure.equals("put") ? bytes("small") : null, db.get(bytes("large")));
            db.merge(bytes("large"), bytes("er"));
            written = fill(db, written);
            assertArrayEquals(bytes(cure.equals("put") ? "smaller" : "er"), db.get(bytes("large")));
            assertEquals(written + 1, StoreDriver.all(db).size());
            assertEquals(List.of(), db.check().findings());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Where there is no space for another log, writers wait for a commit of the memtable that they fill. It may lack
     * memory at first: nobody but those who wait for it ever asks for it again.
     */
    @Test
    void aCommitThatAWriterWaitsForIsTriedAgainWhenItFindsNoMemory() {
        AtomicInteger failures = new AtomicInteger(3);
        OffHeap.Source source = bytes -> {
            if (isThread("flexdb-commit") && failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("none yet, for a test");
            }
            return ByteBuffer.allocateDirect(bytes);
        };
        HookedVfs.Hook noSpaceForLogs = (kind, path) -> {
            if (kind == HookedVfs.Kind.CREATE && isThread("flexdb-logs")) {
                throw new StoreFullException("no space, for a test: " + path);
            }
        };
        HookedVfs vfs = new HookedVfs(new SimulatedVfs(), noSpaceForLogs);
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(1 << 20);
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false, AMPLE, source)) {
            db.put(bytes("large"), new byte[500_000]); // for which a commit needs memory
            for (int i = 0; i < 2000; i++) {
                db.put(bytes("key" + i), new byte[1000]);
            }
            assertTrue(failures.get() <= 0, "memory was not short: " + failures);
            assertEquals(2001, StoreDriver.all(db).size());
        }
    }

    private static boolean isThread(String name) {
        return Thread.currentThread().getName().startsWith(name + " ");
    }

    /** Who opens a store again mostly still has the closed one in a variable: {@code db.close(); db = open(...)}. */
    @Test
    void aClosedStoreThatIsStillNamedKeepsNoMemory() {
        ReferenceQueue<ByteBuffer> gone = new ReferenceQueue<>();
        Set<Reference<ByteBuffer>> held = ConcurrentHashMap.newKeySet();
        OffHeap.Source source = bytes -> {
            ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
            held.add(new PhantomReference<>(buffer, gone));
            return buffer;
        };
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(1 << 20);
        for (boolean inline : new boolean[] {true, false}) {
            FlexDB db = FlexDB.open(new SimulatedVfs(), StoreDriver.DIRECTORY, options, inline, AMPLE, source);
            for (int i = 0; i < 3000; i++) {
                db.put(bytes("key" + i % 1000), new byte[1000]);
            }
            FlexCursor cursor = db.cursor();
            cursor.seekToFirst();
            cursor.close();
            assertEquals(1000, db.get(bytes("key1")).length);
            assertTrue(held.size() > 4, held.size() + " buffers");
            db.close();
            Waiting.collectWhile(() -> {
                for (Reference<?> each = gone.poll(); each != null; each = gone.poll()) {
                    held.remove(each);
                }
                return !held.isEmpty(); // else a closed store keeps some
            });
            assertEquals(StoreHealth.State.CLOSED, db.health().state());
            assertEquals(1 << 20, db.options().memtableBytes());
            assertTrue(db.toString().contains("closed"), db.toString());
            assertThrows(StoreClosedException.class, () -> db.get(bytes("key1")));
            assertThrows(StoreClosedException.class, () -> db.put(bytes("key1"), bytes("")));
            assertThrows(StoreClosedException.class, db::cursor);
            assertThrows(StoreClosedException.class, db::snapshot);
            assertThrows(StoreClosedException.class, db::sync);
            assertThrows(StoreClosedException.class, db::stats);
            db.close();
        }
    }

    /** Whatever an opening needs memory for: it says how much, and has let go of all it had. */
    @Test
    void anOpeningWithoutMemoryIsATypedErrorAndChangesNothing() {
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(1 << 20); // so that a recovery commits nothing
        StoreDriver store = new StoreDriver(options);
        for (int i = 0; i < 1000; i++) {
            store.put(bytes("key" + i * 7919 % 1000), new byte[500]);
        }
        store.sync();
        SimulatedVfs killed = store.vfs.kill();
        TreeMap<byte[], byte[]> content = StoreOracle.newMap();
        content.putAll(store.oracle.now());
        SimulatedVfs closed = killed.copy();
        StoreDriver.open(closed, options).close();
        for (SimulatedVfs day : List.of(closed, killed)) {
            int refused = 0;
            AtomicLong left = new AtomicLong();
            boolean met = true;
            for (int n = 0; met; n++) {
                String at = (day == killed ? "killed" : "closed") + ", " + n + " allocations";
                left.set(n);
                OffHeap.Source source = bytes -> {
                    if (left.decrementAndGet() < 0) {
                        throw new OutOfMemoryError("none, for a test");
                    }
                    return ByteBuffer.allocateDirect(bytes);
                };
                SimulatedVfs files = day.copy();
                FilesBefore before = FilesBefore.of(files);
                try (FlexDB db = FlexDB.open(files, StoreDriver.DIRECTORY, options, true, AMPLE, source)) {
                    met = left.get() < 0;
                    left.set(Long.MAX_VALUE);
                    StoreOracle.assertSame(content, StoreDriver.all(db), at);
                } catch (StoreMemoryException e) {
                    refused++;
                    before.assertUnchanged(at);
                    assertTrue(e.getMessage().contains("-XX:MaxDirectMemorySize"), e.getMessage());
                    assertTrue(e.getMessage().contains(StoreDriver.DIRECTORY.toString()), e.getMessage());
                }
                try (FlexDB db = StoreDriver.open(files, options)) {
                    StoreOracle.assertSame(content, StoreDriver.all(db), at + ", again");
                }
            }
            assertTrue(refused > 2, refused + " openings were refused");
        }
    }

    /** Pairs in random order, each an extent of its own where there is memory for that. */
    @Test
    void theFlexTreeStaysSmallWhereMemoryIsShort() {
        ByteBuffer taken = ByteBuffer.allocateDirect(16 << 20); // all that the JVM is said to have
        long few = extentsAfterRandomPuts(new JvmMemory(1L << 30, 16 << 20, Long.MAX_VALUE));
        long many = extentsAfterRandomPuts(AMPLE);
        assertTrue(2 * few < many, few + " and " + many + " extents");
        assertEquals(16 << 20, taken.capacity()); // which keeps it
    }

    private static long extentsAfterRandomPuts(JvmMemory jvm) {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withCacheBytes(0);
        TreeMap<String, byte[]> model = new TreeMap<>();
        long extents;
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true, jvm, ByteBuffer::allocateDirect)) {
            for (int i = 0; i < 20_011; i++) {
                String key = String.format(Locale.ROOT, "key%05d", i * 7919 % 20_011);
                byte[] value = bytes("value of " + key);
                db.put(bytes(key), value);
                model.put(key, value);
            }
            assertSame(model, db);
            extents = db.stats().space().extents();
        }
        try (FlexDB db = StoreDriver.open(vfs.kill(), options)) {
            assertSame(model, db);
        }
        return extents;
    }

    /** Fails every allocation for which it is told to. */
    private static final class Scarce {
        final AtomicLong allocations = new AtomicLong();
        final AtomicInteger failures = new AtomicInteger();
        volatile int everyNth;

        ByteBuffer allocate(int bytes) {
            int n = everyNth;
            if (n > 0 && allocations.incrementAndGet() % n == 0) {
                failures.incrementAndGet();
                throw new OutOfMemoryError("none, for a test");
            }
            return ByteBuffer.allocateDirect(bytes);
        }
    }

    @Test
    void allocationsThatFailCostNothingButTime() {
        int failed = 0;
        for (int n = 1; n <= 12; n++) {
            failed += failEveryNth(n, Integer.MAX_VALUE);
            failed += failEveryNth(n, 50_000);
            failed += failEveryNth(n, 200);
        }
        assertTrue(failed > 50, "only " + failed + " allocations failed");
    }

    /** Whatever throws has changed nothing, or is done when it is tried again with memory. */
    private static int failEveryNth(int n, int largeValueBytes) {
        Scarce scarce = new Scarce();
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withMemtableBytes(256 << 10).withLargeValueBytes(largeValueBytes);
        TreeMap<String, byte[]> model = new TreeMap<>();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, true, AMPLE, scarce::allocate)) {
            for (int i = 0; i < 1500; i++) {
                String key = String.format(Locale.ROOT, "key%05d", i * 7919 % 1009);
                byte[] value = new byte[i % 97 == 0 ? 100_000 : i % 300];
                if (value.length > 0) {
                    value[value.length / 2] = (byte) i;
                }
                scarce.everyNth = i % 50 < 40 ? n : 0;
                put(db, bytes(key), value, scarce);
                model.put(key, value);
                if (i % 10 == 0) {
                    readWithLittle(db, model, key, scarce);
                }
            }
            scarce.everyNth = 0;
            assertSame(model, db);
        }
        try (FlexDB db = StoreDriver.open(vfs.kill(), StoreDriver.SMALL.withMemtableBytes(256 << 10))) {
            assertSame(model, db);
        }
        return scarce.failures.get();
    }

    private static void put(FlexDB db, byte[] key, byte[] value, Scarce scarce) {
        try {
            db.put(key, value);
        } catch (StorageException e) {
            scarce.everyNth = 0;
            db.put(key, value); // the store goes on
        }
    }

    private static void readWithLittle(FlexDB db, TreeMap<String, byte[]> model, String key, Scarce scarce) {
        try {
            assertArrayEquals(model.get(key), db.get(bytes(key)));
            assertNull(db.get(bytes("none")));
            try (FlexCursor cursor = db.cursor()) {
                cursor.seek(bytes(key));
                assertArrayEquals(model.get(key), cursor.value());
                cursor.prev();
            }
        } catch (StoreMemoryException e) {
            scarce.everyNth = 0;
            assertArrayEquals(model.get(key), db.get(bytes(key)));
        }
    }

    private static void assertSame(TreeMap<String, byte[]> model, FlexDB db) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seekToFirst();
            for (var entry : model.entrySet()) {
                assertArrayEquals(bytes(entry.getKey()), cursor.key());
                assertArrayEquals(entry.getValue(), cursor.value(), entry.getKey());
                cursor.next();
            }
            assertTrue(!cursor.isValid());
        }
    }
}
