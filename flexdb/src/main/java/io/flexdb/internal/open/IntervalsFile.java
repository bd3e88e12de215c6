package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A file of a clean close that has something of each interval of the index, in order. It saves the work of making that
 * anew from the data. It counts if {@link AnchorsFile} does, and is written and deleted with that. All files of
 * intervals begin with these fields; a checksum of the first block is the last one of each.
 *
 * <pre>
 * OFFSET  SIZE  FIELD
 * 0       32    common fields, see FilePreamble
 * 32      8     version of the FlexTree
 * 40      8     generation of the logical log
 * 48      8     tag of the last commit
 * 56      8     intervals
 * 64      8     bytes behind the first block
 * 72      4     CRC32C of these bytes
 * </pre>
 */
final class IntervalsFile {
    /*
     * Only a piece of the file is in memory at a time, however large it is. If the file turns out not to be sound, the
     * caller gives up all that was restored. It is not forced: after a power cut it may be missing or not sound, and a
     * close that waits for the disk would be worse.
     */
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int FIELD_BYTES = 5 * Long.BYTES + 2 * Integer.BYTES;
    private static final int PIECE_BYTES = 64 << 10;

    /** The source of the file's content. */
    interface Saved {
        /** A number for the first block, for {@link Restored#begin}. */
        int number();

        /** Puts the bytes before those of the intervals; into an empty piece. */
        void begin(ByteBuffer piece);

        /** Puts the bytes of an interval, not more than the file was told. */
        void save(IntervalCursor interval, ByteBuffer piece);
    }

    /** Takes the restored content; each call returns false if the bytes can't have been saved. */
    interface Restored {
        boolean begin(int number, ByteBuffer piece);

        boolean restore(IntervalCursor interval, ByteBuffer piece);
    }

    private final FilePreamble.Kind kind;
    private final String name;
    private final int mostBytes;

    /** @param mostBytes that are saved of one interval */
    IntervalsFile(FilePreamble.Kind kind, String name, int mostBytes) {
        this.kind = kind;
        this.name = name;
        this.mostBytes = mostBytes;
    }

    /** Writes the file, after that of the anchors. If that fails, there is no file, or one that does not count. */
    void write(Vfs vfs, Path directory, SparseIndex index, SpaceEngine engine, Saved saved) {
        Path path = directory.resolve(name);
        vfs.deleteIfExists(path);
        try {
            writeFile(vfs, path, index, engine, saved);
        } catch (StorageException | OutOfMemoryError e) {
            delete(vfs, directory);
            throw e;
        }
    }

    private void writeFile(Vfs vfs, Path path, SparseIndex index, SpaceEngine engine, Saved saved) {
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            ByteBuffer piece = newPiece(PIECE_BYTES);
            CRC32C crc = new CRC32C();
            saved.begin(piece);
            long bytes = 0;
            IntervalCursor cursor = index.cursor();
            for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
                if (piece.remaining() < mostBytes) {
                    bytes += writePiece(file, piece, bytes, crc);
                }
                saved.save(cursor, piece);
            }
            bytes += writePiece(file, piece, bytes, crc);
            ByteBuffer block = beginBlock(kind, index, engine).putLong(bytes).putInt((int) crc.getValue());
            block.putInt(saved.number());
            file.write(FilePreamble.finish(block), 0);
        }
    }

    /** The first block of a file of this space, positioned behind its number of intervals. */
    static ByteBuffer beginBlock(FilePreamble.Kind kind, SparseIndex index, SpaceEngine engine) {
        return FilePreamble.begin(kind, engine.storeId())
                .putLong(engine.treeVersion())
                .putLong(engine.logGeneration())
                .putLong(engine.tag())
                .putLong(index.intervalCount());
    }

    /** Whether a block, positioned at its fields, is of the space as it was when it was opened. */
    static boolean fits(ByteBuffer block, SpaceEngine engine) {
        return block.getLong() == engine.openedTreeVersion()
                & block.getLong() == engine.openedLogGeneration()
                & block.getLong() == engine.tag();
    }

    static ByteBuffer newPiece(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes a piece behind the first block and those before, empties it, and returns how many bytes it had. */
    static int writePiece(VfsFile file, ByteBuffer piece, long written, CRC32C crc) {
        crc.update(piece.duplicate().flip());
        return write(file, piece, FilePreamble.BLOCK_BYTES + written);
    }

    /** Writes a piece, empties it, and returns how many bytes it had. */
    static int write(VfsFile file, ByteBuffer piece, long at) {
        int length = piece.flip().remaining();
        file.write(piece, at);
        piece.clear();
        return length;
    }

    /**
     * Reads the file, if there is one that fits the space.
     *
     * @param index as the file of anchors has filled it
     * @return whether it is sound; if not, some may have been restored
     */
    boolean load(Vfs vfs, Path directory, SpaceEngine engine, SparseIndex index, Restored restored) {
        Path path = directory.resolve(name);
        try (VfsFile file = openIfThere(vfs, path)) {
            if (file == null) {
                return false;
            }
            ByteBuffer block =
                    FilePreamble.check(path, 0, FilePreamble.read(file, 0), kind, FIELD_BYTES, engine.storeId());
            boolean fits = fits(block, engine) & block.getLong() == index.intervalCount();
            long bytes = block.getLong();
            int crc = block.getInt();
            int number = block.getInt();
            return fits
                    && bytes == file.size() - FilePreamble.BLOCK_BYTES
                    && restore(file, bytes, crc, number, index, restored);
        } catch (CorruptionException | UnsupportedFormatException | StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "What " + path + " should have will be made anew", e);
            return false;
        }
    }

    static VfsFile openIfThere(Vfs vfs, Path path) {
        return vfs.exists(path) ? vfs.open(path, OpenMode.READ) : null;
    }

    private boolean restore(
            VfsFile file, long bytes, int expectedCrc, int number, SparseIndex index, Restored restored) {
        CRC32C crc = new CRC32C();
        ByteBuffer piece = newPiece(PIECE_BYTES).limit(0);
        long read = fill(file, piece, 0, bytes, crc);
        if (!restored.begin(number, piece)) {
            return false;
        }
        IntervalCursor cursor = index.cursor();
        for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
            if (piece.remaining() < mostBytes) {
                read += fill(file, piece, read, bytes, crc);
            }
            if (!restored.restore(cursor, piece)) {
                return false;
            }
        }
        return read == bytes && !piece.hasRemaining() && (int) crc.getValue() == expectedCrc;
    }

    /** Fills a piece up behind its unread rest, and returns how many bytes were added. */
    static int fill(VfsFile file, ByteBuffer piece, long read, long bytes, CRC32C crc) {
        piece.compact();
        int from = piece.position();
        int length = (int) Math.min(piece.remaining(), bytes - read);
        piece.limit(from + length);
        file.readFully(piece, FilePreamble.BLOCK_BYTES + read);
        crc.update(piece.array(), from, length);
        piece.flip();
        return length;
    }

    /** Deletes the file, as {@link AnchorsFile#delete} does. */
    boolean delete(Vfs vfs, Path directory) {
        return delete(vfs, directory, name);
    }

    static boolean delete(Vfs vfs, Path directory, String name) {
        try {
            return vfs.deleteIfExists(directory.resolve(name));
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "The file " + name + " stays in " + directory, e);
            return false;
        }
    }
}
