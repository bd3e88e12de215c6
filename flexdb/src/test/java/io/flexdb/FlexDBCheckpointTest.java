package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.log.WalFormat;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreLockedException;
import io.flexdb.storage.TargetNotEmptyException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies of a store in use: what is in them, and what is left of them when something goes wrong. */
class FlexDBCheckpointTest {
    private static final int FORCE_DEPTH = 4; // the first frame is that of HookedVfs
    private static final Path COPY = Path.of("/copies/one");

    @TempDir
    Path temporary;

    static byte[] key(int number) {
        return String.format(Locale.ROOT, "key%05d", number).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] value(long seed, int bytes) {
        byte[] value = new byte[bytes];
        new Random(seed).nextBytes(value);
        return value;
    }

    /** Writes over many intervals, so that all levels have something. */
    static void fill(StoreDriver store, int from, int to) {
        for (int i = from; i < to; i++) {
            store.put(key(i * 37 % 700), value(i, 40 + i % 9 * 30));
            if (i % 11 == 3) {
                store.delete(key(i * 5 % 700));
            }
            if (i % 97 == 50) {
                store.deleteRange(key(i % 600), key(i % 600 + 20));
            }
        }
    }

    private static void assertCopy(SimulatedVfs vfs, Path path, StoreDriver of, String at) {
        try (FlexDB copy = FlexDB.open(vfs, path, of.options, true)) {
            StoreOracle.assertSame(of.oracle.now(), StoreDriver.all(copy), at);
            assertEquals(of.oracle.sequence(), copy.stats().lastSequence(), at);
        }
        try (FlexDB copy = FlexDB.open(vfs, path, of.options, true)) {
            StoreOracle.assertSame(of.oracle.now(), StoreDriver.all(copy), at + ", opened again");
        }
    }

