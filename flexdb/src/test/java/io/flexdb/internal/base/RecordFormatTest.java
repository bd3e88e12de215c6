package io.flexdb.internal.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
    private static final CRC32C CRC = new CRC32C();

    private static ByteBuffer buffer(int... bytes) {
        ByteBuffer buffer = ByteBuffer.allocate(bytes.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < bytes.length; i++) {
            buffer.put(i, (byte) bytes[i]);
        }
        return buffer;
    }

    @Property
    void aNumberIsReadAsItWasWrittenAndTakesNoByteTooMany(@ForAll @IntRange(max = Integer.MAX_VALUE) int number) {
        ByteBuffer buffer = ByteBuffer.allocate(Varints.MAX_BYTES);
        byte[] array = new byte[Varints.MAX_BYTES];
        int end = Varints.write(buffer, 0, number);
        assertEquals(end, Varints.write(array, 0, number));
        assertArrayEquals(buffer.array(), array);
        assertEquals(end, Varints.bytes(number));
        assertEquals((long) end << 32 | number, Varints.read(buffer, 0, end));
        assertEquals(Varints.BAD, Varints.read(buffer, 0, end - 1));
    }

    @Test
    void theLengthsOfVarintsChangeAtPowersOf128() {
        assertEquals(1, Varints.bytes(0));
        assertEquals(1, Varints.bytes(127));
        assertEquals(2, Varints.bytes(128));
        assertEquals(2, Varints.bytes(16_383));
        assertEquals(3, Varints.bytes(16_384));
        assertEquals(3, Varints.bytes(RecordFormat.MAX_KEY_BYTES));
        assertEquals(5, Varints.bytes(RecordFormat.MAX_VALUE_BYTES));
        assertEquals(5, Varints.bytes(Integer.MAX_VALUE));
    }

    @Test
    void varintsThatAreTooLargeOrTooLongAreBad() {
        assertEquals(Varints.BAD, Varints.read(buffer(0x80, 0x80, 0x80, 0x80, 0x08), 0, 5));
        assertEquals(Varints.BAD, Varints.read(buffer(0xff, 0xff, 0xff, 0xff, 0xff, 0x01), 0, 6));
        assertEquals(Varints.BAD, Varints.read(buffer(0x81, 0x00), 0, 2));
        assertEquals(Varints.BAD, Varints.read(buffer(0x81), 0, 1));
        assertEquals(Varints.BAD, Varints.read(buffer(), 0, 0));
        assertEquals(1L << 32, Varints.read(buffer(0x00), 0, 1));
    }

    @Property
    void aRecordIsReadAsItWasWritten(
            @ForAll @Size(min = 1, max = 300) byte[] key,
            @ForAll @Size(max = 300) byte[] value,
            @ForAll @LongRange(max = Long.MAX_VALUE - 1) long time,
            @ForAll @LongRange(min = 1) long sequence,
            @ForAll @IntRange(max = 3) int flags) {
        long expiry = (flags & 1) == 0 ? RecordFormat.NEVER : time;
        long merged = (flags & 2) == 0 ? 0 : sequence;
        int bytes = RecordFormat.recordBytes(key.length, value.length, expiry, merged);
        int plain = RecordFormat.recordBytes(key.length, value.length);
        assertEquals(plain + (flags == 0 ? 0 : flags == 3 ? 18 : 10), bytes);
        ByteBuffer buffer = ByteBuffer.allocate(bytes + 5).order(ByteOrder.LITTLE_ENDIAN);
        RecordHead head = new RecordHead(key.length, value.length, expiry, merged, false);
        assertEquals(bytes, head.recordBytes());
        assertEquals(5 + bytes, Records.write(buffer, 5, head, key, value));
        assertTrue(RecordFormat.isSound(buffer, 5, bytes, CRC));
        long header = RecordFormat.readWhole(buffer, 5, 5 + bytes);
        assertTrue(header >= 0);
        assertEquals(flags != 0, RecordFormat.isExtended(header));
        assertEquals(expiry, RecordFormat.expiry(buffer, 5, header));
        assertEquals(merged, RecordFormat.mergedThrough(buffer, 5, header));
        assertEquals(key.length, RecordFormat.keyLength(header));
        assertEquals(value.length, RecordFormat.valueLength(header));
        assertEquals(bytes, RecordFormat.recordBytes(header));
        int at = 5 + RecordFormat.headerBytes(header);
        assertArrayEquals(key, Arrays.copyOfRange(buffer.array(), at, at + key.length));
        assertArrayEquals(value, Arrays.copyOfRange(buffer.array(), at + key.length, 5 + bytes));
        for (int limit = 5; limit < 5 + bytes; limit++) {
            assertEquals(RecordFormat.BAD, RecordFormat.readWhole(buffer, 5, limit));
        }
        RecordFormat.seal(buffer.putInt(5, 0), 5, bytes, CRC);
        assertTrue(RecordFormat.isSound(buffer, 5, bytes, CRC));
        assertEquals(0, buffer.position());
        assertEquals(bytes + 5, buffer.limit());
    }

    @Test
    void theLargestLengthsAreReadAndLargerOnesAreBad() {
        ByteBuffer buffer = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        int end = RecordFormat.writeHeader(buffer, 0, RecordFormat.MAX_KEY_BYTES, RecordFormat.MAX_VALUE_BYTES);
        assertEquals(12, end);
        long header = RecordFormat.readHeader(buffer, 0, end);
        assertEquals(RecordFormat.MAX_KEY_BYTES, RecordFormat.keyLength(header));
        assertEquals(RecordFormat.MAX_VALUE_BYTES, RecordFormat.valueLength(header));
        assertEquals(12 + RecordFormat.MAX_KEY_BYTES + RecordFormat.MAX_VALUE_BYTES, RecordFormat.recordBytes(header));
        assertEquals(RecordFormat.BAD, RecordFormat.readWhole(buffer, 0, 16));
        Varints.write(buffer, Varints.write(buffer, 4, RecordFormat.MAX_KEY_BYTES + 1), 1);
        assertEquals(RecordFormat.BAD, RecordFormat.readHeader(buffer, 0, 16));
        Varints.write(buffer, Varints.write(buffer, 4, 1), RecordFormat.MAX_VALUE_BYTES + 1);
        assertEquals(RecordFormat.BAD, RecordFormat.readHeader(buffer, 0, 16));
    }

    @Test
    void flagsThatNobodyKnowsAreTold() {
        for (int flags = 0; flags < 256; flags++) {
            ByteBuffer buffer = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
            buffer.putShort(4, (short) (flags << 8));
            buffer.put(4 + 2 + 8 * Integer.bitCount(flags & 3), (byte) 1);
            long header = RecordFormat.readWhole(buffer, 0, 40);
            assertEquals(flags >= 1 && flags <= 7, header >= 0, "flags " + flags);
            if (flags > 7) {
                assertEquals("one with flags that this release does not know", RecordFormat.found(header));
            } else if (flags == 0) {
                assertEquals(RecordFormat.BAD, header);
            }
        }
    }

    @Test
    void aRecordInWhichOperandsWaitSaysSo() {
        ByteBuffer buffer = ByteBuffer.allocate(60).order(ByteOrder.LITTLE_ENDIAN);
        byte[] key = {7, 8};
        byte[] list = {1, 2, 3};
        CRC32C crc = new CRC32C();
        for (long expiry : new long[] {RecordFormat.NEVER, 5}) {
            for (long through : new long[] {0, 9}) {
                int end = Records.write(buffer, 3, new RecordHead(2, 3, expiry, through, true), key, list);
                assertEquals(RecordFormat.waitingBytes(2, 3, expiry, through), end - 3);
                long header = RecordFormat.readWhole(buffer, 3, end);
                assertTrue(RecordFormat.hasWaiting(header));
                assertTrue(RecordFormat.isSound(buffer, 3, end - 3, crc));
                assertEquals(3, RecordFormat.valueLength(header));
                assertEquals(expiry, RecordFormat.expiry(buffer, 3, header));
                assertEquals(through, RecordFormat.mergedThrough(buffer, 3, header));
                Records.write(buffer, 3, new RecordHead(2, 3, expiry, through, false), key, list);
                assertEquals(false, RecordFormat.hasWaiting(RecordFormat.readHeader(buffer, 3, 60)));
            }
        }
    }

    @Property
    void anyBytesAreARecordWithinTheLimitOrBad(@ForAll @Size(max = 20) byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long header = RecordFormat.readWhole(buffer, 0, bytes.length);
        assertTrue(header < 0 || RecordFormat.recordBytes(header) <= bytes.length);
    }
}
