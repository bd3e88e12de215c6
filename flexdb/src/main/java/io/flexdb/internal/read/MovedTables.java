package io.flexdb.internal.read;

import io.flexdb.base.memory.OffHeap;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.internal.interval.RunWriter;
import io.flexdb.internal.mem.DeletedRanges;
import io.flexdb.internal.mem.MemTable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Where entries of memtables go that only old versions have. Thread-safe, but one thread at a time moves. */
public final class MovedTables implements AutoCloseable {
    /*
     * Each memtable becomes a run of its own. A version lists a few memtables, so a read of an old version asks a few
     * runs, however many there are. Of each key a run has what the versions show that are open when it is written.
     *
     * Its blocks are verified by checksums that are in memory. Nothing of the file is needed after the store's end, so it
     * is never forced, and it has no format: the next opening of the store deletes it.
     */
    private static final int WINDOWS_KEPT = 16;

    private final ScratchFile file;
    private final OffHeap memory;
    private final Window[] windows = new Window[WINDOWS_KEPT]; // that nobody uses; locked by itself, as is the next
    private int windowCount;
    private ByteBuffer piece; // by the thread that moves

    /** @param maxFileBytes how much may be in the file */
    public MovedTables(Vfs vfs, Path path, OffHeap memory, long maxFileBytes) {
        this.file = new ScratchFile(vfs, path, maxFileBytes);
        this.memory = memory;
    }

    /** The file, which is there as long as something is in it, and perhaps longer. */
    public Path path() {
        return file.path();
    }

    /** Bytes that are in use in the file. */
    public long fileBytes() {
        return file.bytes();
    }

    /**
     * Writes what a memtable has. Nobody writes to it any more.
     *
     * @param sequences ascending; whoever reads it reads it as of one of them
     * @throws io.flexdb.storage.StoreFullException if there is no space for it; nothing has changed then, nor if it fails
     *     otherwise
     */
    public MovedTable write(MemTable table, long[] sequences) {
        Marks marks = new Marks();
        for (long sequence : sequences) {
            marks.add(sequence + 1);
        }
        long last = sequences[sequences.length - 1];
        if (piece == null) {
            piece = RunWriter.newPiece(memory, ScratchFile.UNIT_BYTES);
        }
        ScratchFile.Part part = file.new Part();
        try {
            long first = table.firstSequence();
            KeyFilter filter = new KeyFilter(table.keyCount());
            SpillWriter out = new SpillWriter(part, piece, first, marks, filter);
            out.addAll(table, last);
            DeletedRanges ranges = table.ranges();
            if (ranges != null) {
                ranges = DeletedRanges.join(List.of(ranges), List.of(last), marks::divide);
            }
            return new MovedTable(this, part, out.end(ranges), out.checksums(), filter);
        } catch (Throwable e) {
            part.giveBack();
            throw e;
        }
    }

    void read(long address, byte[] target, int at, int length) {
        file.read(address, target, at, length);
    }

    // ---- windows

    Window takeWindow() {
        synchronized (windows) {
            if (windowCount > 0) {
                return windows[--windowCount];
            }
        }
        return new Window(memory);
    }

    /** Allocates nothing. */
    void giveBack(Window window) {
        window.shrink();
        synchronized (windows) {
            if (windowCount < WINDOWS_KEPT) {
                windows[windowCount++] = window; // it comes first at the next time, with its block
            }
        }
    }

    /** Deletes the file. Nobody reads it any more. */
    @Override
    public void close() {
        file.close();
    }
}
