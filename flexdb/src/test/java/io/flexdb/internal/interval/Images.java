package io.flexdb.internal.interval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.internal.base.Fingerprints;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.base.Records;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** Directories whose every byte follows from their content number. */
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
            at = Records.write(data, at, keys[i], values[i]);
        }
        assertEquals(bytes, at);
        return data;
    }

    static ByteBuffer build(long content, byte[][] keys, byte[][] values) {
        ByteBuffer data = pairs(keys, values);
        ByteBuffer to = ByteBuffer.allocateDirect(Directory.bytes(data.capacity(), keys.length))
                .order(ByteOrder.LITTLE_ENDIAN);
        write(to, 0, content, keys, data);
        return to;
    }

    /** Writes the directory of these pairs. */
    static void write(ByteBuffer to, int base, long content, byte[][] keys, ByteBuffer data) {
        DirectoryBuilder builder = new DirectoryBuilder();
        builder.ensure(keys.length);
        int skipped = skipped(keys);
        for (int at = 0; at < data.capacity(); ) {
            long header = RecordFormat.header(data, at);
            builder.add(data, at, header, FINGERPRINTS, skipped);
            at += RecordFormat.recordBytes(header);
        }
        builder.write(to, base, content, 0, keys.length, skipped);
    }

    /** How many bytes all these keys begin with in common. */
    static int skipped(byte[][] keys) {
        if (keys.length == 0) {
            return 0;
        }
        byte[] last = keys[keys.length - 1];
        int difference = Arrays.mismatch(keys[0], last);
        return difference < 0 ? last.length : difference;
    }

    /** A directory that has up to about {@code maxBytes}. */
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

    /** Compares the directory at a place, which may have been dropped meanwhile, with another. */
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

    /** Compares the outline that a cache has of a content with a directory. */
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
