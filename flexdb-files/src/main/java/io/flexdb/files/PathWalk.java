package io.flexdb.files;

import io.flexdb.files.internal.Entry;
import io.flexdb.files.internal.EntryKey;
import io.flexdb.files.internal.FileTree;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Finds what a path leads to, name by name from the root on, through links and dots. Each name is looked up by itself, as
 * kernels do: who moves directories meanwhile may have done so before or after.
 */
final class PathWalk {
    private static final int MAX_LINKS = 40;

    private final FileTree tree;
    private final FlexPath path;
    private final boolean follow;
    private final List<Step> above = new ArrayList<>(); // the directories from the root on
    private final Deque<String> left = new ArrayDeque<>();
    private int links;

    /** A directory on the way. */
    private record Step(long id, String name) {}

    /**
     * Where a path leads to.
     *
     * @param path for messages
     * @param key of the entry; null for the root
     * @param entry what is there; null if nothing is
     * @param names from the root to it
     */
    record Place(FlexPath path, EntryKey key, Entry entry, List<String> names) {
        /** Where the entry is, which the root has none of. */
        EntryKey requireKey() throws FileSystemException {
            if (key == null) {
                throw new FileSystemException(path.toString(), null, "the root stays what it is");
            }
            return key;
        }

        Entry requireEntry() throws NoSuchFileException {
            if (entry == null) {
                throw new NoSuchFileException(path.toString());
            }
            return entry;
        }
    }

    /** What a path goes through is no directory. */
    static final class NoDirectoryException extends FileSystemException {
        private static final long serialVersionUID = 1L;

        NoDirectoryException(String path) {
            super(path, null, "Not a directory");
        }
    }

    private PathWalk(FileTree tree, FlexPath path, boolean follow) {
        this.tree = tree;
        this.path = path;
        this.follow = follow;
        this.above.add(new Step(FileTree.ROOT, ""));
        this.left.addAll(path.names());
    }

    /**
     * Goes where a path leads to.
     *
     * @param follow whether a link at the end leads on
     * @throws NoSuchFileException if a directory on the way is not there
     */
    static Place find(FileTree tree, FlexPath path, boolean follow) throws IOException {
        try {
            return new PathWalk(tree, path, follow).walk();
        } catch (EntryKey.NameTooLongException e) {
            throw new FileSystemException(path.toString(), null, "File name too long");
        }
    }

    private Place walk() throws IOException {
        while (!left.isEmpty()) {
            String name = left.removeFirst();
            if (name.equals("..")) {
                if (above.size() > 1) {
                    above.remove(above.size() - 1);
                }
            } else if (!name.equals(".")) {
                Place end = step(name);
                if (end != null) {
                    return end;
                }
            }
        }
        Step last = above.remove(above.size() - 1);
        return above.isEmpty()
                ? new Place(path, null, FileTree.rootEntry(), List.of())
                : place(last.name, tree.lookup(EntryKey.of(top(), last.name)));
    }

    private long top() {
        return above.get(above.size() - 1).id;
    }

    private Place place(String name, Entry entry) {
        List<String> names = new ArrayList<>();
        above.subList(1, above.size()).forEach(step -> names.add(step.name));
        names.add(name);
        return new Place(path, EntryKey.of(top(), name), entry, names);
    }

    /** Goes to a name in the directory reached; returns the end of the way, or null if it goes on. */
    private Place step(String name) throws IOException {
        EntryKey key = EntryKey.of(top(), name);
        boolean isLast = left.isEmpty();
        if (!isLast) {
            long known = tree.lookupDirectory(key);
            if (known >= 0) {
                above.add(new Step(known, name));
                return null;
            }
        }
        Entry entry = tree.lookup(key);
        if (entry != null && entry.isLink() && (follow || !isLast)) {
            followLink(entry.target());
            return null;
        }
        if (isLast) {
            return place(name, entry);
        }
        if (entry == null) {
            throw new NoSuchFileException(path.toString());
        }
        if (!entry.isDirectory()) {
            throw new NoDirectoryException(path.toString());
        }
        above.add(new Step(entry.id(), name));
        return null;
    }

    private void followLink(String target) throws IOException {
        if (++links > MAX_LINKS) {
            throw new FileSystemException(path.toString(), null, "Too many levels of symbolic links");
        }
        if (target.startsWith("/")) {
            above.subList(1, above.size()).clear();
        }
        List<String> names =
                Arrays.stream(target.split("/")).filter(name -> !name.isEmpty()).toList();
        for (int i = names.size() - 1; i >= 0; i--) {
            left.addFirst(names.get(i));
        }
    }
}
