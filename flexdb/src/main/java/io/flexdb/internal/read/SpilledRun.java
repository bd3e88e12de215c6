package io.flexdb.internal.read;

import io.flexdb.internal.interval.StagedPieces;
import io.flexdb.internal.mem.MemTable;
import java.nio.ByteBuffer;

/** The entries of a memtable, in the data file. For one thread at a time, but for {@link #close}. */
public final class SpilledRun extends BlockRun {
    /*
     * Blocks of entries follow one another in the order of their keys, as a row of bytes that is staged by pieces. To
     * read one is to bring it into a small memtable, a window, with the numbers that its entries had; so whatever reads
     * memtables reads these, and what comes from the file has been verified. Of each block a key and its place are on
     * the heap (SortedRun, whose intervals are blocks here).
     *
     * S1  No number above through is shown, as if it had not been written.
     */
    /** The tier of runs that stay as they are. */
    static final int NEVER_JOINED = -1;

    private final SpillArea area;
    private final StagedPieces staged;
    private long through;
    private int tier;
    private Window window; // of lookups; null before the first one
    private int cursors; // that are open
    private boolean dropped; // to be closed by the last of them

    /**
     * @param through the highest number that an entry may have
     * @param tier how often its entries were joined
     */
    SpilledRun(SpillArea area, StagedPieces staged, Content content, long through, int tier) {
        super(content);
        this.area = area;
        this.staged = staged;
        this.through = through;
        this.tier = tier;
    }

    SpillArea area() {
        return area;
    }

    /** The highest number to show. */
    public long through() {
        return through;
    }

    /** Shows nothing with a higher number any more. No cursor is open. */
    public void cutBehind(long newThrough) {
        through = Math.min(through, newThrough);
    }

    /** How often its entries were joined, or {@link #NEVER_JOINED}. */
    int tier() {
        return tier;
    }

    void joinNever() {
        tier = NEVER_JOINED;
    }

    /** A memtable with what there is of a key; as it is until the next lookup. */
    public MemTable lookUp(byte[] key, int length) {
        if (window == null) {
            window = area.takeWindow();
        }
        window.load(this, blockOf(key, 0, length));
        return window.table();
    }

    @Override
    void read(long address, byte[] target, int at, int length) {
        ByteBuffer scratch = area.scratch().clear();
        int ticket = area.versions.enter();
        try {
            area.engine.reads().readStaged(address, scratch, 0, length);
        } finally {
            area.versions.exit(ticket);
        }
        scratch.get(0, target, at, length);
    }

    @Override
    long operandTime() {
        return area.operandTime();
    }

    @Override
    String what() {
        return "writes of a transaction that are in the data file";
    }

    /** Has the next lookup read again. */
    void forgetWindow() {
        if (window != null) {
            window.forget();
        }
    }

    void opened() {
        cursors++;
    }

    /** A cursor is closed. */
    void released() {
        cursors--;
        if (dropped && cursors == 0) {
            area.close(this);
        }
    }

    /** Gives it back once no cursor is open. Nobody opens one any more, nor looks a key up but for these. */
    void drop() {
        dropped = true;
        if (cursors == 0) {
            area.close(this);
        }
    }

    /** Gives the window of lookups away, or null. */
    Window takeWindow() {
        Window taken = window;
        window = null;
        return taken;
    }

    /** Gives back what is staged. */
    void close() {
        staged.close();
    }

    @Override
    public String toString() {
        return "SpilledRun[entries=" + blocks().pairs() + ", bytes=" + bytes() + ", blocks=" + blocks().intervals()
                + ", first=" + first() + ", through=" + through + ", tier=" + tier + "]";
    }
}
