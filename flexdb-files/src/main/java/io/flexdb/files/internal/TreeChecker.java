package io.flexdb.files.internal;

import io.flexdb.FlexCursor;
import io.flexdb.ReadOptions;
import io.flexdb.storage.CorruptionException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks at all pairs of a file system as of one moment, for what breaks the invariants of {@link TreeFormat}. It keeps
 * about 100 bytes of heap for each file and directory.
 */
final class TreeChecker {
    private static final int MOST_PROBLEMS = 1000;

    private final TreeView view;
    private final int blockBytes;
    private final List<String> problems = new ArrayList<>();
    private final Map<Long, Long> parents = new HashMap<>(); // by directories' own pairs
    private final Map<Long, Long> places = new HashMap<>(); // of directories: which ones have their entries
    private final Map<Long, Long> lengths = new HashMap<>(); // of files in blocks
    private final Set<Long> ids = new HashSet<>(); // of entries
    private final Set<Long> used = new HashSet<>(); // directories that have entries
    private long nextId;
    private long files;
    private long links;
    private long blocks;
    private long bytes;

    private TreeChecker(TreeView view, int blockBytes) {
        this.view = view;
        this.blockBytes = blockBytes;
    }

    static TreeCheck check(TreeView view, int blockBytes) {
        TreeChecker checker = new TreeChecker(view, blockBytes);
        checker.readEntries();
        checker.checkDirectories();
        checker.readBlocks();
        return new TreeCheck(
                checker.parents.size() - 1, // without directory 2
                checker.files,
                checker.links,
                checker.blocks,
                checker.bytes,
                List.copyOf(checker.problems));
    }

    private void problem(String text) {
        if (problems.size() < MOST_PROBLEMS) {
            problems.add(text);
        }
    }

    private void readEntries() {
        byte[] counter = view.entries.get(TreeFormat.counterKey());
        nextId = counter == null
                ? TreeFormat.FIRST_FREE
                : ByteBuffer.wrap(counter).getLong();
        try (FlexCursor cursor =
                view.entries.cursor(ReadOptions.defaults().withLowerBound(TreeFormat.key(TreeFormat.ROOT)))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                if (key.length < TreeFormat.ID_BYTES) {
                    problem("a key of " + key.length + " bytes among the entries");
                    continue;
                }
                long id = ByteBuffer.wrap(key).getLong();
                try {
                    if (key.length == TreeFormat.ID_BYTES) {
                        parents.put(
                                id, Directory.decode(view.name, cursor.value()).parent());
                    } else {
                        used.add(id);
                        readEntry(EntryKey.of(key), Entry.decode(view.name, cursor.value()));
                    }
                } catch (CorruptionException e) {
                    problem(EntryKey.of(key) + ": " + e.getMessage());
                }
            }
        }
    }

    private void readEntry(EntryKey key, Entry entry) {
        if (!ids.add(entry.id())) {
            problem("number " + entry.id() + " stands in two entries, one of them " + key); // I3
        }
        if (entry.id() < TreeFormat.FIRST_FREE || entry.id() >= nextId) {
            problem(key + " has number " + entry.id() + ", which was never reserved");
        }
        String name = key.name();
        if (name.indexOf('/') >= 0
                || name.indexOf('\0') >= 0
                || !EntryKey.of(key.directory(), name).equals(key)) {
            problem(key + " has a name that no path can have");
        }
        if (entry.isDirectory()) {
            places.put(entry.id(), key.directory());
        } else if (entry.isLink()) {
            links++;
        } else {
            files++;
            bytes += entry.length();
            if (entry.hasBlocks()) {
                lengths.put(entry.id(), entry.length());
            }
        }
    }

    private void checkDirectories() {
        if (!Long.valueOf(TreeFormat.ROOT).equals(parents.get(TreeFormat.ROOT))) {
            problem("there is no root");
        }
        for (long id : used) {
            if (!parents.containsKey(id) && !isBeingRemoved(id)) {
                problem("directory " + id + " has entries, and is not there"); // I1
            }
        }
        places.forEach((id, place) -> {
            if (!parents.containsKey(id) && !isBeingRemoved(place)) {
                problem("directory " + id + " has an entry in " + place + ", and is not there"); // I1
            }
        });
        parents.forEach((id, parent) -> {
            boolean isTop = id == TreeFormat.ROOT || id == TreeFormat.REMOVED;
            if (!isTop && !parent.equals(places.get(id))) {
                problem("directory " + id + " is below " + parent + ", and has an entry in " + places.get(id)); // I2
            }
            if (!isTop && !leadsToTop(id)) {
                problem("directory " + id + " is below itself"); // I2
            }
        });
    }

    private boolean isBeingRemoved(long directory) {
        Long at = directory;
        for (int steps = 0; at != null && steps <= places.size(); steps++) {
            if (at == TreeFormat.REMOVED) {
                return true;
            }
            at = places.get(at);
        }
        return false;
    }

    private boolean leadsToTop(long directory) {
        Long at = directory;
        for (int steps = 0; at != null && steps <= parents.size(); steps++) {
            if (at == TreeFormat.ROOT || at == TreeFormat.REMOVED) {
                return true;
            }
            at = places.get(at);
        }
        return at == null; // which is told already
    }

    private void readBlocks() {
        try (FlexCursor cursor = view.blocks.cursor(ReadOptions.defaults().withKeysOnly(true))) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] key = cursor.key();
                if (key.length != TreeFormat.BLOCK_KEY_BYTES) {
                    problem("a key of " + key.length + " bytes among the blocks");
                    continue;
                }
                ByteBuffer from = ByteBuffer.wrap(key);
                checkBlock(from.getLong(), from.getInt(), cursor.valueLength());
            }
        }
    }

    private void checkBlock(long file, int block, int length) {
        blocks++;
        Long end = lengths.get(file);
        if (end == null) {
            problem("block " + block + " is of file " + file + ", which is not there"); // I4
        } else if (block < 0 || length > blockBytes || (long) block * blockBytes + length > end) {
            problem("block " + block + " of file " + file + " has " + length + " bytes, and the file ends at " + end);
        }
    }
}
