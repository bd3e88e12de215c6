package io.flexdb.files.internal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Removes directories with all that is below them.
 *
 * <p>The problem: keys begin with numbers, so that a directory can be moved in one step; but then what is below one is no
 * range of keys. The choice: one short transaction takes the directory out of the tree, to where no path leads. Then
 * entries are read, but nothing of what files have, and all that has been met is deleted by ranges: numbers are given in
 * order, so those of a tree that was made in one go are few runs, often one. The cost is a walk over the entries.
 *
 * <ul>
 *   <li>R1: a directory's own pair goes before its entries are read. Whatever is changed in a directory goes by that
 *       pair, and so does who opens a file in it; so nothing is added behind the walk.
 *   <li>R2: the entries of a directory go when those of all below it have gone, and the entry of the first one last. So
 *       after a crash all that is left is found again from directory 2. Where that takes several transactions, they go by
 *       the order in which directories were finished, and not by that of numbers: above has less than below, mostly.
 *   <li>R3: a file that is open goes to directory 2 itself, until it is closed.
 *   <li>R4: a file that is small, and was open before its entry was read, may have got blocks since, and may be closed
 *       when they are to go; so it counts as one with blocks. Nobody can have opened it later, by R1.
 * </ul>
 */
final class TreeRemoval {
    private static final int LISTED_AT_ONCE = 1000;

    private final FileTree tree;
    private final TreeStore store;
    private final TreeSettings.Removal limits;

    TreeRemoval(FileTree tree, TreeSettings.Removal limits) {
        this.tree = tree;
        this.limits = limits;
        this.store = tree.store;
    }

    /** Removes what was left to be removed when the store was closed or has crashed. */
    void removeLeftovers() throws IOException {
        List<FileTree.Named> left;
        do {
            left = tree.list(TreeFormat.REMOVED, null, LISTED_AT_ONCE);
            for (FileTree.Named each : left) {
                EntryKey key = EntryKey.of(TreeFormat.REMOVED, each.name());
                Entry entry = each.entry();
                if (entry.isDirectory()) {
                    remove(key, entry.id());
                } else {
                    store.change(null, change -> {
                        change.delete(key);
                        change.deleteBlocks(entry, 0);
                        return null;
                    });
                }
            }
        } while (!left.isEmpty());
    }

    /**
     * Removes a directory of directory 2.
     *
     * @param entry where its entry is
     */
    void remove(EntryKey entry, long directory) throws IOException {
        Walk walk = new Walk();
        walk.walk(directory);
        store.change(null, change -> {
            change.delete(entry);
            return null;
        });
    }

    private final class Walk {
        private final IdRuns withBlocks = new IdRuns(); // whose blocks are to go: those of all that was met
        private final IdRuns withEntries = new IdRuns(); // whose entries are to go: without unfinished directories

        void walk(long root) throws IOException {
            Deque<Long> left = new ArrayDeque<>(); // directories to enter, and, as the complement, to finish
            deleteOwnPairs(List.of(root));
            left.push(root);
            while (!left.isEmpty()) {
                long next = left.pop();
                if (next < 0) {
                    withEntries.add(~next, true);
                } else {
                    withBlocks.add(next, false);
                    left.push(~next);
                    enter(next, left);
                }
                if (withBlocks.size() + withEntries.size() > limits.ids()) {
                    delete();
                }
            }
            delete();
        }

        /** R1, for many directories by one transaction. */
        private void deleteOwnPairs(List<Long> directories) throws IOException {
            for (int i = 0; i < directories.size(); i += limits.ranges()) {
                List<Long> some = directories.subList(i, Math.min(directories.size(), i + limits.ranges()));
                store.change(null, change -> {
                    some.forEach(change::deleteDirectory);
                    return null;
                });
            }
        }

        private void enter(long directory, Deque<Long> left) throws IOException {
            String last = null;
            List<FileTree.Named> page;
            do {
                Set<Long> open = openFiles(); // R4: before entries are read
                page = tree.list(directory, last, LISTED_AT_ONCE);
                List<Long> below = new ArrayList<>();
                for (FileTree.Named each : page) {
                    Entry entry = each.entry();
                    if (entry.isDirectory()) {
                        below.add(entry.id());
                    } else {
                        withBlocks.add(entry.id(), entry.hasBlocks() || open.contains(entry.id()));
                        withEntries.add(entry.id(), false);
                    }
                    last = each.name();
                }
                deleteOwnPairs(below);
                below.forEach(left::push);
            } while (page.size() == LISTED_AT_ONCE);
        }

        /** With those that somebody is opening now, who has seen the directory's own pair. */
        private Set<Long> openFiles() {
            OpenFiles.Held held = tree.open.lockAll();
            try {
                Set<Long> ids = new HashSet<>();
                tree.open.all().forEach(file -> ids.add(file.id));
                return ids;
            } finally {
                held.release();
            }
        }

        private void delete() throws IOException {
            OpenFiles.Held held = tree.open.lockAll();
            try {
                putAsideOpenFiles();
                deleteRuns(withBlocks, TreeChange::deleteBlocksOf);
            } finally {
                held.release();
            }
            deleteRuns(withEntries, TreeChange::deleteEntriesOf); // R2
        }

        /** R3. */
        private void putAsideOpenFiles() throws IOException {
            List<Long> spared = new ArrayList<>();
            for (OpenFile file : tree.open.all()) {
                if (withBlocks.has(file.id)) {
                    EntryKey to = EntryKey.removed(file.id);
                    store.change(null, change -> {
                        Entry entry = change.entry(file.at);
                        if (entry != null) {
                            change.delete(file.at);
                            change.put(to, entry);
                        }
                        return null;
                    });
                    file.at = to;
                    spared.add(file.id);
                }
            }
            withBlocks.removeAll(spared);
        }

        /** Deletes in the order in which numbers were added, as far as one transaction is not enough. */
        private void deleteRuns(IdRuns ids, RunDeletion deletion) throws IOException {
            deleteRuns(ids, 0, ids.size(), deletion);
            ids.clear();
        }

        private void deleteRuns(IdRuns ids, int from, int to, RunDeletion deletion) throws IOException {
            List<long[]> runs = ids.runs(from, to);
            if (runs.size() > limits.ranges()) {
                int middle = (from + to) >>> 1;
                deleteRuns(ids, from, middle, deletion);
                deleteRuns(ids, middle, to, deletion);
            } else if (!runs.isEmpty()) {
                store.change(null, change -> {
                    runs.forEach(run -> deletion.delete(change, run[0], run[1]));
                    return null;
                });
            }
        }
    }

    private interface RunDeletion {
        void delete(TreeChange change, long from, long to);
    }
}
