package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pairs of a page and more, put at random places, are written once: a neighbour does not have them written again, or
 * read.
 */
class FlexDBLongPairsTest {
    private static final int PAIRS = 600;

    @ParameterizedTest
    @ValueSource(ints = {4096, 6000, 8192, 12_000})
    void aNewNeighbourDoesNotHaveALongPairWrittenAgain(int valueBytes) {
        Random random = new Random(valueBytes);
        List<byte[]> keys = new ArrayList<>();
        try (FlexDB db =
                StoreDriver.open(new SimulatedVfs(), FlexDBOptions.defaults().withMemtableBytes(256 << 10))) {
            for (int i = 0; i < PAIRS; i++) {
                keys.add(ByteBuffer.allocate(Long.BYTES)
                        .putLong(random.nextLong())
                        .array());
                db.put(keys.get(i), value(keys.get(i), valueBytes));
            }
            db.flush();
            long put = (long) PAIRS * valueBytes;
            long written = db.stats().written().dataBytes();
            assertTrue(written < put + put / 4, () -> put + " bytes of values, but written " + written);
            for (byte[] key : keys) {
                assertArrayEquals(value(key, valueBytes), db.get(key));
            }
        }
    }

    /** However often it was divided before: four digits tell fewer keys apart than four bytes do. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theDirectoryOfAnIntervalIsEnoughToDivideIt(boolean digits) {
        AtomicInteger reads = new AtomicInteger();
        HookedVfs counting = new HookedVfs(new SimulatedVfs(), (kind, path) -> {
            if (kind == HookedVfs.Kind.READ && path.endsWith("data")) {
                reads.incrementAndGet();
            }
        });
        FlexDBOptions options = FlexDBOptions.defaults().withMemtableBytes(256 << 10);
        try (FlexDB db = FlexDB.open(counting, StoreDriver.DIRECTORY, options, false)) {
            Random random = new Random(5);
            for (int i = 0; i < 5 * PAIRS; i++) {
                long number = random.nextLong();
                byte[] key = digits
                        ? String.format(Locale.ROOT, "user%020d", number >>> 1).getBytes(StandardCharsets.UTF_8)
                        : ByteBuffer.allocate(8).putLong(number).array();
                db.put(key, new byte[8192]);
            }
            db.flush();
            assertTrue(reads.get() < PAIRS / 10, reads + " reads for " + 5 * PAIRS + " puts");
            assertTrue(db.check().isSound());
        }
    }

    /** Zeros at the end of a key are not seen in its window; keys that only differ in them need to be read. */
    @Test
    void keysThatDifferLittleAreDividedWhereTheyDiffer() {
        SimulatedVfs vfs = new SimulatedVfs();
        Random random = new Random(6);
        TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
        FlexDBOptions options = FlexDBOptions.defaults().withMemtableBytes(256 << 10);
        FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, options, false);
        for (int i = 0; i < 4 * PAIRS; i++) {
            byte[] key = new byte[1 + random.nextInt(9)];
            for (int at = 0; at < key.length; at++) {
                key[at] = (byte) (random.nextInt(3) - 1);
            }
            byte[] value =
                    ByteBuffer.allocate(1000 + random.nextInt(6000)).putInt(i).array();
            db.put(key, value);
            expected.put(key, value);
            if (i % 1000 == 999) {
                db.flush();
                assertTrue(db.check().isSound());
            }
        }
        db.close();
        db = FlexDB.open(vfs.kill(), StoreDriver.DIRECTORY, options, false);
        assertTrue(db.check().isSound());
        try (FlexCursor cursor = db.cursor()) {
            cursor.seekToFirst();
            for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
                assertArrayEquals(entry.getKey(), cursor.key());
                assertArrayEquals(entry.getValue(), cursor.value());
                assertArrayEquals(entry.getValue(), db.get(entry.getKey()));
                cursor.next();
            }
            assertFalse(cursor.isValid());
        }
        db.close();
    }

    private static byte[] value(byte[] key, int bytes) {
        byte[] value = new byte[bytes];
        new Random(ByteBuffer.wrap(key).getLong()).nextBytes(value);
        return value;
    }
}
