package io.flexdb.internal.log;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** Makes files for write-ahead logs, and gives them their names. Thread-safe. */
final class WalFiles {
    /*
     * A file takes its place on the disk before anything is acknowledged, so that a full disk shows itself then, and is
     * used again and again. If each write is to be forced, zeros are written before it gets there, so that a force has
     * nothing but data to write: half as long as for a place that was taken without being written. They are written a
     * part at a time, not far ahead of the frames, since most of a log may never be used: of a large value it has a few
     * dozen bytes. Of short writes one in some thousand takes a fraction of a millisecond longer for that. Where forces
     * come now and then, nobody waits for them, and no zeros are written. Where a place can't be taken without writing,
     * all of the file is filled at once. Zeros are written a page at a time: larger writes make the page cache use
     * larger units, and as a store into a mapping dirties a whole unit, each force would write all of it.
     */
    static final int FILL_BYTES = 1 << 12;
    private static final int FORCED_FILL_BYTES = 1 << 20; // or another file's force would wait for all of the zeros

    private WalFiles() {}

    /** Makes an empty file under a name that recovery takes for holding nothing. */
    static VfsFile make(Vfs vfs, Path directory, long number) {
        Path unfinished = unfinished(directory, number);
        vfs.deleteIfExists(unfinished);
        return vfs.open(unfinished, OpenMode.CREATE);
    }

    /**
     * Has a file take its place on the disk.
     *
     * @param filled told now and then how many bytes of the file are made, where all of it has to be filled
     * @return up to where there are zeros that were written; the capacity if no more are to be written
     */
    static long fill(VfsFile file, long capacity, WalMode mode, LongConsumer filled) {
        if (!file.allocateUnwritten(0, capacity)) {
            fillAll(file, capacity, filled);
        } else if (mode.zeroed()) {
            long end = Math.min(WalFormat.START + mode.zeroedAheadBytes(), capacity);
            zero(file, ByteBuffer.allocate(FILL_BYTES), WalFormat.START, end);
            return end;
        }
        return capacity;
    }

    private static void fillAll(VfsFile file, long capacity, LongConsumer filled) {
        ByteBuffer zeros = ByteBuffer.allocate(FILL_BYTES);
        for (long end = 0; end < capacity; ) {
            long start = end;
            end = Math.min(start + FORCED_FILL_BYTES, capacity);
            zero(file, zeros, start, end);
            if (end < capacity) {
                file.force();
                filled.accept(end);
            }
        }
    }

    /** Writes zeros, from a buffer of {@link #FILL_BYTES} of them. */
    static void zero(VfsFile file, ByteBuffer zeros, long start, long end) {
        for (long position = start; position < end; position += FILL_BYTES) {
            file.write(zeros.clear(), position);
        }
    }

    /** Takes the name from a file whose log is covered: it holds nothing then, durably. */
    static void takeName(Vfs vfs, VfsFile file, long nextNumber) {
        Path directory = file.path().getParent();
        vfs.rename(file.path(), unfinished(directory, nextNumber));
        vfs.syncDirectory(directory);
    }

    /** Gives a file that holds nothing its header, and then its name, both durably. */
    static void name(Vfs vfs, VfsFile file, WalId id, long capacity) {
        ByteBuffer block = ByteBuffer.allocate(WalFormat.START).order(ByteOrder.LITTLE_ENDIAN);
        WalFormat.encodeHeader(block, id, capacity);
        file.write(block, 0);
        file.force();
        Path directory = file.path().getParent();
        vfs.rename(file.path(), directory.resolve(WalFormat.fileName(id.number())));
        vfs.syncDirectory(directory);
    }

    private static Path unfinished(Path directory, long number) {
        return directory.resolve(WalFormat.fileName(number) + WalFormat.UNFINISHED_SUFFIX);
    }
}
