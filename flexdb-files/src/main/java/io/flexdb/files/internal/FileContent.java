package io.flexdb.files.internal;

import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.ReadOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;

/**
 * Reads and writes what files have. A read shows one moment. A write is one transaction, or several one after the other
 * if it is so long that it might not fit a memtable. Any thread may call it.
 *
 * <p>A file is kept in its entry as long as it is small, and in blocks from then on, until it is empty again. A block
 * has no byte behind the end of the file (I4 of {@link TreeFormat}), so that whatever is missing reads as zeros when
 * the file grows.
 */
public final class FileContent {
    private final FileTree tree;
    private final TreeStore store;
    private final int blockBytes;

    /** The longest file: the numbers of blocks are ints. */
    private final long maxBytes;

    FileContent(FileTree tree) {
        this.tree = tree;
        this.store = tree.store;
        this.blockBytes = store.blockBytes;
        this.maxBytes = (long) Integer.MAX_VALUE * blockBytes;
    }

    // ---- opening

    /**
     * Makes an empty file, and opens it. To be closed.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is something of this name
     */
    public OpenFile create(EntryKey key, String path) throws IOException {
        long id = tree.ids.next();
        OpenFiles.Held held = tree.open.lock(id); // or somebody might remove it before it is known to be open
        try {
            tree.createFile(id, key, path);
            return tree.open.use(id, key);
        } finally {
            held.release();
        }
    }

    /** Opens a file, or returns null if the entry is another one now, or being removed. To be closed. */
    public OpenFile open(EntryKey key, Entry entry) throws IOException {
        assert entry.isFile();
        OpenFiles.Held held = tree.open.lock(entry.id());
        try {
            boolean isThere = store.readAtOnce(view -> {
                Entry there = view.entry(key);
                return there != null && there.id() == entry.id() && view.directory(key.directory()) != null;
            });
            if (!isThere) {
                return null;
            }
            OpenFile file = tree.open.use(entry.id(), key);
            assert store.isReadOnly() || file.at.equals(key);
            file.at = key; // in a store that is read only others may have moved it
            return file;
        } finally {
            held.release();
        }
    }

    /** Closes a file, and removes it if no path leads to it and nobody else has it open. */
    public void close(OpenFile file) throws IOException {
        OpenFiles.Held held = tree.open.lock(file.id);
        try {
            if (tree.open.release(file) && file.isRemoved()) {
                store.change(null, change -> {
                    Entry entry = change.entry(file.at);
                    if (entry != null) {
                        change.delete(file.at);
                        change.deleteBlocks(entry, 0);
                    }
                    return null;
                });
            }
        } finally {
            held.release();
        }
    }

    /** Deletes the file, unless it was deleted before, or is being deleted with the directory that it is in. */
    public void delete(OpenFile file) throws IOException {
        while (!file.isRemoved()) {
            EntryKey at = file.at;
            try {
                tree.remove(at, file.id, at.name());
            } catch (NoSuchFileException e) {
                awaitMove(file);
                if (file.at.equals(at)) {
                    return;
                }
            }
        }
    }

    private interface OnEntry<T, V> {
        T of(V view, EntryKey at, Entry entry) throws IOException;
    }

    /** The file's entry could not be found: it is elsewhere, as soon as who moves it has said so. */
    private void awaitMove(OpenFile file) {
        tree.open.lock(file.id).release();
    }

    private <T> T read(OpenFile file, OnEntry<T, TreeView> read) throws IOException {
        while (true) {
            EntryKey at = file.at;
            T result = store.readAtOnce(view -> {
                Entry entry = view.entry(at);
                return isOf(entry, file) ? read.of(view, at, entry) : null;
            });
            if (result != null) {
                return result;
            }
            requireMoved(file, at);
        }
    }

    private <T> T change(OpenFile file, Durability atLeast, OnEntry<T, TreeChange> make) throws IOException {
        while (true) {
            EntryKey at = file.at;
            T result = store.change(atLeast, change -> {
                Entry entry = change.entry(at);
                return isOf(entry, file) ? make.of(change, at, entry) : null;
            });
            if (result != null) {
                return result;
            }
            requireMoved(file, at);
        }
    }

