package io.flexdb.internal.tools;

import io.flexdb.internal.base.KeyHeads;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Ranges of keys, as they are stored, in which a salvage has lost pairs. For one thread. */
final class LostKeys {
    private static final byte[] FIRST = {};

    private final TreeMap<byte[], byte[]> ranges = new TreeMap<>(Arrays::compareUnsigned); // begin to end, excluded
    private boolean all;

    /** Adds the keys between two; null stands for the beginning or the end of all. */
    void addBetween(byte[] after, byte[] before) {
        add(after == null ? FIRST : behind(after), before);
    }

    /** Adds one key. */
    void add(byte[] key) {
        add(key, behind(key));
    }

    /** Adds all. */
    void addAll() {
        all = true;
        ranges.clear();
    }

    boolean isEmpty() {
        return !all && ranges.isEmpty();
    }

    private static byte[] behind(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** @param end null for none */
    private void add(byte[] begin, byte[] end) {
        if (all || end != null && Arrays.compareUnsigned(begin, end) >= 0) {
            return;
        }
        if (end == null && begin.length == 0) {
            addAll();
            return;
        }
        byte[] to = end == null ? KeyHeads.LAST : end;
        byte[] from = begin;
        Map.Entry<byte[], byte[]> below = ranges.floorEntry(from);
        if (below != null && Arrays.compareUnsigned(below.getValue(), from) >= 0) {
            from = below.getKey();
        }
        for (Map.Entry<byte[], byte[]> next = ranges.ceilingEntry(from);
                next != null && Arrays.compareUnsigned(next.getKey(), to) <= 0;
                next = ranges.ceilingEntry(from)) {
            to = Arrays.compareUnsigned(next.getValue(), to) > 0 ? next.getValue() : to;
            ranges.remove(next.getKey());
        }
        ranges.put(from, to);
    }

    /** Whether a key is in one of the ranges. */
    boolean contains(byte[] key) {
        Map.Entry<byte[], byte[]> below = all ? null : ranges.floorEntry(key);
        return all || below != null && Arrays.compareUnsigned(key, below.getValue()) < 0;
    }

    /**
     * The ranges of one keyspace, in its own keys.
     *
     * <pre>
     * OFFSET  SIZE  FIELD
     * 0       2     bytes of the keyspace's name; 0 for the default one
     * 2       4     bytes of the first key
     * 6       4     bytes of the key behind the last; -1 for none
     * 10            name in UTF-8, first key, key behind the last
     * </pre>
     *
     * Numbers are big-endian.
     *
     * @param name of the keyspace; empty for the default one
     */
    List<byte[]> of(String name, KeyHeads heads) {
        List<byte[]> found = new ArrayList<>();
        if (all) {
            found.add(encode(name, FIRST, null));
            return found;
        }
        ranges.forEach((begin, end) -> {
            byte[] from = heads.firstKeyFrom(begin);
            byte[] to = heads.firstKeyFrom(end);
            if (from != null && (to == null || Arrays.compareUnsigned(from, to) < 0)) {
                found.add(encode(name, from, to));
            }
        });
        return found;
    }

    private static byte[] encode(String name, byte[] from, byte[] to) {
        byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
        byte[] end = to == null ? new byte[0] : to;
        return ByteBuffer.allocate(Short.BYTES + 2 * Integer.BYTES + encoded.length + from.length + end.length)
                .putShort((short) encoded.length)
                .putInt(from.length)
                .putInt(to == null ? -1 : to.length)
                .put(encoded)
                .put(from)
                .put(end)
                .array();
    }
}
