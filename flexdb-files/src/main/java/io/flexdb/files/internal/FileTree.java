package io.flexdb.files.internal;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.storage.StoreFullException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Directories, files and links by the numbers of directories and names in them.
 *
 * <p>Each change is one transaction, and waits for no other: changes in one directory read its own pair, so that they
 * meet whoever deletes it, and write it only to set its time. That is done once in a few milliseconds, as by the clock
 * that kernels use for it; else all changes in one directory would be in each other's way.
 *
 * <p>Paths in the arguments are for messages. Any thread may call it.
 */
public final class FileTree {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    /** The number of the root. */
    public static final long ROOT = TreeFormat.ROOT;

    final TreeStore store;
    final OpenFiles open = new OpenFiles();
    final IdSource ids;
    private final DirectoryCache directories = new DirectoryCache();
    private final FileContent content;
    private final TreeRemoval removal;

    /** An entry with the name that it has in its directory. */
    public record Named(String name, Entry entry) {}

    private FileTree(TreeStore store, TreeSettings.Removal removal) {
        this.store = store;
        this.ids = new IdSource(store);
        this.content = new FileContent(this);
        this.removal = new TreeRemoval(this, removal);
    }

    /** Opens the file system of a name in a store, or makes it; what a crash has left of deleted files is removed. */
    public static FileTree open(FlexDB db, TreeSettings settings) throws IOException {
        FileTree tree = new FileTree(TreeStore.open(db, settings), settings.removal());
        tree.removal.removeLeftovers();
        return tree;
    }

    /** Opens a file system to be read only. */
    public static FileTree openReadOnly(FlexDBReader reader, TreeSettings settings) throws IOException {
        return new FileTree(TreeStore.openReadOnly(reader, settings), settings.removal());
    }

    /** What is at the root. */
    public static Entry rootEntry() {
        return Entry.directory(TreeFormat.ROOT);
    }

    /** What files have. */
    public FileContent content() {
        return content;
    }

    // ---- reading

    /** The entry, or null. */
    public Entry lookup(EntryKey key) throws IOException {
        return store.read(view -> view.entry(key));
    }

    /** The number of a directory, or -1 if there is none of this name. */
    public long lookupDirectory(EntryKey key) throws IOException {
        // A reader goes on to what others have written, who don't say what they have moved.
        return store.isReadOnly() ? directoryInStore(key) : directories.find(key, () -> directoryInStore(key));
    }

    private long directoryInStore(EntryKey key) throws IOException {
        Entry entry = lookup(key);
        return entry == null || !entry.isDirectory() ? DirectoryCache.NONE : entry.id();
    }

    /** The times of a directory, or null if it is gone. */
    public Times directoryTimes(long id) throws IOException {
        Directory directory = store.read(view -> view.directory(id));
        return directory == null ? null : directory.times();
    }

    /**
     * Entries of a directory in the order of the bytes of their names, as of one moment.
     *
     * @param after the last name that was seen, or null
     * @param most how many at most
     */
    public List<Named> list(long directory, String after, int most) throws IOException {
        return store.read(view -> list(view, directory, after, most));
    }

    static List<Named> list(TreeView view, long directory, String after, int most) {
        List<Named> found = new ArrayList<>();
        try (FlexCursor cursor =
                view.entries.cursor(TreeView.entriesOf(directory).withExpectedPairs(most))) {
            if (after == null) {
                cursor.seekToFirst();
            } else {
                byte[] last = EntryKey.of(directory, after).bytes();
                cursor.seek(last);
                if (cursor.isValid() && cursor.compareKey(last) == 0) {
                    cursor.next();
                }
            }
            for (; cursor.isValid() && found.size() < most; cursor.next()) {
                found.add(new Named(EntryKey.of(cursor.key()).name(), Entry.decode(view.name, cursor.value())));
            }
        }
        return found;
    }

    // ---- making

    /** Makes an empty file. */
    void createFile(long id, EntryKey key, String path) throws IOException {
        create(key, path, change -> change.put(key, Entry.small(id, Times.of(change.now), new byte[0])));
    }

