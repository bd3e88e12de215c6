package io.flexdb.jmh.flextree;

import io.flexdb.flextree.FlexTree;

/** The rules of FlexTree for single extents. Stateless. */
final class Extents {
    private Extents() {}

    /** The address some bytes into an extent; that of a hole stays. */
    static long advance(long address, long bytes) {
        return address == FlexTree.HOLE ? address : address + bytes;
    }

    /** Whether an extent can be made longer by another one. A hole and data never join. */
    static boolean continues(long address, long length, long nextAddress, long nextLength, int maxExtentBytes) {
        boolean adjacent = nextAddress == FlexTree.HOLE
                ? address == FlexTree.HOLE
                : address != FlexTree.HOLE && address + length == nextAddress;
        return adjacent && length + nextLength <= mostBytes(nextAddress, maxExtentBytes);
    }

    /** Bytes that an extent of this address has at most. */
    static int mostBytes(long address, int maxExtentBytes) {
        return address == FlexTree.HOLE ? FlexTree.MAX_EXTENT_BYTES : maxExtentBytes;
    }
}
