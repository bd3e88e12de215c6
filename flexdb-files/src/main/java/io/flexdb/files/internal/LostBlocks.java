package io.flexdb.files.internal;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.FlexDBSalvage;
import io.flexdb.FlexDBSalvage.LostRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Blocks that a salvage of the store may have lost. A block that is not there reads as zeros, but not in a range that was
 * lost, and not in a file from before: to read it is an error, as of a disk. Immutable.
 */
final class LostBlocks {
    private record Range(byte[] from, byte[] to, long filesBelow) {
        boolean contains(byte[] key) {
            return Arrays.compareUnsigned(from, key) <= 0 && (to == null || Arrays.compareUnsigned(key, to) < 0);
        }
    }

    private final List<Range> ranges = new ArrayList<>();

    /** Those of a store, as far as they concern a file system. The first time, numbers that may be given are raised. */
    static LostBlocks of(FlexDB db, TreeStore store) throws IOException {
        LostBlocks lost = new LostBlocks();
        for (LostRange range : FlexDBSalvage.lostRanges(db)) {
            boolean isOfBlocks = range.keyspace().equals(store.blocksName);
            if (isOfBlocks || range.keyspace().equals(store.entriesName)) {
                long below = store.change(null, change -> filesBelow(change, range.salvage()));
                if (isOfBlocks) {
                    lost.ranges.add(new Range(range.from(), range.to(), below));
                }
            }
        }
        return lost;
    }

    /** Those of a store that is read only. Until somebody has opened it to write, all files are from before a salvage. */
    static LostBlocks of(FlexDBReader reader, TreeStore store) throws IOException {
        LostBlocks lost = new LostBlocks();
        for (LostRange range : FlexDBSalvage.lostRanges(reader)) {
            if (range.keyspace().equals(store.blocksName)) {
                byte[] noted = store.read(view -> view.entries.get(TreeFormat.salvageKey(range.salvage())));
                long below = isNumber(noted) ? ByteBuffer.wrap(noted).getLong() : Long.MAX_VALUE;
                lost.ranges.add(new Range(range.from(), range.to(), below));
            }
        }
        return lost;
    }

    private static boolean isNumber(byte[] value) {
        return value != null && value.length == Long.BYTES;
    }

    /** The first number that was given after a salvage. */
    private static long filesBelow(TreeChange change, long salvage) {
        byte[] noted = change.entries.get(TreeFormat.salvageKey(salvage));
        if (isNumber(noted)) {
            return ByteBuffer.wrap(noted).getLong();
        }
        // The number to come may be lost, or be an earlier one.
        long next = Math.max(IdSource.next(change), IdSource.highest(change) + 1);
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(next).array();
        change.putCounter(value);
        change.putSalvage(salvage, value);
        return next;
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Throws if a block that is not there may be lost. */
    void requireNone(long file, int block, String name) throws IOException {
        if (!ranges.isEmpty() && isLost(file, block)) {
            throw new FileSystemException(
                    name,
                    null,
                    "Input/output error: block " + block + " was lost before the store was salvaged, or was never"
                            + " written; write it anew, or drop keyspace " + FlexDBSalvage.LOST_KEYSPACE
                            + " to have zeros read here");
        }
    }

    /** Throws if one of some blocks that are not there may be lost. */
    void requireNone(long file, int from, long to, String name) throws IOException {
        for (int block = from; block < to && !ranges.isEmpty(); block++) {
            requireNone(file, block, name);
        }
    }

    private boolean isLost(long file, int block) {
        byte[] key = TreeFormat.blockKey(file, block);
        for (Range range : ranges) {
            if (file < range.filesBelow && range.contains(key)) {
                return true;
            }
        }
        return false;
    }
}
