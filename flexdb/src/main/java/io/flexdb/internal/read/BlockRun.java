package io.flexdb.internal.read;

import io.flexdb.internal.interval.SortedRun;
import io.flexdb.internal.mem.DeletedRanges;
import java.util.Arrays;

/** Blocks of entries in the order of their keys, each of which a {@link Window} brings into memory as a memtable. */
abstract class BlockRun {
    /*
     * B1  All entries of a key are in one block.
     * B2  Each window has all deleted ranges.
     */
    /** For operands that have their times. */
    static final long OWN_TIMES = Long.MIN_VALUE;

    /**
     * The parts of a run, as they were written.
     *
     * @param blocks keys and places of the blocks, which are its intervals
     * @param ranges that were deleted, which are in no block; null for none
     * @param first the lowest number that an entry may have
     */
    record Content(SortedRun blocks, DeletedRanges ranges, long first) {}

    private final SortedRun blocks;
    private final DeletedRanges ranges; // or null
    private final long first;

    BlockRun(Content content) {
        this.blocks = content.blocks;
        this.ranges = content.ranges;
        this.first = content.first;
    }

    SortedRun blocks() {
        return blocks;
    }

    /** The ranges that were deleted, or null. */
    public DeletedRanges ranges() {
        return ranges;
    }

    /** No entry has a lower number. */
    long first() {
        return first;
    }

    /** Bytes where it is. */
    public long bytes() {
        return blocks.bytes();
    }

    /** The block that a key belongs to, if there are blocks; -1 if there are none. */
    int blockOf(byte[] key, int offset, int length) {
        int low = 0;
        int high = blocks.intervals();
        while (low < high) {
            int middle = (low + high) >>> 1;
            byte[] anchor = blocks.anchor(middle);
            if (Arrays.compareUnsigned(anchor, 0, anchor.length, key, offset, offset + length) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.min(Math.max(0, low - 1), blocks.intervals() - 1);
    }

    /** Reads a block, which has so many bytes, to the beginning of an array. */
    void read(int block, byte[] target, int length) {
        long start = blocks.intervalStart(block);
        int piece = length == 0 ? 0 : blocks.pieceAt(start);
        for (int done = 0; done < length; piece++) {
            int skipped = (int) (start + done - blocks.pieceStart(piece));
            int part = Math.min(blocks.pieceBytes(piece) - skipped, length - done);
            read(blocks.address(piece) + skipped, target, done, part);
            done += part;
        }
    }

    /** Reads bytes from where they are. */
    abstract void read(long address, byte[] target, int at, int length);

    /** When operands count as made, or {@link #OWN_TIMES}. */
    abstract long operandTime();

    /** In messages. */
    abstract String what();
}
