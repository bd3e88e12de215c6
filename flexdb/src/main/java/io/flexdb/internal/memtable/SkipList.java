package io.flexdb.internal.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The order of a memtable's nodes: key ascending, then sequence number descending. Any number of threads insert and
 * search without a lock; nothing is ever removed.
 */
final class SkipList {
    /*
     * A link carries, beside the node it leads to, 36 bits of that node's key, the tag, so that most comparisons do not
     * touch the node, which would be a cache miss each. Tags order as keys do, but equal tags say nothing. As the keys of
     * a store tend to begin alike, the tag is taken behind a prefix that the keys of the last memtable had in common; a
     * key without this prefix gets the least or the greatest tag, which keeps the order for any prefix.
     *
     * Inserts link a node level by level, lowest first, each by compare-and-set; a node that is linked at level 0 is in
     * the list. Ascending inserts, and sorted batches, begin at the place of the thread's last insert instead of searching
     * from the top; if that keeps failing, as with random keys, it is tried ever more rarely.
     */
    static final int TAG_BITS = 64 - Nodes.REF_BITS;
    private static final long GREATEST_TAG = (1L << TAG_BITS) - 1;
    private static final int HINT_STEPS = 4;
    private static final int LONGEST_PAUSE = 31;
    private static final VarHandle LEVELS;

