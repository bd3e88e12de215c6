package io.flexdb.internal.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.internal.base.BadRecordException;
import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Records;
import io.flexdb.internal.interval.Directory;
import io.flexdb.internal.interval.Interval;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class PairsTest {
    private static final int BYTES = 4096;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final Pairs pairs = new Pairs(null, new ReadContext(new OffHeap(), OffHeap.Use.READS), null);
    private int end;

    private void write(int key, int valueBytes) {
        end = Records.write(memory, end, key(key), new byte[valueBytes]);
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
    void manyPairsAreCountedAsTheyAreTaken() {
        for (int i = 0; i < 300; i++) {
            write(i, i % 3);
        }
        pairs.take(memory, end, Interval.UNKNOWN_PAIRS, crc);
        assertEquals(300, pairs.count());
        for (int i = 0; i < 300; i++) {
            assertEquals(i, pairs.find(key(i), 2));
            assertEquals(0, pairs.compare(key(i), 2, i));
        }
        assertEquals(-1, pairs.find(key(300), 2));
        assertEquals(-1, pairs.find(key(7), 1));
    }

    @Test
    void theirDirectoryIsMadeBehindThem() {
        writeEven(17);
        Fingerprints fingerprints = new Fingerprints();
        for (int maxSkipped = 0; maxSkipped < 3; maxSkipped++) {
            pairs.take(memory, end, 17, crc);
            int base = pairs.makeDirectory(fingerprints, 5, maxSkipped);
            ByteBuffer made = pairs.memory();
            assertEquals(end, base);
            assertEquals(memory.slice(0, end), made.slice(0, end));
            assertEquals(5, Directory.contentNumber(made, base));
            assertEquals(17, Directory.pairCount(made, base));
            assertEquals(end, Directory.dataBytes(made, base));
            assertEquals(Math.min(1, maxSkipped), Directory.skipped(made, base)); // the first byte is 0 everywhere
            for (int i = 0; i < 17; i++) {
                assertEquals(pairs.position(i), Directory.relativePosition(made, base, i));
                assertEquals(i, Directory.candidate(made, base, fingerprints.of(key(2 * i), 2), i));
                assertEquals(RecordFormat.checksum(made, pairs.position(i)), Directory.checksum(made, base, i));
            }
        }
    }

    private int positionOfRefusal(int count) {
        BadRecordException e = assertThrows(BadRecordException.class, () -> pairs.take(memory, end, count, crc));
        assertTrue(e.getMessage().contains(e.expected()) && e.getMessage().contains(e.found()));
        return (int) e.position();
    }

    private void writeAll(int... keys) {
        end = 0;
        for (int key : keys) {
            write(key, 1);
        }
    }

    @Test
    void pairsOutOfOrderOrTooManyOrTooFewAreRefusedWithTheirPosition() {
        int each = RecordFormat.recordBytes(2, 1);
        writeAll(1, 3, 2);
        assertEquals(2 * each, positionOfRefusal(3));
        assertEquals(2 * each, positionOfRefusal(Interval.UNKNOWN_PAIRS));
        writeAll(1, 1, 2);
        assertEquals(each, positionOfRefusal(3));
        writeAll(1, 2, 3);
        assertEquals(0, positionOfRefusal(0));
        assertEquals(2 * each, positionOfRefusal(2));
        assertEquals(3 * each, positionOfRefusal(4));
    }

    @Test
    void aPairWithAWrongByteIsRefusedWithItsPosition() {
        writeAll(1, 2);
        int second = RecordFormat.recordBytes(2, 1);
        for (int i = 0; i < end; i++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                memory.put(i, (byte) (memory.get(i) ^ 1 << bit));
                assertEquals(i < second ? 0 : second, positionOfRefusal(2));
                memory.put(i, (byte) (memory.get(i) ^ 1 << bit));
            }
        }
    }

    @Test
    void damagedBytesAreRefusedOrAreOtherPairsButNeverReadBeyondTheirEnd() {
        long seed = Long.getLong("flexdb.test.seed", System.nanoTime());
        Random random = new Random(seed);
        writeAll(1, 0x105, 0x200, 0x404);
        write(0x405, 200);
        for (int i = 0; i < 20_000; i++) {
            // Exactly as large as the data, so that a read beyond it would throw something else.
            int bytes = random.nextInt(4) == 0 ? random.nextInt(end + 1) : end;
            ByteBuffer data = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
            data.put(0, memory, 0, bytes);
            for (int n = random.nextInt(4); n > 0 && bytes > 0; n--) {
                data.put(random.nextInt(bytes), (byte) random.nextInt(256));
            }
            try {
                pairs.take(data, bytes, Interval.UNKNOWN_PAIRS, crc);
                assertEquals(bytes, bytes == 0 ? pairs.count() : pairs.bytes(0, pairs.count()), "seed " + seed);
            } catch (BadRecordException expected) {
                assertTrue(expected.position() >= 0 && expected.position() <= bytes, "seed " + seed);
            }
        }
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
