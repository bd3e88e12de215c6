package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pairs of a page and more, put at random places, are written once: a neighbour does not have them written again. */
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

    private static byte[] value(byte[] key, int bytes) {
        byte[] value = new byte[bytes];
        new Random(ByteBuffer.wrap(key).getLong()).nextBytes(value);
        return value;
    }
}
