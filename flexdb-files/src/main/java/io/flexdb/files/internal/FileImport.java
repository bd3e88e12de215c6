package io.flexdb.files.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;

/**
 * A file that is written where no path leads, and put to its place when it is complete. If it never is, nothing has
 * changed; {@link #close} removes what there is then. For one thread.
 */
public final class FileImport implements AutoCloseable {
    private final FileTree tree;
    private final OpenFile file;
    private long length;

    /** Begins with an empty file. */
    public FileImport(FileTree tree) throws IOException {
        this.tree = tree;
        Entry entry = Entry.small(tree.ids.next(), Times.of(tree.store.now()), new byte[0]);
        EntryKey aside = EntryKey.removed(entry.id());
        tree.store.change(null, change -> {
            change.put(aside, entry);
            return null;
        });
        this.file = tree.open.openNew(entry.id(), aside);
    }

    /** Adds to its end. */
    public void write(ByteBuffer from) throws IOException {
        length = tree.content().write(file, length, from, null);
    }

    /**
     * Puts it to its place, instead of what may be there.
     *
     * @param replace whether a file, a link or an empty directory there is replaced
     * @param times that it has from then on, or null for those of now
     * @param path for messages
     */
    public void place(EntryKey to, boolean replace, Times times, String path) throws IOException {
        EntryKey aside = file.at;
        Entry entry = tree.store.read(view -> view.entry(aside));
        if (entry == null) {
            throw new NoSuchFileException(path, null, "it was removed before it was complete");
        }
        tree.place(aside, times == null ? entry : entry.with(times), to, replace, path);
    }

    @Override
    public void close() throws IOException {
        tree.content().close(file);
    }
}
