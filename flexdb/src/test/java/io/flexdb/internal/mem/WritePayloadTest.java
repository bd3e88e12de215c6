package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class WritePayloadTest {
    @Test
    void entriesAreReadAsTheyWereWritten() {
        int[] lengths = {0, 1, 127, 128, 16_383, 16_384, 65_535};
        Payloads payload = new Payloads();
        for (int keyLength : lengths) {
            for (int valueLength : lengths) {
                payload.clear().put(new byte[keyLength], new byte[valueLength]).delete(new byte[keyLength]);
                assertEquals(
                        WritePayload.putBytes(keyLength, valueLength) + WritePayload.deleteBytes(keyLength),
                        payload.length());
                PayloadReader reader = new PayloadReader().reset(payload.bytes(), 0, payload.length());
                assertTrue(reader.next());
                assertEquals(WritePayload.PUT, reader.type());
                assertEquals(keyLength, reader.keyLength());
                assertEquals(valueLength, reader.valueLength());
                assertTrue(reader.next());
                assertEquals(WritePayload.DELETE, reader.type());
                assertEquals(keyLength, reader.keyLength());
                assertEquals(0, reader.valueLength());
                assertFalse(reader.next());
            }
        }
        assertEquals(1 + 3 + 5 + 65_535 + (1L << 30), WritePayload.putBytes(65_535, 1 << 30));
    }

    @Test
    void bytesThatAreNoEntryAreRefused() {
        assertMalformed(0, 1, 1);
        assertMalformed(3, 1, 1);
        assertMalformed(6, 1, 1, 'k', 'v', 0, 0, 0, 0, 0, 0, 0, 0);
        assertMalformed(4, 1, 1, 'k', 'v', 0, 0, 0, 0, 0, 0, 0); // a time of seven bytes
        assertMalformed(5, 1, 1, 'k', 'v');
        assertMalformed(1);
        assertMalformed(2, 0x80);
        assertMalformed(2, 5, 1, 2, 3, 4);
        assertMalformed(1, 1, 4, 'k', 1, 2, 3);
        assertMalformed(2, 0x80, 0x80, 0x04); // a key of 64 KiB
        assertMalformed(1, 0, 0x81, 0x80, 0x80, 0x80, 0x04); // a value of more than 1 GiB
        assertMalformed(1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f); // a negative length
        assertMalformed(1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
    }

    @Test
    void noBytesLeadThePayloadReaderAstray() {
        Random random = new Random(5);
        PayloadReader reader = new PayloadReader();
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[1 + random.nextInt(30)];
            random.nextBytes(bytes);
            bytes[0] = (byte) (1 + random.nextInt(5));
            try {
                reader.reset(bytes, 0, bytes.length);
                while (reader.next()) {
                    assertTrue(reader.keyIndex() + reader.keyLength() + reader.tailLength() <= bytes.length);
                }
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().startsWith("no entry of a write at index "), e.getMessage());
            }
        }
    }

    private static void assertMalformed(int... bytes) {
        byte[] payload = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            payload[i] = (byte) bytes[i];
        }
        PayloadReader reader = new PayloadReader().reset(payload, 0, payload.length);
        assertThrows(IllegalArgumentException.class, reader::next);
    }
}
