package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.VirtualThreads;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreMemoryException;
import io.flexdb.testing.Effort;
import io.flexdb.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that share memory and threads. */
class FlexDBResourcesTest {
    private static final long MIB = 1 << 20;
    private static final int KEYS = 5000;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @TempDir
    Path root;

    private FlexDB open(int number, FlexDBResources resources) {
        return FlexDB.open(
                root.resolve("store" + number), FlexDBOptions.defaults().withResources(resources));
    }

    /** The same as soon as the others leave enough. */
    private FlexDB openPatiently(int number, FlexDBResources resources) {
        AtomicReference<FlexDB> opened = new AtomicReference<>();
        Waiting.whileTrue(() -> {
            try {
                opened.set(open(number, resources));
                return false;
            } catch (StoreMemoryException e) {
                return true;
            }
        });
        return opened.get();
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
    }

    private static byte[] value(int key, int write) {
        byte[] value = new byte[100 + (key * 31 + write) % 3000];
        return ByteBuffer.wrap(value).putInt(key).putInt(write).array();
    }

    /** A store's user: it knows what it has written, and opens the store anew once if it is asked to. */
    private final class User implements Runnable {
        private final int number;
        private final FlexDBResources resources;
        private final int writes;
        private final boolean reopens;
        private final int[] last = new int[KEYS];

        User(int number, FlexDBResources resources, int writes, boolean reopens) {
            this.number = number;
            this.resources = resources;
            this.writes = writes;
            this.reopens = reopens;
        }

        @Override
        public void run() {
            try {
                Random random = new Random(number);
                for (int round = 0; round < (reopens ? 4 : 1); round++) {
                    try (FlexDB db = openPatiently(number, resources)) {
                        use(db, random, writes / (reopens ? 4 : 1));
                        assertEquals(StoreHealth.State.USABLE, db.health().state());
                    }
                }
                try (FlexDB db = openPatiently(number, resources)) {
                    for (int key = 0; key < KEYS; key++) {
                        require(db, key);
                    }
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private void use(FlexDB db, Random random, int count) {
            for (int i = 0; i < count; i++) {
                int key = random.nextInt(KEYS);
                int write = last[key] + 1;
                try {
                    db.put(key(key), value(key, write));
                    last[key] = write;
                    require(db, random.nextInt(KEYS));
                } catch (StoreFullException | StoreMemoryException e) {
                    // there was no memory; it goes on
                }
            }
        }

        private void require(FlexDB db, int key) {
            assertArrayEquals(last[key] == 0 ? null : value(key, last[key]), db.get(key(key)));
        }
    }

    @Test
    void storesNeverHaveMoreThanTheirBudgetTogether() throws InterruptedException {
        FlexDBResources resources = FlexDBResources.of(20 * MIB, 2);
        AtomicBoolean ended = new AtomicBoolean();
        Thread observer = new Thread(() -> {
            while (!ended.get()) {
                FlexDBResourcesStats stats = resources.stats();
                if (stats.usedBytes() > stats.memoryBytes()) {
                    failure.compareAndSet(null, new AssertionError(stats.toString()));
                }
                Thread.yield();
            }
        });
        observer.start();
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            users.add(new Thread(new User(i, resources, Effort.times(8000), i % 2 == 0)));
        }
        users.forEach(Thread::start);
        for (Thread user : users) {
            user.join();
        }
        ended.set(true);
        observer.join();
        assertNull(failure.get(), () -> "with " + resources);
        assertEquals(0, resources.stats().stores());
        Waiting.whileTrue(() -> resources.stats().threads() > 0);
        Waiting.collectWhile(
                () -> resources.stats().usedBytes() > resources.stats().recycledBytes());
    }

    @Test
    void virtualThreadsUseManyStores() throws InterruptedException {
        VirtualThreads.assumeThereAre();
        FlexDBResources resources = FlexDBResources.of(64 * MIB);
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            users.add(VirtualThreads.start(new User(i, resources, Effort.times(500), i % 3 == 0)));
        }
        for (Thread user : users) {
            user.join();
        }
        assertNull(failure.get());
    }

    @Test
    void aStoreHasAllOfThemOrWhatItsOptionsSay() {
        FlexDBResources resources = FlexDBResources.of(32 * MIB);
        try (FlexDB db = open(0, resources);
                FlexDB small = FlexDB.open(
                        root.resolve("small"),
                        FlexDBOptions.defaults().withResources(resources).withMemoryBytes(16 * MIB))) {
            assertEquals(32 * MIB, db.options().memoryBytes());
            assertEquals(16 * MIB, small.options().memoryBytes());
            assertEquals(2, resources.stats().stores());
            assertEquals(32 * MIB, resources.stats().memoryBytes());
            assertEquals(resources, db.options().resources());
        }
        assertEquals(0, resources.stats().stores());
    }

    @Test
    void whatResourcesDoNotHaveIsRefused() {
        FlexDBResources resources = FlexDBResources.of(32 * MIB);
        FlexDBOptions options = FlexDBOptions.defaults().withResources(resources);
        for (FlexDBOptions tooMuch : List.of(
                options.withMemoryBytes(33 * MIB), options.withCacheBytes(30 * MIB), options.withMemtableBytes((int)
                        (20 * MIB)))) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> FlexDB.open(root.resolve("store"), tooMuch));
            assertTrue(e.getMessage().contains("the resources that it shares have 33554432"), e.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> FlexDBResources.of(FlexDBResources.MIN_MEMORY_BYTES - 1));
        assertThrows(IllegalArgumentException.class, () -> FlexDBResources.of(Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> FlexDBResources.of(32 * MIB, 0));
        assertEquals(0, resources.stats().stores());
    }

    @Test
    void aStoreWithoutResourcesSharesThoseOfTheJvm() {
        FlexDBResources shared = FlexDBResources.shared();
        assertEquals(shared, FlexDBOptions.defaults().resources());
        assertEquals(shared, FlexDBOptions.defaults().withResources(shared).resources());
        int before = shared.stats().stores();
        long memory = shared.stats().memoryBytes();
        try (FlexDB db = FlexDB.open(root.resolve("store"))) {
            db.put(key(1), key(2));
            assertTrue(shared.stats().stores() > before - 1, shared.toString()); // a forgotten one may have gone
            assertTrue(shared.stats().memtableBytes() > 0, shared.toString());
            try (FlexDB asking =
                    FlexDB.open(root.resolve("asking"), FlexDBOptions.defaults().withMemoryBytes(20 * MIB))) {
                assertEquals(memory + 20 * MIB, shared.stats().memoryBytes());
                assertEquals(20 * MIB, asking.options().memoryBytes());
            }
            assertEquals(memory, shared.stats().memoryBytes());
        }
    }
}
