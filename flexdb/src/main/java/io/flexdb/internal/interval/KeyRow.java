package io.flexdb.internal.interval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keys, one behind the other, in a few large arrays. For one thread at a time. */
final class KeyRow {
    private static final int CHUNK_SHIFT = 20;
    private static final int CHUNK_BYTES = 1 << CHUNK_SHIFT;

    private final List<byte[]> chunks = new ArrayList<>();
    private long end; // of the last key
    private long[] ends = new long[64]; // of each key; it begins where the one before it ends, or the next chunk does
    private int count;

    int count() {
        return count;
    }

    /** Adds a key, which is copied. */
    void add(byte[] key, int from, int length) {
        long start = end;
        if (chunks.isEmpty() || CHUNK_BYTES - (int) (end & CHUNK_BYTES - 1) < length || (end & CHUNK_BYTES - 1) == 0) {
            start = (long) chunks.size() << CHUNK_SHIFT;
            chunks.add(new byte[CHUNK_BYTES]);
        }
        System.arraycopy(key, from, chunks.get((int) (start >>> CHUNK_SHIFT)), (int) start & CHUNK_BYTES - 1, length);
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, 2 * count);
        }
        end = start + length;
        ends[count++] = end;
    }

    /** Lets go of room for more; none is added any more. */
    void trim() {
        ends = Arrays.copyOf(ends, count);
        if (!chunks.isEmpty()) {
            int last = chunks.size() - 1;
            chunks.set(last, Arrays.copyOf(chunks.get(last), (int) (end - ((long) last << CHUNK_SHIFT))));
        }
    }

    /** A copy of a key. */
    byte[] get(int number) {
        long last = ends[number] - 1; // no key is empty
        int chunk = (int) (last >>> CHUNK_SHIFT);
        long chunkStart = (long) chunk << CHUNK_SHIFT;
        int from = number == 0 ? 0 : (int) Math.max(0, ends[number - 1] - chunkStart);
        return Arrays.copyOfRange(chunks.get(chunk), from, (int) (ends[number] - chunkStart));
    }

    /** Bytes of all keys, and of gaps between them. */
    long bytes() {
        return end;
    }
}
