package io.flexdb.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.flextree.internal.owner.OwnedTrees;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** Does the same random operations to a tree and to its oracle and compares them all the time. */
final class TreeDriver {
    private record OldView(FlexTreeView view, ExtentModel model) {}

    final FlexTree tree;
    final ExtentModel model;
    final ExtentCursor cursor = new ExtentCursor();
    private final SplittableRandom random;
    private final int targetExtents;
    private final int maxLength;
    private final long addressLimit;
    private final Deque<OldView> oldViews = new ArrayDeque<>();
    private long lastAddressEnd;
    private boolean looksAlways = true;

    TreeDriver(FlexTreeOptions options, SplittableRandom random, int targetExtents, int maxLength, long addressLimit) {
        this.tree = new FlexTree(options);
        this.model = new ExtentModel(options.maxExtentBytes(), options.mergeExtents());
        this.random = random;
        this.targetExtents = targetExtents;
        this.maxLength = maxLength;
        this.addressLimit = addressLimit;
    }

    void run(int operations) {
        for (int i = 0; i < operations; i++) {
            step();
            if (i % 1000 == 0) {
                tree.checkInvariants();
            }
        }
        compare();
    }

    /** Around the wanted number of extents, insertions and removals balance. */
    void step() {
        int kind = random.nextInt(100);
        boolean grow = random.nextInt(2 * targetExtents) >= model.count;
        if (model.size == 0 || kind < 40 && grow) {
            insert(random.nextLong(model.size + 1));
        } else if (kind < 48 && grow) {
            insert(model.size);
        } else if (kind < 50) {
            insert(0);
        } else if (kind < 70) {
            collapse();
        } else if (kind < 80) {
            remap();
        } else if (kind < 88) {
            query();
        } else if (kind < 98) {
            long at = random.nextLong(model.size);
            assertEquals(model.lookup(at), tree.lookup(at));
        } else if (random.nextInt(8) == 0) {
            version();
        }
        assertEquals(model.size, tree.size());
        if (looksAlways || random.nextInt(100) == 0) { // to look is to have the edits made that wait
            assertEquals(model.count, tree.extentCount());
            looksAlways = random.nextInt(100) == 0;
        }
    }

    private long length() {
        // Mostly short, now and then one that has to be cut into many extents.
        int bound = random.nextInt(20) == 0 ? maxLength * 4 : maxLength;
        return 1 + random.nextInt(bound);
    }

    private long address(long length) {
        int kind = random.nextInt(8);
        if (kind == 0) {
            return FlexTree.HOLE;
        }
        if (kind < 4 && lastAddressEnd + length <= FlexTree.HOLE) {
            return lastAddressEnd;
        }
        if (kind == 4) {
            return FlexTree.HOLE - length;
        }
        return random.nextLong(addressLimit - length);
    }

    private int flags() {
        return random.nextInt(4) == 0 ? random.nextInt(1 << 16) : random.nextInt(2);
    }

    private void insert(long logicalOffset) {
        long length = length();
        long address = address(length);
        int flags = flags();
        tree.insertRange(logicalOffset, length, address, flags);
        model.insert(logicalOffset, length, address, flags);
        lastAddressEnd = address == FlexTree.HOLE ? 0 : address + length;
    }

    /** A start and an end that often are the bounds of extents. */
    private long[] range() {
        long from = random.nextLong(model.size);
        long to;
        int kind = random.nextInt(40);
        if (kind < 10) {
            cursor.reset(tree.current());
            cursor.seek(from);
            from = cursor.logicalOffset();
            to = from + cursor.length();
        } else if (kind == 10) {
            to = from + 1 + random.nextLong(model.size - from);
        } else if (kind == 11 && random.nextInt(20) == 0) {
            from = 0;
            to = model.size;
        } else {
            to = Math.min(model.size, from + length());
        }
        return new long[] {from, to};
    }

    private void collapse() {
        long[] range = range();
        if (range[1] - range[0] > model.size / 4 && random.nextInt(10) > 0) {
            return;
        }
        ExtentModel.Expectation removed = model.expect(range[0], range[1]);
        tree.collapseRange(range[0], range[1] - range[0], random.nextBoolean() ? removed : null);
        model.collapse(range[0], range[1] - range[0]);
    }

    private void remap() {
        long[] range = range();
        long length = Math.min(range[1] - range[0], 8L * maxLength);
        long address = address(length);
        int flags = flags();
        ExtentModel.Expectation removed = model.expect(range[0], range[0] + length);
        tree.remap(range[0], length, address, flags, removed);
        removed.assertComplete();
        model.remap(range[0], length, address, flags);
    }

    private void query() {
        long[] range = range();
        ExtentModel.Expectation expected = model.expect(range[0], range[1]);
        tree.query(range[0], range[1] - range[0], expected);
        expected.assertComplete();
    }

    private void version() {
        tree.publish();
        if (random.nextBoolean()) {
            oldViews.add(new OldView(tree.view(), model.copy()));
        }
        if (oldViews.size() > random.nextInt(12)) {
            List<OldView> views = new ArrayList<>(oldViews);
            OldView old = views.get(random.nextInt(views.size()));
            old.model.assertShownBy(old.view, cursor);
            old.view.close();
            oldViews.remove(old);
        }
    }

    void compare() {
        tree.checkInvariants();
        model.assertShownBy(tree.current(), cursor);
        for (OldView old : oldViews) {
            old.model.assertShownBy(old.view, cursor);
        }
    }

    /** With all views closed, a few versions later only the nodes of the tree are left. */
    void assertAllRetiredNodesAreReclaimed() {
        for (OldView old : oldViews) {
            old.view.close();
        }
        oldViews.clear();
        for (int i = 0; i < 4; i++) {
            tree.publish();
        }
        assertEquals(0, tree.retiredNodeCount());
        assertEquals(tree.nodeCount(), OwnedTrees.writer(tree).pool().liveCount());
        tree.checkInvariants();
    }
}
