package io.flexdb.flexspace.internal.checkpoint;

import io.flexdb.flexspace.internal.prefetch.ReadAhead;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flextree.ExtentConsumer;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import io.flexdb.flextree.internal.image.BadNodeException;
import io.flexdb.flextree.internal.image.NodeImages;
import io.flexdb.flextree.internal.image.NodeSink;
import io.flexdb.flextree.internal.image.SavedRoot;
import io.flexdb.flextree.internal.owner.OwnedTrees;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StoreFullException;
import java.nio.ByteBuffer;

/**
 * The FlexTree file: versions of the tree by copy-on-write (section 4.2 of the paper). One thread at a time saves,
 * while the writer may go on with the tree.
 */
public final class TreeFile implements AutoCloseable {
    /*
     * I1  The units that the durable header reaches are never written. A node's slot is retired when its node in
     *     memory is replaced, and free when a header is durable whose version began after that.
     * I2  A header is written only after everything that it reaches has been forced.
     */
    private static final int RUN_BYTES = 64 * 1024;
    private static final int MIN_GAPS = 8; // units that a copy must give back to be worth a new file
    private static final int MAX_CLEAN = 256 << 10; // units that it may write once more, or closing would take long

    private final VfsFile file;
    private final long storeId;
    private final SlotAllocator slots = new SlotAllocator();
    private final SlotList.Consumer freeingSlots = slots::free; // made at opening, and not in a heap that may be full
    private SlotList retired = new SlotList(); // since the version now being saved, or saved last, began; locked
    private SlotList freeing = new SlotList(); // what the version being saved does not reach any more
    private volatile TreeHeader header;
    private volatile long bytesWritten;
    private long sizeFound;
    private int claimedUnits; // that have their place in the file, or fewer; like all below, locked
    private long leafImages; // of the nodes that the tree has now
    private long internalImages;
    private boolean saving;
    private boolean isReplaced; // by a copy
    private long leavesToSave; // of the version being saved, at most
    private long internalsToSave;
    private int tableUnitsToSave;
    private ByteBuffer run = ByteBuffer.allocateDirect(RUN_BYTES);
    private int runSlot;
    private int runEnd;

    public TreeFile(VfsFile file, TreeHeader header) {
        this.file = file;
        this.header = header;
        this.storeId = header.storeId();
    }

    public TreeHeader header() {
        return header;
    }

    /** Loads the tree that the header names. */
    public void load(FlexTree tree, ExtentConsumer eachExtent) {
        ReadAhead images = new ReadAhead(file);
        takeFound(header.table().slot(), header.table().units(), images.size());
        claimedUnits = maxSlot(images.size());
        sizeFound = images.size();
        try {
            NodeImages.load(
                    tree,
                    header.root(),
                    seed(),
                    maxSlot(images.size()),
                    (slot, level, destination) -> {
                        takeFound(slot, TreeFileFormat.unitsOfNode(level), images.size());
                        countImages(level, 1);
                        images.read(destination, TreeFileFormat.slotPosition(slot));
                    },
                    eachExtent);
        } catch (BadNodeException e) {
            throw new CorruptionException(
                    file.path(), TreeFileFormat.slotPosition(Math.max(1, e.slot())), e.expected(), e.found());
        }
        OwnedTrees.writer(tree).slotListener(this::retire);
    }

