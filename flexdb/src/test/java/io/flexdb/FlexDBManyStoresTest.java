package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.internal.open.JvmMemory;
import io.flexdb.testing.Effort;
import io.flexdb.testing.FilesInUse;
import io.flexdb.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many stores with default options in one JVM: each takes what it uses. */
class FlexDBManyStoresTest {
    private static final long MIB = 1 << 20;
    private static final int STORES = Effort.times(200);
    private static final JvmMemory JVM = new JvmMemory(1024 * MIB, 1024 * MIB, Long.MAX_VALUE); // of a budget of 512

    private final AtomicLong allocated = new AtomicLong();

    @TempDir
    Path root;

    private ByteBuffer allocate(int bytes) {
        allocated.addAndGet(bytes);
        return ByteBuffer.allocateDirect(bytes);
    }

    private FlexDB open(int number) {
        return FlexDB.open(
                new RealVfs(), root.resolve("store" + number), FlexDBOptions.defaults(), false, JVM, this::allocate);
    }

    /** Those with the name of one of the stores here. */
    private long threadsAtWork() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains(root.toString()))
                .count();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private long bytesOnDisk(int number) throws IOException {
        return FilesInUse.bytesBelow(root.resolve("store" + number));
    }

    @Test
    void aStoreThatIsHardlyWrittenToTakesAMebibyteOfMemoryAndOfDisk() throws IOException {
        List<FlexDB> stores = new ArrayList<>();
        try {
            for (int i = 0; i < STORES; i++) {
                FlexDB db = open(i);
                stores.add(db);
                for (int pair = 0; pair < 10; pair++) {
                    db.put(bytes("key" + pair), bytes("value" + i + "." + pair));
                }
            }
            assertTrue(allocated.get() <= STORES * MIB, allocated.get() + " bytes of " + STORES + " stores");
            for (int i = 0; i < STORES; i++) {
                assertTrue(bytesOnDisk(i) <= MIB, bytesOnDisk(i) + " bytes on disk");
                assertArrayEquals(bytes("value" + i + ".7"), stores.get(i).get(bytes("key7")));
            }
            Waiting.whileTrue(() -> threadsAtWork() > 0); // who has nothing to do has none
        } finally {
            stores.forEach(FlexDB::close);
        }
    }

    private static byte[] value(int pair) {
        byte[] value = new byte[1000];
        value[pair % value.length] = 1;
        return value;
    }

    /** Each is written to until memtables have grown, and opened again, while the others go on. */
    @Test
    void storesAreClosedAndOpenedWhileOthersThatShareThreadsWork() throws InterruptedException {
        int pairs = 2000;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] users = new Thread[6];
        for (int i = 0; i < users.length; i++) {
            int number = i;
            users[i] = new Thread(() -> {
                try {
                    for (int round = 0; round < 2; round++) {
                        try (FlexDB db = open(number)) {
                            for (int pair = 0; pair < pairs; pair++) {
                                db.put(bytes("key" + round + "." + pair), value(pair));
                            }
                        }
                    }
                    try (FlexDB db = open(number)) {
                        for (int pair = 0; pair < 2 * pairs; pair++) {
                            byte[] found = db.get(bytes("key" + pair / pairs + "." + pair % pairs));
                            assertArrayEquals(value(pair % pairs), found);
                        }
                    }
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
            users[i].start();
        }
        for (Thread user : users) {
            user.join();
        }
        assertNull(failure.get());
    }
}
