package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.base.SegmentSizes;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.internal.image.SavedRoot;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The content of a header slot of the FlexTree file.
 *
 * @param tag what the owner wants to find again with this version
 * @param root of the tree
 * @param table of the segments
 * @param sizes of segments and frames
 */
public record TreeHeader(
        long treeVersion, long tag, SavedRoot root, SavedTable table, SegmentSizes sizes, long storeId) {
    private static final long MAX_VERSION = 1L << 60;

    /**
     * Takes the disk space of both places of headers in a new file. Without it the place of the second header would be a
     * hole, and the first checkpoint of a store on a full disk would fail where it may not: when its header is written.
     */
    public static void claimPlaces(VfsFile file) {
        file.allocate(0, TreeFileFormat.UNITS_OFFSET);
    }

    public void write(VfsFile file) {
        ByteBuffer block = FilePreamble.begin(FilePreamble.Kind.TREE, storeId);
        block.putLong(treeVersion).putLong(tag).putLong(root.size()).putLong(root.extentCount());
        block.putInt(root.slot()).putInt(root.crc()).putInt(root.level());
        block.putInt(table.slot()).putInt(table.bytes()).putInt(table.crc());
        block.putInt(sizes.segmentBytes()).putInt(sizes.frameBytes());
        file.write(FilePreamble.finish(block), TreeFileFormat.headerPosition(treeVersion));
    }

    /** The newest whole header of a file. */
    public static TreeHeader readNewest(VfsFile file, long storeId) {
        TreeHeader newest = null;
        RuntimeException problem = null;
        for (int slot = 0; slot < 2; slot++) {
            try {
                TreeHeader header = read(file, (long) slot * TreeFileFormat.SLOT_BYTES, storeId);
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

    /** The header in the slot at a position. */
    public static TreeHeader read(VfsFile file, long position, long storeId) {
        Path path = file.path();
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
        SavedTable table = new SavedTable(block.getInt(), block.getInt(), block.getInt());
        SegmentSizes sizes = new SegmentSizes(block.getInt(), block.getInt());
        TreeHeader header = new TreeHeader(treeVersion, tag, root, table, sizes, FilePreamble.storeId(block));
        header.check(path, position);
        return header;
    }

    private void check(Path path, long position) {
        boolean sound = treeVersion > 0
                && treeVersion < MAX_VERSION
                && TreeFileFormat.headerPosition(treeVersion) == position
                && sizes.areSound()
                && table.slot() > 0
                && table.bytes() >= TreeFileFormat.TABLE_HEADER_BYTES
                && root.size() >= 0
                && root.slot() >= 0;
        if (!sound) {
            throw new CorruptionException(path, position, "a header whose fields fit each other", toString());
        }
    }
}