    /** Makes a directory. */
    public void createDirectory(EntryKey key, String path) throws IOException {
        long id = ids.next();
        create(key, path, change -> {
            change.put(key, Entry.directory(id));
            change.put(id, new Directory(key.directory(), Times.of(change.now)));
        });
    }

    /** Makes a directory, instead of what may be there. */
    public void replaceByDirectory(EntryKey key, boolean replace, String path) throws IOException {
        place(null, Entry.directory(ids.next()), key, replace, path);
    }

    /** Makes a symbolic link, instead of what may be there. */
    public void replaceByLink(EntryKey key, String target, boolean replace, Times times, String path)
            throws IOException {
        place(null, Entry.link(ids.next(), times == null ? Times.of(store.now()) : times, target), key, replace, path);
    }

    /** Makes a symbolic link. */
    public void createLink(EntryKey key, String target, String path) throws IOException {
        long id = ids.next();
        create(key, path, change -> change.put(key, Entry.link(id, Times.of(change.now), target)));
    }

    private interface Making {
        void by(TreeChange change);
    }

    private void create(EntryKey key, String path, Making making) throws IOException {
        store.change(null, change -> {
            touch(change, key.directory(), path);
            if (change.entry(key) != null) {
                throw new FileAlreadyExistsException(path);
            }
            making.by(change);
            return null;
        });
    }

    /** Sees that a directory is there until the change is made. */
    private static Directory require(TreeChange change, long id, String path) throws IOException {
        Directory directory = change.directory(id);
        if (directory == null) {
            throw new NoSuchFileException(path);
        }
        return directory;
    }

    /** Sees that a directory is there until the change is made, and sets its time of modification. */
    static void touch(TreeChange change, long id, String path) throws IOException {
        Directory directory = require(change, id, path);
        if (isLater(change.now, directory.times().modified())) {
            change.put(id, new Directory(directory.parent(), directory.times().modified(change.now)));
        }
    }

    /** Whether a time of modification is to be replaced. */
    static boolean isLater(long now, long modified) {
        return now < modified || now - modified >= TICK_NANOS;
    }

    // ---- removing and moving

    /** Removes a file, a link or an empty directory. Where there is no room its directory keeps its time. */
    public void remove(EntryKey key, String path) throws IOException {
        remove(key, null, path);
    }

    /** Removes a file, a link or an empty directory; if a number is given, only what has it. */
    void remove(EntryKey key, Long only, String path) throws IOException {
        while (true) {
            Entry entry = lookup(key);
            if (entry == null || only != null && entry.id() != only) {
                throw new NoSuchFileException(path);
            }
            OpenFiles.Held held = open.lock(entry.id());
            try {
                if (removeEntry(key, entry, path)) {
                    dropped(key, entry);
                    return;
                }
            } finally {
                held.release();
            }
        }
    }

    private boolean removeEntry(EntryKey key, Entry entry, String path) throws IOException {
        try {
            return store.change(null, change -> removeEntry(change, key, entry, path, true));
        } catch (IOException e) {
            if (e.getCause() instanceof StoreFullException) { // deletes alone need no room
                return store.change(null, change -> removeEntry(change, key, entry, path, false));
            }
            throw e;
        }
    }

    private boolean removeEntry(TreeChange change, EntryKey key, Entry entry, String path, boolean setTime)
            throws IOException {
        Entry there = change.entry(key);
        if (there == null || there.id() != entry.id()) {
            return false;
        }
        if (setTime) {
            touch(change, key.directory(), path);
        } else {
            require(change, key.directory(), path);
        }
        change.delete(key);
        drop(change, there, path);
        return true;
    }

