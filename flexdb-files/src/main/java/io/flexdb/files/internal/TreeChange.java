package io.flexdb.files.internal;

import io.flexdb.Transaction;

/** What one operation changes, and by what it goes: all of it takes effect, or none. */
final class TreeChange extends TreeView {
    /** Blocks up to this number are deleted one by one, which costs reads of others less than a range. */
    private static final int FEW_BLOCKS = 16;

    private final Transaction inEntries;
    private final Transaction inBlocks;
    private final int blockBytes;
    final long now;

    TreeChange(String name, Transaction inEntries, Transaction inBlocks, int blockBytes, long now) {
        super(name, inEntries, inBlocks);
        this.inEntries = inEntries;
        this.inBlocks = inBlocks;
        this.blockBytes = blockBytes;
        this.now = now;
    }

    /** Makes it a file system. */
    void begin(byte[] superblock) {
        inEntries.put(TreeFormat.key(TreeFormat.SUPERBLOCK), superblock);
    }

    void put(EntryKey key, Entry entry) {
        inEntries.put(key.bytes(), entry.encode());
    }

    void put(long id, Directory directory) {
        inEntries.put(TreeFormat.key(id), directory.encode());
    }

    void putCounter(byte[] value) {
        inEntries.put(TreeFormat.counterKey(), value);
    }

    void putSalvage(long salvage, byte[] value) {
        inEntries.put(TreeFormat.salvageKey(salvage), value);
    }

    void delete(EntryKey key) {
        inEntries.delete(key.bytes());
    }

    void deleteDirectory(long id) {
        inEntries.delete(TreeFormat.key(id));
    }

    void putBlock(long file, int block, byte[] bytes) {
        inBlocks.put(TreeFormat.blockKey(file, block), bytes);
    }

    byte[] block(long file, int block) {
        return inBlocks.get(TreeFormat.blockKey(file, block));
    }

    /** Removes the blocks of a file from one number on. */
    void deleteBlocks(Entry file, int from) {
        if (!file.hasBlocks()) {
            return;
        }
        long count = (file.length() - 1) / blockBytes + 1;
        if (count - from <= FEW_BLOCKS) {
            for (int block = from; block < count; block++) {
                inBlocks.delete(TreeFormat.blockKey(file.id(), block));
            }
        } else {
            inBlocks.deleteRange(TreeFormat.blockKey(file.id(), from), TreeFormat.key(file.id() + 1));
        }
    }

    /** Removes the own pairs and the entries of all directories that have a number from one on to before another. */
    void deleteEntriesOf(long from, long to) {
        inEntries.deleteRange(TreeFormat.key(from), TreeFormat.key(to));
    }

    /** Removes the blocks of all files that have a number from one on to before another. */
    void deleteBlocksOf(long from, long to) {
        inBlocks.deleteRange(TreeFormat.key(from), TreeFormat.key(to));
    }
}
