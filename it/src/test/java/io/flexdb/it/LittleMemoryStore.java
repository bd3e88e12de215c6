package io.flexdb.it;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.storage.StoreMemoryException;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@link LittleMemoryTest} runs in JVMs of their own, one step in each: a store is loaded, opened again and again
 * beside the closed ones, killed, recovered, and opened where others have nearly all direct memory. Ends with 0 if
 * nothing is wrong.
 */
final class LittleMemoryStore {
    private static final int KEY_BYTES = 27;
    private static final int VALUE_BYTES = 127;
    private static final int OPENINGS = 6;
    private static final int BALLAST_BYTES = 1 << 20;
    private static final int LEFT = 3; // MiB: less than the indexes need

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
            while (db.stats().coarseIntervals() > 0) {
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
