package io.flexdb.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyHashTest {
    @Test
    void arraysAndBuffersHashAlike() {
        Random random = new Random(1);
        byte[] array = new byte[200];
        random.nextBytes(array);
        ByteBuffer direct = ByteBuffer.allocateDirect(300).order(ByteOrder.LITTLE_ENDIAN);
        direct.put(37, array);
        for (int length = 0; length < 150; length++) {
            for (int offset = 0; offset < 20; offset++) {
                long expected = KeyHash.hash(array, offset, length);
                assertEquals(expected, KeyHash.hash(direct, 37 + offset, length));
            }
        }
    }

    @Test
    void everyByteAndTheLengthCount() {
        for (int length = 0; length < 100; length++) {
            byte[] key = new byte[length];
            Set<Long> hashes = new HashSet<>();
            hashes.add(KeyHash.hash(key, 0, length));
            hashes.add(KeyHash.hash(new byte[length + 1], 0, length + 1));
            for (int i = 0; i < length; i++) {
                key[i] = 1;
                hashes.add(KeyHash.hash(key, 0, length));
                key[i] = 0;
            }
            assertEquals(length + 2, hashes.size(), "length " + length);
        }
    }

    @Test
    void anyBitsOfTheHashSpreadOrdinaryKeys() {
        int keys = 1 << 16;
        for (int shift = 0; shift <= 48; shift += 8) {
            int[] buckets = new int[1 << 10];
            for (int i = 0; i < keys; i++) {
                byte[] key = String.format("user%012d", i).getBytes(StandardCharsets.US_ASCII);
                buckets[(int) (KeyHash.hash(key, 0, key.length) >>> shift) & buckets.length - 1]++;
            }
            double chiSquare = 0;
            double expected = (double) keys / buckets.length;
            for (int count : buckets) {
                chiSquare += (count - expected) * (count - expected) / expected;
            }
            // Mean 1023, deviation 45 for a random function.
            assertTrue(chiSquare > 800 && chiSquare < 1250, "shift " + shift + ": " + chiSquare);
        }
    }
}
