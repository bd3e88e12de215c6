package io.flexdb.files.internal;

import io.flexdb.FlexCursor;
import io.flexdb.ReadOptions;
import io.flexdb.ReadView;

/** Entries and directories as a view of the store has them: what is newest, a snapshot or a transaction. */
class TreeView {
    final String name; // of the keyspace of entries
    final ReadView entries;
    final ReadView blocks;

    TreeView(String name, ReadView entries, ReadView blocks) {
        this.name = name;
        this.entries = entries;
        this.blocks = blocks;
    }

    /** The entry, or null. */
    final Entry entry(EntryKey key) {
        byte[] value = entries.get(key.bytes());
        return value == null ? null : Entry.decode(name, value);
    }

    /** The directory of a number, or null. */
    final Directory directory(long id) {
        byte[] value = entries.get(TreeFormat.key(id));
        return value == null ? null : Directory.decode(name, value);
    }

    final boolean isEmpty(long directory) {
        try (FlexCursor cursor = entries.cursor(entriesOf(directory).withExpectedPairs(1))) {
            cursor.seekToFirst();
            return !cursor.isValid();
        }
    }

    /** The entries of a directory, without its own pair. */
    static ReadOptions entriesOf(long directory) {
        return ReadOptions.defaults()
                .withLowerBound(TreeFormat.firstEntry(directory))
                .withUpperBound(TreeFormat.key(directory + 1));
    }
}
