package io.flexdb.it;

import io.flexdb.BulkLoad;
import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBCheckReport;
import io.flexdb.FlexDBOptions;
import io.flexdb.FlexDBReader;
import io.flexdb.FlexDBSalvage;
import io.flexdb.FlexDBSalvageReport;
import io.flexdb.MergeFunction;
import io.flexdb.Progress;
import io.flexdb.ReadOptions;
import io.flexdb.ReadView;
import io.flexdb.Transaction;
import io.flexdb.ValueReader;
import io.flexdb.base.memory.DirectMemory;
import io.flexdb.storage.StoreHealth;
import io.flexdb.storage.StoreMemoryException;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The steps that {@link LargeValueTest} runs in JVMs of their own, one in each: all that can be done with a store that
 * has values longer than heap or direct memory. Ends with 0 if nothing is wrong.
 */
final class LargeValueStore {
    private static final byte[] LARGE = key("m");
    private static final byte[] SECOND = key("m2"); // right behind it
    private static final int ROUNDS = 3;
    private static final int SHORT_SEGMENT_BYTES = 1 << 20;
    private static final int SMALL = 300; // pairs before and behind
    private static final int SPILLED = 3000; // of a transaction
    private static final int SPILLED_BYTES = 4 << 10;

    private final Path directory;
    private static final int QUICKLY_READ = 64 << 20;

    private final int length;

    private LargeValueStore(Path directory, int length) {
        this.directory = directory;
        this.length = length;
    }

    /** Arguments: the directory, the bytes of a large value, and steps, one after the other. */
    public static void main(String[] args) throws IOException {
        int length = Integer.parseInt(args[1]);
        require(length > Runtime.getRuntime().maxMemory(), "a value fits the heap");
        LargeValueStore store = new LargeValueStore(Path.of(args[0]), length);
        for (String step : List.of(args).subList(2, args.length)) {
            long begun = System.nanoTime();
            store.run(step);
            tell(step, begun);
        }
    }

    private void run(String step) throws IOException {
        switch (step) {
            case "write" -> write();
            case "read" -> read();
            case "change" -> change();
            case "merge" -> merge();
            case "copy" -> copy();
            case "halt" -> writeAndHalt(true);
            case "halt uncommitted" -> writeAndHalt(false);
            case "recover" -> recover();
            default -> throw new IllegalArgumentException(step);
        }
    }

