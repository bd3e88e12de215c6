package io.flexdb.internal.read;

import io.flexdb.internal.log.MovedEntries;
import io.flexdb.internal.log.ReadGuard;
import io.flexdb.internal.mem.MemTableCursor;
import io.flexdb.storage.CorruptionException;
import java.util.zip.CRC32C;

/** The entries of a memtable that is committed, for those who see old versions, in a file. Thread-safe. */
public final class MovedTable extends BlockRun implements MovedEntries {
    private static final int BLOCK_HEAP_BYTES = 32; // but for its anchor

    private final MovedTables home;
    private final ScratchFile.Part part;
    private final int[] checksums; // of the blocks
    private final KeyFilter filter;

    MovedTable(MovedTables home, ScratchFile.Part part, Content content, int[] checksums, KeyFilter filter) {
        super(content);
        this.home = home;
        this.part = part;
        this.checksums = checksums;
        this.filter = filter;
    }

    MovedTables home() {
        return home;
    }

    /** Whether nothing is in it. */
    public boolean isEmpty() {
        return blocks().intervals() == 0 && ranges() == null;
    }

    /**
     * Whether it may have entries of a key.
     *
     * @param hash the key's {@link io.flexdb.internal.base.KeyHash}
     */
    public boolean mayHave(long hash) {
        return filter.mayHave(hash);
    }

    /**
     * A cursor, to be released.
     *
     * @param through the number of the last entry to show
     * @param guard keeps this from being closed while a block is read
     */
    public MemTableCursor cursor(long through, ReadGuard guard) {
        return new Cursor(this, through, guard);
    }

    @Override
    void read(int block, byte[] target, int length) {
        super.read(block, target, length);
        CRC32C crc = new CRC32C(); // garbage, but beside a read from a file it is little
        crc.update(target, 0, length);
        if ((int) crc.getValue() != checksums[block]) {
            throw new CorruptionException(
                    home.path(),
                    blocks().address(blocks().pieceAt(blocks().intervalStart(block))),
                    "old versions with checksum " + Integer.toHexString(checksums[block])
                            + " (only snapshots that were open need them)",
                    Integer.toHexString((int) crc.getValue()));
        }
    }

    @Override
    void read(long address, byte[] target, int at, int length) {
        home.read(address, target, at, length);
    }

    @Override
    long operandTime() {
        return OWN_TIMES;
    }

    @Override
    String what() {
        return "old versions that are in " + home.path().getFileName();
    }

    @Override
    public long heapBytes() {
        long ofRanges = ranges() == null ? 0 : ranges().heapBytes();
        return ofRanges + filter.heapBytes() + blocks().anchorBytes() + (long) BLOCK_HEAP_BYTES * blocks().intervals();
    }

    @Override
    public void close() {
        part.giveBack();
    }

    @Override
    public String toString() {
        return "MovedTable[entries=" + blocks().pairs() + ", bytes=" + bytes() + ", blocks=" + blocks().intervals()
                + "]";
    }

    private static final class Cursor extends BlockCursor {
        private final MovedTables home;
        private final ReadGuard guard;
        private boolean open = true;

        private Cursor(MovedTable of, long through, ReadGuard guard) {
            super(of, of.home.takeWindow(), through);
            this.home = of.home;
            this.guard = guard;
        }

        @Override
        void load(Window into, int newBlock) {
            guard.beginRead();
            try {
                super.load(into, newBlock);
            } finally {
                guard.endRead();
            }
        }

        /** Gives the window back; it can't be used any more. */
        @Override
        public void release() {
            super.release();
            if (open) {
                open = false;
                home.giveBack(window());
            }
        }
    }
}
