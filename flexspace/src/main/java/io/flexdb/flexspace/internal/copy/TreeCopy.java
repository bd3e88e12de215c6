package io.flexdb.flexspace.internal.copy;

import io.flexdb.flexspace.internal.checkpoint.SavedTable;
import io.flexdb.flexspace.internal.checkpoint.SealedState;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.segment.SegmentFormat;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.internal.image.NodeImages;
import io.flexdb.flextree.internal.image.SavedRoot;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.IntConsumer;

/** Writes a version of the FlexTree as the first one of a new FlexTree file: all nodes, one behind the other. */
final class TreeCopy {
    /** The version of the tree in a copy. */
    static final long TREE_VERSION = 1;

    private static final int RUN_BYTES = 1 << 18;

    private final VfsFile file;
    private final IntConsumer written;
    private final ByteBuffer run = ByteBuffer.allocateDirect(RUN_BYTES);
    private long runPosition = TreeFileFormat.slotPosition(1);
    private int nextSlot = 1;

    private TreeCopy(VfsFile file, IntConsumer written) {
        this.file = file;
        this.written = written;
    }

    /** Writes the file, and forces it. */
    static void write(
            Vfs vfs, Path directory, SegmentFormat format, long storeId, SealedState state, IntConsumer written) {
        try (VfsFile file = vfs.open(directory.resolve(TreeFileFormat.FILE_NAME), OpenMode.CREATE)) {
            TreeHeader.claimPlaces(file);
            TreeCopy copy = new TreeCopy(file, written);
            SavedRoot root = NodeImages.copySealed(
                    state.tree(),
                    state.view(),
                    storeId,
                    (image, level) -> copy.put(image, TreeFileFormat.unitsOfNode(level)));
            ByteBuffer segmentTable = state.segmentTable();
            int units = TreeFileFormat.unitsOfBytes(segmentTable.remaining());
            SavedTable table = SavedTable.of(segmentTable, copy.put(segmentTable.duplicate(), units));
            copy.writeRun();
            new TreeHeader(TREE_VERSION, state.tag(), root, table, format.sizes(), storeId).write(file);
            file.force();
        }
    }

    private int put(ByteBuffer bytes, int units) {
        int left = units * TreeFileFormat.UNIT_BYTES;
        while (left > 0) {
            if (!run.hasRemaining()) {
                writeRun();
            }
            int length = Math.min(left, run.remaining()); // units fill a run exactly
            int ofBytes = Math.min(length, bytes.remaining());
            run.put(bytes.slice().limit(ofBytes));
            bytes.position(bytes.position() + ofBytes);
            for (int i = ofBytes; i < length; i++) {
                run.put((byte) 0);
            }
            left -= length;
        }
        int slot = nextSlot;
        nextSlot += units;
        return slot;
    }

    private void writeRun() {
        run.flip();
        int bytes = run.remaining();
        file.write(run, runPosition);
        file.startWriting(runPosition, bytes);
        runPosition += bytes;
        run.clear();
        written.accept(bytes);
    }
}
