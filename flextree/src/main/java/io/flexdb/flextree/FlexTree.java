package io.flexdb.flextree;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.base.memory.OffHeap;
import io.flexdb.flextree.internal.tree.EditQueue;
import io.flexdb.flextree.internal.tree.NodeFormat;
import io.flexdb.flextree.internal.tree.TreeChecker;
import io.flexdb.flextree.internal.tree.TreeInsides;
import io.flexdb.flextree.internal.tree.TreeReader;
import io.flexdb.flextree.internal.tree.TreeWriter;
import org.jspecify.annotations.Nullable;

/**
 * An index of extents that maps logical offsets to addresses, byte by byte, and shifts whatever follows an insertion
 * or a removal in O(log N) (the paper's section 3).
 *
 * <p>A tree has a single writer: all methods but {@link #view()} are for one thread at a time. Any number of threads
 * read published versions without a lock, see {@link #publish()} and {@link #view()}.
 *
 * <p>Lengths and logical offsets are bytes. Addresses are 48 bits and opaque but for two things: that of the n-th byte
 * of an extent is the extent's address plus n, and {@link #HOLE} says that bytes are mapped to nothing. The 16 bits of
 * flags are opaque too; both parts of an extent that is cut in two have its flags.
 *
 * <p>A request longer than {@link FlexTreeOptions#maxExtentBytes()}, or a hole longer than {@link #MAX_EXTENT_BYTES},
 * becomes several extents, so that its cost is proportional to its length. All else is O(log N), plus the extents
 * removed or handed over. Bad arguments are refused with an {@link IllegalArgumentException} or {@link
 * IndexOutOfBoundsException} before anything is changed. A tree that ran out of memory in the middle of an operation
 * must not be used any more.
 *
 * <p>Memory is off-heap. It is reused for the life of the tree and freed by the garbage collector.
 */
public final class FlexTree implements AutoCloseable {
    /*
     * The paper's effective offset of an entry is its partial offset plus the shift values of the pointers above it.
     * That leaves a freedom: the same bytes may be added to the partial offsets of a node and taken from the shift of
     * the pointer to it. We use the normal form in which every node is rebased to its first entry, which thus has the
     * partial offset 0. Then the pivot between two children and the shift of the pointer to the right one are the same
     * number, relative to their node, and one array serves as both: childStart. An insertion adds its length to the
     * tail of one array per level, where the paper adds it to two. The first extent's partial offset being 0, a leaf
     * can list the ends of its extents and needs no lengths: 12 bytes an extent and, with 84 extents of 16 MiB at most,
     * positions of 32 bits.
     *
     * I1  A node has one entry at least and no more than its capacity; an internal root has two at least.
     * I2  A child's level is its parent's less one.
     * I3  childStart begins with 0 and grows; the next start less a child's own is what the child's subtree maps.
     * I4  The ends of a leaf grow, by MAX_EXTENT_BYTES at most. A hole has the address HOLE; all else ends at HOLE.
     * I5  No node is younger than its parent, or than the writer's epoch; no node is in the tree twice.
     * I6  A node with an image in the checkpoint has only children with one.
     * I7  size, extentCount and nodeCount are those of the nodes.
     * I8  Every node of the pool is in the tree, retired, or free.
     * I9  Positions beyond the count of a node are the largest there are, so that searches need not know the count.
     */

    /** The address of bytes that are mapped to nothing: the largest of 48 bits. */
    public static final long HOLE = NodeFormat.HOLE;

    /** Bytes that one extent has at most, whatever the options: 16 MiB. */
    public static final int MAX_EXTENT_BYTES = NodeFormat.MAX_EXTENT_BYTES;

    static {
        TreeInsides.install(new TreeInsides<FlexTreeOptions, FlexTree, FlexTreeView>() {
            @Override
            public FlexTree owned(FlexTreeOptions options, Epochs epochs, OffHeap memory) {
                return new FlexTree(options, epochs, memory, false);
            }

            @Override
            public TreeWriter writer(FlexTree tree) {
                return tree.writer();
            }

            @Override
            public NodePool pool(FlexTreeView view) {
                return view.pool;
            }
        });
    }

    private final FlexTreeOptions options;
    private final Epochs epochs;
    private final boolean standalone;
    private final TreeWriter writer;
    private final EditQueue edits;
    private volatile FlexTreeView published;
    private volatile boolean closed;

    /** An empty tree with the default options. */
    public FlexTree() {
        this(FlexTreeOptions.defaults());
    }

    /** An empty tree that publishes versions of its own. */
    public FlexTree(FlexTreeOptions options) {
        this(options, new Epochs(), new OffHeap(), true);
    }

    private FlexTree(FlexTreeOptions options, Epochs epochs, OffHeap memory, boolean standalone) {
        this.options = options;
        this.epochs = epochs;
        this.standalone = standalone;
        this.writer = new TreeWriter(options.shape(), epochs, memory);
        this.edits = new EditQueue(writer);
        this.published = new FlexTreeView(writer, epochs.writerEpoch() - 1);
    }