    static {
        try {
            LEVELS = MethodHandles.lookup().findVarHandle(SkipList.class, "levels", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Nodes nodes;
    private byte[] commonPrefix = new byte[0];
    private volatile int levels;

    SkipList(Nodes nodes) {
        this.nodes = nodes;
    }

    /** Empties the list. Nobody else may use it meanwhile. */
    void reset(byte[] newCommonPrefix) {
        commonPrefix = newCommonPrefix;
        nodes.writeHeader(Nodes.HEAD, 0, 0, Nodes.MAX_HEIGHT, 0, 0);
        for (int level = 0; level < Nodes.MAX_HEIGHT; level++) {
            nodes.setLink(Nodes.HEAD, level, 0);
        }
        levels = 1;
    }

    int levels() {
        return levels;
    }

    byte[] commonPrefix() {
        return commonPrefix;
    }

    /** The tag of a key; of two keys the lesser never has the greater tag. */
    long tag(byte[] key, int offset, int length) {
        int skipped = commonPrefix.length;
        if (skipped == 0) {
            return KeyOrder.firstEight(key, offset, length) >>> Nodes.REF_BITS;
        }
        int compared = Math.min(skipped, length);
        int order = Arrays.compareUnsigned(key, offset, offset + compared, commonPrefix, 0, compared);
        if (order > 0) {
            return GREATEST_TAG;
        }
        if (order < 0 || length < skipped) {
            return 0;
        }
        return KeyOrder.firstEight(key, offset + skipped, length - skipped) >>> Nodes.REF_BITS;
    }

    /** Whether the node that a link leads to exists and comes before (key, sequence). */
    private boolean leadsBefore(long link, long tag, byte[] key, int offset, int length, long sequence) {
        int ref = Nodes.linkRef(link);
        if (ref == Nodes.NONE) {
            return false;
        }
        long nodeTag = Nodes.linkTag(link);
        if (nodeTag != tag) {
            return nodeTag < tag;
        }
        return isBefore(ref, key, offset, length, sequence);
    }

    private boolean isBefore(int ref, byte[] key, int offset, int length, long sequence) {
        int order = nodes.compareKey(ref, key, offset, length);
        return order < 0 || order == 0 && nodes.sequence(ref) > sequence;
    }

    /**
     * Finds the place of (key, sequence): the last node before it in the upper half of the result, {@link Nodes#HEAD} if
     * there is none, and the first node from it on in the lower half, or {@link Nodes#NONE}.
     */
    long search(byte[] key, int offset, int length, long sequence) {
        long tag = tag(key, offset, length);
        int prev = Nodes.HEAD;
        int notBefore = Nodes.NONE; // known from the level above
        for (int level = levels - 1; ; ) {
            long link = nodes.linkAcquire(prev, level);
            int ref = Nodes.linkRef(link);
            if (ref != notBefore && leadsBefore(link, tag, key, offset, length, sequence)) {
                prev = ref;
            } else if (level == 0) {
                return (long) prev << 32 | ref;
            } else {
                notBefore = ref;
                level--;
            }
        }
    }

    int first() {
        return next(Nodes.HEAD);
    }

    int next(int ref) {
        return Nodes.linkRef(nodes.linkAcquire(ref, 0));
    }

    /** The last node, or {@link Nodes#NONE}. */
    int last() {
        int prev = Nodes.HEAD;
        for (int level = levels - 1; level >= 0; level--) {
            for (int ref; (ref = Nodes.linkRef(nodes.linkAcquire(prev, level))) != Nodes.NONE; ) {
                prev = ref;
            }
        }
        return prev == Nodes.HEAD ? Nodes.NONE : prev;
    }

    /** Links a node that is written except for its links. */
    void insert(Splice splice, int ref, int height, byte[] key, int offset, int length, long sequence) {
        long tag = tag(key, offset, length);
        int top = raiseTo(height);
        if (!isNearHint(splice, height, tag, key, offset, length, sequence)) {
            descend(splice, top, tag, key, offset, length, sequence);
        }
        long link = Nodes.link(ref, tag);
        for (int level = 0; level < height; level++) {
            while (true) {
                long next = splice.next[level];
                nodes.setLink(ref, level, next);
                if (nodes.replaceLink(splice.prev[level], level, next, link)) {
                    break;
                }
                walk(splice, level, Integer.MAX_VALUE, tag, key, offset, length, sequence);
            }
            splice.prev[level] = ref;
        }
    }

    private int raiseTo(int height) {
        int top = levels;
        while (top < height) {
            if (LEVELS.compareAndSet(this, top, height)) {
                return height;
            }
            top = levels;
        }
        return top;
    }

    private void descend(Splice splice, int top, long tag, byte[] key, int offset, int length, long sequence) {
        int prev = Nodes.HEAD;
        int notBefore = Nodes.NONE;
        for (int level = top - 1; level >= 0; ) {
            long link = nodes.linkAcquire(prev, level);
            int ref = Nodes.linkRef(link);
            if (ref != notBefore && leadsBefore(link, tag, key, offset, length, sequence)) {
                prev = ref;
            } else {
                notBefore = ref;
                splice.prev[level] = prev;
                splice.next[level] = link;
                level--;
            }
        }
    }

    private boolean isNearHint(Splice splice, int height, long tag, byte[] key, int offset, int length, long sequence) {
        if (splice.hintPause > 0) {
            splice.hintPause--;
            return false;
        }
        for (int level = 0; level < height; level++) {
            int prev = splice.prev[level];
            if (prev != Nodes.HEAD && !isBefore(prev, key, offset, length, sequence)
                    || !walk(splice, level, HINT_STEPS, tag, key, offset, length, sequence)) {
                splice.hintPenalty = Math.min(2 * splice.hintPenalty + 1, LONGEST_PAUSE);
                splice.hintPause = splice.hintPenalty;
                return false;
            }
        }
        splice.hintPenalty = 0;
        return true;
    }

    /** Moves the place at one level forward to where the key belongs; false if that takes more steps. */
    private boolean walk(
            Splice splice, int level, int steps, long tag, byte[] key, int offset, int length, long sequence) {
        int prev = splice.prev[level];
        for (int left = steps; ; left--) {
            long link = nodes.linkAcquire(prev, level);
            if (!leadsBefore(link, tag, key, offset, length, sequence)) {
                splice.prev[level] = prev;
                splice.next[level] = link;
                return true;
            }
            if (left == 0) {
                return false;
            }
            prev = Nodes.linkRef(link);
        }
    }
}
