package io.flexdb.it.race;

import io.flexdb.flextree.ExtentCursor;
import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeOptions;
import io.flexdb.flextree.FlexTreeView;

/**
 * A tree that tells by the number of a version what must be in it, down to the byte. Each version replaces every node
 * of the one before, in nodes that were freed just now if nobody holds them.
 */
final class TreeOfVersions {
    /*
     * One tree serves all cases of a process: a tree for each would cost 256 KiB each and never use a node again. So a
     * reader cannot know which version it gets, only that it must be a whole one.
     */
    static final TreeOfVersions SHARED = new TreeOfVersions();
    static final String WHOLE = "a whole version";

    private static final int EXTENTS = 12;
    private static final int MAX_LENGTH = 5;

    final FlexTree tree =
            new FlexTree(FlexTreeOptions.defaults().withLeafCapacity(4).withInternalCapacity(4));

    // For the only thread that publishes
    private long version;

    private TreeOfVersions() {
        publishNext();
    }

    private static int length(long version, int i) {
        return 1 + (int) ((version + i) % MAX_LENGTH);
    }

    private static long address(long version, int i) {
        return (version * EXTENTS + i) * MAX_LENGTH;
    }

    private static int flags(long version, int i) {
        return (int) (version * 31 + i) & 0xffff;
    }

    /** Makes the next version and returns its number. Now and then from nothing, else extent by extent. */
    long publishNext() {
        long before = version;
        long now = before + 1;
        version = now;
        boolean anew = now % 16 == 1;
        if (anew && tree.size() > 0) {
            tree.collapseRange(0, tree.size());
        }
        long at = 0;
        for (int i = 0; i < EXTENTS; i++) {
            int length = length(now, i);
            if (!anew && length(before, i) == length) {
                tree.remap(at, length, address(now, i), flags(now, i), null);
            } else {
                if (!anew) {
                    tree.collapseRange(at, length(before, i));
                }
                tree.insertRange(at, length, address(now, i), flags(now, i));
            }
            at += length;
        }
        if (tree.publish().version() != now) {
            throw new IllegalStateException("version " + now + " has another number");
        }
        return now;
    }

    /** Reads a view in several ways; {@link #WHOLE}, or what is wrong with it, in few words that stay the same. */
    static String read(FlexTreeView view, ExtentCursor cursor) {
        try {
            return readAll(view, cursor);
        } catch (RuntimeException e) {
            return e.getClass().getName();
        }
    }

    private static String readAll(FlexTreeView view, ExtentCursor cursor) {
        long version = view.version();
        if (view.extentCount() != EXTENTS) {
            return "the count of extents";
        }
        cursor.reset(view);
        boolean more = cursor.seek(0);
        long at = 0;
        for (int i = 0; i < EXTENTS; i++) {
            int length = length(version, i);
            long address = address(version, i);
            if (!more
                    || cursor.logicalOffset() != at
                    || cursor.length() != length
                    || cursor.address() != address
                    || cursor.flags() != flags(version, i)) {
                return "extent " + i;
            }
            at += length;
            if (view.lookup(at - 1) != address + length - 1) {
                return "the last byte of extent " + i;
            }
            more = cursor.next();
        }
        return more || at != view.size() ? "the size" : WHOLE;
    }
}