    @Test
    void aCopyHasWhatIsInMemtablesAndInTheSpace() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        for (int round = 0; round < 8; round++) {
            Path path = Path.of("/copies/" + round);
            assertEquals(store.oracle.sequence(), store.db.checkpoint(path), "round " + round);
            assertCopy(store.vfs, path, store, "round " + round);
            fill(store, round * round * 40, (round + 1) * (round + 1) * 40);
            if (round == 4) {
                store.reopen("round 4");
            }
        }
        store.reopen("at the end");
    }

    /**
     * Behind the mark of a log a damaged frame looks like the end: the copy would lack writes that the store shows.
     */
    @Test
    void aLogThatIsDamagedAnywhereFailsTheCopyAndTheBackup() throws IOException {
        Path path = temporary.resolve("damaged");
        Path copy = temporary.resolve("copy");
        FlexDBOptions unforced = StoreDriver.SMALL.withDurability(Durability.NONE);
        Random random = new Random(9);
        try (FlexDB db = FlexDB.open(new RealVfs(), path, unforced, true); // which commits nothing meanwhile
                FlexDBBackups backups = FlexDBBackups.open(temporary.resolve("backups"))) {
            for (int i = 0; i < 40; i++) {
                db.put(key(i), value(i, 20));
            }
            TreeMap<byte[], byte[]> all = StoreDriver.all(db);
            Path log = logOf(path);
            byte[] sound = Files.readAllBytes(log);
            int end = WalFormat.FIRST_FRAME + 40 * 64;
            int harmful = 0;
            for (int i = 0; i < Effort.times(25); i++) {
                int position = WalFormat.START + random.nextInt(end - WalFormat.START);
                byte flipped = (byte) (sound[position] ^ 1 << random.nextInt(8));
                write(log, position, flipped);
                String at = "byte " + position;
                try {
                    assertEquals(40, db.checkpoint(copy), at);
                    try (FlexDB opened = FlexDB.open(copy, unforced)) { // it was of no consequence
                        StoreOracle.assertSame(all, StoreDriver.all(opened), at);
                    }
                    deleteRecursively(copy);
                } catch (CorruptionException e) {
                    harmful = position;
                    assertEquals(log, e.file(), at);
                    assertFalse(Files.exists(copy), at);
                    assertFalse(db.check().isSound(), at);
                    assertThrows(CorruptionException.class, () -> backups.create(db), at);
                    assertEquals(List.of(), backups.list(), at);
                }
                write(log, position, sound[position]);
            }
            assertTrue(harmful > 0);
            write(log, harmful, (byte) ~sound[harmful]);
            assertThrows(CorruptionException.class, () -> db.checkpoint(copy));
            StoreOracle.assertSame(all, StoreDriver.all(db), "the store goes on");
        } // and the writes in memory go to the space
        try (FlexDB db = FlexDB.open(path, unforced)) {
            assertEquals(40, db.checkpoint(copy));
            try (FlexDB opened = FlexDB.open(copy, unforced)) {
                StoreOracle.assertSame(StoreDriver.all(db), StoreDriver.all(opened), "closed and opened");
                assertEquals(40, StoreDriver.all(opened).size());
            }
        }
    }

    /** The only log that has something. */
    private static Path logOf(Path store) throws IOException {
        try (Stream<Path> logs = Files.list(store.resolve("wal"))) {
            for (Path log : logs.toList()) {
                byte[] bytes = Files.readAllBytes(log);
                if (bytes[WalFormat.START] != 0) {
                    return log;
                }
            }
        }
        throw new AssertionError("no log has anything");
    }

    private static void write(Path file, long position, byte value) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(position);
            open.write(value);
        }
    }

    private static void deleteRecursively(Path path) throws IOException {
        try (Stream<Path> below = Files.walk(path)) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    @Test
    void aCopyAndItsOriginalGoTheirOwnWays() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        fill(store, 0, 800);
        store.db.checkpoint(COPY);
        TreeMap<byte[], byte[]> then = StoreDriver.all(store.db);
        fill(store, 800, 1600);
        try (FlexDB copy = FlexDB.open(store.vfs, COPY, store.options, true)) {
            StoreOracle.assertSame(then, StoreDriver.all(copy), "before it is changed");
            for (int i = 0; i < 900; i++) {
                copy.put(key(i), value(-i, 300));
            }
            copy.checkpoint(Path.of("/copies/of-the-copy"));
        }
        store.reopen("the original");
        for (String path : List.of("/copies/one", "/copies/of-the-copy")) {
            try (FlexDB copy = FlexDB.open(store.vfs, Path.of(path), store.options, true)) {
                for (int i = 0; i < 900; i++) {
                    assertArrayEquals(value(-i, 300), copy.get(key(i)), path);
                }
            }
        }
    }

    @Test
    void valuesOfManyExtentsAndAnEmptyStoreAreCopied() {
        Path path = temporary.resolve("store");
        Path copy = temporary.resolve("deep/below/copy");
        try (FlexDB db = FlexDB.open(path)) {
            assertEquals(0, db.checkpoint(temporary.resolve("empty")));
            for (int i = 0; i < 20; i++) {
                db.put(key(i), value(i, 700_000));
            }
            db.checkpoint(copy);
            db.deleteRange((byte[]) null, null);
        }
        try (FlexDB empty = FlexDB.open(temporary.resolve("empty"), StoreDriver.SMALL);
                FlexDB opened = FlexDB.open(copy)) {
            assertTrue(StoreDriver.all(empty).isEmpty());
            for (int i = 0; i < 20; i++) {
                assertArrayEquals(value(i, 700_000), opened.get(key(i)));
            }
        }
    }

    /** The copy is what the writes up to its sequence number have made, in the order of their numbers. */
    @Test
    void aCopyMadeWhileFourThreadsWriteIsAPrefixOfTheirWrites() throws Exception {
        FlexDBOptions options =
                FlexDBOptions.defaults().withMemtableBytes(1 << 20).withCacheBytes(8 << 20);
        ConcurrentSkipListMap<Long, StoreOracle.Edit> edits = new ConcurrentSkipListMap<>();
        AtomicBoolean enough = new AtomicBoolean();
        List<Long> sequences = new ArrayList<>();
        try (FlexDB db = FlexDB.open(temporary.resolve("store"), options)) {
            Workers workers = new Workers();
            for (int t = 0; t < 4; t++) {
                int thread = t;
                workers.start("writer-" + t, () -> {
                    Random random = new Random(thread);
                    while (!enough.get()) {
                        byte[] key = key(random.nextInt(20_000));
                        byte[] value = random.nextInt(5) == 0 ? null : value(random.nextLong(), random.nextInt(300));
                        long sequence = value == null ? db.delete(key) : db.put(key, value);
                        edits.put(sequence, new StoreOracle.Edit(key, value));
                    }
                });
            }
            for (int i = 0; i < 6; i++) {
                long before = edits.isEmpty() ? 0 : edits.lastKey();
                long sequence = db.checkpoint(temporary.resolve("copy" + i));
                assertTrue(sequence >= before, sequence + " after " + before);
                sequences.add(sequence);
            }
            enough.set(true);
            workers.join();
        }
        for (int i = 0; i < sequences.size(); i++) {
            TreeMap<byte[], byte[]> model = StoreOracle.newMap();
            edits.headMap(sequences.get(i), true).forEach((sequence, edit) -> {
                if (edit.value() == null) {
                    model.remove(edit.key());
                } else {
                    model.put(edit.key(), edit.value());
                }
            });
            try (FlexDB copy = FlexDB.open(temporary.resolve("copy" + i), options)) {
                StoreOracle.assertSame(model, StoreDriver.all(copy), "copy " + i);
                assertEquals(sequences.get(i), copy.stats().lastSequence());
            }
        }
    }

    // ---- power cuts

    @Test
    void aPowerCutAtAnyOperationLeavesAWholeCopyOrNone() {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, new SimulatedVfs());
        store.open();
        fill(store, 0, 500);
        store.db.sync();
        store.oracle.allDurable();
        int[] points = {0, 0};
        store.db.close();
        store.setHook((kind, path) -> {
            if (kind != HookedVfs.Kind.READ && path.startsWith("/copies")) {
                points[0]++;
                SimulatedVfs dead = store.vfs.copy();
                for (long seed : new long[] {0, 1, 1 + points[0]}) {
                    points[1] += checkCut(store, dead.crash(seed), "point " + points[0] + ", seed " + seed) ? 1 : 0;
                }
            }
        });
        store.open();
        fill(store, 500, 560);
        store.sync();
        store.db.checkpoint(COPY);
        assertTrue(points[0] > 40, points[0] + " points");
        assertTrue(points[1] > 0, "no cut left a copy");
        SimulatedVfs dead = store.vfs.crash(0);
        assertCopy(dead, COPY, store, "after all");
    }

    /** Returns whether there is a copy. */
    private static boolean checkCut(StoreDriver store, SimulatedVfs vfs, String at) {
        FlexDBCrashTest.checkRecovered(store, vfs, at, false);
        if (vfs.exists(COPY.resolve("flexdb.options"))) {
            assertCopy(vfs, COPY, store, at);
            return true;
        }
        if (vfs.exists(COPY) && vfs.list(COPY).stream().anyMatch(name -> !name.equals("LOCK"))) {
            List<String> before = vfs.list(COPY);
            assertThrows(StorageException.class, () -> FlexDB.open(vfs, COPY, store.options, true), at + before);
            assertEquals(before, vfs.list(COPY), at);
        }
        return false;
    }

    /** A power cut may leave any of its files. */
    @Test
    void anyPartOfAnUnfinishedCopyIsRefusedAndLeftAsItIs() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        fill(store, 0, 300);
        store.db.checkpoint(COPY);
        store.db.close();
        Path options = COPY.resolve("flexdb.options");
        store.vfs.delete(options);
        store.vfs.open(COPY.resolve("copy.unfinished"), OpenMode.CREATE).close();
        List<Path> parts = store.vfs.files().stream()
                .filter(file -> file.startsWith(COPY.resolve("space")) || file.startsWith(COPY.resolve("wal")))
                .toList();
        assertTrue(parts.size() >= 3, parts::toString);
        for (Path part : parts) {
            for (boolean isAlone : new boolean[] {true, false}) {
                SimulatedVfs left = store.vfs.copy();
                parts.stream().filter(other -> other.equals(part) != isAlone).forEach(left::delete);
                Set<Path> before = left.files();
                StorageException refused = assertThrows(
                        StorageException.class,
                        () -> FlexDB.open(left, COPY, store.options, true),
                        () -> part + (isAlone ? " alone" : " missing"));
                assertTrue(refused.getMessage().contains("copy.unfinished"), refused.getMessage());
                assertEquals(before, left.files());
            }
        }
    }

    private static final Set<String> NOT_MISSED = Set.of(
            // The next one does the same: of the directory's name, of the log's, of the marker's, of flexdb.options.
            "sync SpaceFiles.syncName < SpaceFiles.createDirectory < SpaceEngine.createDirectory",
            "sync LogicalLog.begin < LogicalLog.create < SpaceCopy.copyTree",
            "sync NewStoreDirectory.begin < Checkpoints.write < FlexDB.checkpoint",
            "sync StoreFiles.publishOptions < StoreFiles.writeOptions < NewStoreDirectory.finish",
            // A marker that comes back does no harm.
            "sync NewStoreDirectory.deleteMarker < NewStoreDirectory.finish < Checkpoints.lambda$write$0");

    /** The crash test would see nothing if it did not miss a force or a sync of a directory. */
    @Test
    void everyForceOfACopyIsNeeded() {
        Set<String> ofCopy = new TreeSet<>();
        StoreDriver recording = filledAndOpen((store, path) -> {});
        recording.vfs.recordForceSites(FORCE_DEPTH);
        recording.db.checkpoint(COPY);
        ofCopy.addAll(recording.vfs.forceSites());
        ofCopy.removeIf(site -> site.contains("SpaceDurability")); // the store's own
        Set<String> notMissed = new TreeSet<>();
        for (String site : ofCopy) {
            if (!isMissed(site)) {
                notMissed.add(FlexDBBarrierTest.name(site));
            }
        }
        assertEquals(NOT_MISSED, notMissed);
        assertTrue(ofCopy.size() >= 12, ofCopy::toString);
    }

    private static StoreDriver filledAndOpen(BiConsumer<StoreDriver, Path> beforeChange) {
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, new SimulatedVfs());
        store.open();
        fill(store, 0, 500);
        store.db.close();
        store.oracle.allDurable();
        store.setHook((kind, path) -> {
            if (kind != HookedVfs.Kind.READ && path.startsWith("/copies")) {
                beforeChange.accept(store, path);
            }
        });
        store.open();
        fill(store, 500, 560);
        store.sync();
        return store;
    }

    private static boolean isMissed(String site) {
        boolean[] missed = {false};
        int[] points = {0};
        StoreDriver store = filledAndOpen((driver, path) -> {
            if (!missed[0] && driver.vfs.ignoredForceCount() > 0 && points[0]++ % 3 == 0) {
                missed[0] = isBroken(driver, points[0]);
            }
        });
        store.vfs.recordForceSites(FORCE_DEPTH);
        store.vfs.ignoreForcesFrom(site);
        store.db.checkpoint(COPY);
        if (missed[0] || isBroken(store, 0)) {
            return true;
        }
        SimulatedVfs dead = store.vfs.crash(0);
        try {
            assertCopy(dead, COPY, store, site);
            return false;
        } catch (AssertionError | StorageException e) {
            return true; // it has returned, and a cut takes the copy away
        }
    }

    private static boolean isBroken(StoreDriver store, int point) {
        SimulatedVfs dead = store.vfs.copy();
        for (long seed : new long[] {0, 1, 5 + point, 6 + 7L * point, 7 + 11L * point}) {
            try {
                checkCut(store, dead.crash(seed), "a force left out");
            } catch (AssertionError | StorageException e) {
                return true;
            }
        }
        return false;
    }

    // ---- faults

    @ParameterizedTest
    @EnumSource
    void afterAFaultOfTheCopyTheStoreGoesOn(Fault fault) {
        int failed = 0;
        for (int n = 1; n < 400; n += Effort.step(3)) {
            StoreDriver store = new StoreDriver(StoreDriver.SMALL);
            fill(store, 0, 300);
            store.db.checkpoint(Path.of("/copies/before"));
            long operation = store.vfs.operationCount() + n;
            store.vfs.failAt(operation, fault);
            String at = fault + " at operation " + n;
            try {
                store.db.checkpoint(COPY);
            } catch (StorageException e) {
                failed++;
                store.vfs.clearFaults();
                if (store.db.health().isUsable()) {
                    fill(store, 300, 400);
                    store.assertSame(at);
                    if (!store.vfs.exists(COPY.resolve("copy.unfinished"))) { // it could be deleted
                        store.db.checkpoint(COPY);
                        assertCopy(store.vfs, COPY, store, at);
                    }
                }
                continue;
            }
            if (store.vfs.faultsFired() == 0) {
                break;
            }
        }
        assertTrue(failed > Effort.times(10), failed + " failed");
    }

    @Test
    void readErrorsFailTheCopyAndNotTheStore() {
        int ofSpace = failedCopies(StoreDriver.SMALL); // in which the rest of the large values is committed first
        assertTrue(ofSpace >= 3, ofSpace + " failed");
        int withLogs = failedCopies(StoreDriver.WITHOUT_LARGE);
        assertTrue(withLogs >= 5, withLogs + " failed");
    }

    private static int failedCopies(FlexDBOptions options) {
        StoreDriver store = new StoreDriver(options);
        fill(store, 0, 3000);
        int failed = 0;
        for (int n = 1; n < 40; n++) {
            store.vfs.failReadAt(store.vfs.readCount() + n, false);
            try {
                store.db.checkpoint(Path.of("/copies/" + n));
            } catch (StorageException e) {
                failed++;
                assertFalse(
                        store.vfs.exists(Path.of("/copies/" + n)),
                        () -> e + ", and there is still " + store.vfs.files());
            }
            store.vfs.clearFaults();
            store.assertSame("read " + n);
        }
        return failed;
    }

    @Test
    void aFullDiskFailsTheCopyAndNotTheStore() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        fill(store, 0, 3000);
        Path first = Path.of("/copies/first");
        store.db.checkpoint(first);
        long needed = bytesBelow(store.vfs, first);
        for (long room = 4096; room < needed * 9 / 10; room += needed / 9) {
            store.vfs.setCapacity(bytesBelow(store.vfs, Path.of("/")) + room);
            String at = "with room for " + room + " of " + needed;
            assertThrows(StoreFullException.class, () -> store.db.checkpoint(COPY), at);
            assertFalse(store.vfs.exists(COPY), at);
            store.vfs.setCapacity(Long.MAX_VALUE);
            store.put(key(1), value(room, 10));
            store.assertSame(at);
        }
        store.db.checkpoint(COPY);
        assertCopy(store.vfs, COPY, store, "with all the room");
    }

    private static long bytesBelow(SimulatedVfs vfs, Path directory) {
        return vfs.files().stream()
                .filter(file -> file.startsWith(directory))
                .mapToLong(file -> vfs.content(file).length)
                .sum();
    }

    @Test
    void damagedDataIsNotCopied() throws IOException {
        Path path = temporary.resolve("store");
        try (FlexDB db = FlexDB.open(path)) {
            for (int i = 0; i < 3000; i++) {
                db.put(key(i), value(i, 1000));
            }
        }
        Path data = path.resolve("space/data");
        byte[] bytes = Files.readAllBytes(data);
        bytes[1_500_000] ^= 4;
        Files.write(data, bytes);
        try (FlexDB db = FlexDB.open(path)) {
            CorruptionException e =
                    assertThrows(CorruptionException.class, () -> db.checkpoint(temporary.resolve("copy")));
            assertEquals(data, e.file());
            assertEquals(1_500_000 & -4096, e.position());
            assertFalse(Files.exists(temporary.resolve("copy")));
            assertArrayEquals(value(0, 1000), db.get(key(0)));
        }
    }

    // ---- bad input, and the end

    @Test
    void aTargetThatIsNotEmptyIsRefusedAndNotTouched() throws IOException {
        Path full = Files.createDirectories(temporary.resolve("full"));
        Files.writeString(full.resolve("note"), "mine");
        Path file = Files.writeString(temporary.resolve("file"), "mine");
        Path empty = Files.createDirectories(temporary.resolve("empty"));
        try (FlexDB db = FlexDB.open(temporary.resolve("store"), StoreDriver.SMALL)) {
            db.put(key(1), key(2));
            assertThrows(TargetNotEmptyException.class, () -> db.checkpoint(full));
            assertThrows(TargetNotEmptyException.class, () -> db.checkpoint(file));
            assertThrows(IllegalArgumentException.class, () -> db.checkpoint(temporary.resolve("store")));
            assertThrows(IllegalArgumentException.class, () -> db.checkpoint(temporary.resolve("store/wal/copy")));
            Path link = Files.createSymbolicLink(temporary.resolve("link"), temporary.resolve("store"));
            assertThrows(IllegalArgumentException.class, () -> db.checkpoint(link.resolve("copy/one")));
            try (FlexDBBackups within = FlexDBBackups.open(link.resolve("backups"))) {
                assertThrows(IllegalArgumentException.class, () -> within.create(db));
            }
            assertThrows(NullPointerException.class, () -> db.checkpoint(null));
            assertThrows(NullPointerException.class, () -> db.checkpoint(empty, null));
            db.checkpoint(empty);
            assertThrows(TargetNotEmptyException.class, () -> db.checkpoint(empty));
            db.put(key(2), key(2));
        }
        assertEquals("mine", Files.readString(full.resolve("note")));
        assertEquals("mine", Files.readString(file));
        assertEquals(List.of("full", "note"), names(full));
        try (FlexDB copy = FlexDB.open(empty, StoreDriver.SMALL)) {
            assertArrayEquals(key(2), copy.get(key(1)));
            assertEquals(1, copy.stats().lastSequence());
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void nobodyOpensACopyThatIsBeingMade() {
        Path target = temporary.resolve("copy");
        try (FlexDB db = FlexDB.open(temporary.resolve("store"), StoreDriver.SMALL)) {
            db.put(key(1), key(2));
            int[] told = {0};
            db.checkpoint(target, (bytes, ofBytes) -> {
                assertTrue(bytes <= ofBytes);
                told[0]++;
                assertThrows(StorageException.class, () -> FlexDB.open(target, StoreDriver.SMALL));
                StorageException second = assertThrows(StorageException.class, () -> db.checkpoint(target));
                assertTrue(second instanceof StoreLockedException || second instanceof TargetNotEmptyException);
            });
            assertTrue(told[0] > 0);
        }
    }

    @Test
    void whoIsToldMayEndTheCopy() {
        Path target = temporary.resolve("copy");
        try (FlexDB db = FlexDB.open(temporary.resolve("store"), StoreDriver.SMALL)) {
            db.put(key(1), key(2));
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> db.checkpoint(target, (bytes, ofBytes) -> {
                        throw new UnsupportedOperationException("enough");
                    }));
            assertFalse(Files.exists(target));
            db.put(key(2), key(2));
            db.checkpoint(target);
        }
    }

    @Test
    void closingTheStoreEndsTheCopy() {
        Path target = temporary.resolve("copy");
        Path path = temporary.resolve("store");
        FlexDB db = FlexDB.open(path, StoreDriver.SMALL);
        db.put(key(1), key(2));
        assertThrows(StoreClosedException.class, () -> db.checkpoint(target, (bytes, ofBytes) -> db.close()));
        assertFalse(Files.exists(target));
        assertThrows(StoreClosedException.class, () -> db.checkpoint(target));
        assertFalse(Files.exists(target));
        try (FlexDB again = FlexDB.open(path, StoreDriver.SMALL)) {
            assertArrayEquals(key(2), again.get(key(1)));
        }
    }
}