    /** Maps the next {@code length} bytes after the last one. */
    public void append(long length, long address) {
        append(length, address, 0);
    }

    /** Maps the next {@code length} bytes after the last one, with flags. */
    public void append(long length, long address, int flags) {
        insertRange(edits.size(), length, address, flags);
    }

    /** Inserts bytes at an offset from 0 to {@link #size()} and shifts what follows by their length. */
    public void insertRange(long logicalOffset, long length, long address) {
        insertRange(logicalOffset, length, address, 0);
    }

    /**
     * Inserts bytes at an offset from 0 to {@link #size()} and shifts what follows by their length. An extent that
     * holds the offset is cut in two. If the bytes continue the extent before them, in address and flags, they become
     * part of it while it does not exceed {@link FlexTreeOptions#maxExtentBytes()}; holes join up to
     * {@link #MAX_EXTENT_BYTES}.
     *
     * @param logicalOffset where the first byte will be
     * @param length how many bytes, at least 1
     * @param address where the first byte is stored, or {@link #HOLE}
     * @param flags 16 bits to keep with the extent
     */
    public void insertRange(long logicalOffset, long length, long address, int flags) {
        checkOpen();
        checkMapping(length, address, flags);
        long size = edits.size();
        if (logicalOffset < 0 || logicalOffset > size) {
            throw new IndexOutOfBoundsException(
                    "logicalOffset must be from 0 to the size " + size + ": " + logicalOffset);
        }
        if (length > Long.MAX_VALUE - size) {
            throw new IllegalArgumentException("length " + length + " would make the size " + size + " exceed 2^63-1");
        }
        edits.insert(logicalOffset, length, address, flags);
    }

    /** Inserts bytes that are mapped to nothing and shifts what follows. */
    public void insertHole(long logicalOffset, long length) {
        insertRange(logicalOffset, length, HOLE, 0);
    }

    /** Removes a range of at least one byte and shifts what follows back by its length. */
    public void collapseRange(long logicalOffset, long length) {
        collapseRange(logicalOffset, length, null);
    }

    /**
     * Removes a range of at least one byte and shifts what follows back by its length.
     *
     * @param logicalOffset the first byte to remove
     * @param length how many bytes, at least 1
     * @param removed is told, before anything is removed, what the range is mapped to; may be null. If it throws,
     *     nothing is removed.
     */
    public void collapseRange(long logicalOffset, long length, @Nullable ExtentConsumer removed) {
        checkOpen();
        checkRange(logicalOffset, length, 1);
        if (removed != null) {
            query(logicalOffset, length, removed);
        }
        edits.collapse(logicalOffset, length);
    }

    /**
     * Maps a range of at least one byte anew. The size stays; extents that only partly lie in the range are cut. An
     * extent that is replaced whole by one extent stays an extent of its own, else the new extent may join the one
     * before it as in {@link #insertRange(long, long, long, int)}.
     *
     * @param logicalOffset the first byte to map anew
     * @param length how many bytes, at least 1
     * @param address where the first byte is stored now, or {@link #HOLE}
     * @param flags 16 bits to keep with the extent
     * @param removed is told, before anything is changed, what the range is mapped to; may be null. If it throws,
     *     nothing is changed.
     */
    public void remap(long logicalOffset, long length, long address, int flags, @Nullable ExtentConsumer removed) {
        checkOpen();
        checkMapping(length, address, flags);
        checkRange(logicalOffset, length, 1);
        if (removed != null) {
            query(logicalOffset, length, removed);
        }
        madeEdits().remap(logicalOffset, length, address, flags);
    }

    /** The address of one byte in the writer's state, or {@link #HOLE}. */
    public long lookup(long logicalOffset) {
        checkOpen();
        madeEdits();
        if (logicalOffset < 0 || logicalOffset >= writer.size()) {
            throw outOfBounds(logicalOffset, 1, writer.size());
        }
        return TreeReader.lookup(writer.pool(), writer.root(), writer.level(), logicalOffset);
    }

    /** Hands over what a range is mapped to in the writer's state; its first and last extent are clipped. */
    public void query(long logicalOffset, long length, ExtentConsumer consumer) {
        checkOpen();
        checkRange(logicalOffset, length, 0);
        if (length > 0) {
            madeEdits();
            long end = logicalOffset + length;
            RangeQuery.query(writer.pool(), writer.root(), writer.level(), 0, logicalOffset, end, consumer);
        }
    }

    /** Bytes of the logical address space. */
    public long size() {
        return edits.size();
    }

    /** Extents in the tree. */
    public long extentCount() {
        return madeEdits().extentCount();
    }

