package io.flexdb.internal.files;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.filter.RangeFilters;
import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The range filters of the last clean close, so that they need not be made anew from all of the data.
 *
 * <pre>
 * file    OFFSET  SIZE  FIELD
 *         0       32    common fields, see FilePreamble
 *         32      8     version of the FlexTree
 *         40      8     generation of the logical log
 *         48      8     tag of the last commit
 *         56      8     intervals
 *         64      8     bytes behind the first block
 *         72      4     CRC32C of these bytes
 *         76      4     models of keys
 *         80      4     CRC32C
 *         4096          models, then filters of the intervals, in order
 *
 * model   OFFSET  SIZE  FIELD
 *         0       514   shares of the end of a key and of each byte, in 32768 parts, 2 bytes each
 *
 * filter  OFFSET  SIZE  FIELD
 *         0       2     model(4), parts - 1(6), cells(6), from the highest bit; 0 if there is none
 *         2       n     cells, see CellSet
 * </pre>
 *
 * <p>It counts if {@link AnchorsFile} does, with which it is written and deleted. Where it is missing, filters are made
 * when somebody asks for them.
 */
public final class FiltersFile {
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int FIELD_BYTES = 5 * Long.BYTES + 2 * Integer.BYTES;
    private static final int PIECE_BYTES = 64 << 10;

    private FiltersFile() {}

    /** Writes the file, after that of the anchors. If that fails, there is no file, or one that does not count. */
    public static void write(Vfs vfs, Path directory, SparseIndex index, RangeFilters filters, SpaceEngine engine) {
        Path path = directory.resolve(StoreFiles.FILTERS_NAME);
        vfs.deleteIfExists(path);
        try {
            writeFile(vfs, path, index, filters, engine);
            vfs.syncDirectory(directory);
        } catch (StorageException | OutOfMemoryError e) {
            delete(vfs, directory);
            throw e;
        }
    }

    private static void writeFile(Vfs vfs, Path path, SparseIndex index, RangeFilters filters, SpaceEngine engine) {
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            ByteBuffer piece = newPiece();
            CRC32C crc = new CRC32C();
            filters.saveModels(piece);
            long bytes = 0;
            IntervalCursor cursor = index.cursor();
            for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
                if (piece.remaining() < RangeFilters.MAX_SAVED_BYTES) {
                    bytes += writePiece(file, piece, bytes, crc);
                }
                filters.save(cursor.contentNumber(), piece);
            }
            bytes += writePiece(file, piece, bytes, crc);
            ByteBuffer block = FilePreamble.begin(FilePreamble.Kind.FILTERS, engine.storeId());
            block.putLong(engine.treeVersion()).putLong(engine.logGeneration()).putLong(engine.tag());
            block.putLong(index.intervalCount()).putLong(bytes).putInt((int) crc.getValue());
            block.putInt(filters.modelCount());
            file.write(FilePreamble.finish(block), 0);
            file.force();
        }
    }

    private static ByteBuffer newPiece() {
        return ByteBuffer.allocate(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int writePiece(VfsFile file, ByteBuffer piece, long written, CRC32C crc) {
        piece.flip();
        int length = piece.remaining();
        crc.update(piece.duplicate());
        file.write(piece, FilePreamble.BLOCK_BYTES + written);
        piece.clear();
        return length;
    }

    /**
     * Has filters be what they were, if there is a file that fits the space. If there is none, or it is not sound, there
     * are no filters.
     *
     * @param index as the file of anchors has filled it
     * @param filters of which there are none yet, and which nobody asks
     */
    public static void load(Vfs vfs, Path directory, SpaceEngine engine, SparseIndex index, RangeFilters filters) {
        Path path = directory.resolve(StoreFiles.FILTERS_NAME);
        if (!vfs.exists(path)) {
            return;
        }
        boolean sound = false;
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer block = FilePreamble.check(
                    path, 0, FilePreamble.read(file, 0), FilePreamble.Kind.FILTERS, FIELD_BYTES, engine.storeId());
            boolean fits = block.getLong() == engine.openedTreeVersion()
                    & block.getLong() == engine.openedLogGeneration()
                    & block.getLong() == engine.tag()
                    & block.getLong() == index.intervalCount();
            long bytes = block.getLong();
            int crc = block.getInt();
            int models = block.getInt();
            sound = fits
                    && bytes == file.size() - FilePreamble.BLOCK_BYTES
                    && restore(file, bytes, crc, models, index, filters);
            filters.restored(index);
        } catch (CorruptionException | UnsupportedFormatException | StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "The range filters of " + directory + " will be made anew", e);
        } finally {
            if (!sound) {
                filters.clear();
            }
        }
    }

    /** Reads all filters, a piece at a time, and returns whether they are sound; if not, some may have been restored. */
    private static boolean restore(
            VfsFile file, long bytes, int expectedCrc, int models, SparseIndex index, RangeFilters filters) {
        CRC32C crc = new CRC32C();
        ByteBuffer piece = newPiece().limit(0);
        long read = fill(file, piece, 0, bytes, crc);
        if (!filters.restoreModels(models, piece)) {
            return false;
        }
        IntervalCursor cursor = index.cursor();
        for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
            if (piece.remaining() < RangeFilters.MAX_SAVED_BYTES) {
                read += fill(file, piece, read, bytes, crc);
            }
            if (!filters.restore(cursor.contentNumber(), piece)) {
                return false;
            }
        }
        return read == bytes && !piece.hasRemaining() && (int) crc.getValue() == expectedCrc;
    }

    /** Has more behind what is left of a piece, as much as it has room for, and returns how much. */
    private static int fill(VfsFile file, ByteBuffer piece, long read, long bytes, CRC32C crc) {
        piece.compact();
        int from = piece.position();
        int length = (int) Math.min(piece.remaining(), bytes - read);
        piece.limit(from + length);
        file.readFully(piece, FilePreamble.BLOCK_BYTES + read);
        crc.update(piece.array(), from, length);
        piece.flip();
        return length;
    }

    /** Deletes the file, if there is one and it can be done, as {@link AnchorsFile#delete} does. */
    public static void delete(Vfs vfs, Path directory) {
        try {
            vfs.deleteIfExists(directory.resolve(StoreFiles.FILTERS_NAME));
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "The file of range filters stays in " + directory, e);
        }
    }
}
