package io.flexdb.internal.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.internal.keys.RecordFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Images whose every byte follows from their content number. */
final class Images {
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
            at = RecordFormat.write(data, at, keys[i], 0, keys[i].length, values[i], 0, values[i].length);
        }
        assertEquals(bytes, at);
        return data;
    }

    static ByteBuffer build(long content, byte[][] keys, byte[][] values) {
        ByteBuffer data = pairs(keys, values);
        ByteBuffer image = ByteBuffer.allocateDirect(IntervalFormat.imageBytes(data.capacity(), keys.length))
                .order(ByteOrder.LITTLE_ENDIAN);
        IntervalFormat.build(image, 0, content, keys.length, data, 0, data.capacity());
        return image;
    }

    /** An image with one to sixteen pairs of up to {@code maxValueBytes}, all of it random but for the content. */
    static ByteBuffer of(long content, int maxValueBytes) {
        Random random = new Random(content);
        int count = 1 + random.nextInt(16);
        byte[][] keys = new byte[count][];
        byte[][] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            keys[i] = ("key" + content + "-" + (char) ('a' + i)).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            values[i] = new byte[random.nextInt(maxValueBytes + 1)];
            random.nextBytes(values[i]);
        }
        return build(content, keys, values);
    }

    /** Compares the image at a place with what it should be. */
    static void assertIs(ByteBuffer expected, ByteBuffer image, int base) {
        int bytes = expected.capacity();
        assertEquals(bytes, IntervalFormat.imageBytes(image, base));
        assertEquals(
                -1,
                expected.duplicate().mismatch(image.duplicate().position(base).limit(base + bytes)));
    }
}
