package io.flexdb.internal.open;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.base.FormatVersion;
import io.flexdb.internal.base.RecordFormat;
import io.flexdb.internal.interval.Interval;
import io.flexdb.internal.interval.IntervalCursor;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.interval.SparseIndex;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The sparse index of the last clean close, so that opening again reads one file and no data.
 *
 * <pre>
 * file    OFFSET  SIZE  FIELD
 *         0       76    see IntervalsFile
 *         76      4     CRC32C
 *         4096          intervals, in order
 *
 * interval OFFSET SIZE  FIELD
 *         0       8     bytes
 *         8       4     pairs
 *         12      4     bytes of the anchor, 0 for the first interval
 *         16      n     anchor
 * </pre>
 *
 * <p>It counts only if version, generation and tag are those of the space; every opening changes the generation. It is
 * deleted when a store is opened: a file that is damaged or left behind costs time, never correctness.
 */
public final class AnchorsFile {
    /*
     * Only a piece of the file is in memory at a time, however large it is. All of it is verified before any is
     * believed, so it is read twice: it is far smaller than the data, and in the page cache the second time.
     *
     * A small one is not forced. If a power cut takes it, the anchors are sampled, which takes less time than two
     * forces.
     */
    private static final int LEAST_FORCED_BYTES = 64 << 10;

    private static final int FIELD_BYTES = 5 * Long.BYTES + Integer.BYTES;
    private static final int ENTRY_BYTES = 16;
    private static final int PIECE_BYTES = 2 * (ENTRY_BYTES + RecordFormat.MAX_KEY_BYTES);

    private AnchorsFile() {}

    /**
     * Writes the file of a space that was closed cleanly. If that fails, there is no file, or one that does not count.
     */
    public static void write(Vfs vfs, Path directory, SparseIndex index, SpaceEngine engine) {
        Path path = directory.resolve(StoreFiles.ANCHORS_NAME);
        vfs.deleteIfExists(path);
        try {
            if (writeFile(vfs, path, index, engine) > LEAST_FORCED_BYTES) {
                vfs.syncDirectory(directory);
            }
        } catch (StorageException | OutOfMemoryError e) {
            try {
                vfs.deleteIfExists(path);
            } catch (StorageException ofDelete) {
                e.addSuppressed(ofDelete);
            }
            throw e;
        }
    }

    /** Returns how many bytes it has for intervals. */
    private static long writeFile(Vfs vfs, Path path, SparseIndex index, SpaceEngine engine) {
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            ByteBuffer piece = IntervalsFile.newPiece(PIECE_BYTES);
            byte[] anchor = new byte[RecordFormat.MAX_KEY_BYTES];
            CRC32C crc = new CRC32C();
            long bytes = 0;
            IntervalCursor cursor = index.cursor();
            for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
                int length = cursor.anchor(anchor);
                if (piece.remaining() < ENTRY_BYTES + length) {
                    bytes += IntervalsFile.writePiece(file, piece, bytes, crc);
                }
                piece.putLong(cursor.lengthBytes()).putInt(cursor.pairCount()).putInt(length);
                piece.put(anchor, 0, length);
            }
            bytes += IntervalsFile.writePiece(file, piece, bytes, crc);
            ByteBuffer block = IntervalsFile.beginBlock(FormatVersion.ANCHORS, index, engine);
            block.putLong(bytes).putInt((int) crc.getValue());
            file.write(FilePreamble.finish(block), 0);
            if (bytes > LEAST_FORCED_BYTES) {
                file.force();
            }
            return bytes;
        }
    }

    /**
     * Fills an empty index, if there is a file that fits the space.
     *
     * @return whether there is; if not, the index is empty still
     * @throws CorruptionException if the file changes while it is read
     */
    public static boolean load(Vfs vfs, Path directory, SpaceEngine engine, Intervals into) {
        Path path = directory.resolve(StoreFiles.ANCHORS_NAME);
        boolean loading = false;
        try (VfsFile file = IntervalsFile.openIfThere(vfs, path)) {
            if (file == null) {
                return false;
            }
            ByteBuffer block = FilePreamble.check(
                    path, 0, FilePreamble.read(file, 0), FormatVersion.ANCHORS, FIELD_BYTES, engine.storeId());
            boolean fits = IntervalsFile.fits(block, engine);
            long intervals = block.getLong();
            long bytes = block.getLong();
            int crc = block.getInt();
            if (!fits || bytes < 0 || bytes != file.size() - FilePreamble.BLOCK_BYTES) {
                return false;
            }
            if (!walk(file, bytes, crc, intervals, engine.size(), null)) {
                return false;
            }
            loading = true; // now that all of it is known to be sound
            if (!walk(file, bytes, crc, intervals, engine.size(), into)) {
                throw new CorruptionException(path, FilePreamble.BLOCK_BYTES, "what was read before", "other bytes");
            }
            return true;
        } catch (CorruptionException | StoreIoException e) {
            if (loading) {
                throw e; // of an index that is filled in part
            }
            return false; // sampling gives the same anchors, or others as good
        }
    }

    /** Reads all intervals, a piece at a time, and returns whether they are sound as far as they could be read. */
    private static boolean walk(VfsFile file, long bytes, int expectedCrc, long intervals, long size, Intervals into) {
        ByteBuffer piece = IntervalsFile.newPiece(PIECE_BYTES).limit(0);
        CRC32C crc = new CRC32C();
        byte[] last = new byte[RecordFormat.MAX_KEY_BYTES];
        int lastLength = 0;
        long total = 0;
        long count = 0;
        for (long read = 0; read < bytes; ) {
            read += IntervalsFile.fill(file, piece, read, bytes, crc);
            while (piece.remaining() >= ENTRY_BYTES) {
                int at = piece.position();
                long lengthBytes = piece.getLong();
                int pairs = piece.getInt();
                int anchorLength = piece.getInt();
                int anchor = piece.position();
                if (lengthBytes < 0
                        || lengthBytes > size - total
                        || pairs < 0
                        || pairs > Interval.UNKNOWN_PAIRS
                        || anchorLength < 0
                        || anchorLength > RecordFormat.MAX_KEY_BYTES) {
                    return false;
                }
                if (anchorLength > piece.remaining()) {
                    piece.position(at); // the rest is in the next piece, if there is one
                    break;
                }
                boolean ascends = count == 0
                        ? anchorLength == 0
                        : Arrays.compareUnsigned(piece.array(), anchor, anchor + anchorLength, last, 0, lastLength) > 0;
                if (!ascends) {
                    return false;
                }
                if (into != null) {
                    into.append(piece.array(), anchor, anchorLength, lengthBytes, pairs);
                }
                piece.get(last, 0, anchorLength);
                lastLength = anchorLength;
                total += lengthBytes;
                count++;
            }
        }
        return !piece.hasRemaining()
                && (int) crc.getValue() == expectedCrc
                && count == intervals
                && total == size
                && count > 0;
    }

    /**
     * Deletes the file, if there is one and it can be done, and returns whether it was. Its deletion need not be
     * durable, or succeed: it fits no later state of the space.
     */
    public static boolean delete(Vfs vfs, Path directory) {
        return IntervalsFile.delete(vfs, directory, StoreFiles.ANCHORS_NAME);
    }
}
