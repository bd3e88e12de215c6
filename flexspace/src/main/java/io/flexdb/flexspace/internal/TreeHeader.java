package io.flexdb.flexspace.internal;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.internal.SavedRoot;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** What a header slot of the FlexTree file says. */
record TreeHeader(
        long treeVersion,
        long tag,
        SavedRoot root,
        int tableSlot,
        int tableBytes,
        int tableCrc,
        int segmentBytes,
        int frameBytes,
        long storeId) {

    private static final long MAX_VERSION = 1L << 60;

    void write(VfsFile file) {
        ByteBuffer block = FilePreamble.begin(FilePreamble.Kind.TREE, storeId);
        block.putLong(treeVersion).putLong(tag).putLong(root.size()).putLong(root.extentCount());
        block.putInt(root.slot()).putInt(root.crc()).putInt(root.level());
        block.putInt(tableSlot).putInt(tableBytes).putInt(tableCrc);
        block.putInt(segmentBytes).putInt(frameBytes);
        file.write(FilePreamble.finish(block), TreeFileFormat.headerPosition(treeVersion));
    }

    /** The newest whole header of a file. */
    static TreeHeader readNewest(VfsFile file, long storeId) {
        TreeHeader newest = null;
        RuntimeException problem = null;
        for (int slot = 0; slot < 2; slot++) {
            try {
                TreeHeader header = read(file, slot, storeId);
                if (newest == null || header.treeVersion > newest.treeVersion) {
                    newest = header;
                }
            } catch (CorruptionException e) {
                problem = e;
            } catch (UnsupportedFormatException e) {
                throw e; // an older header beside it would be out of date
            }
        }
        if (newest == null) {
            throw problem;
        }
        return newest;
    }

    private static TreeHeader read(VfsFile file, int slot, long storeId) {
        Path path = file.path();
        long position = (long) slot * TreeFileFormat.SLOT_BYTES;
        ByteBuffer block = FilePreamble.check(
                path,
                position,
                FilePreamble.read(file, position),
                FilePreamble.Kind.TREE,
                TreeFileFormat.FIELD_BYTES,
                storeId);
        long treeVersion = block.getLong();
        long tag = block.getLong();
        long size = block.getLong();
        long extentCount = block.getLong();
        SavedRoot root = new SavedRoot(block.getInt(), block.getInt(), block.getInt(), size, extentCount);
        TreeHeader header = new TreeHeader(
                treeVersion,
                tag,
                root,
                block.getInt(),
                block.getInt(),
                block.getInt(),
                block.getInt(),
                block.getInt(),
                FilePreamble.storeId(block));
        header.check(path, position, slot);
        return header;
    }

    private void check(Path path, long position, int slot) {
        boolean sound = treeVersion > 0
                && treeVersion < MAX_VERSION
                && (treeVersion & 1) == slot
                && Integer.bitCount(segmentBytes) == 1
                && Integer.bitCount(frameBytes) == 1
                && frameBytes >= FlexSpaceOptions.MIN_FRAME_BYTES
                && segmentBytes <= FlexSpaceOptions.MAX_SEGMENT_BYTES
                && segmentBytes / frameBytes >= 32
                && tableSlot > 0
                && tableBytes >= TreeFileFormat.TABLE_HEADER_BYTES
                && root.size() >= 0
                && root.slot() >= 0;
        if (!sound) {
            throw new CorruptionException(path, position, "a header whose fields fit each other", toString());
        }
    }
}
