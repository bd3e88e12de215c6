package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that share the data file of the store that they were made of: nothing that one does may harm the other. */
class FlexDBSharedCheckpointTest {
    private static final Path COPY = Path.of("/copies/one");
    private static final FlexDBOptions OPTIONS = StoreDriver.WITHOUT_LARGE.withDurability(Durability.SYNC);
    private static final int KEYS = 300;

    private static StoreDriver newStore() {
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.allowLinks();
        StoreDriver store = StoreDriver.closed(OPTIONS, vfs);
        store.open();
        return store;
    }

    private static byte[] key(int number) {
        return FlexDBCheckpointTest.key(number);
    }

    private static byte[] value(long seed) {
        return FlexDBCheckpointTest.value(seed, 300 + (int) Math.floorMod(seed, 300L));
    }

    private static void overwrite(StoreDriver store, int seed) {
        for (int i = 0; i < KEYS; i++) {
            store.put(key(i), value(1000L * seed + i));
        }
        store.flush();
    }

    private static void overwrite(FlexDB db, Map<byte[], byte[]> model, int seed) {
        for (int i = seed % 3; i < KEYS; i += 1 + seed % 2) {
            byte[] value = value(1000L * seed + i);
            db.put(key(i), value);
            model.put(key(i), value);
        }
        db.flush();
    }

    private static Path dataOf(Path store) {
        return store.resolve("space").resolve("data");
    }

    private static Path linkOf(Path store) {
        return store.resolve("space").resolve("data.linked");
    }

    private static FlexDB openCopy(Vfs vfs, Path path) {
        return FlexDB.open(vfs, path, OPTIONS, true);
    }

    private static void assertContent(TreeMap<byte[], byte[]> expected, Vfs vfs, Path path, String at) {
        try (FlexDB db = openCopy(vfs, path)) {
            StoreOracle.assertSame(expected, StoreDriver.all(db), at);
            assertTrue(db.check().isSound(), at);
        }
    }

    private static void assertRead(TreeMap<byte[], byte[]> expected, Vfs vfs, Path path, String at) {
        try (FlexDBReader reader = FlexDB.openReadOnly(vfs, path, OPTIONS, true);
                FlexCursor cursor = reader.cursor()) {
            StoreOracle.assertSame(expected, StoreDriver.all(cursor), at);
        }
    }

    private static void delete(SimulatedVfs vfs, Path directory) {
        for (Path file : vfs.files()) {
            if (file.startsWith(directory)) {
                vfs.delete(file);
            }
        }
        for (String name : List.of("space", "wal", "")) {
            vfs.deleteIfExists(directory.resolve(name));
        }
    }