    private static boolean isOf(Entry entry, OpenFile file) {
        return entry != null && entry.id() == file.id;
    }

    /** Throws if an open file is still where it was not found. */
    private void requireMoved(OpenFile file, EntryKey at) throws IOException {
        awaitMove(file);
        if (file.at.equals(at) && !isOf(tree.lookup(at), file)) {
            throw new NoSuchFileException(at.name(), null, "the file was removed from the store");
        }
    }

    // ---- reading

    /** Bytes of the file. */
    public long size(OpenFile file) throws IOException {
        return read(file, (view, at, entry) -> entry.length());
    }

    /**
     * Copies what the file has at a position to buffers, one after another, as of one moment. If it fails, their contents
     * may have changed, and their positions have not.
     *
     * @return bytes that were copied; -1 if the position is at the end or behind it
     */
    public long read(OpenFile file, long position, ByteBuffer... to) throws IOException {
        return read(file, (view, at, entry) -> {
            if (position >= entry.length()) {
                return -1L;
            }
            long next = position;
            for (ByteBuffer each : to) {
                int count = (int) Math.min(each.remaining(), entry.length() - next);
                ByteBuffer part = each.slice(each.position(), count);
                if (entry.isSmall()) {
                    part.put(entry.content(), (int) next, count);
                } else if (count > 0) {
                    readBlocks(view, file.id, next, part, at.name());
                }
                next += count;
            }
            long left = next - position;
            for (ByteBuffer each : to) {
                int count = (int) Math.min(each.remaining(), left);
                each.position(each.position() + count);
                left -= count;
            }
            return next - position;
        });
    }

    private void readBlocks(TreeView view, long id, long position, ByteBuffer to, String name) throws IOException {
        int first = blockOf(position);
        int last = blockOf(position + to.remaining() - 1);
        if (first == last) {
            byte[] block = view.blocks.get(TreeFormat.blockKey(id, first));
            if (block == null) {
                store.lost().requireNone(id, first, name);
            }
            copy(block, inBlock(position), to);
            return;
        }
        try (FlexCursor cursor = view.blocks.cursor(blocks(id, first, last))) {
            cursor.seekToFirst();
            for (int block = first; block <= last; block++) {
                int from = block == first ? inBlock(position) : 0;
                ByteBuffer part = to.slice(to.position(), Math.min(to.remaining(), blockBytes - from));
                boolean isThere = cursor.isValid() && cursor.compareKey(TreeFormat.blockKey(id, block)) == 0;
                if (!isThere) {
                    store.lost().requireNone(id, block, name);
                }
                if (isThere && from == 0 && cursor.valueLength() <= part.remaining()) {
                    cursor.value(part);
                    zeros(part);
                } else {
                    copy(isThere ? cursor.value() : null, from, part);
                }
                if (isThere) {
                    cursor.next();
                }
                to.position(to.position() + part.limit());
            }
        }
    }

    private static ReadOptions blocks(long id, int first, int last) {
        return ReadOptions.defaults()
                .withLowerBound(TreeFormat.blockKey(id, first))
                .withUpperBound(TreeFormat.blockKey(id, last + 1))
                .withExpectedPairs(last - first + 1);
    }

    /** Fills a buffer with a block from one of its bytes on, and with zeros where it has none. */
    private static void copy(byte[] block, int from, ByteBuffer to) {
        int there = block == null ? 0 : Math.min(to.remaining(), Math.max(0, block.length - from));
        if (there > 0) {
            to.put(block, from, there);
        }
        zeros(to);
    }

    private static void zeros(ByteBuffer to) {
        while (to.hasRemaining()) {
            to.put((byte) 0);
        }
    }

    private int blockOf(long position) {
        return (int) (position / blockBytes);
    }

    private int inBlock(long position) {
        return (int) (position % blockBytes);
    }

    // ---- writing

    /** The most bytes that one change writes. */
    public int pieceBytes() {
        return store.pieceBytes();
    }

