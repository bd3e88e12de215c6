package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreIoException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lookups other than of one whole value. */
class FlexDBLookupTest {
    private static final int KEYS = 1200;

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    /** One moment of a store: itself, or a snapshot. */
    private interface Lookups {
        byte[] get(byte[] key);

        int get(byte[] key, byte[] destination, int offset);

        boolean containsKey(byte[] key);

        int valueLength(byte[] key);

        int valueLength(ByteBuffer key);

        List<byte[]> multiGet(List<byte[]> keys);

        void multiGet(List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values);
    }

    private static Lookups of(FlexDB db) {
        return new Lookups() {
            @Override
            public byte[] get(byte[] key) {
                return db.get(key);
            }

            @Override
            public int get(byte[] key, byte[] destination, int offset) {
                return db.get(key, destination, offset);
            }

            @Override
            public boolean containsKey(byte[] key) {
                assertEquals(db.containsKey(key), db.containsKey(ByteBuffer.wrap(key)));
                return db.containsKey(key);
            }

            @Override
            public int valueLength(byte[] key) {
                return db.valueLength(key);
            }

            @Override
            public int valueLength(ByteBuffer key) {
                return db.valueLength(key);
            }

            @Override
            public List<byte[]> multiGet(List<byte[]> keys) {
                return db.multiGet(keys);
            }

            @Override
            public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values) {
                db.multiGet(keys, values);
            }
        };
    }

    private static Lookups of(Snapshot snapshot) {
        return new Lookups() {
            @Override
            public byte[] get(byte[] key) {
                return snapshot.get(key);
            }

            @Override
            public int get(byte[] key, byte[] destination, int offset) {
                return snapshot.get(key, destination, offset);
            }

            @Override
            public boolean containsKey(byte[] key) {
                assertEquals(snapshot.containsKey(key), snapshot.containsKey(ByteBuffer.wrap(key)));
                return snapshot.containsKey(key);
            }

            @Override
            public int valueLength(byte[] key) {
                return snapshot.valueLength(key);
            }

            @Override
            public int valueLength(ByteBuffer key) {
                return snapshot.valueLength(key);
            }

            @Override
            public List<byte[]> multiGet(List<byte[]> keys) {
                return snapshot.multiGet(keys);
            }

            @Override
            public void multiGet(List<ByteBuffer> keys, ObjIntConsumer<ByteBuffer> values) {
                snapshot.multiGet(keys, values);
            }
        };
    }

    private static void check(Lookups lookups, TreeMap<byte[], byte[]> model, Random random) {
        List<byte[]> keys = new ArrayList<>();
        int count = random.nextInt(80);
        int first = random.nextInt(KEYS);
        boolean near = random.nextBoolean();
        for (int i = 0; i < count; i++) {
            keys.add(key(near ? first + random.nextInt(60) : random.nextInt(KEYS + 5)));
        }
        List<byte[]> values = lookups.multiGet(keys);
        assertEquals(count, values.size());
        List<ByteBuffer> buffers = keys.stream().map(ByteBuffer::wrap).toList();
        boolean[] seen = new boolean[count];
        lookups.multiGet(buffers, (value, index) -> {
            assertFalse(seen[index]);
            seen[index] = true;
            byte[] expected = model.get(keys.get(index));
            assertTrue(value == null || value.isReadOnly());
            assertEquals(expected == null ? null : ByteBuffer.wrap(expected), value);
        });
        byte[] room = new byte[60_000];
        for (int i = 0; i < count; i++) {
            assertTrue(seen[i]);
            assertEquals(keys.get(i).length, buffers.get(i).remaining());
            byte[] expected = model.get(keys.get(i));
            int length = expected == null ? -1 : expected.length;
            assertArrayEquals(expected, values.get(i));
            assertEquals(length, lookups.valueLength(keys.get(i)));
            ByteBuffer key = ByteBuffer.wrap(keys.get(i));
            assertEquals(length, lookups.valueLength(key));
            assertFalse(key.hasRemaining());
            assertEquals(length >= 0, lookups.containsKey(keys.get(i)));
            assertEquals(length, lookups.get(keys.get(i), room, 7));
            if (length >= 0) {
                assertArrayEquals(expected, Arrays.copyOfRange(room, 7, 7 + length));
            }
        }
    }

    @Test
    void lookupsOfEveryKindGiveWhatASortedMapHas() {
        long seed = new Random().nextLong();
        System.out.println("FlexDBLookupTest seed " + seed);
        Random random = new Random(seed);
        TreeMap<byte[], byte[]> model = StoreOracle.newMap();
        SimulatedVfs vfs = new SimulatedVfs();
        for (int life = 0; life < 3; life++) {
            try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
                check(of(db), model, random);
                for (int round = 0; round < 15; round++) {
                    try (Snapshot snapshot = db.snapshot()) {
                        TreeMap<byte[], byte[]> before = new TreeMap<>(model);
                        for (int i = 0; i < 100; i++) {
                            change(db, model, random);
                        }
                        check(of(snapshot), before, random);
                    }
                    check(of(db), model, random);
                }
            }
        }
    }

    private static void change(FlexDB db, TreeMap<byte[], byte[]> model, Random random) {
        byte[] key = key(random.nextInt(KEYS));
        if (random.nextInt(5) == 0) {
            db.delete(key);
            model.remove(key);
            return;
        }
        byte[] value = new byte[random.nextInt(40) == 0 ? random.nextInt(50_000) : random.nextInt(200)];
        random.nextBytes(value);
        db.put(key, value);
        model.put(key, value);
    }

    @Test
    void severalKeysAreReadAsOfOneMoment() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL)) {
            List<ByteBuffer> keys = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                db.put(key(i), new byte[] {1});
                keys.add(ByteBuffer.wrap(key(i)));
            }
            int[] count = {0};
            db.multiGet(keys, (value, index) -> {
                assertEquals(1, value.get());
                db.put(key(index + 1), new byte[] {2}); // seen by others only, as it should be
                assertArrayEquals(new byte[] {2}, db.get(key(index + 1)));
                count[0]++;
            });
            assertEquals(20, count[0]);
            IllegalStateException thrown = assertThrows(
                    IllegalStateException.class,
                    () -> db.multiGet(keys, (value, index) -> {
                        throw new IllegalStateException("enough");
                    }));
            assertEquals("enough", thrown.getMessage());
            assertEquals(
                    20,
                    db.multiGet(keys.stream().map(ByteBuffer::array).toList()).size());
            assertEquals(List.of(), db.multiGet(List.of()));
        }
    }

    @Test
    void argumentsThatAreWrongAreRefused() {
        try (FlexDB db = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL);
                Snapshot snapshot = db.snapshot()) {
            byte[] key = key(1);
            db.put(key, new byte[10]);
            for (Lookups lookups : List.of(of(db), of(snapshot))) {
                for (byte[] bad : Arrays.asList(null, new byte[0], new byte[65_536])) {
                    Class<? extends RuntimeException> refusal =
                            bad == null ? NullPointerException.class : IllegalArgumentException.class;
                    ByteBuffer buffer = bad == null ? null : ByteBuffer.wrap(bad);
                    assertThrows(refusal, () -> lookups.valueLength(bad));
                    assertThrows(refusal, () -> lookups.valueLength(buffer));
                    assertThrows(refusal, () -> lookups.get(bad, new byte[10], 0));
                    assertThrows(refusal, () -> lookups.multiGet(Arrays.asList(key, bad)));
                    assertThrows(
                            refusal,
                            () -> lookups.multiGet(Arrays.asList(ByteBuffer.wrap(key), buffer), (value, index) -> {
                                throw new AssertionError("nothing is read");
                            }));
                }
                assertThrows(NullPointerException.class, () -> lookups.multiGet(null));
                assertThrows(NullPointerException.class, () -> lookups.multiGet(List.of(), null));
                assertThrows(NullPointerException.class, () -> lookups.get(key, null, 0));
                assertThrows(IllegalArgumentException.class, () -> lookups.get(key, new byte[10], -1));
                assertThrows(IllegalArgumentException.class, () -> lookups.get(key, new byte[10], 11));
            }
            String message = assertThrows(IllegalArgumentException.class, () -> db.get(key, new byte[12], 3))
                    .getMessage();
            assertTrue(message.contains("room for 9 bytes, but the value has 10"), message);
            assertEquals(10, db.get(key, new byte[12], 2));
            assertEquals(-1, db.get(key(2), new byte[0], 0));
            assertThrows(
                    NullPointerException.class, () -> db.put(key, key, WriteOptions.durability((Durability) null)));
            assertThrows(NullPointerException.class, () -> db.delete(key, null));
            assertEquals(1, db.stats().lastSequence());
        }
    }

    @Test
    void aReadThatFailsEndsThatLookupAndNothingElse() {
        AtomicBoolean failing = new AtomicBoolean();
        HookedVfs vfs = new HookedVfs(new SimulatedVfs(), (kind, path) -> {
            if (failing.get() && kind == HookedVfs.Kind.READ) {
                throw new StoreIoException("read", path, new IOException("on purpose"));
            }
        });
        List<byte[]> keys = new ArrayList<>();
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
            for (int i = 0; i < 500; i++) {
                keys.add(key(i));
                db.put(key(i), new byte[i == 250 ? 40_000 : 100]);
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL.withCacheBytes(0))) {
            failing.set(true);
            assertThrows(StoreIoException.class, () -> db.multiGet(keys));
            assertThrows(StoreIoException.class, () -> db.valueLength(key(250)));
            assertThrows(StoreIoException.class, () -> db.containsKey(ByteBuffer.wrap(key(450))));
            failing.set(false);
            assertEquals(40_000, db.valueLength(key(250)));
            List<byte[]> values = db.multiGet(keys);
            assertEquals(100, values.get(499).length);
            assertNull(db.get(key(500)));
            Snapshot snapshot = db.snapshot();
            snapshot.close();
            assertThrows(StoreClosedException.class, () -> snapshot.multiGet(keys));
            assertThrows(StoreClosedException.class, () -> snapshot.valueLength(key(1)));
            assertThrows(StoreClosedException.class, () -> snapshot.get(key(1), new byte[1], 0));
        }
    }

    @Test
    void aWriteMayBeMoreDurableThanTheStore() {
        SimulatedVfs vfs = new SimulatedVfs();
        FlexDBOptions options = StoreDriver.SMALL.withDurability(Durability.NONE);
        FlexDB db = StoreDriver.open(vfs, options);
        db.put(key(1), key(1));
        assertEquals(0, db.durableSequence());
        db.put(key(2), key(2), WriteOptions.durability(Durability.SYNC));
        assertEquals(2, db.durableSequence());
        db.put(ByteBuffer.wrap(key(3)), ByteBuffer.wrap(key(3)), WriteOptions.durability(Durability.SYNC));
        db.delete(key(1), WriteOptions.durability(Durability.SYNC));
        db.delete(ByteBuffer.wrap(key(2)), WriteOptions.durability(Durability.SYNC));
        assertEquals(5, db.durableSequence());
        db.put(key(4), key(4), WriteOptions.durability(Durability.NONE));
        assertEquals(5, db.durableSequence());
        try (FlexDB cut = StoreDriver.open(vfs.crash(7), options)) {
            assertNull(cut.get(key(1)));
            assertNull(cut.get(key(2)));
            assertArrayEquals(key(3), cut.get(key(3)));
        }
        try (FlexDB sync = StoreDriver.open(new SimulatedVfs(), StoreDriver.SMALL.withDurability(Durability.SYNC))) {
            sync.put(key(1), key(1), WriteOptions.durability(Durability.NONE));
            assertEquals(1, sync.durableSequence()); // a weaker one is raised
        }
    }

    private static long garbage(Runnable operation) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 1000 && least > 0; round++) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 1000; i++) {
                operation.run();
            }
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            least = Math.min(least, allocated / 1000);
        }
        return least;
    }

    @Test
    void lookupsMakeNoGarbage(@TempDir Path temporary) {
        List<ByteBuffer> keys = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            keys.add(ByteBuffer.wrap(key(i * 611 % 1000)));
        }
        long[] sum = new long[1];
        byte[] room = new byte[100];
        ObjIntConsumer<ByteBuffer> values = (value, index) -> sum[0] += value.remaining();
        for (int life = 0; life < 2; life++) { // from a memtable, and from the space
            try (FlexDB db = FlexDB.open(temporary.resolve("store"))) {
                for (int i = 0; i < 1000 && life == 0; i++) {
                    db.put(key(i), new byte[100]);
                }
                assertEquals(0, garbage(() -> db.multiGet(keys, values)), "multiGet");
                byte[] key = key(500);
                assertEquals(0, garbage(() -> db.get(key, room, 0)), "get");
                assertEquals(0, garbage(() -> sum[0] += db.valueLength(key)), "valueLength");
                assertEquals(0, garbage(() -> sum[0] += db.containsKey(key) ? 1 : 0), "containsKey");
            }
        }
    }
}