    @Test
    void aCopyHasTheDataFileItselfAndNoByteOfItIsWritten() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        long before = store.vfs.bytesWritten(name -> name.startsWith("/copies/one/space/data"));
        assertEquals(store.oracle.sequence(), store.db.checkpoint(COPY));
        assertTrue(store.vfs.exists(linkOf(COPY)));
        assertFalse(store.vfs.exists(dataOf(COPY)));
        long written = store.vfs.bytesWritten(name -> name.startsWith("/copies/one/space/data")) - before;
        assertTrue(written <= 4096, written + " bytes");
        assertContent(new TreeMap<>(store.oracle.now()), store.vfs, COPY, "the copy");
        assertFalse(store.vfs.exists(linkOf(COPY)));
        store.assertSame("the store");
    }

    /** On the file system of the machine, with all threads and mappings. */
    @Test
    void aCopyHasAnotherNameOfTheRealFile(@TempDir Path temporary) throws IOException {
        Path probe = Files.createFile(temporary.resolve("probe"));
        assumeTrue(temporary.getFileSystem().supportedFileAttributeViews().contains("unix"));
        assumeTrue(new RealVfs().link(probe, temporary.resolve("link")), "no links here");
        Vfs real = new ForwardingVfs(new RealVfs()) {
            @Override
            public VfsFile open(Path file, OpenMode mode) {
                return new ForwardingVfsFile(super.open(file, mode)); // blocks are not shared
            }
        };
        FlexDBOptions options = FlexDBOptions.defaults()
                .withMemtableBytes(1 << 20)
                .withSpace(FlexSpaceOptions.defaults().withSegments(1 << 18, 4096));
        Path copy = temporary.resolve("copy");
        TreeMap<byte[], byte[]> then;
        try (FlexDB db = FlexDB.open(real, temporary.resolve("store"), options, false)) {
            TreeMap<byte[], byte[]> model = StoreOracle.newMap();
            for (int seed = 0; seed < 8; seed++) {
                overwrite(db, model, 2 * seed);
            }
            then = new TreeMap<>(model);
            db.checkpoint(copy);
            assertEquals(2, Files.getAttribute(linkOf(copy), "unix:nlink"));
            for (int seed = 8; seed < 16; seed++) {
                overwrite(db, model, 2 * seed);
            }
            db.compact(null, null);
            try (FlexDBReader reader = FlexDB.openReadOnly(copy, options);
                    FlexCursor cursor = reader.cursor()) {
                StoreOracle.assertSame(then, StoreDriver.all(cursor), "read-only");
            }
            try (FlexDB opened = FlexDB.open(copy, options)) {
                StoreOracle.assertSame(then, StoreDriver.all(opened), "opened");
                assertEquals(1, Files.getAttribute(dataOf(copy), "unix:nlink"));
                assertFalse(Files.exists(linkOf(copy)));
                overwrite(opened, then, 77);
            }
            overwrite(db, model, 78);
            StoreOracle.assertSame(model, StoreDriver.all(db), "the store");
        }
        try (FlexDB opened = FlexDB.open(copy, options)) {
            StoreOracle.assertSame(then, StoreDriver.all(opened), "opened again");
            assertTrue(opened.check().isSound());
        }
    }

    /** Steps of all kinds, at random. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aStoreAndItsCopiesAreWhatWasWrittenToEach(long seed) {
        new History(seed).run(Effort.times(400));
    }

    private static final class History {
        private final Random random;
        private final long seed;
        private final StoreDriver store = newStore();
        private final Map<Path, TreeMap<byte[], byte[]>> copies = new TreeMap<>();
        private int made;
        private int linked;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run(int steps) {
            overwrite(store, 0);
            for (int step = 0; step < steps; step++) {
                String at = "seed " + seed + ", step " + step;
                try {
                    step(at);
                } catch (RuntimeException e) {
                    throw new AssertionError(at, e);
                }
            }
            store.reopen("seed " + seed + ", the store");
            copies.forEach((path, content) -> assertContent(content, store.vfs, path, "seed " + seed + ", " + path));
            assertTrue(linked > 0);
        }

        private void step(String at) {
            switch (random.nextInt(40)) {
                case 0 -> store.reopen(at);
                case 1 -> store.kill(at);
                case 2 -> store.powerCut(random.nextLong(), at);
                case 3 -> store.deleteRange(null, null);
                case 4 -> store.compact(null, null);
                case 5, 6 -> makeCopy();
                case 7 ->
                    onCopy(path -> {
                        delete(store.vfs, path);
                        store.vfs.syncDirectory(Path.of("/copies"));
                        copies.remove(path);
                    });
                case 8, 9, 10 -> onCopy(path -> writeTo(path, at));
                case 11, 12 -> onCopy(path -> assertRead(copies.get(path), store.vfs, path, at));
                case 13 -> assertTrue(store.db.check().isSound(), at);
                case 14 -> overwrite(store, random.nextInt(1000));
                case 15 -> store.flush();
                default -> some();
            }
        }

        private void some() {
            for (int i = random.nextInt(40); i >= 0; i--) {
                if (random.nextInt(5) == 0) {
                    store.delete(key(random.nextInt(KEYS)));
                } else {
                    store.put(key(random.nextInt(KEYS)), value(random.nextInt()));
                }
            }
        }

        private void makeCopy() {
            if (copies.size() < 4) {
                Path path = Path.of("/copies/" + made++);
                store.db.checkpoint(path);
                copies.put(path, new TreeMap<>(store.oracle.now()));
                linked += store.vfs.exists(linkOf(path)) ? 1 : 0;
            }
        }

        private void onCopy(Consumer<Path> action) {
            if (!copies.isEmpty()) {
                action.accept(new ArrayList<>(copies.keySet()).get(random.nextInt(copies.size())));
            }
        }

        /** The copy may be copied in its turn. */
        private void writeTo(Path path, String at) {
            TreeMap<byte[], byte[]> content = copies.get(path);
            try (FlexDB copy = openCopy(store.vfs, path)) {
                StoreOracle.assertSame(content, StoreDriver.all(copy), at);
                for (int round = random.nextInt(4); round > 0; round--) {
                    overwrite(copy, content, random.nextInt(1000));
                }
                if (random.nextBoolean()) {
                    copy.compact(null, null);
                }
                if (copies.size() < 4) {
                    Path other = Path.of("/copies/" + made++);
                    copy.checkpoint(other);
                    copies.put(other, new TreeMap<>(content));
                }
                overwrite(copy, content, random.nextInt(1000));
            }
        }
    }

    /**
     * Cuts the power at operations of all that happens to a store and its copy, goes on with both, in either order, and
     * writes all anew, so that each would take what the other has if it could.
     */
    @Test
    void aPowerCutAtAnyOperationHarmsNeitherTheStoreNorTheCopy() {
        Cuts cuts = new Cuts(newStore());
        cuts.run();
        assertTrue(cuts.points >= Effort.times(25), cuts.points + " points");
    }

    private static final class Cuts {
        private final StoreDriver store;
        private final int step = Effort.step(40);
        private TreeMap<byte[], byte[]> copy; // that is whole; null: there may be one
        private TreeMap<byte[], byte[]> next; // what the copy may be, too
        private int operations;
        private int points;

        Cuts(StoreDriver store) {
            this.store = store;
        }

        void run() {
            overwrite(store, 1);
            for (int i = 0; i < KEYS; i += 3) {
                store.delete(key(i));
            }
            store.db.close();
            store.setHook((kind, path) -> cut(kind));
            store.open();
            TreeMap<byte[], byte[]> then = new TreeMap<>(store.oracle.now());
            store.db.checkpoint(COPY);
            copy = then;
            for (int i = 0; i < KEYS; i++) {
                store.put(key(i), value(7000L + i));
            }
            store.flush();
            store.reopen("with a copy");
            writeCopy();
            store.put(key(1), value(1));
            store.compact(null, null);
            then = new TreeMap<>(store.oracle.now());
            store.db.checkpoint(Path.of("/copies/two"));
            delete(store.vfs, Path.of("/copies/two"));
            overwrite(store, 2);
            store.db.close();
        }

        private void writeCopy() {
            try (FlexDB db = openCopy(new HookedVfs(store.vfs, (kind, path) -> cut(kind)), COPY)) {
                for (int i = 0; i < KEYS; i += 2) {
                    byte[] value = value(i);
                    next = new TreeMap<>(copy);
                    next.put(key(i), value);
                    db.put(key(i), value);
                    copy = next;
                }
                db.flush();
            }
        }

        private void cut(HookedVfs.Kind kind) {
            if (kind == HookedVfs.Kind.READ
                    || ++operations % step != 0 && kind != HookedVfs.Kind.LINK && kind != HookedVfs.Kind.RENAME) {
                return;
            }
            points++;
            for (long seed : new long[] {0, 1, points + 1}) {
                String at = "operation " + operations + ", seed " + seed;
                SimulatedVfs dead = store.vfs.copy().crash(seed);
                boolean there = copy != null || dead.exists(COPY.resolve("flexdb.options"));
                if ((points + seed) % 2 == 0) {
                    goOn(dead, at);
                    goOnWithCopy(dead, there, at);
                } else {
                    goOnWithCopy(dead, there, at);
                    goOn(dead, at);
                }
            }
        }

        private void goOn(SimulatedVfs dead, String at) {
            StoreOracle oracle = store.oracle.copy();
            TreeMap<byte[], byte[]> content;
            try (FlexDB db = StoreDriver.open(dead, OPTIONS)) {
                content = StoreDriver.all(db);
                oracle.found(content, db.stats().lastSequence(), 0, at);
                overwrite(db, content, 3);
                overwrite(db, content, 6);
                db.compact(null, null);
                overwrite(db, content, 9);
            }
            assertContent(content, dead, StoreDriver.DIRECTORY, at);
        }

        private void goOnWithCopy(SimulatedVfs dead, boolean there, String at) {
            if (!there) {
                return;
            }
            TreeMap<byte[], byte[]> content;
            try (FlexDBReader reader = FlexDB.openReadOnly(dead, COPY, OPTIONS, true);
                    FlexCursor cursor = reader.cursor()) {
                content = StoreDriver.all(cursor);
            }
            if (copy != null && (next == null || !isSame(content, next))) {
                StoreOracle.assertSame(copy, content, at);
            }
            try (FlexDB db = openCopy(dead, COPY)) {
                StoreOracle.assertSame(content, StoreDriver.all(db), at);
                overwrite(db, content, 4);
                db.compact(null, null);
                overwrite(db, content, 5);
            }
            assertContent(content, dead, COPY, at);
        }
    }

    /** As with any opening: whatever fails of it, all is as it was. */
    @Test
    void aFailedOpeningOfACopyChangesNothing() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        TreeMap<byte[], byte[]> content = new TreeMap<>(store.oracle.now());
        store.db.checkpoint(COPY);
        SimulatedVfs files = store.vfs.kill();
        int failed = 0;
        for (long operation = 1; ; operation++) {
            SimulatedVfs vfs = files.copy();
            Map<Path, byte[]> before = filesOf(vfs);
            vfs.failAt(operation, Fault.EIO);
            String at = "operation " + operation;
            try (FlexDB db = openCopy(vfs, COPY)) {
                StoreOracle.assertSame(content, StoreDriver.all(db), at);
                if (vfs.faultsFired() == 0) {
                    break;
                }
            } catch (StorageException e) {
                failed++;
                vfs.clearFaults();
                if (vfs.exists(linkOf(COPY))) {
                    Map<Path, byte[]> after = filesOf(vfs);
                    assertEquals(before.keySet(), after.keySet(), at);
                    before.forEach((path, bytes) -> assertArrayEquals(bytes, after.get(path), at + ": " + path));
                }
            }
            vfs.clearFaults();
            assertContent(content, vfs, COPY, at);
        }
        assertTrue(failed > 10, failed + " failed");
    }

    private static Map<Path, byte[]> filesOf(SimulatedVfs vfs) {
        Map<Path, byte[]> files = new TreeMap<>();
        for (Path file : vfs.files()) {
            if (!file.endsWith("LOCK")) {
                files.put(file, vfs.content(file));
            }
        }
        return files;
    }

    @Test
    void aCopyThatMustBeCopiedOnAFullDiskSaysSoAndCanBeRead() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        TreeMap<byte[], byte[]> content = new TreeMap<>(store.oracle.now());
        store.db.checkpoint(COPY);
        SimulatedVfs vfs = store.vfs.kill();
        vfs.setCapacity(1);
        StoreFullException full = assertThrows(StoreFullException.class, () -> openCopy(vfs, COPY));
        assertTrue(full.getMessage().contains("data.linked"), full.getMessage());
        assertRead(content, vfs, COPY, "on the full disk");
        delete(vfs, StoreDriver.DIRECTORY);
        vfs.setCapacity(Long.MAX_VALUE);
        assertContent(content, vfs, COPY, "without the other");
    }

    /** Without the store that it was made of, a copy has the file for itself. */
    @Test
    void theLastThatHasTheFileTakesItAsItIs() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        TreeMap<byte[], byte[]> content = new TreeMap<>(store.oracle.now());
        store.db.checkpoint(COPY);
        store.db.close();
        delete(store.vfs, StoreDriver.DIRECTORY);
        long before = store.vfs.bytesWritten(name -> name.contains("/space/data"));
        assertContent(content, store.vfs, COPY, "the copy");
        assertEquals(before, store.vfs.bytesWritten(name -> name.contains("/space/data")));
        assertTrue(store.vfs.exists(dataOf(COPY)));
        assertFalse(store.vfs.exists(linkOf(COPY)));
    }

    /** It becomes the owner then, and may be copied in its turn. */
    @Test
    void aPowerCutAtAnyOperationOfTheLastThatHasTheFileLosesNothing() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        TreeMap<byte[], byte[]> content = new TreeMap<>(store.oracle.now());
        store.db.checkpoint(COPY);
        store.db.close();
        delete(store.vfs, StoreDriver.DIRECTORY);
        store.vfs.syncDirectory(Path.of("/"));
        Path other = Path.of("/copies/two");
        List<TreeMap<byte[], byte[]>> allowed = new ArrayList<>(List.of(content));
        int[] operations = {0};
        int[] others = {0};
        int step = Effort.step(7);
        HookedVfs.Hook hook = (kind, path) -> {
            boolean many = kind == HookedVfs.Kind.READ || kind == HookedVfs.Kind.WRITE || kind == HookedVfs.Kind.FORCE;
            if (++operations[0] % step != 0 && many) {
                return;
            }
            for (long seed : new long[] {0, 1, operations[0] + 1}) {
                String at = "operation " + operations[0] + ", seed " + seed;
                SimulatedVfs dead = store.vfs.copy().crash(seed);
                TreeMap<byte[], byte[]> found;
                try (FlexDB db = openCopy(dead, COPY)) {
                    found = StoreDriver.all(db);
                    assertTrue(allowed.stream().anyMatch(each -> isSame(each, found)), at);
                    overwrite(db, found, 3);
                    overwrite(db, found, 6);
                }
                if (dead.exists(other.resolve("flexdb.options"))) {
                    others[0]++;
                    assertContent(content, dead, other, at);
                }
                assertContent(found, dead, COPY, at);
            }
        };
        try (FlexDB db = openCopy(new HookedVfs(store.vfs, hook), COPY)) {
            for (int i = 0; i < KEYS; i += 3) {
                byte[] value = value(i);
                allowed.add(new TreeMap<>(content));
                allowed.get(1).put(key(i), value);
                db.put(key(i), value);
                content.put(key(i), value);
                allowed.remove(1);
            }
            db.checkpoint(other);
        }
        assertTrue(others[0] > 0);
    }

    private static boolean isSame(TreeMap<byte[], byte[]> one, TreeMap<byte[], byte[]> other) {
        return one.size() == other.size()
                && one.entrySet().stream()
                        .allMatch(entry -> Arrays.equals(entry.getValue(), other.get(entry.getKey())));
    }

    /** What a copy has kept from use is used again when it is gone. */
    @Test
    void theStoreTakesBackWhatADeletedCopyHasKept() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        store.db.checkpoint(COPY);
        for (int round = 2; round < 8; round++) {
            overwrite(store, round);
        }
        long shared = store.vfs.content(dataOf(StoreDriver.DIRECTORY)).length;
        delete(store.vfs, COPY);
        for (int round = 8; round < 16; round++) {
            overwrite(store, round);
        }
        assertTrue(store.vfs.content(dataOf(StoreDriver.DIRECTORY)).length <= shared);
        store.compact(null, null);
        store.reopen("alone");
        long alone = store.vfs.content(dataOf(StoreDriver.DIRECTORY)).length;
        assertTrue(alone < shared, alone + " of " + shared);
    }

    /** However long a store goes on, a copy costs no more than what it has. */
    @Test
    void aCopyTakesNoMoreThanItsBytes() {
        long copied = 0;
        long[] most = {0, 0};
        for (int copies = 0; copies < 2; copies++) {
            StoreDriver store = newStore();
            overwrite(store, 1);
            if (copies == 1) {
                copied = store.vfs.content(dataOf(StoreDriver.DIRECTORY)).length;
                store.db.checkpoint(COPY);
            }
            for (int round = 2; round < 40; round++) {
                overwrite(store, round);
                int bytes = store.vfs.content(dataOf(StoreDriver.DIRECTORY)).length;
                most[copies] = Math.max(most[copies], bytes);
            }
            store.compact(null, null);
            store.reopen("copies: " + copies);
        }
        assertTrue(most[1] <= most[0] + copied, most[1] + ", and " + most[0] + " without a copy of " + copied);
    }

    /** What only copies need does not count below the cap. */
    @Test
    void aStoreThatIsFullButForTheCapGoesOnBesideCopies() {
        SimulatedVfs vfs = new SimulatedVfs();
        vfs.allowLinks();
        FlexDBOptions capped = OPTIONS.withSpace(OPTIONS.space().withMaxDataBytes(32 * 64 * 512));
        StoreDriver store = StoreDriver.closed(capped, vfs);
        store.open();
        for (int round = 0; round < 12; round++) {
            overwrite(store, round);
            if (round % 3 == 0) {
                store.db.checkpoint(Path.of("/copies/" + round));
            }
            if (round == 7) {
                store.kill("round " + round);
            }
        }
        store.reopen("at the cap");
        for (int round = 0; round < 12; round += 3) {
            delete(store.vfs, Path.of("/copies/" + round));
        }
        for (int round = 12; round < 20; round++) {
            overwrite(store, round);
        }
        store.reopen("alone");
    }

    /** The owner uses again what a reader of the copy reads, when the copy has got a file of its own. */
    @Test
    void aReaderOfACopyIsOvertakenWhenTheCopyIsOpened() {
        StoreDriver store = newStore();
        overwrite(store, 1);
        store.db.checkpoint(COPY);
        TreeMap<byte[], byte[]> content = new TreeMap<>(store.oracle.now());
        try (FlexDBReader reader = FlexDB.openReadOnly(store.vfs, COPY, OPTIONS, true)) {
            assertArrayEquals(content.get(key(5)), reader.get(key(5)));
            for (int round = 2; round < 6; round++) {
                overwrite(store, round);
            }
            try (FlexCursor cursor = reader.cursor()) {
                StoreOracle.assertSame(content, StoreDriver.all(cursor), "beside the owner");
            }
            try (FlexDB copy = openCopy(store.vfs, COPY)) {
                for (int round = 6; round < 14; round++) {
                    overwrite(store, round);
                }
                for (int i = 0; i < KEYS; i++) {
                    assertArrayEquals(content.get(key(i)), reader.get(key(i)), "key " + i);
                }
                copy.put(key(3), value(3));
                reader.refresh();
                assertArrayEquals(value(3), reader.get(key(3)));
            }
        }
    }
}
