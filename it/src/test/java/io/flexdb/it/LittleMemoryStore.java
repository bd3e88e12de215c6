package io.flexdb.it;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.storage.StoreMemoryException;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/**
 * What {@link LittleMemoryTest} runs in JVMs of their own, one step in each: a store is loaded, opened again and again
 * beside the closed ones, killed, recovered, and opened where others have nearly all direct memory. Ends with 0 if
 * nothing is wrong.
 */
final class LittleMemoryStore {
    private static final int KEY_BYTES = 27;
    private static final int VALUE_BYTES = 127;
    private static final int OPENINGS = 6;
    private static final int BALLAST_BYTES = 64 << 10;
    private static final int RANGES = 20_000;
    private static final int MEMTABLE_BYTES = 4 << 20; // more than so many ranges take, but for the heap
    private static final int LEFT = 4; // of these: less than the indexes need

    private LittleMemoryStore() {}

    /** Arguments: the directory, the step, and how many pairs. */
    public static void main(String[] args) {
        Path directory = Path.of(args[0], "store");
        int pairs = Integer.parseInt(args[2]);
        switch (args[1]) {
            case "load" -> load(directory, pairs);
            case "again" -> openAgain(directory, pairs);
            case "kill" -> fillAndHalt(directory, pairs);
            case "recover" -> recover(directory, pairs);
            case "refuse" -> refuse(directory, pairs);
            case "ranges" -> deleteRangesAndHalt(directory, pairs);
            case "after ranges" -> recoverRanges(directory, pairs);
            default -> throw new IllegalArgumentException(args[1]);
        }
    }

    private static void load(Path directory, int pairs) {
        try (FlexDB db = FlexDB.open(directory)) {
            put(db, pairs);
        }
    }

    private static void openAgain(Path directory, int pairs) {
        List<FlexDB> closed = new ArrayList<>(); // as long as a variable of the application names them
        for (int opening = 0; opening < OPENINGS; opening++) {
            FlexDB db = FlexDB.open(directory);
            closed.add(db);
            put(db, pairs / 10);
            require(Arrays.equals(value(opening), db.get(key(opening))), "key " + opening);
            db.close();
        }
        require(closed.size() == OPENINGS, "closed");
    }

    private static void fillAndHalt(Path directory, int pairs) {
        FlexDB db = FlexDB.open(directory);
        put(db, pairs / 10);
        Runtime.getRuntime().halt(0);
    }

    private static void recover(Path directory, int pairs) {
        try (FlexDB db = FlexDB.open(directory)) {
            while (db.stats().index().coarseIntervals() > 0) {
                Thread.onSpinWait();
            }
            requireAll(db, pairs);
        }
    }

    private static void refuse(Path directory, int pairs) {
        load(directory, 10); // all classes are there, and what the JVM opens for them
        int before = descriptors();
        List<ByteBuffer> ballast = takeAllButSome();
        try {
            FlexDB.open(directory).close();
            throw new IllegalStateException("opened without memory");
        } catch (StoreMemoryException e) {
            System.out.println(e.getMessage());
        }
        require(descriptors() <= before, before + " descriptors before, then " + descriptors());
        ballast.clear();
        recover(directory, pairs);
    }

    private static List<ByteBuffer> takeAllButSome() {
        List<ByteBuffer> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(ByteBuffer.allocateDirect(BALLAST_BYTES));
            }
        } catch (OutOfMemoryError e) {
            for (int i = 0; i < LEFT; i++) {
                taken.remove(taken.size() - 1);
            }
            return taken;
        }
    }

    /** Ranges over half of all, which would need more than the heap if a memtable took as many as there are. */
    private static void deleteRangesAndHalt(Path directory, int pairs) {
        FlexDB db = FlexDB.open(directory, FlexDBOptions.defaults().withMemtableBytes(MEMTABLE_BYTES));
        for (int i = 0; i < pairs; i++) {
            db.put(ordered(i), value(i));
        }
        requireOnly(db, deleteRanges(db, pairs));
        Runtime.getRuntime().halt(0);
    }

    private static void recoverRanges(Path directory, int pairs) {
        BitSet left = deleteRanges(null, pairs);
        for (int opening = 0; opening < 2; opening++) {
            try (FlexDB db = FlexDB.open(directory)) {
                requireOnly(db, left);
            }
        }
    }

    /** Deletes ranges, with puts between them, and returns what is left; without a store it tells only that. */
    private static BitSet deleteRanges(FlexDB db, int pairs) {
        Random random = new Random(1);
        BitSet left = new BitSet(pairs);
        left.set(0, pairs);
        for (int i = 0; i < RANGES; i++) {
            int from = random.nextInt(pairs);
            int to = Math.min(pairs, from + pairs / 2);
            left.clear(from, to);
            if (db != null) {
                db.deleteRange(ordered(from), ordered(to));
            }
            if (i % 20 == 0) {
                int put = random.nextInt(pairs);
                left.set(put);
                if (db != null) {
                    db.put(ordered(put), value(put));
                }
            }
        }
        return left;
    }

    private static void requireOnly(FlexDB db, BitSet expected) {
        int next = 0;
        try (FlexCursor cursor = db.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                next = expected.nextSetBit(next);
                require(next >= 0 && Arrays.equals(ordered(next), cursor.key()), "pair " + next);
                require(Arrays.equals(value(next), cursor.value()), "the value of pair " + next);
                next++;
            }
        }
        require(expected.nextSetBit(next) < 0, "pairs from " + next + " on");
    }

    private static byte[] ordered(int which) {
        return ByteBuffer.allocate(KEY_BYTES).putInt(which).array();
    }

    /** Linux only; elsewhere 0. */
    private static int descriptors() {
        String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : names.length;
    }

    private static void put(FlexDB db, int pairs) {
        for (int i = 0; i < pairs; i++) {
            int which = (int) (i * 7_919L % pairs); // a prime, so all of them
            db.put(key(which), value(which));
        }
    }

    private static void requireAll(FlexDB db, int pairs) {
        int found = 0;
        try (FlexCursor cursor = db.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                int which = ByteBuffer.wrap(cursor.value()).getInt();
                require(Arrays.equals(key(which), cursor.key()), "the key of pair " + which);
                found++;
            }
        }
        require(found == pairs, found + " pairs");
    }

    private static byte[] key(int which) {
        return ByteBuffer.allocate(KEY_BYTES)
                .putLong(which * 0x9E3779B97F4A7C15L)
                .array();
    }

    private static byte[] value(int which) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(which).array();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
