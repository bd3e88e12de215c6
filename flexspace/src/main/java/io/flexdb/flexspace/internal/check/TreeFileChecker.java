package io.flexdb.flexspace.internal.check;

import io.flexdb.flexspace.internal.checkpoint.SavedTable;
import io.flexdb.flexspace.internal.checkpoint.SlotAllocator;
import io.flexdb.flexspace.internal.checkpoint.TreeFileFormat;
import io.flexdb.flexspace.internal.checkpoint.TreeHeader;
import io.flexdb.flexspace.internal.prefetch.ReadAhead;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.internal.image.BadNodeException;
import io.flexdb.flextree.internal.image.NodeImages;
import io.flexdb.flextree.internal.image.NodeSource;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * Verifies what a version of the FlexTree needs of its file: its header, the segment table, and every node that can be
 * reached. Starts from a header that is known, so that a damaged one hides nothing.
 */
final class TreeFileChecker implements NodeSource {
    private final VfsFile file;
    private final TreeHeader header;
    private final Findings findings;
    private final LongConsumer bytesRead;
    private final SlotAllocator slots = new SlotAllocator();
    private ReadAhead images;
    private long prefetchedStart; // of neighbouring nodes that are prefetched together
    private long prefetchedEnd;

    /** @param bytesRead is told of each number of bytes that were read */
    TreeFileChecker(VfsFile file, TreeHeader header, Findings findings, LongConsumer bytesRead) {
        this.file = file;
        this.header = header;
        this.findings = findings;
        this.bytesRead = bytesRead;
        this.images = new ReadAhead(file);
    }

    void check() {
        checkHeader();
        checkTable();
        long units = (images.size() - TreeFileFormat.UNITS_OFFSET) / TreeFileFormat.UNIT_BYTES;
        NodeImages.check(
                FlexTreeOptions.defaults(),
                header.root(),
                header.storeId(),
                (int) Math.max(0, Math.min(Integer.MAX_VALUE, units)),
                this,
                problem -> findings.add(
                        file.path(),
                        TreeFileFormat.slotPosition(Math.max(1, problem.slot())),
                        problem.expected(),
                        problem.found()));
    }

    private void checkHeader() {
        long position = TreeFileFormat.headerPosition(header.treeVersion());
        try {
            TreeHeader found = TreeHeader.read(file, position, header.storeId());
            if (!found.equals(header)) {
                findings.add(file.path(), position, header.toString(), found.toString());
            }
            bytesRead.accept(TreeFileFormat.SLOT_BYTES);
        } catch (CorruptionException | StoreIoException | UnsupportedFormatException e) {
            findings.add(file.path(), position, "the header of tree version " + header.treeVersion(), e);
        }
    }

    private void checkTable() {
        SavedTable table = header.table();
        slots.take(table.slot(), table.units());
        try {
            table.read(file);
            bytesRead.accept(table.bytes());
        } catch (CorruptionException | StoreIoException e) {
            findings.add(file.path(), table.position(), "the segment table of tree version " + header.treeVersion(), e);
        }
    }

    /** Nodes that are changed one by one come to lie anywhere: so the disk can bring many at once. */
    @Override
    public void prefetch(int slot, int level) {
        long position = TreeFileFormat.slotPosition(slot);
        long end = position + (long) TreeFileFormat.unitsOfNode(level) * TreeFileFormat.UNIT_BYTES;
        if (slot > 0 && end <= images.size()) {
            if (position != prefetchedEnd) {
                prefetchNeighbours();
                prefetchedStart = position;
            }
            prefetchedEnd = end;
        }
    }

    private void prefetchNeighbours() {
        if (prefetchedStart < prefetchedEnd) {
            file.prefetch(prefetchedStart, prefetchedEnd - prefetchedStart);
        }
        prefetchedStart = prefetchedEnd;
    }

    @Override
    public void read(int slot, int level, ByteBuffer destination) {
        prefetchNeighbours();
        long position = TreeFileFormat.slotPosition(slot);
        int units = TreeFileFormat.unitsOfNode(level);
        if (position + (long) units * TreeFileFormat.UNIT_BYTES > images.size()) {
            throw new BadNodeException(slot, units + " units", "the end of the file");
        }
        if (!slots.take(slot, units)) {
            throw new BadNodeException(slot, "a slot that is reached once", "slot " + slot + " reached again");
        }
        bytesRead.accept((long) units * TreeFileFormat.UNIT_BYTES);
        try {
            images.read(destination, position);
        } catch (StoreIoException | CorruptionException e) {
            readAlone(slot, destination, position);
        }
    }

    /** It may be its neighbours that can't be read. */
    private void readAlone(int slot, ByteBuffer destination, long position) {
        images = new ReadAhead(file);
        try {
            file.readFully(destination, position);
        } catch (StorageException e) {
            throw new BadNodeException(slot, "a node that can be read", String.valueOf(e.getMessage()));
        }
    }
}
