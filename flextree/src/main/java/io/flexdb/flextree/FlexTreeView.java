package io.flexdb.flextree;

import io.flexdb.base.epoch.Epochs;
import io.flexdb.base.memory.NodePool;
import io.flexdb.flextree.internal.tree.TreeReader;
import io.flexdb.flextree.internal.tree.TreeWriter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One version of a {@link FlexTree}, which never changes. Safe for any number of threads at once.
 *
 * <p>A view from {@link FlexTree#view()} keeps the nodes it reaches until it is closed, once, by whoever asked for it.
 * Closing the others does nothing: the writer, or the owner of the tree, knows how long they are good. One that is
 * read too late gives nonsense or an unchecked exception, and never harms the process.
 */
public final class FlexTreeView implements AutoCloseable {
    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(FlexTreeView.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final NodePool pool;
    final int root;
    final int level;
    private final long size;
    private final long extentCount;
    private final long version;
    private final Epochs pinnedBy;
    private volatile boolean closed;

    /** A view of a writer's state as it is now, which nobody has to close. */
    FlexTreeView(TreeWriter writer, long version) {
        this.pool = writer.pool();
        this.root = writer.root();
        this.level = writer.level();
        this.size = writer.size();
        this.extentCount = writer.extentCount();
        this.version = version;
        this.pinnedBy = null;
    }

    private FlexTreeView(FlexTreeView same, Epochs pinnedBy) {
        this.pool = same.pool;
        this.root = same.root;
        this.level = same.level;
        this.size = same.size;
        this.extentCount = same.extentCount;
        this.version = same.version;
        this.pinnedBy = pinnedBy;
    }

    FlexTreeView pinnedBy(Epochs epochs) {
        return new FlexTreeView(this, epochs);
    }

    /** Bytes of the logical address space. */
    public long size() {
        return size;
    }

    /** Extents in the tree. */
    public long extentCount() {
        return extentCount;
    }

    /** The writer epoch of which this is the last state. */
    public long version() {
        return version;
    }

    /** The root, 0 if the tree is empty. For owners within FlexDB, which save nodes. */
    public int rootNode() {
        return root;
    }

    /** The root's level, 0 for a leaf. For owners within FlexDB. */
    public int rootLevel() {
        return level;
    }

    /** The address of one byte, or {@link FlexTree#HOLE}. */
    public long lookup(long logicalOffset) {
        checkOpen();
        if (logicalOffset < 0 || logicalOffset >= size) {
            throw FlexTree.outOfBounds(logicalOffset, 1, size);
        }
        return TreeReader.lookup(pool, root, level, logicalOffset);
    }

    /** Hands over what a range is mapped to; its first and last extent are clipped. */
    public void query(long logicalOffset, long length, ExtentConsumer consumer) {
        checkOpen();
        if (logicalOffset < 0 || length < 0 || length > size - logicalOffset) {
            throw FlexTree.outOfBounds(logicalOffset, length, size);
        }
        if (length > 0) {
            RangeQuery.query(pool, root, level, 0, logicalOffset, logicalOffset + length, consumer);
        }
    }

    /** A cursor over this view. */
    public ExtentCursor cursor() {
        ExtentCursor cursor = new ExtentCursor();
        cursor.reset(this);
        return cursor;
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the view is closed");
        }
    }

    @Override
    public void close() {
        if (pinnedBy != null && CLOSED.compareAndSet(this, false, true)) {
            pinnedBy.unpin(version);
        }
    }

    @Override
    public String toString() {
        return "FlexTreeView[version=" + version + ", size=" + size + ", extents=" + extentCount + ", level=" + level
                + (pinnedBy == null ? "" : closed ? ", closed" : ", pinned") + "]";
    }
}