    private static int maxSlot(long fileSize) {
        long units = (fileSize - TreeFileFormat.UNITS_OFFSET) / TreeFileFormat.UNIT_BYTES;
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, units));
    }

    /** Takes what the file says is in use. */
    private void takeFound(int slot, int units, long fileSize) {
        long end = slot <= 0 ? 0 : TreeFileFormat.slotPosition(slot) + (long) units * TreeFileFormat.UNIT_BYTES;
        if (slot <= 0 || end > fileSize) {
            throw new CorruptionException(
                    file.path(), fileSize, "a slot within the file", "slot " + slot + " of " + units + " units");
        }
        if (!slots.take(slot, units)) {
            throw new CorruptionException(
                    file.path(),
                    TreeFileFormat.slotPosition(slot),
                    "a slot that is reached once",
                    "slot " + slot + " reached again");
        }
    }

    /** The segment table that the header names. */
    public ByteBuffer readTable() {
        return header.table().read(file);
    }

    /**
     * Begins a version: what has been retired so far is not part of it. By the writer, when it seals the state.
     *
     * @param tableBytes of the segment table
     */
    public synchronized void beginVersion(FlexTree tree, int tableBytes) {
        SlotList list = freeing;
        freeing = retired;
        retired = list;
        saving = true;
        internalsToSave = tree.internalNodeCount() - internalImages;
        leavesToSave = tree.nodeCount() - tree.internalNodeCount() - leafImages;
        tableUnitsToSave = TreeFileFormat.unitsOfBytes(tableBytes);
    }

    /** Whether a version is on its way. */
    public synchronized boolean isSaving() {
        return saving;
    }

    /**
     * How many units must be claimed so that the version being saved and one more find their place.
     *
     * @param extra units that the next version takes beyond those of its nodes of now
     * @param unitsSinceSeal which the nodes made since {@link #beginVersion} take at most
     * @param tableUnits of the next segment table
     * @return the units missing; 0 or less if there are enough
     */
    public synchronized long missingUnits(FlexTree tree, long extra, long unitsSinceSeal, int tableUnits) {
        long internals = tree.internalNodeCount() - internalImages;
        long leaves = tree.nodeCount() - tree.internalNodeCount() - leafImages;
        long atEnd = extra + tableUnits;
        if (saving) {
            if (internals * TreeFileFormat.INNER_UNITS + leaves > unitsSinceSeal) { // many are those being saved
                atEnd += unitsSinceSeal;
                internals = 0;
                leaves = 0;
            }
            internals += internalsToSave;
            leaves += leavesToSave;
            atEnd += tableUnitsToSave;
        }
        // A leaf fits any gap, and takes the first one. For whatever is longer the gaps may be too short.
        long gaps = slots.end() - slots.usedUnits();
        atEnd += internals * TreeFileFormat.INNER_UNITS + Math.max(0, leaves - gaps);
        return atEnd - Math.max(0, claimedUnits - slots.end());
    }

    /**
     * Makes the file longer by so many units, so that writing them later finds space.
     *
     * @throws StoreFullException if there is not as much; nothing has changed then
     */
    public synchronized void claim(long units) {
        int from = Math.max(claimedUnits, slots.end());
        long position = TreeFileFormat.slotPosition(from + 1);
        try {
            file.allocate(position, units * TreeFileFormat.UNIT_BYTES); // no slot is handed out meanwhile
        } catch (StoreFullException e) {
            file.truncate(position); // a part of it, of use to others
            throw e;
        }
        claimedUnits = (int) (from + units);
    }

    /** Takes all claims back, when nothing has been written since the tree was loaded. */
    public synchronized void cutToSizeFound() {
        if (file.size() > sizeFound) {
            file.truncate(sizeFound);
        }
    }

    /**
     * Gives back to the disk what follows the last unit of the version that was loaded: places that were kept for
     * later ones, which are claimed anew. Before any change, when the header of that version is durable.
     *
     * @return whether there was any
     */
    public synchronized boolean giveBackEnd() {
        long end = TreeFileFormat.slotPosition(slots.end() + 1);
        if (file.size() <= end) {
            return false;
        }
        file.truncate(end);
        claimedUnits = Math.min(claimedUnits, slots.end());
        return true;
    }

    private synchronized int takeNode(int level) {
        countImages(level, 1);
        if (level == 0) {
            leavesToSave--;
        } else {
            internalsToSave--;
        }
        return slots.allocate(TreeFileFormat.unitsOfNode(level));
    }

    private synchronized int takeTable(int units) {
        tableUnitsToSave = 0;
        return slots.allocate(units);
    }

    private void countImages(int level, int by) {
        if (level == 0) {
            leafImages += by;
        } else {
            internalImages += by;
        }
    }

    /**
     * Writes all nodes that changed since the last checkpoint and the segment table, and forces them (O3).
     *
     * @param state the one at {@link #beginVersion}, kept until this returns
     */
    TreeHeader writeVersion(SealedState state) {
        SavedRoot root = NodeImages.save(state.tree(), state.view(), seed(), new NodeSink() {
            @Override
            public int write(ByteBuffer image, int level) {
                return writeUnits(image, takeNode(level), TreeFileFormat.unitsOfNode(level));
            }

            @Override
            public void superseded(int slot, int level) {
                retire(slot, level);
            }
        });
        TreeHeader next = writeAll(state.segmentTable(), state.tag(), root);
        file.force();
        return next;
    }

    /** Writes the segment table and what is left of the images, and returns the header that names them. */
    private TreeHeader writeAll(ByteBuffer table, long tag, SavedRoot root) {
        SavedTable saved = SavedTable.of(table, takeTable(TreeFileFormat.unitsOfBytes(table.remaining())));
        writeUnits(table, saved.slot(), saved.units());
        writeRun();
        return new TreeHeader(header.treeVersion() + 1, tag, root, saved, header.sizes(), storeId);
    }

    /**
     * Whether a {@linkplain #writeCopy copy} gives back at least half as much as has to be written for it, beyond what
     * is to be written anyway.
     */
    public synchronized boolean isWorthCopying(FlexTree tree) {
        long clean = leafImages * TreeFileFormat.LEAF_UNITS + internalImages * TreeFileFormat.INNER_UNITS;
        long internals = tree.internalNodeCount();
        long all = (tree.nodeCount() - internals) * TreeFileFormat.LEAF_UNITS + internals * TreeFileFormat.INNER_UNITS;
        long end = Math.max(slots.end(), slots.usedUnits() + all - clean); // of this file, with the next version
        return clean <= MAX_CLEAN && end - all >= Math.max(MIN_GAPS, clean / 2);
    }

    /**
     * Writes the next version as {@link #writeVersion} and {@link #writeHeader} do together, but to a new file, in which
     * there are no gaps, and all of it. This file stays the one that counts, until the new one has its name and
     * {@link #replaced} is called. The tree must not change meanwhile.
     *
     * @param copy an empty file
     * @return the header that the new file has
     * @throws StoreFullException if there is no space; the new file is of no use then
     */
    public TreeHeader writeCopy(VfsFile copy, FlexTreeView view, ByteBuffer table, long tag) {
        TreeHeader.claimPlaces(copy);
        TreeFile compact = new TreeFile(copy, header);
        TreeHeader next = compact.writeAll(
                table,
                tag,
                NodeImages.copy(
                        view,
                        seed(),
                        (image, level) -> compact.writeUnits(
                                image,
                                compact.slots.allocate(TreeFileFormat.unitsOfNode(level)),
                                TreeFileFormat.unitsOfNode(level))));
        next.write(copy);
        copy.force(); // once: nobody sees a header there before
        return next;
    }

    /** Follows that a new file has taken the place of this one, which is closed. */
    public synchronized void replaced(TreeHeader next) {
        header = next;
        isReplaced = true;
    }

    /**
     * Cuts off what follows the last unit in use, if this file still counts. Before closing, while no version is being
     * saved.
     */
    public synchronized void cutEnd() {
        long end = TreeFileFormat.slotPosition(slots.end() + 1);
        if (!isReplaced && file.size() > end) {
            file.truncate(end);
        }
    }

    /** Gathers runs of neighbouring slots, so that a checkpoint is not one small write per node. */
    private int writeUnits(ByteBuffer bytes, int slot, int units) {
        int length = units * TreeFileFormat.UNIT_BYTES;
        if (slot != runEnd || run.remaining() < length) {
            writeRun();
            if (run.capacity() < length) {
                run = ByteBuffer.allocateDirect(length);
            }
            run.clear();
            runSlot = slot;
        }
        int padded = run.position() + length;
        run.put(bytes);
        while (run.position() < padded) {
            run.put((byte) 0);
        }
        runEnd = slot + units;
        return slot;
    }

    private void writeRun() {
        if (runSlot > 0) {
            run.flip();
            bytesWritten += run.remaining();
            file.write(run, TreeFileFormat.slotPosition(runSlot));
        }
        runSlot = 0;
        runEnd = 0;
    }

    /**
     * Writes the header again and forces it, for a header that was found in the file but may not have been forced by
     * whoever wrote it: it could still be lost, and with it what extends it.
     */
    public void rewriteHeader() {
        header.write(file);
        file.force();
    }

    /** Makes a version the one that counts, and the units that only the one before it needed free. */
    void writeHeader(TreeHeader next) {
        next.write(file);
        file.force();
        bytesWritten += TreeFileFormat.SLOT_BYTES;
        freeSuperseded(next);
    }

    private synchronized void freeSuperseded(TreeHeader next) {
        slots.free(header.table().slot(), header.table().units());
        header = next;
        freeing.forEach(freeingSlots);
        freeing.clear();
        saving = false;
    }

    private synchronized void retire(int slot, int level) {
        retired.add(slot, TreeFileFormat.unitsOfNode(level));
        countImages(level, -1);
    }

    /** Node images of one store never pass for those of another. */
    private long seed() {
        return storeId;
    }

    public long bytesWritten() {
        return bytesWritten;
    }

    public synchronized int usedUnits() {
        return slots.usedUnits();
    }

    @Override
    public void close() {
        file.close();
    }
}
