package io.flexdb.internal.files;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.engine.SpaceEngine;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.internal.index.IntervalCursor;
import io.flexdb.internal.index.SparseIndex;
import io.flexdb.internal.interval.IntervalBounds;
import io.flexdb.internal.interval.Intervals;
import io.flexdb.internal.keys.RecordFormat;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The sparse index of the last clean close, so that opening again reads one file and no data.
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
    private static final System.Logger LOG = System.getLogger("io.flexdb");
    private static final int FIELD_BYTES = 5 * Long.BYTES + Integer.BYTES;
    private static final int ENTRY_BYTES = 16;
    private static final int MAX_BODY_BYTES = 1 << 30;

    private AnchorsFile() {}

    /**
     * Writes the file of a space that was closed cleanly, unless it would be too large to be read again. If that fails,
     * there is no file, or one that does not count.
     */
    public static void write(Vfs vfs, Path directory, SparseIndex index, SpaceEngine engine) {
        ByteBuffer body = encode(index);
        if (body == null) {
            return;
        }
        Path path = directory.resolve(StoreFiles.ANCHORS_NAME);
        vfs.deleteIfExists(path);
        try {
            writeFile(vfs, path, body, index, engine);
            vfs.syncDirectory(directory);
        } catch (StorageException | OutOfMemoryError e) {
            try {
                vfs.deleteIfExists(path);
            } catch (StorageException ofDelete) {
                e.addSuppressed(ofDelete);
            }
            throw e;
        }
    }

    private static void writeFile(Vfs vfs, Path path, ByteBuffer body, SparseIndex index, SpaceEngine engine) {
        try (VfsFile file = vfs.open(path, OpenMode.CREATE)) {
            int bytes = body.remaining();
            ByteBuffer block = FilePreamble.begin(FilePreamble.Kind.ANCHORS, engine.storeId());
            block.putLong(engine.treeVersion()).putLong(engine.logGeneration()).putLong(engine.tag());
            block.putLong(index.intervalCount()).putLong(bytes).putInt(FilePreamble.crc(body, 0, bytes));
            file.write(body, FilePreamble.BLOCK_BYTES);
            file.write(FilePreamble.finish(block), 0);
            file.force();
        }
    }

    private static ByteBuffer encode(SparseIndex index) {
        ByteBuffer body = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        byte[] anchor = new byte[RecordFormat.MAX_KEY_BYTES];
        IntervalCursor cursor = index.cursor();
        for (cursor.first(index.current()); cursor.isValid(); cursor.next()) {
            int length = cursor.copyAnchor(anchor);
            if (body.remaining() < ENTRY_BYTES + length) {
                if (body.capacity() > MAX_BODY_BYTES / 2) {
                    return null;
                }
                body = ByteBuffer.allocate(Math.max(2 * body.capacity(), body.position() + ENTRY_BYTES + length))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .put(body.flip());
            }
            body.putLong(cursor.lengthBytes()).putInt(cursor.pairCount()).putInt(length);
            body.put(anchor, 0, length);
        }
        return body.flip();
    }

    /** Fills an empty index, if there is a file that fits the space. */
    public static boolean load(Vfs vfs, Path directory, SpaceEngine engine, Intervals into) {
        Path path = directory.resolve(StoreFiles.ANCHORS_NAME);
        if (!vfs.exists(path)) {
            return false;
        }
        ByteBuffer body;
        long intervals;
        try (VfsFile file = vfs.open(path, OpenMode.READ)) {
            ByteBuffer block = FilePreamble.check(
                    path, 0, FilePreamble.read(file, 0), FilePreamble.Kind.ANCHORS, FIELD_BYTES, engine.storeId());
            boolean fits = block.getLong() == engine.openedTreeVersion()
                    & block.getLong() == engine.openedLogGeneration()
                    & block.getLong() == engine.tag();
            intervals = block.getLong();
            long bytes = block.getLong();
            int crc = block.getInt();
            if (!fits
                    || bytes < 0
                    || bytes != file.size() - FilePreamble.BLOCK_BYTES
                    || bytes > Integer.MAX_VALUE - 8) {
                return false;
            }
            body = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
            file.readFully(body, FilePreamble.BLOCK_BYTES);
            body.flip();
            if (FilePreamble.crc(body, 0, body.limit()) != crc) {
                return false;
            }
        } catch (CorruptionException | StoreIoException e) {
            return false; // sampling gives the same anchors, or others as good
        }
        if (!isSound(body.duplicate().order(ByteOrder.LITTLE_ENDIAN), intervals, engine.size())) {
            return false;
        }
        while (body.hasRemaining()) {
            long bytes = body.getLong();
            int pairs = body.getInt();
            int length = body.getInt();
            into.append(body.array(), body.position(), length, bytes, pairs);
            body.position(body.position() + length);
        }
        return true;
    }

    private static boolean isSound(ByteBuffer body, long intervals, long size) {
        long total = 0;
        long count = 0;
        int last = 0;
        int lastLength = 0;
        while (body.remaining() >= ENTRY_BYTES) {
            long bytes = body.getLong();
            int pairs = body.getInt();
            int length = body.getInt();
            int anchor = body.position();
            boolean sound = bytes >= 0
                    && bytes <= size - total
                    && pairs >= 0
                    && pairs <= IntervalBounds.UNKNOWN_PAIRS
                    && length >= 0
                    && length <= Math.min(RecordFormat.MAX_KEY_BYTES, body.remaining())
                    && (count == 0
                            ? length == 0
                            : Arrays.compareUnsigned(
                                            body.array(),
                                            anchor,
                                            anchor + length,
                                            body.array(),
                                            last,
                                            last + lastLength)
                                    > 0);
            if (!sound) {
                return false;
            }
            total += bytes;
            count++;
            last = anchor;
            lastLength = length;
            body.position(anchor + length);
        }
        return !body.hasRemaining() && count == intervals && total == size && count > 0;
    }

    /**
     * Deletes the file, if there is one and it can be done. Its deletion need not be durable, or succeed: it fits no
     * later state of the space.
     */
    public static void delete(Vfs vfs, Path directory) {
        try {
            vfs.deleteIfExists(directory.resolve(StoreFiles.ANCHORS_NAME));
        } catch (StorageException e) {
            LOG.log(System.Logger.Level.WARNING, "The file of anchors stays in " + directory, e);
        }
    }
}
