package io.flexdb.internal.read;

import io.flexdb.internal.base.KeyHeads;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Copies of the keys of one request, and their order. For one thread; reused, without garbage once it is large enough. */
final class KeyList {
    private static final int KEPT_KEYS = 1024;
    private static final int KEPT_BYTES = 64 << 10;

    private byte[] bytes = new byte[1024];
    private int[] starts = new int[33]; // of each key, and the end of the last one
    private int[] sorted = new int[32];
    private int[] other = new int[32];
    private int count;

    void clear() {
        count = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[KEPT_BYTES];
        }
        if (sorted.length > KEPT_KEYS) {
            sorted = new int[KEPT_KEYS];
            other = new int[KEPT_KEYS];
            starts = new int[KEPT_KEYS + 1];
        }
    }

    int count() {
        return count;
    }

    /** Adds a key as it is stored. */
    void add(KeyHeads heads, byte[] key) {
        byte[] head = heads.of(key);
        int at = room(head.length + key.length);
        heads.copy(head, key, bytes, at);
    }

    /** Adds the key between position and limit of a buffer, which stay. */
    void add(KeyHeads heads, ByteBuffer key) {
        byte[] head = heads.of(key);
        int at = room(head.length + key.remaining());
        heads.copy(head, key, bytes, at);
    }

    private int room(int length) {
        int at = starts[count];
        int end = Math.addExact(at, length);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(end, 2L * bytes.length)));
        }
        if (count == sorted.length) {
            sorted = Arrays.copyOf(sorted, 2 * count);
            other = new int[2 * count];
            starts = Arrays.copyOf(starts, 2 * count + 1);
        }
        starts[++count] = end;
        return at;
    }

    int length(int key) {
        return starts[key + 1] - starts[key];
    }

    /** Copies a key to the beginning of an array with room for it. */
    void copy(int key, byte[] to) {
        System.arraycopy(bytes, starts[key], to, 0, length(key));
    }

    /** Puts them in order. Takes count steps if they are in order already, else count times its logarithm. */
    void sort() {
        for (int i = 0; i < count; i++) {
            sorted[i] = i;
        }
        for (int run = 1; run < count; run = run > count / 2 ? count : 2 * run) {
            for (int from = 0; from < count; from += 2 * run) {
                merge(from, Math.min(count, from + run), Math.min(count, from + 2 * run));
                if (from > count - 2 * run) {
                    break; // before the sum may overflow
                }
            }
            int[] merged = other;
            other = sorted;
            sorted = merged;
        }
    }

    private void merge(int from, int middle, int to) {
        if (middle == to || compare(sorted[middle - 1], sorted[middle]) <= 0) {
            System.arraycopy(sorted, from, other, from, to - from);
            return;
        }
        int a = from;
        int b = middle;
        for (int at = from; at < to; at++) {
            boolean first = b == to || a < middle && compare(sorted[a], sorted[b]) <= 0;
            other[at] = first ? sorted[a++] : sorted[b++];
        }
    }

    private int compare(int a, int b) {
        return Arrays.compareUnsigned(bytes, starts[a], starts[a + 1], bytes, starts[b], starts[b + 1]);
    }

    /** The key that comes so far in order: its number in the order in which they were added. */
    int inOrder(int place) {
        return sorted[place];
    }
}
