package io.flexdb.internal.open;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.interval.IntervalCache;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.SavedDirectories;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

/**
 * Directories of the intervals that the cache knew at the last clean close, each of which is read when its interval is.
 *
 * <pre>
 * file    OFFSET  SIZE  FIELD
 *         0       64    as that of IntervalsFile; n is the number of intervals
 *         64      4     CRC32C
 *         4096    16 n  entries of the intervals, in order
 *                       directories, without their content numbers, see Directory
 *
 * entry   OFFSET  SIZE  FIELD
 *         0       8     where in the file the directory begins
 *         8       4     its bytes, or 0 if there is none
 *         12      4     CRC32C of the number of the interval, from 1 on, in 8 bytes, and of the directory
 * </pre>
 *
 * <p>It counts if {@link IntervalsFile} does, from which it has its intervals and the secrets of its fingerprints. It
 * stays while the store is open, and is replaced at the next clean close, by directories of the cache and by those that
 * nobody has asked for and whose pairs were not moved; if no interval has changed or moved, its first block alone is. It
 * is not forced: after a power cut it may be missing or not sound, and a close that waits for the disk would be worse.
 */
final class DirectoriesFile {
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int FIELD_BYTES = 4 * Long.BYTES;
    private static final int LEAST_INTERVALS = 32; // fewer are read sooner than a file is made
    private static final int PIECE_BYTES = 256 << 10;
    private static final int TABLE_PIECE_BYTES = 4096 * SavedDirectories.ENTRY_BYTES;

    private DirectoriesFile() {}

    /**
     * Replaces the file, after that of the intervals, when the store is closed. If that fails, there is none, or one that
     * does not count; nor is there one of a few intervals, or if the cache keeps none.
     *
     * @param saved the directories of the file until now, or null; it is closed
     */
    static void write(Vfs vfs, Path directory, Intervals intervals, SavedDirectories saved, SpaceEngine engine) {
        Path path = directory.resolve(StoreFiles.DIRECTORIES_NAME);
        Path unfinished = directory.resolve(StoreFiles.UNFINISHED_DIRECTORIES_NAME);
        try (SavedDirectories old = saved) {
            if (!areWorthSaving(intervals)) {
                vfs.deleteIfExists(path);
                return;
            }
            if (old != null && old.isAt(path) && old.isComplete() && isUnchanged(intervals.index, old)) {
                try (VfsFile file = vfs.open(path, OpenMode.READ_WRITE)) {
                    writeBlock(file, intervals.index, engine);
                }
                return;
            }
            vfs.deleteIfExists(unfinished);
            writeFile(vfs, unfinished, intervals, old, engine, () -> true);
        } catch (StorageException | OutOfMemoryError e) {
            delete(vfs, directory);
            throw e;
        }
        vfs.rename(unfinished, path);
    }

    /** Whether there are so many intervals, and the cache has directories. */
    static boolean areWorthSaving(Intervals intervals) {
        return intervals.index.intervalCount() >= LEAST_INTERVALS && intervals.cache.maxDirectoryBytes() > 0;
    }

    /** Whether the intervals are those of the opening, with the contents of then. */
    private static boolean isUnchanged(SparseIndex index, SavedDirectories old) {
        if (index.intervalCount() != old.count()) {
            return false;
        }
        IntervalCursor cursor = index.cursor();
        long number = 0;
        for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
            if (cursor.contentNumber() != ++number) {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes a new file, which counts from the last step on.
     *
     * @param old directories that the cache may not have; or null
     * @param goOn asked now and then whether to go on
     * @return its length, or 0 if it did not
     */
    static long writeFile(
            Vfs vfs, Path path, Intervals intervals, SavedDirectories old, SpaceEngine engine, BooleanSupplier goOn) {
        SparseIndex index = intervals.index;
        IntervalCache cache = intervals.cache;
        Epochs epochs = engine.owner().epochs();
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            ByteBuffer table = IntervalsFile.newPiece(TABLE_PIECE_BYTES);
            ByteBuffer piece = IntervalsFile.newPiece(Math.max(PIECE_BYTES, 2 * cache.maxDirectoryBytes()));
            CRC32C crc = new CRC32C();
            long tableAt = FilePreamble.BLOCK_BYTES;
            long at = tableAt + index.intervalCount() * SavedDirectories.ENTRY_BYTES;
            IntervalCursor cursor = index.cursor();
            long number = 0;
            for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
                number++;
                if (piece.remaining() < cache.maxDirectoryBytes()) {
                    at += IntervalsFile.write(file, piece, at);
                    if (!goOn.getAsBoolean()) {
                        return 0;
                    }
                }
                int begin = piece.position();
                boolean isThere;
                int ticket = epochs.enter(); // others may use the cache
                try {
                    long content = cursor.contentNumber();
                    isThere = cache.saveDirectory(content, cursor.pairCount(), piece)
                            || old != null && old.copy(content, piece);
                } finally {
                    epochs.exit(ticket);
                }
                int length = piece.position() - begin;
                table.putLong(at + begin).putInt(isThere ? length : 0);
                table.putInt(isThere ? SavedDirectories.checksum(crc, number, piece.slice(begin, length)) : 0);
                if (!table.hasRemaining()) {
                    tableAt += IntervalsFile.write(file, table, tableAt);
                }
            }
            at += IntervalsFile.write(file, piece, at);
            IntervalsFile.write(file, table, tableAt);
            writeBlock(file, index, engine);
            return at;
        }
    }

    private static void writeBlock(VfsFile file, SparseIndex index, SpaceEngine engine) {
        file.write(FilePreamble.finish(IntervalsFile.beginBlock(FormatVersion.DIRECTORIES, index, engine)), 0);
    }

    /**
     * Opens the file, if there is one that fits the space.
     *
     * @param index as the file of intervals has filled it, with contents numbered from 1 on
     * @param cache with the secrets of fingerprints that the file of intervals has
     * @return null if there is none
     */
    static SavedDirectories open(Vfs vfs, Path path, SpaceEngine engine, SparseIndex index, IntervalCache cache) {
        VfsFile file = null;
        SavedDirectories saved = null;
        try {
            if (!vfs.exists(path)) {
                return null;
            }
            file = vfs.open(path, OpenMode.READ);
            ByteBuffer block = FilePreamble.check(
                    path, 0, FilePreamble.read(file, 0), FormatVersion.DIRECTORIES, FIELD_BYTES, engine.storeId());
            if (IntervalsFile.fits(block, engine) & block.getLong() == index.intervalCount()) {
                saved = new SavedDirectories(file, FilePreamble.BLOCK_BYTES, index.intervalCount(), cache);
            }
            return saved;
        } catch (CorruptionException | UnsupportedFormatException | StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "What " + path + " should have will be made anew", e);
            return null;
        } finally {
            if (saved == null && file != null) {
                file.close();
            }
        }
    }

    /** Deletes the file of a close, as {@link IntervalsFile#delete} does, while it is not open. */
    static boolean delete(Vfs vfs, Path directory) {
        return IntervalsFile.delete(vfs, directory.resolve(StoreFiles.UNFINISHED_DIRECTORIES_NAME))
                | IntervalsFile.delete(vfs, directory.resolve(StoreFiles.DIRECTORIES_NAME));
    }
}
