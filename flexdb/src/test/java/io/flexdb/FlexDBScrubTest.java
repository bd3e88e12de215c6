package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.testing.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The scrub of a space under a store. */
class FlexDBScrubTest {
    private static final int SEGMENT = 64 * 512;
    private static final Path DATA = StoreDriver.DIRECTORY.resolve("space/data");
    private static final FlexDBOptions SCRUBBED =
            StoreDriver.SMALL.withSpace(StoreDriver.SMALL.space().withScrubBytesPerSecond(1 << 30));

    private static FlexDB open(SimulatedVfs vfs) {
        return FlexDB.open(vfs, StoreDriver.DIRECTORY, SCRUBBED, false);
    }

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "%08d", i * 7919 % 10_000).getBytes(StandardCharsets.UTF_8);
    }

    private static void awaitPass(FlexDB db) {
        Waiting.whileTrue(() -> db.stats().scrub().passes() == 0);
    }

    private static long scrubThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("flexdb-scrub"))
                .count();
    }

    @Test
    void damageIsFoundInEachSegment() {
        SimulatedVfs vfs = new SimulatedVfs();
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, StoreDriver.SMALL, false)) {
            for (int i = 0; i < 3000; i++) {
                db.put(key(i), new byte[100]);
            }
            assertEquals(0, scrubThreads());
        }
        byte[] data = vfs.content(DATA);
        for (int at = 4096 + 3 * 512; at < data.length; at += SEGMENT) {
            data[at] ^= 1; // some of the segments may be free
        }
        vfs.setContent(DATA, data);
        try (FlexDB db = open(vfs)) {
            awaitPass(db);
            FlexDBStats stats = db.stats();
            int inUse = stats.space().segments() - stats.space().freeSegments();
            assertTrue(inUse > 5, stats::toString);
            // All of them, but for the open one, if there is one.
            assertTrue(stats.scrub().findings() == inUse || stats.scrub().findings() == inUse - 1, stats::toString);
            assertEquals(stats.scrub().findings() * SEGMENT, stats.scrub().bytes());
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
                assertEquals(0, db.stats().scrub().findings());
                passes += db.stats().scrub().passes();
            }
            assertEquals(0, scrubThreads());
        }
        assertTrue(passes > 0);
    }
}
