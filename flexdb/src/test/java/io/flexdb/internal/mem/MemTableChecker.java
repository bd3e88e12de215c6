package io.flexdb.internal.mem;

import io.flexdb.internal.base.KeyHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Checks and prints a memtable that is not being written. The invariants are numbered in {@link MemTable}. */
final class MemTableChecker {
    private static final List<String> TYPES =
            List.of("nothing", "put", "delete", "range", "expiring put", "merge", "large put"); // by their numbers
    private static final int SHOWN_BYTES = 40;

    private final MemTable table;
    private final Nodes nodes;
    private final KeyTree tree;
    private int previousAnchor;
    private int previousLeaf;
    private int anchors;
    private int crowded;
    private int entries;
    private long entryBytes;

    private MemTableChecker(MemTable table) {
        this.table = table;
        this.nodes = table.nodes;
        this.tree = table.tree;
    }

    /** Checks all invariants and throws an {@link AssertionError} if one is broken. No write may be under way. */
    static void check(MemTable table) {
        new MemTableChecker(table).check();
    }

    private void check() {
        checkSubtree(tree.root(), tree.level(tree.root()), Nodes.NONE, Nodes.NONE);
        require(previousLeaf == 0 || tree.link(previousLeaf) == 0, "T4: the last leaf is linked on");
        int indexed = table.index.countKeys();
        require(
                indexed == anchors - crowded,
                "I1: " + anchors + " keys in the tree, " + indexed + " in the hash index, " + crowded + " crowded out");
        entries += table.rangeCount();
        require(entries == table.entryCount(), "I4: " + entries + " versions, reserved " + table.entryCount());
        long end = Nodes.FIRST_POSITION + entryBytes + table.rangeBytes();
        if (table.ranges() != null) {
            DeletedRangesChecker.check(table.ranges());
        }
        require(end == table.entriesEnd(), "I4: " + end + " bytes of entries, reserved " + table.entriesEnd());
        require(end <= tree.start(), "I5: entries up to " + end + ", tree from " + tree.start());
    }

    /** Keys below a node are at or after the lower bound and before the upper one, where there are such. */
    private void checkSubtree(int node, int level, int lower, int upper) {
        require(tree.level(node) == level, "T4: level " + tree.level(node) + " instead of " + level);
        require((tree.stableVersion(node) & 1) == 0 && node >= tree.start(), "I5: tree node at " + node);
        if (level == 0) {
            checkLeaf(node, lower, upper);
            return;
        }
        int count = tree.count(node);
        require(count > 0, "T2: an inner node without a separator");
        for (int i = 0; i <= count; i++) {
            int left = i == 0 ? lower : tree.separator(node, i - 1);
            int right = i == count ? upper : tree.separator(node, i);
            if (i < count) {
                checkNumber(node, i, right);
            }
            checkSubtree(tree.child(node, i), level - 1, left, right);
        }
    }

    private void checkLeaf(int leaf, int lower, int upper) {
        require(previousLeaf == 0 || tree.link(previousLeaf) == leaf, "T4: a leaf is not linked to its neighbour");
        previousLeaf = leaf;
        int count = tree.count(leaf);
        require(count > 0 || leaf == tree.root(), "T2: an empty leaf");
        require(lower == Nodes.NONE || tree.anchor(leaf, 0) == lower, "T2: not the first below: " + describe(lower));
        for (int i = 0; i < count; i++) {
            int anchor = tree.anchor(leaf, i);
            checkNumber(leaf, i, anchor);
            require(
                    previousAnchor == Nodes.NONE || compareKeys(previousAnchor, anchor) < 0,
                    "T1: " + describe(previousAnchor) + " stands before " + describe(anchor));
            previousAnchor = anchor;
            checkAnchor(anchor);
            anchors++;
        }
        require(
                upper == Nodes.NONE || compareKeys(previousAnchor, upper) < 0,
                "T2: " + describe(previousAnchor) + " is left of " + describe(upper));
    }

    private void checkNumber(int node, int index, int anchor) {
        byte[] key = key(anchor);
        require(tree.numberAt(node, index) == tree.number(key, 0, key.length), "T3: number of " + describe(anchor));
    }

    private void checkAnchor(int anchor) {
        byte[] key = key(anchor);
        long hash = KeyHash.hash(key, 0, key.length);
        int found = table.index.find(key, 0, key.length, hash);
        if (found == HashIndex.CROWDED) {
            crowded++;
            found = tree.find(key, 0, key.length);
        }
        require(found == anchor, "I1: " + describe(anchor) + " is not found, but " + describe(found));
        require(hash == KeyHash.hash(nodes.arena, nodes.keyPosition(anchor), key.length), "I1: two hashes of a key");
        require(nodes.isInTree(anchor), "I2: " + describe(anchor) + " is not marked");
        long newest = nodes.newest(anchor);
        int ref = Nodes.refOf(newest);
        require(
                Nodes.numberOf(newest) == nodes.sequence(ref) - nodes.baseSequence,
                "I3: the newest of " + describe(anchor) + " is " + describe(ref));
        boolean anchorMet = false;
        for (int older; ref != Nodes.NONE; ref = older) {
            anchorMet |= ref == anchor;
            older = nodes.older(ref);
            checkVersion(anchor, ref, older);
            if (ref != anchor) {
                checkVersion(anchor, ref, nodes.jump(ref));
            }
            entries++;
            entryBytes += nodes.bytes(ref);
        }
        require(anchorMet, "I4: " + describe(anchor) + " is not among its versions");
    }

    private void checkVersion(int anchor, int ref, int older) {
        require(
                older == Nodes.NONE || nodes.sequence(older) < nodes.sequence(ref) && compareKeys(anchor, older) == 0,
                "I3: " + describe(ref) + " leads to " + describe(older));
    }

    /** The order of two entries' keys. */
    private int compareKeys(int ref, int other) {
        return Arrays.compareUnsigned(key(ref), key(other));
    }

    private byte[] key(int ref) {
        byte[] key = new byte[nodes.keyLength(ref)];
        table.copyKey(ref, key, 0);
        return key;
    }

    /** The entries in order, one a line. */
    static String dump(MemTable table) {
        return new MemTableChecker(table).dump();
    }

    private String dump() {
        StringBuilder text = new StringBuilder(table.toString()).append('\n');
        if (table.ranges() != null) {
            text.append(DeletedRangesChecker.dump(table.ranges()));
        }
        TreePosition position = new TreePosition(false);
        position.reset(nodes, tree);
        for (position.seekToFirst(); position.anchor() != Nodes.NONE; position.next()) {
            int ref = Nodes.refOf(nodes.newest(position.anchor()));
            for (; ref != Nodes.NONE; ref = nodes.older(ref)) {
                text.append("  ").append(describe(ref)).append('\n');
            }
        }
        return text.toString();
    }

    private String describe(int ref) {
        if (ref == Nodes.NONE) {
            return "none";
        }
        byte[] key = key(ref);
        String shown = new String(key, 0, Math.min(key.length, SHOWN_BYTES), StandardCharsets.ISO_8859_1)
                .replaceAll("[^\\x20-\\x7e]", ".");
        return TYPES.get(nodes.type(ref)) + " \"" + shown
                + (key.length > SHOWN_BYTES ? "\"..." : "\"") + " #" + nodes.sequence(ref) + " key " + key.length
                + " value " + nodes.valueLength(ref) + " at " + (ref << 3);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }
}
