package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;

/** The oracle: extents in one array, in logical order, each operation done in the most naive way. */
final class ExtentModel {
    final int maxExtentBytes;
    final boolean mergeExtents;
    long[] lengths = new long[64];
    long[] addresses = new long[64];
    int[] flags = new int[64];
    int count;
    long size;

    ExtentModel(int maxExtentBytes, boolean mergeExtents) {
        this.maxExtentBytes = maxExtentBytes;
        this.mergeExtents = mergeExtents;
    }

    ExtentModel copy() {
        ExtentModel copy = new ExtentModel(maxExtentBytes, mergeExtents);
        copy.lengths = Arrays.copyOf(lengths, Math.max(1, count));
        copy.addresses = Arrays.copyOf(addresses, Math.max(1, count));
        copy.flags = Arrays.copyOf(flags, Math.max(1, count));
        copy.count = count;
        copy.size = size;
        return copy;
    }

    /** The index of the extent that starts here, after cutting the one that holds the offset if need be. */
    private int cut(long logicalOffset) {
        long start = 0;
        for (int i = 0; i < count; i++) {
            if (start == logicalOffset) {
                return i;
            }
            if (logicalOffset < start + lengths[i]) {
                long left = logicalOffset - start;
                put(i + 1, lengths[i] - left, advance(addresses[i], left), flags[i]);
                lengths[i] = left;
                return i + 1;
            }
            start += lengths[i];
        }
        assertEquals(start, logicalOffset);
        return count;
    }

    private static long advance(long address, long bytes) {
        return address == FlexTree.HOLE ? address : address + bytes;
    }

    private void put(int i, long length, long address, int flag) {
        if (count == lengths.length) {
            lengths = Arrays.copyOf(lengths, 2 * count);
            addresses = Arrays.copyOf(addresses, 2 * count);
            flags = Arrays.copyOf(flags, 2 * count);
        }
        System.arraycopy(lengths, i, lengths, i + 1, count - i);
        System.arraycopy(addresses, i, addresses, i + 1, count - i);
        System.arraycopy(flags, i, flags, i + 1, count - i);
        lengths[i] = length;
        addresses[i] = address;
        flags[i] = flag;
        count++;
    }

    void insert(long logicalOffset, long length, long address, int flag) {
        long left = length;
        long at = logicalOffset;
        long from = address;
        while (left > 0) {
            long piece = Math.min(left, mostBytes(address));
            insertPiece(at, piece, from, flag);
            at += piece;
            left -= piece;
            from = advance(from, piece);
        }
    }

    private int mostBytes(long address) {
        return address == FlexTree.HOLE ? FlexTree.MAX_EXTENT_BYTES : maxExtentBytes;
    }

    private void insertPiece(long logicalOffset, long length, long address, int flag) {
        int i = cut(logicalOffset);
        size += length;
        if (mergeExtents && i > 0 && flags[i - 1] == flag && lengths[i - 1] + length <= mostBytes(address)) {
            boolean holes = address == FlexTree.HOLE && addresses[i - 1] == FlexTree.HOLE;
            boolean data = address != FlexTree.HOLE
                    && addresses[i - 1] != FlexTree.HOLE
                    && addresses[i - 1] + lengths[i - 1] == address;
            if (holes || data) {
                lengths[i - 1] += length;
                return;
            }
        }
        put(i, length, address, flag);
    }

    void collapse(long logicalOffset, long length) {
        int from = cut(logicalOffset);
        int to = cut(logicalOffset + length);
        System.arraycopy(lengths, to, lengths, from, count - to);
        System.arraycopy(addresses, to, addresses, from, count - to);
        System.arraycopy(flags, to, flags, from, count - to);
        count -= to - from;
        size -= length;
    }

    void remap(long logicalOffset, long length, long address, int flag) {
        long start = 0;
        for (int i = 0; i < count && start <= logicalOffset; i++) {
            if (start == logicalOffset && lengths[i] == length && length <= mostBytes(address)) {
                addresses[i] = address;
                flags[i] = flag;
                return;
            }
            start += lengths[i];
        }
        collapse(logicalOffset, length);
        insert(logicalOffset, length, address, flag);
    }

    long lookup(long logicalOffset) {
        long start = 0;
        for (int i = 0; i < count; i++) {
            if (logicalOffset < start + lengths[i]) {
                return advance(addresses[i], logicalOffset - start);
            }
            start += lengths[i];
        }
        throw new AssertionError("no offset " + logicalOffset);
    }

    /** A consumer that wants exactly what the range [from, to) maps to. */
    Expectation expect(long from, long to) {
        return new Expectation(from, to);
    }

    final class Expectation implements ExtentConsumer {
        private final long to;
        private int i;
        private long start;
        private long at;

        Expectation(long from, long to) {
            this.to = to;
            this.at = from;
            while (i < count && start + lengths[i] <= from) {
                start += lengths[i++];
            }
        }

        @Override
        public void accept(long logicalOffset, long length, long address, int flag) {
            assertTrue(at < to, "more than was asked for");
            assertEquals(at, logicalOffset);
            assertEquals(Math.min(to, start + lengths[i]) - at, length);
            assertEquals(advance(addresses[i], at - start), address);
            assertEquals(flags[i], flag);
            at += length;
            start += lengths[i++];
        }

        void assertComplete() {
            assertTrue(at >= to, "less than was asked for: up to " + at + " of " + to);
        }
    }

    void assertShownBy(FlexTreeView view, ExtentCursor cursor) {
        assertEquals(size, view.size());
        assertEquals(count, view.extentCount());
        cursor.reset(view);
        boolean more = cursor.seek(0);
        long start = 0;
        for (int i = 0; i < count; i++) {
            assertTrue(more);
            assertEquals(start, cursor.logicalOffset());
            assertEquals(lengths[i], cursor.length());
            assertEquals(addresses[i], cursor.address());
            assertEquals(flags[i], cursor.flags());
            start += lengths[i];
            more = cursor.next();
        }
        assertFalse(more);
    }
}
