package io.flexdb.internal.interval;

import java.nio.ByteBuffer;

/**
 * Inserting intervals, and with them nodes; writer only.
 */
final class IndexGrowth {
    /*
     * The intervals to insert divide one that is there, so no offset behind them changes. If they fit into the leaf
     * they are moved in. Else the leaf's entries and the new ones are written out as so many leaves as are needed, and
     * all leaves but the first are inserted into the parent in the same way, and so on up. One pass serves one interval
     * too many and a bulk load of thousands.
     *
     * Nodes are filled evenly, except behind the last interval of all, where an ascending load goes on: there each is
     * filled completely before the next one is begun.
     */
    private final WriterPath path;
    private final IndexNodes nodes;
    private final EntryList gathered = new EntryList();
    private EntryList inserted = new EntryList();
    private EntryList above = new EntryList();

    IndexGrowth(WriterPath path) {
        this.path = path;
        this.nodes = path.nodes;
    }

    /** Divides the interval at the path's end, which already has the bytes of all, among the replacement's. */
    void divide(IntervalReplacement r) {
        ByteBuffer b = path.chunk(0);
        int base = path.base(0);
        int index = path.index[0];
        long end = IndexNodes.start(b, base, index) + r.lengthBytes[0];
        boolean appending = r.count() > 1 && path.isLast();
        IndexNodes.setEnd(b, base, index, end);
        IndexNodes.setContentWord(b, base, index, IndexNodes.contentWord(r.contentNumber[0], r.pairCount[0]));
        IndexNodes.setHint(b, base, index, r.hint[0]);
        inserted.clear();
        int ref = IndexNodes.ref(b, base, 0, index);
        for (int i = 1; i < r.count(); i++) {
            end += r.lengthBytes[i];
            ref = nodes.keys.put(r.anchors(), r.anchorFrom[i], r.anchorLength[i], ref);
            inserted.add(end, IndexNodes.contentWord(r.contentNumber[i], r.pairCount[i]), r.hint[i], ref);
        }
        insert(appending);
    }

    /** Adds one interval behind the last, which the path leads to; the path's offsets do not count it yet. */
    void append(byte[] anchor, int from, int length, long lengthBytes, int pairCount, long contentNumber) {
        ByteBuffer b = path.chunk(0);
        int base = path.base(0);
        int last = path.index[0];
        long end = IndexNodes.end(b, base, last) + lengthBytes;
        int ref = nodes.keys.put(anchor, from, length, IndexNodes.ref(b, base, 0, last));
        inserted.clear();
        inserted.add(end, IndexNodes.contentWord(contentNumber, pairCount), 0, ref);
        insert(true);
    }

    private void insert(boolean appending) {
        for (int level = 0; inserted.count > 0; level++) {
            if (level > path.level) {
                path.addRoot();
            }
            above.clear();
            if (path.count(level) + inserted.count <= path.capacity(level)) {
                insertInPlace(level);
            } else {
                insertAndSplit(level, appending);
            }
            EntryList done = inserted;
            inserted = above;
            above = done;
        }
    }

    private void insertInPlace(int level) {
        ByteBuffer b = path.chunk(level);
        int base = path.base(level);
        int at = path.index[level] + 1;
        int count = path.count(level);
        if (at < count) {
            IndexNodes.move(b, base, level, at, at + inserted.count, count);
        }
        long origin = level == 0 ? 0 : IndexNodes.childStart(b, base, at - 1);
        inserted.writeTo(b, base, at, 0, inserted.count, -origin);
        IndexNodes.setCount(b, base, count + inserted.count);
        nodes.keysInserted(b, base, level, at, at + inserted.count);
    }

    private void insertAndSplit(int level, boolean appending) {
        gather(level);
        int capacity = path.capacity(level);
        int total = gathered.count;
        int parts = (total + capacity - 1) / capacity;
        int from = 0;
        for (int part = 0; part < parts; part++) {
            int to = appending ? Math.min(total, from + capacity) : (int) ((part + 1L) * total / parts);
            long origin = gathered.start(level, from);
            int node = path.node[level];
            if (part > 0) {
                node = nodes.allocate(level);
                above.add(origin, 0, node, pivot(level, from));
            }
            ByteBuffer b = nodes.chunk(node);
            int base = nodes.base(node);
            gathered.writeTo(b, base, 0, from, to, origin);
            IndexNodes.setCount(b, base, to - from);
            nodes.rebuildWindows(b, base, level);
            from = to;
        }
    }

    private void gather(int level) {
        ByteBuffer b = path.chunk(level);
        int base = path.base(level);
        int at = path.index[level] + 1;
        long origin = level == 0 ? 0 : IndexNodes.childStart(b, base, at - 1);
        gathered.clear();
        gathered.addFrom(b, base, 0, at);
        for (int i = 0; i < inserted.count; i++) {
            gathered.add(inserted.offset[i] + origin, inserted.content[i], inserted.number[i], inserted.ref[i]);
        }
        gathered.addFrom(b, base, at, IndexNodes.count(b, base));
    }

    /** The key in the parent for a node that begins with this entry: a leaf keeps its anchor, a pivot moves up. */
    private int pivot(int level, int first) {
        int ref = gathered.ref[first];
        if (level == 0) {
            return nodes.keys.copy(ref);
        }
        gathered.ref[first] = 0;
        return ref;
    }
}
