package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.flexspace.internal.base.FilePreamble;

/**
 * Where the bytes of the FlexTree file are.
 *
 * <pre>
 * file          OFFSET  SIZE  FIELD
 *               0       4096  header slot of even tree versions
 *               4096    4096  header slot of odd tree versions
 *               8192          units of 1024 bytes; slot n begins at unit n - 1
 *
 * header slot   OFFSET  SIZE  FIELD
 *               0       32    common fields, see FilePreamble
 *               32      8     tree version
 *               40      8     tag: what the owner wants to find again with this version
 *               48      8     bytes of the address space
 *               56      8     extents
 *               64      4     slot of the root, 0 if the tree is empty
 *               68      4     CRC32C of the root's image
 *               72      4     level of the root, 0 for a leaf
 *               76      4     slot of the segment table
 *               80      4     bytes of the segment table
 *               84      4     CRC32C of the segment table
 *               88      4     bytes of a segment
 *               92      4     bytes of a frame
 *               96      4     CRC32C
 *
 * segment table OFFSET  SIZE  FIELD
 *               0       4     segments
 *               4       4     number of the open segment, -1 if there is none
 *               8       4     frames of the open segment that are in the file
 *               12      4 each  generation of each segment
 *               then    4 each  checksum of each of these frames
 * </pre>
 *
 * <p>A leaf takes one unit, an inner node two, the segment table as many as it needs. The newest whole header counts.
 */
public final class TreeFileFormat {
    public static final String FILE_NAME = "tree";
    public static final String NAME_WHILE_MADE = "tree.new";
    public static final int SLOT_BYTES = FilePreamble.BLOCK_BYTES;
    public static final int UNITS_OFFSET = 2 * SLOT_BYTES;
    public static final int UNIT_BYTES = 1024;
    public static final int LEAF_UNITS = 1;
    public static final int INNER_UNITS = 2;

    public static final int TREE_VERSION_OFFSET = FilePreamble.FIELDS_OFFSET;
    public static final int FIELD_BYTES = 4 * Long.BYTES + 8 * Integer.BYTES;

    public static final int TABLE_HEADER_BYTES = 12;

    private TreeFileFormat() {}

    public static long headerPosition(long treeVersion) {
        return (treeVersion & 1) * SLOT_BYTES;
    }

    public static long slotPosition(int slot) {
        return UNITS_OFFSET + (slot - 1L) * UNIT_BYTES;
    }

    public static int unitsOfNode(int level) {
        return level == 0 ? LEAF_UNITS : INNER_UNITS;
    }

    public static int unitsOfBytes(int bytes) {
        return (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    }
}
