package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32C;

/** Images whose every byte follows from their content number. */
final class Images {
    static final Fingerprints FINGERPRINTS = new Fingerprints();

    private Images() {}

    /** The pairs of an interval: position 0 to the limit. */
    static ByteBuffer pairs(byte[][] keys, byte[][] values) {
        int bytes = 0;
        for (int i = 0; i < keys.length; i++) {
            bytes += RecordFormat.recordBytes(keys[i].length, values[i].length);
        }
        ByteBuffer data = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        for (int i = 0; i < keys.length; i++) {
            ByteBuffer key = ByteBuffer.wrap(keys[i]);
            ByteBuffer value = ByteBuffer.wrap(values[i]);
            at = RecordFormat.write(
                    data, at, key, 0, keys[i].length, value, 0, values[i].length, RecordFormat.NEVER, 0, new CRC32C());
        }
        assertEquals(bytes, at);
        return data;
    }

    /** Bytes of an image. */
    static int bytes(int dataBytes, int pairCount) {
        return Directory.bytes(dataBytes, pairCount) + dataBytes;
    }

    static ByteBuffer build(long content, byte[][] keys, byte[][] values) {
        ByteBuffer data = pairs(keys, values);
        ByteBuffer image =
                ByteBuffer.allocateDirect(bytes(data.capacity(), keys.length)).order(ByteOrder.LITTLE_ENDIAN);
        Directory.build(image, 0, content, keys.length, data, 0, data.capacity(), new CRC32C(), FINGERPRINTS, 0xFFFF);
        return image;
    }

    /** An image the directory of which has up to about {@code maxBytes}. */
    static ByteBuffer of(long content, int maxBytes) {
        Random random = new Random(content);
        int count = 1 + random.nextInt(maxBytes / 12 + 1);
        byte[][] keys = new byte[count][];
        byte[][] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            keys[i] =
                    ByteBuffer.allocate(10).putLong(content).putShort((short) i).array();
            values[i] = new byte[random.nextInt(3)];
        }
        return build(content, keys, values);
    }

    /** Compares the directory at a place, which may have been dropped meanwhile, with that of an image. */
    static void assertIs(ByteBuffer expected, ByteBuffer directory, int base) {
        int pairs = Directory.pairCount(expected, 0);
        assertEquals(pairs, Directory.pairCount(directory, base));
        assertEquals(Directory.dataBytes(expected, 0), Directory.dataBytes(directory, base));
        assertEquals(Directory.skipped(expected, 0), Directory.skipped(directory, base));
        for (int i = 0; i < pairs; i++) {
            assertEquals(Directory.fingerprint(expected, 0, i), Directory.fingerprint(directory, base, i));
            assertEquals(Directory.relativePosition(expected, 0, i), Directory.relativePosition(directory, base, i));
            assertEquals(Directory.address(expected, 0, i), Directory.address(directory, base, i));
            assertEquals(Directory.checksum(expected, 0, i), Directory.checksum(directory, base, i));
            assertEquals(Directory.window(expected, 0, i), Directory.window(directory, base, i));
        }
    }

    /** Compares the outline that a cache has of a content with the directory of an image. */
    static void assertIsOutline(ByteBuffer expected, IntervalCache cache, long content) {
        long location = cache.find(content, 0);
        assertEquals(-1, cache.findDirectory(content, 0));
        assertIsOutline(expected, cache.buffer(location), cache.base(location));
    }

    static void assertIsOutline(ByteBuffer expected, ByteBuffer outline, int base) {
        int pairs = Directory.pairCount(expected, 0);
        assertTrue(Directory.isOutline(outline, base));
        assertEquals(pairs, Directory.pairCount(outline, base));
        for (int i = 0; i < pairs; i++) {
            assertEquals(Directory.fingerprint(expected, 0, i), Directory.fingerprint(outline, base, i));
            assertEquals(Directory.recordBytes(expected, 0, i), Directory.recordBytes(outline, base, i));
            assertEquals(Directory.relativePosition(expected, 0, i), Directory.relativePosition(outline, base, i));
        }
    }
}