    /**
     * Writes what a buffer has at a position, or at the end, where whatever others append meanwhile stays, too.
     *
     * @param position in the file, or -1 for its end
     * @param atLeast a durability, or null for the store's
     * @return the position behind what was written
     */
    public long write(OpenFile file, long position, ByteBuffer from, Durability atLeast) throws IOException {
        boolean append = position < 0; // each piece by itself: others may have appended since the last one
        long at = position;
        do {
            int most = store.pieceBytes() - (append ? 0 : inBlock(at)); // so that the next one begins with a block
            int count = Math.min(from.remaining(), most);
            ByteBuffer piece = from.slice(from.position(), count);
            long begin = append ? -1 : at;
            at = change(file, atLeast, (change, key, entry) -> write(change, key, entry, begin, piece.duplicate()));
            from.position(from.position() + count);
        } while (from.hasRemaining());
        return at;
    }

    private long write(TreeChange change, EntryKey key, Entry entry, long position, ByteBuffer from)
            throws IOException {
        long begin = position < 0 ? entry.length() : position;
        long end = begin + from.remaining();
        if (end > maxBytes || end < 0) {
            throw new FileSystemException(key.name(), null, "File too large");
        }
        if (!from.hasRemaining()) {
            return end;
        }
        long length = Math.max(entry.length(), end);
        if (entry.isSmall() && length <= store.smallBytes) {
            byte[] content = Arrays.copyOf(entry.content(), (int) length);
            from.get(content, (int) begin, from.remaining());
            change.put(key, Entry.small(entry.id(), entry.times().modified(change.now), content));
            return end;
        }
        writeBlocks(change, entry, begin, from, key.name());
        if (length > entry.length()
                || entry.isSmall()
                || FileTree.isLater(change.now, entry.times().modified())) {
            change.put(key, Entry.inBlocks(entry.id(), entry.times().modified(change.now), length));
        }
        return end;
    }

    private void writeBlocks(TreeChange change, Entry entry, long begin, ByteBuffer from, String name)
            throws IOException {
        int first = blockOf(begin);
        if (entry.isSmall() && entry.length() > 0 && first > 0) {
            change.putBlock(entry.id(), 0, entry.content());
        }
        for (int block = first; from.hasRemaining(); block++) {
            int at = block == first ? inBlock(begin) : 0;
            int count = Math.min(from.remaining(), blockBytes - at);
            long blockBegin = (long) block * blockBytes;
            boolean isWhole = at == 0 && blockBegin + count >= Math.min(entry.length(), blockBegin + blockBytes);
            byte[] old = isWhole ? null : oldBlock(change, entry, block, name);
            byte[] bytes = new byte[Math.max(at + count, old == null ? 0 : old.length)];
            if (old != null) {
                System.arraycopy(old, 0, bytes, 0, old.length);
            }
            from.get(bytes, at, count);
            change.putBlock(entry.id(), block, bytes);
        }
    }

    /** What a block has now; null if nothing but zeros. */
    private byte[] oldBlock(TreeChange change, Entry entry, int block, String name) throws IOException {
        if (entry.isSmall()) {
            return block == 0 ? entry.content() : null;
        }
        if ((long) block * blockBytes >= entry.length()) {
            return null;
        }
        byte[] old = change.block(entry.id(), block);
        if (old == null) {
            store.lost().requireNone(entry.id(), block, name);
        }
        return old;
    }

    /** Cuts a file behind its first bytes; one that has no more stays. */
    public void truncate(OpenFile file, long length, Durability atLeast) throws IOException {
        change(file, atLeast, (change, key, entry) -> {
            if (length >= entry.length()) {
                return true;
            }
            Times times = entry.times().modified(change.now);
            if (entry.isSmall() || length == 0) {
                byte[] content = entry.isSmall() ? Arrays.copyOf(entry.content(), (int) length) : new byte[0];
                change.put(key, Entry.small(entry.id(), times, content));
                change.deleteBlocks(entry, 0);
                return true;
            }
            int last = blockOf(length - 1);
            byte[] block = change.block(entry.id(), last);
            int left = inBlock(length - 1) + 1;
            if (block != null && block.length > left) {
                change.putBlock(entry.id(), last, Arrays.copyOf(block, left));
            }
            change.deleteBlocks(entry, last + 1);
            change.put(key, Entry.inBlocks(entry.id(), times, length));
            return true;
        });
    }
}
