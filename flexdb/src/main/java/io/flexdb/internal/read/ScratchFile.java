package io.flexdb.internal.read;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.interval.PieceSink;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;

/** A file for what is not needed any more when the store ends, in units that are taken and given back. Thread-safe. */
final class ScratchFile implements AutoCloseable {
    static final int UNIT_BYTES = 64 << 10;

    private final Vfs vfs;
    private final Path path;
    private final long maxUnits;
    private final BitSet taken = new BitSet(); // under this object's lock, as is the next
    private int units; // that are taken
    private volatile VfsFile file; // null before the first write, and once it is closed
    private boolean closed; // under the lock

    ScratchFile(Vfs vfs, Path path, long maxBytes) {
        this.vfs = vfs;
        this.path = path;
        this.maxUnits = Math.min(Integer.MAX_VALUE / 2, maxBytes / UNIT_BYTES);
    }

    Path path() {
        return path;
    }

    /** Bytes of the units that are taken. */
    synchronized long bytes() {
        return (long) units * UNIT_BYTES;
    }

    private synchronized int take() {
        if (units >= maxUnits) {
            throw new StoreFullException("old versions have " + bytes() + " bytes in " + path
                    + ", which is all that maxPinnedFileBytes allows; close snapshots sooner, or raise it");
        }
        int unit = taken.nextClearBit(0);
        taken.set(unit);
        units++;
        return unit;
    }

    private synchronized VfsFile open() {
        if (file == null && !closed) {
            vfs.deleteIfExists(path);
            file = vfs.open(path, OpenMode.CREATE);
        }
        return file;
    }

    private synchronized void giveBack(int[] some, int count) {
        for (int i = 0; i < count; i++) {
            taken.clear(some[i]);
        }
        units -= count;
        if (file == null) {
            return;
        }
        try {
            file.truncate((long) taken.length() * UNIT_BYTES);
            for (int i = 0; i < count; i++) {
                if (some[i] < taken.length()) {
                    file.giveBack((long) some[i] * UNIT_BYTES, UNIT_BYTES);
                }
            }
        } catch (StorageException e) {
            // Its space is used again all the same.
        }
    }

    /** Fills an array's part from an address. */
    void read(long address, byte[] target, int at, int length) {
        VfsFile from = file;
        if (from == null) {
            throw new StoreClosedException("the store");
        }
        from.readFully(ByteBuffer.wrap(target, at, length), address);
    }

    /** Closes and deletes the file; again does nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        VfsFile open = file;
        file = null;
        if (open != null) {
            open.close();
            vfs.deleteIfExists(path);
        }
    }

    /** Units that are taken together. Takes pieces of at most one unit each. */
    final class Part implements PieceSink {
        private int[] own = new int[16];
        private int count;

        @Override
        public long append(ByteBuffer piece) {
            assert piece.remaining() <= UNIT_BYTES;
            if (count == own.length) {
                own = Arrays.copyOf(own, 2 * count);
            }
            VfsFile to = open();
            int unit = take();
            own[count++] = unit;
            long address = (long) unit * UNIT_BYTES;
            to.write(piece, address);
            return address;
        }

        @Override
        public int room() {
            return 0;
        }

        /** Gives all units back. */
        void giveBack() {
            ScratchFile.this.giveBack(own, count);
            count = 0;
        }
    }
}
