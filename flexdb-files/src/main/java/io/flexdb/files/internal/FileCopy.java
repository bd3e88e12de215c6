package io.flexdb.files.internal;

import io.flexdb.FlexCursor;
import io.flexdb.ReadOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies an entry within a file system: of a directory without what is in it. The copy is there whole or not at all: the
 * blocks of a large file are copied from a snapshot to one that no path leads to, and that one is put to its place then.
 */
public final class FileCopy {
    private final FileTree tree;
    private final EntryKey from;
    private final EntryKey to;
    private final boolean replace;
    private final boolean withTimes;

    /**
     * @param replace whether a file, a link or an empty directory where the copy goes is replaced
     * @param withTimes whether the copy has the times of what is copied; those of directories are set by the caller
     */
    public FileCopy(FileTree tree, EntryKey from, EntryKey to, boolean replace, boolean withTimes) {
        this.tree = tree;
        this.from = from;
        this.to = to;
        this.replace = replace;
        this.withTimes = withTimes;
    }

    /** Copies. The paths are for messages. */
    public void run(String source, String target) throws IOException {
        TreeStore store = tree.store;
        store.readAtOnce(view -> {
            Entry entry = view.entry(from);
            if (entry == null) {
                throw new NoSuchFileException(source);
            }
            if (!replace && tree.lookup(to) != null) {
                throw new FileAlreadyExistsException(target); // before anything is copied; asked again at the end
            }
            Entry copy = entry.withId(tree.ids.next());
            if (!copy.isDirectory() && !withTimes) {
                copy = copy.with(Times.of(store.now()));
            }
            if (copy.hasBlocks()) {
                copyLarge(view, entry, copy, target);
            } else {
                tree.place(null, copy, to, replace, target);
            }
            return null;
        });
    }

    private void copyLarge(TreeView view, Entry entry, Entry copy, String target) throws IOException {
        EntryKey aside = EntryKey.removed(copy.id());
        tree.store.change(null, change -> {
            change.put(aside, copy);
            return null;
        });
        try {
            copyBlocks(view, entry, aside, copy);
            tree.place(aside, copy, to, replace, target);
        } catch (IOException | RuntimeException e) {
            try {
                tree.store.change(null, change -> {
                    if (change.entry(aside) != null) { // else it is in its place
                        change.delete(aside);
                        change.deleteBlocks(copy, 0);
                    }
                    return null;
                });
            } catch (IOException | RuntimeException again) {
                e.addSuppressed(again); // what is left goes when the file system is opened next
            }
            throw e;
        }
    }

    private record Block(int number, byte[] bytes) {}

    private void copyBlocks(TreeView view, Entry entry, EntryKey aside, Entry copy) throws IOException {
        long id = entry.id();
        int next = 0; // block
        int most = tree.store.pieceBytes() / tree.store.blockBytes;
        List<Block> piece = new ArrayList<>();
        try (FlexCursor cursor = view.blocks.cursor(ReadOptions.defaults().withPrefix(TreeFormat.key(id)))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                if (key.length != TreeFormat.BLOCK_KEY_BYTES) {
                    throw TreeFormat.damaged(tree.store.blocksName, 0, "a block's key", key.length + " bytes");
                }
                Block block = new Block(ByteBuffer.wrap(key).getInt(TreeFormat.ID_BYTES), cursor.value());
                tree.store.lost().requireNone(id, next, block.number, from.name());
                next = block.number + 1;
                piece.add(block);
                if (piece.size() == most) {
                    put(piece, aside, copy);
                    piece.clear();
                }
            }
        }
        long count = (entry.length() - 1) / tree.store.blockBytes + 1;
        tree.store.lost().requireNone(id, next, count, from.name());
        put(piece, aside, copy);
    }

    /** Writes some blocks of the copy if it is still there: else nobody would ever remove them. */
    private void put(List<Block> piece, EntryKey aside, Entry copy) throws IOException {
        tree.store.change(null, change -> {
            if (change.entry(aside) == null) {
                throw new NoSuchFileException(aside.name(), null, "the copy was removed before it was complete");
            }
            piece.forEach(block -> change.putBlock(copy.id(), block.number, block.bytes));
            return null;
        });
    }
}