    /**
     * Makes the writer's state the version that {@link #view()} gives from now on, and frees the nodes that no reader
     * can see any more.
     *
     * @return that version, not pinned: it is good for reading until the writer's next {@code publish()}
     */
    public FlexTreeView publish() {
        checkOpen();
        checkStandalone();
        FlexTreeView view = current();
        published = view;
        epochs.advance();
        reclaim();
        return view;
    }

    /**
     * The version published last. Any thread; never blocks the writer, nor is blocked by it. The view stays as it is,
     * and keeps the nodes it reaches, until it is closed.
     */
    public FlexTreeView view() {
        checkOpen();
        checkStandalone();
        int ticket = epochs.enter();
        try {
            FlexTreeView view = published;
            epochs.pin(view.version());
            return view.pinnedBy(epochs);
        } finally {
            epochs.exit(ticket);
        }
    }

    private void checkStandalone() {
        if (!standalone) {
            throw new IllegalStateException("this tree is published by its owner");
        }
    }

    /**
     * A handle on the writer's state as it is now. For owners within FlexDB: it shows later changes, or garbage, unless
     * the owner publishes it before the next change, and reads it only under the protection of its epochs.
     */
    public FlexTreeView current() {
        checkOpen();
        madeEdits();
        return new FlexTreeView(writer, epochs.writerEpoch());
    }

    /** Whether a view is of this tree, and from an epoch that has ended, so that it stays as it is while it is kept. */
    public boolean hasSealed(FlexTreeView view) {
        return view.pool == writer.pool() && view.version() < epochs.writerEpoch();
    }

    /** Frees the nodes that no reader can see any more. {@link #publish()} does it too. Writer only. */
    public void reclaim() {
        writer.pool().reclaim();
    }

    private TreeWriter writer() {
        checkOpen();
        return madeEdits();
    }

    /** The settings. */
    public FlexTreeOptions options() {
        return options;
    }

    /** Nodes that the tree consists of, 1 KiB each. */
    public long nodeCount() {
        return madeEdits().nodeCount();
    }

    /** How many of them are internal nodes. For owners within FlexDB. */
    public long internalNodeCount() {
        return madeEdits().internalNodeCount();
    }

    /** Nodes that only readers of older versions may still see. Any thread, for which it is about so many. */
    public long retiredNodeCount() {
        return writer.pool().retiredCount();
    }

    /** Off-heap bytes held, those of retired and free nodes included. Any thread. */
    public long memoryBytes() {
        return writer.pool().memoryBytes();
    }

    /** Visits every node and throws an {@link AssertionError} that names the first broken invariant and the node. */
    public void checkInvariants() {
        TreeChecker.check(madeEdits());
    }

    /**
     * Visits every node of a version and throws an {@link AssertionError} that names the first broken invariant and the
     * node. Any thread, and the writer may go on, while the view is good for reading.
     */
    public void checkInvariants(FlexTreeView view) {
        TreeChecker.check(writer, view.root, view.level, view.size(), view.extentCount());
    }

    /** The tree in words: for every entry the effective offset, and the partial offset and shift that make it up. */
    public String dump() {
        return TreeChecker.dump(madeEdits());
    }

    /** Ends the writer's work. Views stay good until they are closed. */
    @Override
    public void close() {
        closed = true;
    }

    /** The writer once it has made all edits: to be used for whatever looks at the tree. */
    private TreeWriter madeEdits() {
        edits.makeAll();
        return writer;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the tree is closed");
        }
    }

    private static void checkMapping(long length, long address, int flags) {
        if (length < 1) {
            throw new IllegalArgumentException("length must be at least 1: " + length);
        }
        if (address < 0 || address > HOLE) {
            throw new IllegalArgumentException("address must be from 0 to 2^48-1: " + address);
        }
        if (address != HOLE && length > HOLE - address) {
            throw new IllegalArgumentException(
                    "length " + length + " from address " + address + " on would exceed 2^48-1");
        }
        if ((flags & ~0xffff) != 0) {
            throw new IllegalArgumentException("flags must be from 0 to 65535: " + flags);
        }
    }

    private void checkRange(long logicalOffset, long length, int least) {
        if (length < least) {
            throw new IllegalArgumentException("length must be at least " + least + ": " + length);
        }
        long size = edits.size();
        if (logicalOffset < 0 || length > size - logicalOffset) {
            throw outOfBounds(logicalOffset, length, size);
        }
    }

    static IndexOutOfBoundsException outOfBounds(long logicalOffset, long length, long size) {
        return new IndexOutOfBoundsException(
                "the range of length " + length + " at logicalOffset " + logicalOffset + " exceeds the size " + size);
    }

    @Override
    public String toString() {
        return "FlexTree[size=" + size() + ", extents=" + extentCount() + ", level=" + writer.level() + ", nodes="
                + nodeCount() + ", retiredNodes=" + retiredNodeCount() + ", memoryBytes=" + memoryBytes() + ", "
                + options + "]";
    }
}