    private static void tell(String step, long begun) {
        long heap = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            heap += pool.getName().contains("Old Gen") || pool.getName().contains("Tenured")
                    ? pool.getPeakUsage().getUsed()
                    : 0;
        }
        long direct = DirectMemory.mappedBytes();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
        }
        System.out.printf(
                Locale.ROOT,
                "%s: %.1f s, heap of old objects %d MiB at most, %d MiB direct at the end%n",
                step,
                (System.nanoTime() - begun) / 1e9,
                heap >> 20,
                direct >> 20);
    }

    // ---- steps

    /** With default options but for short values, which are longer than a heap that has no room for segments of 4 MiB. */
    private FlexDBOptions options() {
        FlexDBOptions options = FlexDBOptions.defaults().withRangeFilter(true);
        return length < FlexDB.MAX_VALUE_BYTES
                ? options.withSpace(options.space().withSegments(SHORT_SEGMENT_BYTES, 4096))
                : options;
    }

    private FlexDB open() {
        return FlexDB.open(directory.resolve("store"), options());
    }

    private void write() throws IOException {
        try (FlexDB db = open()) {
            putSmall(db, "first");
            db.put(LARGE, new Numbers(1, length), length);
            requireLarge(db, LARGE, 1);
            commit(db);
            requireLarge(db, LARGE, 1);
            for (int round = 2; round < ROUNDS; round++) {
                putSmall(db, "round " + round); // keys below and above
                db.put(key("m0"), bytes("between " + round));
                db.put(key("lz"), bytes("below " + round));
                commit(db);
                db.delete(key("m0"));
                commit(db);
                require(db.get(key("m0")) == null, "m0 is there");
                db.put(LARGE, new Numbers(round, length), length);
                db.put(SECOND, new Numbers(round + 10, length), length);
                commit(db);
                requireLarge(db, LARGE, round);
            }
            requireLarge(db, SECOND, 10 + ROUNDS - 1);
        }
    }

    private void read() throws IOException {
        try (FlexDB db = open()) {
            requireAll(db, ROUNDS - 1, 10 + ROUNDS - 1);
            // Too much for this heap, which harms nobody.
            try {
                db.get(LARGE);
                throw new AssertionError("a value that the heap has no room for was read");
            } catch (StoreMemoryException e) {
                require(e.getMessage().contains("openValue"), e.getMessage());
            }
            try (FlexCursor cursor = db.cursor()) {
                cursor.seek(LARGE);
                cursor.value();
                throw new AssertionError("a value that the heap has no room for was read");
            } catch (StoreMemoryException e) {
                require(e.getMessage().contains("openValue"), e.getMessage());
            }
            require(db.health().state() == StoreHealth.State.USABLE, db.health().toString());
            db.put(key("after"), bytes("all is well"));
            requireAll(db, ROUNDS - 1, 10 + ROUNDS - 1);
        }
    }

    private void change() throws IOException {
        try (FlexDB db = open()) {
            // Ranges that end beside a large value, and runs that are linked beside and in the place of one.
            db.deleteRange(key("lz"), LARGE);
            db.deleteRange(key("m0"), key("m1"));
            commit(db);
            requireAll(db, ROUNDS - 1, 10 + ROUNDS - 1);
            load(db, "lz", "m1");
            requireAll(db, ROUNDS - 1, 10 + ROUNDS - 1);
            try (Transaction transaction = db.begin()) { // of more than a memtable
                for (int i = 0; i < SPILLED; i++) {
                    transaction.put(key("l9" + i), new byte[SPILLED_BYTES]);
                }
                transaction.deleteRange(key("m1"), key("m11"));
                transaction.delete(SECOND);
                transaction.commit();
            }
            require(!db.containsKey(SECOND), "it is there");
            requireLarge(db, LARGE, ROUNDS - 1);
            // Another in its place, and away with it.
            db.put(SECOND, new Numbers(20, length), length);
            db.delete(LARGE);
            commit(db);
            require(!db.containsKey(LARGE), "it is there");
            requireLarge(db, SECOND, 20);
            db.put(LARGE, new Numbers(21, length), length);
        }
    }

    /** Operands for a value that can't be held wait with it, and stop nothing else. */
    private void merge() throws IOException {
        Path merges = directory.resolve("merges");
        FlexDBOptions options = options().withMergeFunction(MergeFunction.APPEND);
        try (FlexDB db = FlexDB.open(merges, options)) {
            putSmall(db, "first");
            db.put(LARGE, new Numbers(40, length), length);
            db.merge(LARGE, bytes("one")); // before the value is in the space
            commit(db);
            db.merge(LARGE, bytes("two"));
            putSmall(db, "second");
            commit(db);
            requireUnreadable(db);
            requireSound(db.check());
        }
        Path salvaged = directory.resolve("merges salvaged");
        FlexDBSalvageReport report = FlexDBSalvage.salvage(merges, salvaged, options, Progress.NONE);
        require(report.isComplete() && report.findings().isEmpty(), report.toString());
        for (Path store : List.of(merges, salvaged)) {
            try (FlexDB db = FlexDB.open(store, options)) {
                requireUnreadable(db);
                db.put(LARGE, bytes("small"));
                db.merge(LARGE, bytes("er"));
                commit(db);
                require(Arrays.equals(bytes("smaller"), db.get(LARGE)), "what was put");
                requireSound(db.check());
            }
        }
    }

    private static void requireUnreadable(FlexDB db) {
        try {
            db.get(LARGE);
            throw new AssertionError("a value that the heap has no room for was read");
        } catch (StoreMemoryException e) {
            require(e.getMessage().contains("put or delete the key"), e.getMessage());
        }
        require(Arrays.equals(bytes("second"), db.get(key("a1"))), "a1");
        require(db.health().state() == StoreHealth.State.USABLE, db.health().toString());
    }

    private static void load(FlexDB db, String... prefixes) {
        try (BulkLoad load = db.bulkLoad()) {
            for (String prefix : prefixes) {
                for (int i = 100; i < 200; i++) {
                    load.add(key(prefix + i), bytes("load " + i));
                }
            }
            load.commit();
        }
    }

    private void copy() throws IOException {
        try (FlexDB db = open()) {
            requireAll(db, 21, 20);
            db.put(LARGE, new Numbers(22, length), length); // in no commit yet
            db.checkpoint(directory.resolve("checkpoint"));
            requireAll(directory.resolve("checkpoint"), 22, 20);
            db.put(LARGE, new Numbers(23, length), length);
            try (FlexDBBackups backups = FlexDBBackups.open(directory.resolve("backups"))) {
                long id = backups.create(db).id();
                require(backups.verify(id).isEmpty(), "findings");
                backups.restore(id, directory.resolve("restored"));
            }
            requireAll(directory.resolve("restored"), 23, 20);
            db.put(LARGE, new Numbers(24, length), length);
            requireSound(db.check());
            db.exportTo(directory.resolve("export"));
            if (length > QUICKLY_READ) {
                db.compact(); // or what is left of the values before is collected while a reader reads for seconds
            }
            try (FlexDBReader reader = FlexDB.openReadOnly(directory.resolve("store"), options())) {
                requireAll(reader, 24, 20);
                commit(db);
                reader.refresh();
                requireAll(reader, 24, 20);
            }
        }
        try (FlexDB db = FlexDB.open(directory.resolve("imported"), options())) {
            db.importFrom(directory.resolve("export"));
            requireAll(db, 24, 20);
        }
        FlexDBSalvageReport report =
                FlexDBSalvage.salvage(directory.resolve("imported"), directory.resolve("salvaged"));
        require(report.isComplete() && report.findings().isEmpty(), report.toString());
        requireAll(directory.resolve("salvaged"), 24, 20);
    }

    private void writeAndHalt(boolean committed) throws IOException {
        FlexDB db = open();
        db.put(LARGE, new Numbers(30, length), length);
        if (committed) {
            commit(db);
        }
        db.put(SECOND, new Numbers(31, length), length);
        db.put(key("m0"), bytes("between"));
        db.sync();
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void recover() throws IOException {
        try (FlexDB db = open()) {
            require(Arrays.equals(bytes("between"), db.get(key("m0"))), "m0");
            db.put(key("m00"), bytes("new")); // beside it, whether it has been found yet where pairs begin or not
            db.delete(key("m0"));
            commit(db);
            requireAll(db, 30, 31);
        }
        FlexDBSalvageReport report =
                FlexDBSalvage.salvage(directory.resolve("store"), directory.resolve("salvaged " + System.nanoTime()));
        require(report.isComplete(), report.toString());
    }

    // ---- content

    private static void putSmall(FlexDB db, String value) {
        for (int i = 0; i < SMALL; i++) {
            db.put(key("a" + i), bytes(value));
            db.put(key("z" + i), bytes(value));
        }
    }

    /** Has what was written so far committed. */
    private static void commit(FlexDB db) {
        load(db, "zz"); // which comes below all memtables
    }

    private void requireAll(Path store, int large, int second) throws IOException {
        try (FlexDB db = FlexDB.open(store, options())) {
            requireSound(db.check());
            requireAll(db, large, second);
        }
    }

    private void requireAll(ReadView view, int large, int second) throws IOException {
        require(view.get(key("m05")) == null, "m05");
        require(view.get(key("m2x")) == null, "m2x");
        require(view.valueLength(LARGE) == length, "its length");
        for (ReadOptions options : new ReadOptions[] {
            ReadOptions.defaults(), ReadOptions.defaults().withKeysOnly(true)
        }) {
            int keys = 0;
            try (FlexCursor cursor = view.cursor(options)) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    keys++;
                }
                for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
                    keys--;
                }
                cursor.seek(LARGE);
                require(Arrays.equals(LARGE, cursor.key()) && cursor.valueLength() == length, "the pair of a cursor");
                cursor.seekForPrev(key("m2x"));
                require(Arrays.equals(SECOND, cursor.key()), "the pair before");
            }
            require(keys == 0, keys + " keys more in one direction");
        }
        requireLarge(view, LARGE, large);
        requireLarge(view, SECOND, second);
    }

    private void requireLarge(ReadView view, byte[] key, int seed) throws IOException {
        ByteBuffer part = ByteBuffer.allocateDirect(1 << 18);
        ByteBuffer expected = ByteBuffer.allocate(1 << 18);
        try (ValueReader value = view.openValue(key)) {
            Numbers numbers = new Numbers(seed, length);
            while (value.read(part.clear()) > 0) {
                numbers.read(expected.clear().limit(part.flip().limit()));
                if (!part.equals(expected.flip())) {
                    throw new AssertionError("another value than " + seed + " before " + value.position());
                }
            }
            require(value.position() == length, "bytes of it: " + value);
        }
    }

    private static void requireSound(FlexDBCheckReport report) {
        require(report.isSound(), report.toString());
    }

    private static byte[] key(String name) {
        return bytes(name);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new AssertionError(message);
        }
    }

    /** Bytes that say where they are, and of which value they are. */
    private static final class Numbers implements ReadableByteChannel {
        private final int seed;
        private final int length;
        private int position;

        Numbers(int seed, int length) {
            this.seed = seed;
            this.length = length;
        }

        @Override
        public int read(ByteBuffer to) {
            int bytes = Math.min(to.remaining(), length - position);
            ByteBuffer at = to.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            int end = position + bytes;
            while (position < end) {
                long word = (position >>> 3) * 0x9E37_79B9_7F4A_7C15L ^ (long) seed << 32;
                int skip = position & 7;
                if (skip == 0 && end - position >= Long.BYTES) {
                    at.putLong(word);
                    position += Long.BYTES;
                } else {
                    at.put((byte) (word >>> 8 * skip));
                    position++;
                }
            }
            to.position(at.position());
            return bytes == 0 ? -1 : bytes;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // nothing to let go of
        }
    }
}
