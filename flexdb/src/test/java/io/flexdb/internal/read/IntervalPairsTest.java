package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class IntervalPairsTest {
    private static final int BYTES = 4096;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final IntervalPairs pairs = new IntervalPairs(null, null, null);
    private int end;

    private void write(int key, int valueBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(valueBytes + 2).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(0, Short.reverseBytes((short) key));
        end = RecordFormat.write(memory, end, bytes, 0, 2, bytes, 2, valueBytes, RecordFormat.NEVER, 0, crc);
    }

    private void writeEven(int count) {
        for (int i = 0; i < count; i++) {
            write(2 * i, i * 20);
        }
    }

    private static byte[] key(int key) {
        return new byte[] {(byte) (key >> 8), (byte) key};
    }

    @Test
    void pairsAreWhereTheyWereWrittenAndAreFoundByTheirKeys() {
        writeEven(17);
        pairs.take(memory, end, 17, crc);
        assertEquals(17, pairs.count());
        int at = 0;
        for (int i = 0; i < 17; i++) {
            assertEquals(at, pairs.position(i));
            long header = pairs.header(at);
            assertEquals(2, RecordFormat.keyLength(header));
            assertEquals(i * 20, RecordFormat.valueLength(header));
            at += RecordFormat.recordBytes(header);
            assertEquals(i, pairs.lowerBound(key(2 * i), 2));
            assertEquals(i + 1, pairs.upperBound(key(2 * i), 2));
            assertEquals(i + 1, pairs.lowerBound(key(2 * i + 1), 2));
            assertEquals(i + 1, pairs.upperBound(key(2 * i + 1), 2));
        }
        pairs.clear();
        assertEquals(0, pairs.count());
        assertEquals(0, pairs.lowerBound(key(5), 2));
    }

    @Test
    void bytesThatAreNotThesePairsAreRefusedAndNoneAreHeldThen() {
        writeEven(9);
        for (int i = 0; i < end; i++) {
            memory.put(i, (byte) (memory.get(i) ^ 0x10));
            assertBad(9);
            memory.put(i, (byte) (memory.get(i) ^ 0x10));
        }
        assertBad(8);
        assertBad(10);
        end -= 3;
        assertBad(9);
        end += 3;
        write(16, 4); // a key again
        assertBad(10);
        end = 0;
        writeEven(9);
        write(3, 4); // a key below the one before
        assertBad(10);
    }

    private void assertBad(int count) {
        assertThrows(BadRecordException.class, () -> pairs.take(memory, end, count, crc));
        assertEquals(0, pairs.count());
    }
}
