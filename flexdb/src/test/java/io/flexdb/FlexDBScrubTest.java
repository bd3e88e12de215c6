package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scrub of a space under a store. */
@Timeout(60)
class FlexDBScrubTest {
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space/data");
    private static final FlexDBOptions SCRUBBED =
            StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withScrubBytesPerSecond(1 << 30));

    private static FlexDB open(SimulatedVfs vfs) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, SCRUBBED, false);
    }

    private static byte[] key(int i) {
        return String.format("%08d", i * 7919 % 10_000).getBytes();
    }

    private static void awaitPass(FlexDB db) {
        while (db.stats().scrubPasses() == 0) {
            LockSupport.parkNanos(100_000);
        }
    }

    private static long scrubThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("flexdb-scrub"))
                .count();
    }

    @Test
    void damageIsFoundAndTheStoreGoesOn() {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            for (int i = 0; i < 3000; i++) {
                db.put(key(i), new byte[100]);
            }
            assertEquals(0, scrubThreads());
        }
        byte[] data = vfs.content(DATA);
        data[4096 + 3 * 512 + 7] ^= 1; // of the first segment
        vfs.setContent(DATA, data);
        try (FlexDB db = open(vfs)) {
            awaitPass(db);
            assertEquals(1, db.stats().scrubFindings());
            assertTrue(db.stats().scrubbedBytes() >= 5 * 64 * 512, () -> "" + db.stats());
            db.put(key(1), new byte[] {1});
            assertArrayEquals(new byte[] {1}, db.get(key(1)));
        }
        assertEquals(0, scrubThreads());
    }

    @Test
    void nothingIsFoundBesideTheCommitter() {
        SimulatedVfs vfs = new SimulatedVfs();
        long passes = 0;
        for (int life = 0; life < 20; life++) {
            try (FlexDB db = open(vfs)) {
                for (int i = 0; i < 1500; i++) {
                    db.put(key(i), new byte[60 + life]);
                }
                assertEquals(0, db.stats().scrubFindings());
                passes += db.stats().scrubPasses();
            }
            assertEquals(0, scrubThreads());
        }
        assertTrue(passes > 0);
    }
}
