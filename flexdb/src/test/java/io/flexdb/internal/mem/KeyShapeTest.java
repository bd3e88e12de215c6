package io.flexdb.internal.mem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.testing.Effort;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class KeyShapeTest {
    private static final String[] ALPHABETS = {
        "0123456789", "01", "abcdefghijklmnopqrstuvwxyz", "0123456789abcdef", "ABCDEFG", " .:/-_", "xyz09AZ", "\0\1\177"
    };

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static List<byte[]> sample(String format, int count) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(bytes(String.format(Locale.ROOT, format, i * 7)));
        }
        return keys;
    }

    @Test
    void digitsTakeFourBitsAndWhatAllHaveNone() {
        KeyShape shape = new KeyShape(sample("user/%012d", 200), 64);
        assertTrue(shape.toString().startsWith("12:4 13:4 14:4 15:4 16:4 17:8"), shape.toString()); // 12 may change
        byte[] key = bytes("user/000000001399");
        assertEquals(0x01399L << 44, shape.number(key, 0, key.length));
    }

    @Test
    void aFewKeysTellNoKinds() {
        KeyShape shape = new KeyShape(sample("user/%012d", 20), 64);
        assertTrue(shape.toString().startsWith("13:8 14:8 15:8 16:8"), shape.toString());
    }

    @Test
    void ofAnyKeysItTakesTheFirstBytes() {
        byte[] key = bytes("0123456789");
        assertEquals(0x3031323334353637L, new KeyShape(List.of(), 64).number(key, 0, key.length));
        assertEquals(0x30313233343536L, new KeyShape(List.of(), 56).number(key, 0, key.length));
        assertEquals(0x3400_0000_0000_0000L, new KeyShape(List.of(), 64).number(key, 4, 1));
    }

    @Test
    void keysThatLookDifferentAreBelowOrAboveThoseThatBeginLikeThem() {
        KeyShape shape = new KeyShape(sample("user/%012d", 200), 64);
        long least = shape.number(bytes("user/000000000000"), 0, 17);
        assertEquals(0, Long.compareUnsigned(0, shape.number(bytes("use"), 0, 3)));
        assertEquals(-1, shape.number(bytes("uses/000000000000"), 0, 17));
        assertTrue(Long.compareUnsigned(shape.number(bytes("user/00000000a"), 0, 14), least) > 0);
    }

    @Test
    void ofTwoKeysTheLesserNeverHasTheGreaterNumber() {
        for (int seed = 1; seed <= Effort.times(1000); seed++) {
            Random random = new Random(seed);
            String[] parts = new String[1 + random.nextInt(4)];
            Arrays.setAll(parts, i -> ALPHABETS[random.nextInt(ALPHABETS.length)]);
            List<byte[]> sample = new ArrayList<>();
            for (int i = random.nextInt(300); i > 0; i--) {
                sample.add(like(parts, random, 0));
            }
            KeyShape shape = new KeyShape(sample, random.nextBoolean() ? 64 : 56);
            TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
            for (int i = 0; i < 200; i++) {
                keys.add(like(parts, random, random.nextInt(3)));
            }
            byte[] last = null;
            for (byte[] key : keys) {
                if (last != null) {
                    long a = shape.number(last, 0, last.length);
                    long b = shape.number(key, 0, key.length);
                    assertTrue(
                            Long.compareUnsigned(a, b) <= 0,
                            HexFormat.of().formatHex(last) + " and "
                                    + HexFormat.of().formatHex(key) + " by " + shape + ", seed " + seed);
                }
                last = key;
            }
        }
    }

    /** Some bytes of each part, of which a few are others, or missing. */
    private static byte[] like(String[] parts, Random random, int others) {
        StringBuilder key = new StringBuilder();
        for (String part : parts) {
            for (int i = 0; i < 3; i++) {
                key.append(part.charAt(random.nextInt(part.length())));
            }
        }
        byte[] bytes = bytes(key.toString());
        for (int i = 0; i < others; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return random.nextInt(5) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
    }
}
