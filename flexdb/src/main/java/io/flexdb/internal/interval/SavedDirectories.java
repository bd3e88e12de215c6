package io.flexdb.internal.interval;

import io.flexdb.flexspace.internal.base.StripedPool;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Directories of a cache as a file has them: the cache gets each when its interval is read for the first time. Any
 * thread may ask for one.
 */
public final class SavedDirectories implements AutoCloseable {
    /*
     * The problem: after an opening each interval would be read as a whole, and its directory be made pair by pair, when
     * the first of its pairs is wanted. To read all directories at the opening instead would take time by the size of
     * the store.
     * The choice: a table at a place that follows from the number of the content, which numbers the intervals at an
     * opening, leads to the directory: two reads of a few hundred bytes. The checksum of an entry covers the number, so
     * that a directory serves its own interval alone.
     * The cost: two system calls an interval, once, and a bit an interval in memory. A directory may be wrong about
     * addresses, as any may: pairs are compared with their checksums.
     *
     * Bits are set without a lock. One that is lost to another thread costs a second look, or leads to old places, as
     * above.
     */
    /** Bytes of an entry of the table: 8 for the offset, 4 for the length or 0, 4 for the checksum. */
    public static final int ENTRY_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private static final int FIRST_BYTES = 4 << 10;
    private static final int LACKING_SHARE = 16;

    /** The memory for one restoring, left to the next one. */
    private static final class Scratch {
        final ByteBuffer entry = ByteBuffer.allocate(ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        final CRC32C crc = new CRC32C();
        ByteBuffer directory = ByteBuffer.allocate(FIRST_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    private final VfsFile file;
    private final long table;
    private final long count; // of the contents in the table, from 1 on
    private final long end;
    private final IntervalCache cache;
    private final long[] asked; // a bit each
    private final StripedPool<Scratch> scratches = new StripedPool<>(Scratch::new);
    private volatile boolean isUsable = true;
    private boolean isOutdated; // by the thread that commits, which has ended when a store is closed
    private int lacking; // contents that had none when somebody asked; may be a little less

    /**
     * @param file which is closed with this
     * @param table where in the file its table begins
     * @param count of the contents in it
     * @param cache which gets the directories
     */
    public SavedDirectories(VfsFile file, long table, long count, IntervalCache cache) {
        this.file = file;
        this.table = table;
        this.count = count;
        this.end = file.size();
        this.cache = cache;
        this.asked = new long[Math.toIntExact((count + Long.SIZE) / Long.SIZE)];
    }

    /** The checksum of a directory, without its content number, that a buffer has between position and limit. */
    public static int checksum(CRC32C crc, long contentNumber, ByteBuffer directory) {
        crc.reset();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (contentNumber >>> shift) & 0xFF);
        }
        crc.update(directory.duplicate());
        return (int) crc.getValue();
    }

    /** Whether the file may have the directory of a content, and nobody has asked for it yet. */
    public boolean mayHave(long contentNumber) {
        return contentNumber > 0
                && contentNumber <= count
                && (asked[(int) (contentNumber / Long.SIZE)] & 1L << contentNumber) == 0
                && isUsable;
    }

    /**
     * Has the cache keep the saved directory of a content. Inside a short read.
     *
     * @param pairs of the interval
     * @param intervalBytes of it
     * @return its location in the cache, or -1 if there is none or the cache has no room
     */
    public long restore(long contentNumber, int pairs, long intervalBytes) {
        if (!mayHave(contentNumber)) {
            return -1;
        }
        noteAsked(contentNumber);
        Scratch scratch = scratches.borrow();
        try {
            ByteBuffer directory = read(contentNumber, scratch);
            if (directory == null) {
                lacking++;
                return -1;
            }
            directory.putLong(0, contentNumber);
            return Directory.isDirectory(directory, pairs, intervalBytes) ? cache.insert(directory, 0, false) : -1;
        } catch (StorageException e) {
            isUsable = false; // directories are made anew
            return -1;
        } finally {
            scratches.giveBack(scratch);
        }
    }

    private void noteAsked(long contentNumber) {
        asked[(int) (contentNumber / Long.SIZE)] |= 1L << contentNumber;
    }

    /**
     * Lets go of the saved directory of a content whose pairs are going to be moved: it would lead to where they were.
     * By the thread that commits.
     */
    public void forget(long contentNumber) {
        if (mayHave(contentNumber)) {
            noteAsked(contentNumber);
        }
        isOutdated |= contentNumber <= count; // the file has it still
    }

    /**
     * Puts the saved directory of a content, without its number, unless somebody has asked for it: then the cache has
     * had it.
     *
     * @return false if there is none
     */
    public boolean copy(long contentNumber, ByteBuffer to) {
        if (!mayHave(contentNumber)) {
            return false;
        }
        Scratch scratch = scratches.borrow();
        ByteBuffer directory = read(contentNumber, scratch);
        boolean fits = directory != null && directory.limit() - Long.BYTES <= to.remaining();
        if (fits) {
            to.put(directory.position(Long.BYTES));
        }
        scratches.giveBack(scratch);
        return fits;
    }

    /** Reads a directory behind 8 bytes for its content number; null if there is no sound one. */
    private ByteBuffer read(long contentNumber, Scratch scratch) {
        ByteBuffer entry = scratch.entry.clear();
        file.readFully(entry, table + (contentNumber - 1) * ENTRY_BYTES);
        long offset = entry.getLong(0);
        int length = entry.getInt(Long.BYTES);
        if (length <= 0 || length > cache.maxDirectoryBytes() || offset < table || offset > end - length) {
            return null;
        }
        if (scratch.directory.capacity() < Long.BYTES + length) {
            scratch.directory = ByteBuffer.allocate(Long.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
        }
        ByteBuffer directory =
                scratch.directory.clear().limit(Long.BYTES + length).position(Long.BYTES);
        file.readFully(directory, offset);
        directory.position(Long.BYTES);
        int checksum = entry.getInt(Long.BYTES + Integer.BYTES);
        return checksum(scratch.crc, contentNumber, directory) == checksum ? directory : null;
    }

    /** Whether the file was opened by this path. */
    public boolean isAt(Path path) {
        return file.path().equals(path);
    }

    /** How many contents the file knows of. */
    public long count() {
        return count;
    }

    /** Whether the file has the directories of nearly all contents that somebody has asked for, and none was forgotten. */
    public boolean isComplete() {
        return isUsable && !isOutdated && lacking <= count / LACKING_SHARE;
    }

    /** Closes the file. While nobody asks. */
    @Override
    public void close() {
        isUsable = false;
        file.close();
    }
}
