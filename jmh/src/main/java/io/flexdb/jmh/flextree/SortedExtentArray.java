package io.flexdb.jmh.flextree;

import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import java.util.Arrays;
import java.util.Objects;

/** All extents in one sorted array (the paper's section 6.1). Up to 2^31 of them. For one thread at a time. */
final class SortedExtentArray implements ExtentIndex {
    /*
     * Two arrays on the heap, ends and addresses, 16 bytes an extent: the search touches ends alone, and the loop that
     * shifts them is one that the JIT turns into vector instructions on a heap array but not on a direct buffer. They
     * grow by half, one after the other, so that the most memory held at once is 2.5 times what one had.
     *
     * I1  ends grow; the last one is the size.
     */
    private static final int MAX_CAPACITY = Integer.MAX_VALUE - 8; // what the JVM can allocate

    private final int maxExtentBytes;
    private long[] ends = new long[64];
    private long[] addresses = new long[64];
    private int count;
    private long size;

    SortedExtentArray() {
        this(FlexTree.MAX_EXTENT_BYTES);
    }

    /** @param maxExtentBytes bytes an extent has at most */
    SortedExtentArray(int maxExtentBytes) {
        this.maxExtentBytes = maxExtentBytes;
    }

    @Override
    public void insert(long logicalOffset, long length, long address) {
        Objects.checkFromToIndex(logicalOffset, size, size);
        long end = logicalOffset + length;
        long pieceAddress = address;
        for (long at = logicalOffset; at < end; ) {
            long piece = Math.min(end - at, Extents.mostBytes(address, maxExtentBytes));
            if (at == size) {
                appendPiece(piece, pieceAddress);
            } else {
                insertPiece(at, piece, pieceAddress);
            }
            at += piece;
            pieceAddress = Extents.advance(pieceAddress, piece);
        }
    }

    @Override
    public void append(long length, long address) {
        insert(size, length, address);
    }

    private void appendPiece(long length, long address) {
        int last = count - 1;
        size += length;
        if (last >= 0
                && Extents.continues(addresses[last], ends[last] - start(last), address, length, maxExtentBytes)) {
            ends[last] = size;
            return;
        }
        if (count == ends.length) {
            grow();
        }
        set(count++, size, address);
    }

    private void insertPiece(long at, long length, long address) {
        int i = at == 0 ? -1 : indexOf(at - 1); // the extent that ends at the offset or is cut by it
        long cutStart = i < 0 ? 0 : start(i);
        long cutEnd = i < 0 ? 0 : ends[i];
        long cutAddress = i < 0 ? 0 : addresses[i];
        boolean merges = i >= 0 && Extents.continues(cutAddress, at - cutStart, address, length, maxExtentBytes);
        boolean cuts = cutEnd > at;
        moveTail(i + 1, (merges ? 0 : 1) + (cuts ? 1 : 0), length);
        if (i >= 0) {
            ends[i] = merges ? at + length : at;
        }
        if (!merges) {
            set(++i, at + length, address);
        }
        if (cuts) {
            set(i + 1, cutEnd + length, Extents.advance(cutAddress, at - cutStart));
        }
        size += length;
    }

    @Override
    public void collapse(long logicalOffset, long length) {
        Objects.checkFromIndexSize(logicalOffset, length, size);
        long end = logicalOffset + length;
        int first = indexOf(logicalOffset);
        int last = indexOf(end - 1);
        long lastEnd = ends[last];
        long rest = Extents.advance(addresses[last], end - start(last));
        boolean keepFirst = logicalOffset > start(first);
        boolean keepLast = end < lastEnd;
        int added = (keepFirst ? 1 : 0) + (keepLast ? 1 : 0) - (last - first + 1);
        moveTail(last + 1, added, -length);
        if (keepFirst) {
            ends[first] = logicalOffset;
        }
        if (keepLast) {
            set(last + added, lastEnd - length, rest);
        }
        size -= length;
    }

    /** Moves the extents from index {@code from} on by {@code added} places, and their ends by {@code shift} bytes. */
    private void moveTail(int from, int added, long shift) {
        while (count + added > ends.length) {
            grow();
        }
        if (added != 0) {
            System.arraycopy(ends, from, ends, from + added, count - from);
            System.arraycopy(addresses, from, addresses, from + added, count - from);
            count += added;
        }
        long[] shifted = ends;
        for (int i = from + added, to = count; i < to; i++) {
            shifted[i] += shift;
        }
    }

    private void grow() {
        if (count >= MAX_CAPACITY - 1) {
            throw new IllegalStateException("the array holds as many extents as an int can count");
        }
        int capacity = (int) Math.min(MAX_CAPACITY, count + (count >> 1) + 1L);
        ends = Arrays.copyOf(ends, capacity);
        addresses = Arrays.copyOf(addresses, capacity);
    }

    private void set(int i, long end, long address) {
        ends[i] = end;
        addresses[i] = address;
    }

    private long start(int i) {
        return i == 0 ? 0 : ends[i - 1];
    }

    /** The extent that holds a byte: the first one that ends after it. */
    private int indexOf(long logicalOffset) {
        long[] searched = ends;
        int low = 0;
        for (int n = count; n > 1; ) {
            int half = n >>> 1;
            low = searched[low + half - 1] <= logicalOffset ? low + half : low;
            n -= half;
        }
        return low;
    }

    @Override
    public long lookup(long logicalOffset) {
        Objects.checkIndex(logicalOffset, size);
        int i = indexOf(logicalOffset);
        return Extents.advance(addresses[i], logicalOffset - start(i));
    }

    @Override
    public void query(long logicalOffset, long length, ExtentConsumer consumer) {
        Objects.checkFromIndexSize(logicalOffset, length, size);
        if (length == 0) {
            return;
        }
        long to = logicalOffset + length;
        int i = indexOf(logicalOffset);
        for (long start = start(i), end; start < to; start = end, i++) {
            end = ends[i];
            long first = Math.max(start, logicalOffset);
            consumer.accept(first, Math.min(end, to) - first, Extents.advance(addresses[i], first - start), 0);
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long extentCount() {
        return count;
    }

    @Override
    public long memoryBytes() {
        return 2L * Long.BYTES * ends.length;
    }

    @Override
    public String toString() {
        return "SortedExtentArray[size=" + size + ", extents=" + count + ", memoryBytes=" + memoryBytes() + "]";
    }
}
