package io.flexdb.internal.interval;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Entries of a node, or of several to be, outside of any node: the scratch space of a split. Four columns that grow as
 * one, so not a list of a library for each of them.
 */
final class EntryList {
    // Of a leaf: end, content word, hint, ref. Of an internal node: childStart, nothing, child, ref.
    long[] offset = new long[128];
    long[] content = new long[128];
    int[] number = new int[128];
    int[] ref = new int[128];
    int count;

    void clear() {
        count = 0;
    }

    void add(long offset, long content, int number, int ref) {
        if (count == this.offset.length) {
            this.offset = Arrays.copyOf(this.offset, 2 * count);
            this.content = Arrays.copyOf(this.content, 2 * count);
            this.number = Arrays.copyOf(this.number, 2 * count);
            this.ref = Arrays.copyOf(this.ref, 2 * count);
        }
        this.offset[count] = offset;
        this.content[count] = content;
        this.number[count] = number;
        this.ref[count] = ref;
        count++;
    }

    void addFrom(ByteBuffer b, int base, int from, int to) {
        int level = IndexNodes.level(b, base);
        for (int i = from; i < to; i++) {
            int ref = IndexNodes.ref(b, base, level, i);
            if (level == 0) {
                add(IndexNodes.end(b, base, i), IndexNodes.contentWord(b, base, i), IndexNodes.hint(b, base, i), ref);
            } else {
                add(IndexNodes.childStart(b, base, i), 0, IndexNodes.child(b, base, i), ref);
            }
        }
    }

    /** Where an entry starts, relative to what the offsets are relative to. */
    long start(int level, int i) {
        return level > 0 ? offset[i] : i == 0 ? 0 : offset[i - 1];
    }

    /** Writes entries into a node, from one of its entries on, their offsets less {@code origin}. */
    void writeTo(ByteBuffer b, int base, int at, int from, int to, long origin) {
        int level = IndexNodes.level(b, base);
        for (int i = from; i < to; i++) {
            int entry = at + i - from;
            if (level == 0) {
                IndexNodes.setEnd(b, base, entry, offset[i] - origin);
                IndexNodes.setContentWord(b, base, entry, content[i]);
                IndexNodes.setHint(b, base, entry, number[i]);
            } else {
                IndexNodes.setChildStart(b, base, entry, offset[i] - origin);
                IndexNodes.setChild(b, base, entry, number[i]);
            }
            IndexNodes.setRef(b, base, level, entry, ref[i]);
        }
    }
}
