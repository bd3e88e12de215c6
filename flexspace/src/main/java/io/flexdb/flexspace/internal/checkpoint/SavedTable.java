package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.flexspace.internal.base.FilePreamble;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A saved segment table, as it has to be named in order to read it again.
 *
 * @param slot where it is in the FlexTree file
 * @param bytes its length
 * @param crc the checksum of these
 */
public record SavedTable(int slot, int bytes, int crc) {
    /** The name of what a buffer has left, once that is in a slot. */
    public static SavedTable of(ByteBuffer table, int slot) {
        int bytes = table.remaining();
        return new SavedTable(slot, bytes, FilePreamble.crc(table, table.position(), bytes));
    }

    /** The units that it takes. */
    public int units() {
        return TreeFileFormat.unitsOfBytes(bytes);
    }

    /** Where it begins in the file. */
    public long position() {
        return TreeFileFormat.slotPosition(slot);
    }

    /** Reads it, and verifies its checksum. */
    public ByteBuffer read(VfsFile file) {
        long position = position();
        if (bytes > file.size() - position) {
            throw new CorruptionException(file.path(), position, bytes + " bytes of segment table", "end of file");
        }
        ByteBuffer table = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        file.readFully(table, position);
        table.flip();
        int found = FilePreamble.crc(table, 0, bytes);
        if (found != crc) {
            throw new CorruptionException(
                    file.path(),
                    position,
                    "checksum " + Integer.toHexString(crc) + " of the segment table",
                    Integer.toHexString(found));
        }
        return table;
    }
}
