package io.flexdb.cli;

import io.flexdb.BulkLoad;
import io.flexdb.Durability;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.Keyspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads pairs that may come in any order, all or nothing. A bulk load takes ascending keys only, and most stores have
 * them so: that is tried first. At the first key out of order the load is given up; the pairs come again, and go through
 * a store in a directory that is removed at the end.
 */
final class SortedLoad implements AutoCloseable {
    private final Keyspace into;
    private BulkLoad load;
    private byte[] last = new byte[0];
    private long pairs;
    private boolean isSorted = true;
    private Path directory; // null until pairs are sorted
    private FlexDB sorter;

    SortedLoad(Keyspace into) {
        this.into = into;
        this.load = into.bulkLoad();
    }

    /** Takes a pair; false if it is out of order, and {@link #sortIn} has to be called. */
    boolean add(byte[] key, byte[] value) {
        if (sorter != null) {
            sorter.put(key, value);
            pairs++;
            return true;
        }
        if (pairs > 0 && Arrays.compareUnsigned(last, key) >= 0) {
            isSorted = false;
            return false;
        }
        load.add(key, value);
        last = key;
        pairs++;
        return true;
    }

    boolean isSorted() {
        return isSorted;
    }

    /** Takes all pairs anew, in any order. */
    void sortIn(Path parent) throws IOException {
        load.close();
        load = null;
        pairs = 0;
        directory = Files.createTempDirectory(parent, "flexdb-import-");
        sorter = FlexDB.open(
                directory.resolve("sorted"), FlexDBOptions.defaults().withDurability(Durability.NONE));
    }

    /** How many pairs were taken. */
    long pairs() {
        return pairs;
    }

    /** Makes all pairs a part of the store, durably, and returns their number. */
    long commit() {
        if (sorter != null) {
            load = into.bulkLoad();
            try (FlexCursor cursor = sorter.cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    load.add(cursor.key(), cursor.value());
                }
            }
        }
        long loaded = load.pairs();
        load.commit();
        return loaded;
    }

    @Override
    public void close() throws IOException {
        if (load != null) {
            load.close();
        }
        if (sorter != null) {
            sorter.close();
        }
        if (directory != null) {
            remove(directory);
        }
    }

    private static void remove(Path directory) throws IOException {
        List<Path> entries;
        try (Stream<Path> all = Files.walk(directory)) {
            entries = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path entry : entries) {
            Files.delete(entry);
        }
    }
}