    /** Removes what an entry leads to, or puts it aside if it is open; under the lock of its number. */
    private void drop(TreeChange change, Entry entry, String path) throws IOException {
        if (entry.isDirectory()) {
            if (!change.isEmpty(entry.id())) {
                throw new DirectoryNotEmptyException(path);
            }
            change.deleteDirectory(entry.id());
        } else if (open.get(entry.id()) != null) {
            change.put(EntryKey.removed(entry.id()), entry);
        } else {
            change.deleteBlocks(entry, 0);
        }
    }

    private void dropped(EntryKey key, Entry entry) {
        if (entry.isDirectory()) {
            directories.forget(key);
        } else {
            open.moved(entry.id(), EntryKey.removed(entry.id()));
        }
    }

    /**
     * Moves an entry to another name, in one step, whatever is below it.
     *
     * @param replace whether a file, a link or an empty directory of that name goes
     */
    public void move(EntryKey from, EntryKey to, boolean replace, String source, String target) throws IOException {
        boolean done = false;
        while (!done) {
            Entry moved = lookup(from);
            Entry replaced = lookup(to);
            if (moved == null) {
                throw new NoSuchFileException(source);
            }
            if (from.equals(to)) {
                return;
            }
            if (replaced != null && !replace) {
                throw new FileAlreadyExistsException(target);
            }
            OpenFiles.Held held = open.lock(moved.id(), replaced == null ? moved.id() : replaced.id());
            try {
                done = store.change(null, change -> {
                    if (!isSame(change.entry(from), moved) || !isSame(change.entry(to), replaced)) {
                        return false;
                    }
                    move(change, from, to, source, target);
                    return true;
                });
                if (done) {
                    moved(from, to, moved, replaced);
                }
            } finally {
                held.release();
            }
        }
    }

    private static boolean isSame(Entry entry, Entry before) {
        return entry == null || before == null ? entry == before : entry.id() == before.id();
    }

    private void move(TreeChange change, EntryKey from, EntryKey to, String source, String target) throws IOException {
        Entry moved = change.entry(from);
        Entry replaced = change.entry(to);
        touch(change, from.directory(), source);
        touch(change, to.directory(), target);
        if (replaced != null) {
            drop(change, replaced, target);
        }
        if (moved.isDirectory() && from.directory() != to.directory()) {
            requireNotBelow(change, moved.id(), to.directory(), source, target);
            Directory directory = change.directory(moved.id());
            if (directory == null) {
                throw new NoSuchFileException(source);
            }
            change.put(moved.id(), new Directory(to.directory(), directory.times()));
        }
        change.delete(from);
        change.put(to, moved);
    }

    private void moved(EntryKey from, EntryKey to, Entry moved, Entry replaced) {
        if (replaced != null) {
            dropped(to, replaced);
        }
        if (moved.isDirectory()) {
            directories.forget(from);
        } else {
            open.moved(moved.id(), to);
        }
    }

    /** Throws if a directory is another one, or above it. */
    private static void requireNotBelow(TreeChange change, long above, long directory, String source, String target)
            throws IOException {
        for (long id = directory; id != TreeFormat.ROOT; ) {
            if (id == above) {
                throw new FileSystemException(source, target, "Invalid argument: a directory can't be below itself");
            }
            Directory at = id == TreeFormat.REMOVED ? null : change.directory(id); // what is below 2 is being deleted
            if (at == null) {
                throw new NoSuchFileException(target);
            }
            id = at.parent();
        }
    }

    /** Removes a directory with all that is below it, or whatever else it is. */
    public void removeAll(EntryKey key, String path) throws IOException {
        boolean done = false;
        while (!done) {
            Entry entry = lookup(key);
            if (entry == null) {
                throw new NoSuchFileException(path);
            }
            if (!entry.isDirectory()) {
                remove(key, path);
                return;
            }
            done = store.change(null, change -> putAside(change, key, entry, path));
            if (done) {
                directories.forget(key);
                removal.remove(EntryKey.removed(entry.id()), entry.id());
            }
        }
    }

