package io.flexdb.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Translates field names without making garbage for those it has seen. For one thread.
 *
 * <p>The records of a benchmark have the same fields in the same order, so the name at some position is expected to be
 * the one that stood there in the record before.
 */
final class FieldNames {
    private static final int MAX_REMEMBERED = 1024;

    private final Map<String, byte[]> encoded = new HashMap<>();
    private byte[][] expectedBytes = new byte[16][];
    private String[] expectedNames = new String[16];

    /** The UTF-8 bytes of a name; not to be changed. */
    byte[] encode(String name) {
        byte[] bytes = encoded.get(name);
        if (bytes == null) {
            bytes = name.getBytes(StandardCharsets.UTF_8);
            if (encoded.size() < MAX_REMEMBERED) {
                encoded.put(name, bytes);
            }
        }
        return bytes;
    }

    /** The name that stands at {@code start} in a record, as its field number {@code fieldIndex}. */
    String decode(byte[] record, int start, int length, int fieldIndex) {
        if (fieldIndex < expectedBytes.length) {
            byte[] expected = expectedBytes[fieldIndex];
            if (expected != null && Arrays.equals(expected, 0, expected.length, record, start, start + length)) {
                return expectedNames[fieldIndex];
            }
        }
        String name = new String(record, start, length, StandardCharsets.UTF_8);
        remember(fieldIndex, name);
        return name;
    }

    private void remember(int fieldIndex, String name) {
        if (fieldIndex >= MAX_REMEMBERED) {
            return;
        }
        if (fieldIndex >= expectedBytes.length) {
            int capacity = Math.max(fieldIndex + 1, 2 * expectedBytes.length);
            expectedBytes = Arrays.copyOf(expectedBytes, capacity);
            expectedNames = Arrays.copyOf(expectedNames, capacity);
        }
        expectedBytes[fieldIndex] = encode(name);
        expectedNames[fieldIndex] = name;
    }
}