    private static boolean putAside(TreeChange change, EntryKey key, Entry entry, String path) throws IOException {
        Directory directory = change.directory(entry.id());
        if (!isSame(change.entry(key), entry) || directory == null) {
            return false;
        }
        touch(change, key.directory(), path);
        change.delete(key);
        change.put(EntryKey.removed(entry.id()), entry);
        change.put(entry.id(), new Directory(TreeFormat.REMOVED, directory.times()));
        return true;
    }

    /**
     * Puts an entry that is complete to its place, instead of what may be there.
     *
     * @param aside where it is now, or null if nowhere
     * @throws NoSuchFileException if it is not there
     */
    void place(EntryKey aside, Entry entry, EntryKey to, boolean replace, String path) throws IOException {
        boolean done = false;
        while (!done) {
            Entry replaced = lookup(to);
            if (replaced != null && !replace) {
                throw new FileAlreadyExistsException(path);
            }
            OpenFiles.Held held = open.lock(entry.id(), replaced == null ? entry.id() : replaced.id());
            try {
                done = store.change(null, change -> place(change, aside, entry, to, replaced, path));
                if (done) {
                    placed(entry, to, replaced);
                }
            } finally {
                held.release();
            }
        }
    }

    private void placed(Entry entry, EntryKey to, Entry replaced) {
        if (replaced != null) {
            dropped(to, replaced);
        }
        open.moved(entry.id(), to);
    }

    private boolean place(TreeChange change, EntryKey aside, Entry entry, EntryKey to, Entry replaced, String path)
            throws IOException {
        Entry there = change.entry(to);
        if (!isSame(there, replaced)) {
            return false;
        }
        if (aside != null && !isSame(change.entry(aside), entry)) {
            throw new NoSuchFileException(path, null, "it was removed from the store before it was complete");
        }
        touch(change, to.directory(), path);
        if (there != null) {
            drop(change, there, path);
        }
        if (aside != null) {
            change.delete(aside);
        }
        if (entry.isDirectory()) {
            change.put(entry.id(), new Directory(to.directory(), Times.of(change.now)));
        }
        change.put(to, entry);
        return true;
    }

    // ---- times

    /** Sets times of a file or link; null for those that stay. */
    public void setTimes(EntryKey key, String path, TimesChange times) throws IOException {
        store.change(null, change -> {
            Entry entry = change.entry(key);
            if (entry == null) {
                throw new NoSuchFileException(path);
            }
            if (entry.isDirectory()) {
                setTimes(change, entry.id(), path, times);
            } else {
                change.put(key, entry.with(times.of(entry.times())));
            }
            return null;
        });
    }

    /** Sets times of a directory. */
    public void setDirectoryTimes(long id, String path, TimesChange times) throws IOException {
        store.change(null, change -> {
            setTimes(change, id, path, times);
            return null;
        });
    }

    /** What becomes of times. */
    public interface TimesChange {
        /** The new ones. */
        Times of(Times old);
    }

    private static void setTimes(TreeChange change, long id, String path, TimesChange times) throws IOException {
        Directory directory = change.directory(id);
        if (directory == null) {
            throw new NoSuchFileException(path);
        }
        change.put(id, new Directory(directory.parent(), times.of(directory.times())));
    }

    // ---- the whole

    /** What users of files know for a failure of the store. */
    public static IOException failure(RuntimeException e) {
        return TreeStore.failure(e);
    }

    /** Checks everything as it is now. */
    public TreeCheck check() throws IOException {
        return store.readAtOnce(view -> TreeChecker.check(view, store.blockBytes));
    }

    /** Makes every change that has returned durable. */
    public void force() throws IOException {
        store.force();
    }

    /** Goes on to what the writer of a store that is open to be read has written. */
    public void refresh() throws IOException {
        store.refresh();
    }

    /** Bytes of a block. */
    public int blockBytes() {
        return store.blockBytes;
    }

    /**
     * Waits for the changes that are under way, and lets none begin: {@link java.nio.file.ClosedFileSystemException}.
     * What takes several, and has not ended, leaves what the next one who opens the file system removes.
     */
    public void close() {
        store.close();
    }
}
