package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsLock;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.internal.log.WalReader;
import io.flexdb.internal.open.StoreFiles;
import io.flexdb.storage.NotAStoreException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.storage.StoreLockedException;
import io.flexdb.storage.TargetNotEmptyException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be read of a damaged store comes over, what can't is told, and nothing else comes. */
class FlexDBSalvageTest {
    private static final Path FRESH = Path.of("/fresh");

    @TempDir
    Path temporary;

    /** All values that each key has ever had. */
    private final Map<ByteBuffer, Set<ByteBuffer>> ever = new HashMap<>();

    private void fill(StoreDriver store, int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] key = FlexDBCheckpointTest.key(i * 37 % 700);
            byte[] value = FlexDBCheckpointTest.value(i, 40 + i % 9 * 30);
            ever.computeIfAbsent(ByteBuffer.wrap(key), any -> new HashSet<>()).add(ByteBuffer.wrap(value));
            store.put(key, value);
            if (i % 11 == 3) {
                store.delete(FlexDBCheckpointTest.key(i * 5 % 700));
            }
        }
    }

    /** As a system leaves it that finds its disk failing: there is no lock to be had, and nobody to be kept out. */
    @Test
    void aStoreOnAFileSystemThatIsReadOnlyIsSalvagedWithoutItsLock() {
        StoreDriver store = stores().get(0);
        Vfs readOnly = new ForwardingVfs(store.vfs) {
            @Override
            public boolean isReadOnly(Path path) {
                return path.startsWith(StoreDriver.DIRECTORY);
            }

            @Override
            public VfsLock lock(Path path) {
                if (isReadOnly(path)) {
                    throw new StoreIoException("lock", path, new IOException("Read-only file system"));
                }
                return super.lock(path);
            }
        };
        FlexDBSalvageReport report = FlexDBSalvage.salvage(
                readOnly, StoreDriver.DIRECTORY, FRESH, StoreDriver.SMALL, Progress.NONE, new NoThreads());
        assertTrue(report.isComplete(), report::toString);
        StoreOracle.assertSame(store.oracle.now(), salvaged(store.vfs), "salvaged");
    }

    private static FlexDBSalvageReport salvage(SimulatedVfs vfs) {
        return FlexDBSalvage.salvage(
                vfs, StoreDriver.DIRECTORY, FRESH, StoreDriver.SMALL, Progress.NONE, new NoThreads());
    }

    private static TreeMap<byte[], byte[]> salvaged(SimulatedVfs vfs) {
        try (FlexDB db = FlexDB.open(vfs, FRESH, StoreDriver.SMALL, true)) {
            FlexDBCheckReport report = db.check();
            assertTrue(report.isSound(), report::toString);
            return StoreDriver.all(db);
        }
    }

    /** Closed, with all in the space; killed, with logs of both kinds; killed after a checkpoint. */
    private List<StoreDriver> stores() {
        StoreDriver closed = new StoreDriver(StoreDriver.SMALL);
        fill(closed, 0, 2500);
        closed.db.close();
        StoreDriver killed = new StoreDriver(StoreDriver.SMALL);
        fill(killed, 0, 1200);
        killed.sync();
        killed.vfs = killed.vfs.kill();
        StoreDriver reopened = new StoreDriver(StoreDriver.SMALL);
        fill(reopened, 0, 1500);
        reopened.reopen("half");
        fill(reopened, 1500, 2600);
        reopened.sync(); // or a damaged frame could pass for one that a crash has torn
        reopened.vfs = reopened.vfs.kill();
        return List.of(closed, killed, reopened);
    }

    /** The files of a store, but for the lock. */
    static Map<Path, byte[]> contents(SimulatedVfs vfs) {
        Map<Path, byte[]> contents = new HashMap<>();
        vfs.files().stream()
                .filter(file -> file.startsWith(StoreDriver.DIRECTORY) && !file.endsWith("LOCK"))
                .forEach(file -> contents.put(file, vfs.content(file)));
        return contents;
    }

    private static void assertUntouched(Map<Path, byte[]> before, SimulatedVfs vfs, String at) {
        Map<Path, byte[]> after = contents(vfs);
        assertEquals(before.keySet(), after.keySet(), at);
        before.forEach((file, bytes) -> assertArrayEquals(bytes, after.get(file), at + ": " + file));
    }

    @Test
    void ofASoundStoreEverythingComesOver() {
        for (StoreDriver store : stores()) {
            Map<Path, byte[]> before = contents(store.vfs);
            FlexDBSalvageReport report = salvage(store.vfs);
            assertTrue(report.isComplete(), report::toString);
            assertFalse(report.mayHoldRemovedPairs());
            assertEquals(0, report.lostBytes());
            StoreOracle.assertSame(store.oracle.now(), salvaged(store.vfs), report.toString());
            assertUntouched(before, store.vfs, "sound");
        }
    }

    /** Everything salvaged was written once; where the report promises it, it is what was there last. */
    private void assertRight(StoreDriver store, SimulatedVfs vfs, FlexDBSalvageReport report, String at) {
        TreeMap<byte[], byte[]> now = store.oracle.now();
        TreeMap<byte[], byte[]> found = salvaged(vfs);
        found.forEach((key, value) -> {
            Set<ByteBuffer> values = ever.getOrDefault(ByteBuffer.wrap(key), Set.of());
            assertTrue(values.contains(ByteBuffer.wrap(value)), () -> at + ": a value never written, " + report);
            if (!report.mayHoldRemovedPairs()) {
                assertArrayEquals(now.get(key), value, () -> at + ": " + report);
            }
        });
        if (report.isComplete()) {
            StoreOracle.assertSame(now, found, at);
        }
        if (!report.mayHoldRemovedPairs()) {
            now.forEach((key, value) -> assertTrue(
                    found.containsKey(key) || isTold(report, key), () -> at + ": a loss not told, " + report));
        }
    }

    /** Killed with writes in its last log, some of which were forced; the last bytes of the log were used before. */
    private StoreDriver killedWithAnOpenLog() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        fill(store, 0, 1100);
        store.sync();
        fill(store, 1100, 1400);
        store.vfs = store.vfs.kill();
        return store;
    }

    /** The log with the frame that was written last, and where its frames begin: the end is the last of them. */
    private static Path lastLog(SimulatedVfs vfs, List<Long> frames) {
        Path last = null;
        long first = 0;
        long storeId = StoreFiles.readStoreId(vfs, StoreFiles.optionsFile(StoreDriver.DIRECTORY));
        for (Path file : vfs.files()) {
            if (file.startsWith(StoreDriver.DIRECTORY.resolve("wal"))) {
                try (WalReader reader = new WalReader(vfs, file, storeId)) {
                    if (!reader.next() || reader.firstSequence() < first) {
                        continue;
                    }
                    last = file;
                    first = reader.firstSequence();
                    frames.clear();
                    do {
                        if (reader.framePosition() >= reader.markPosition()) {
                            frames.add(reader.framePosition());
                        }
                    } while (reader.next());
                    frames.add(reader.position());
                }
            }
        }
        return last;
    }

    /** Above the mark a crash may have torn a frame, so that opening the store ends the log there. */
    @Test
    void aFrameDamagedAboveTheMarkCostsItselfAloneAndIsTold() {
        StoreDriver store = killedWithAnOpenLog();
        assertTrue(salvage(store.vfs.copy()).isComplete());
        List<Long> frames = new ArrayList<>();
        Path log = lastLog(store.vfs, frames);
        assertTrue(frames.size() > 10, frames::toString);
        byte[] sound = store.vfs.content(log);
        Random random = new Random(3);
        for (int i = 0; i + 1 < frames.size(); i++) {
            SimulatedVfs vfs = store.vfs.copy();
            byte[] bytes = sound.clone();
            int length = (int) (frames.get(i + 1) - frames.get(i)) - 7; // behind its payload may be anything
            int position = (int) (frames.get(i) + (i % 3 == 0 ? random.nextInt(8) : random.nextInt(length)));
            bytes[position] ^= (byte) (1 << random.nextInt(8));
            vfs.setContent(log, bytes);
            String at = "frame " + i + " of " + (frames.size() - 1) + ", byte " + position;
            FlexDBSalvageReport report = salvage(vfs);
            assertEquals(1, report.findingCount(), () -> at + ": " + report);
            assertEquals(frames.get(i), report.findings().get(0).position(), at);
            assertTrue(report.mayHoldRemovedPairs(), at);
            TreeMap<byte[], byte[]> now = store.oracle.now();
            TreeMap<byte[], byte[]> found = salvaged(vfs);
            assertRight(store, vfs, report, at);
            long differing = now.keySet().stream()
                    .filter(key -> !Arrays.equals(now.get(key), found.get(key)))
                    .count();
            differing +=
                    found.keySet().stream().filter(key -> !now.containsKey(key)).count();
            assertTrue(differing <= 1, at + ": " + differing + " pairs differ");
        }
    }

    @Test
    void ofALogWithADamagedHeaderOrStartEveryWriteComesOver() {
        StoreDriver store = killedWithAnOpenLog();
        Path log = lastLog(store.vfs, new ArrayList<>());
        byte[] sound = store.vfs.content(log);
        for (int position : new int[] {0, 9, 17, 35, 41, 50, 57, 300, 515, 4097, 4105}) {
            SimulatedVfs vfs = store.vfs.copy();
            byte[] bytes = sound.clone();
            bytes[position] ^= 16;
            vfs.setContent(log, bytes);
            FlexDBSalvageReport report = salvage(vfs);
            StoreOracle.assertSame(store.oracle.now(), salvaged(vfs), "byte " + position + ": " + report);
            assertEquals(position == 515 ? 0 : 1, report.findingCount(), report::toString); // the mark may be torn
        }
        SimulatedVfs vfs = store.vfs.copy();
        vfs.setContent(log, Arrays.copyOf(sound, sound.length - 4096)); // all behind its frames
        FlexDBSalvageReport report = salvage(vfs);
        StoreOracle.assertSame(store.oracle.now(), salvaged(vfs), report.toString());
        assertFalse(report.isComplete());
    }

    /** Of a power cut nobody can tell whether it has torn the last frame, so the report doesn't say all is there. */
    @Test
    void whatAPowerCutLeavesIsCompleteOnlyIfNothingIsMissing() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        fill(store, 0, 1100);
        store.sync();
        fill(store, 1100, 1300);
        int torn = 0;
        for (int seed = 0; seed < Effort.times(60); seed++) {
            SimulatedVfs vfs = store.vfs.crash(seed);
            FlexDBSalvageReport report = salvage(vfs);
            if (!report.isComplete()) {
                torn++;
                continue;
            }
            SimulatedVfs opened = vfs.copy();
            try (FlexDB db = FlexDB.open(opened, StoreDriver.DIRECTORY, StoreDriver.SMALL, true)) {
                StoreOracle.assertSame(StoreDriver.all(db), salvaged(vfs), "seed " + seed + ": " + report);
            }
        }
        assertTrue(torn > 0, "nothing torn");
    }

    @Test
    void aDirectoryOfLogsThatIsMissingIsToldUnlessTheStoreWasClosed() {
        StoreDriver store = killedWithAnOpenLog();
        SimulatedVfs vfs = store.vfs;
        Path logs = StoreDriver.DIRECTORY.resolve("wal");
        vfs.list(logs).forEach(name -> vfs.delete(logs.resolve(name)));
        vfs.delete(logs);
        FlexDBSalvageReport report = salvage(vfs);
        assertTrue(report.toString().contains("the directory of write-ahead logs"), report::toString);
        StoreDriver closed = stores().get(0);
        closed.vfs.delete(logs);
        assertTrue(salvage(closed.vfs).isComplete());
    }

    private static boolean isTold(FlexDBSalvageReport report, byte[] key) {
        return report.findings().stream()
                .map(FlexDBCheckReport.Finding::keys)
                .anyMatch(keys -> keys != null
                        && (keys.after() == null || Arrays.compareUnsigned(keys.after(), key) < 0)
                        && (keys.before() == null || Arrays.compareUnsigned(key, keys.before()) < 0));
    }

    @Test
    void afterAFlippedBitOnlyRightPairsComeOverAndTheOthersAreTold() {
        Random random = new Random(11);
        int complete = 0;
        int partial = 0;
        for (StoreDriver store : stores()) {
            for (Path file : store.vfs.files()) {
                int length = store.vfs.content(file).length;
                for (int i = 0; length > 0 && i < Effort.times(file.endsWith("data") ? 25 : 8); i++) {
                    int position = random.nextInt(length);
                    SimulatedVfs vfs = store.vfs.copy();
                    byte[] bytes = vfs.content(file);
                    bytes[position] ^= (byte) (1 << random.nextInt(8));
                    vfs.setContent(file, bytes);
                    String at = "byte " + position + " of " + file;
                    Map<Path, byte[]> before = contents(vfs);
                    FlexDBSalvageReport report = salvage(vfs);
                    assertRight(store, vfs, report, at);
                    assertUntouched(before, vfs, at);
                    complete += report.isComplete() ? 1 : 0;
                    partial += report.isComplete() ? 0 : 1;
                }
            }
        }
        assertTrue(
                complete > Effort.times(10) && partial > Effort.times(30), complete + " complete, " + partial + " not");
    }

    @Test
    void ofFilesThatAreCutShortOrMissingTheRestComesOver() {
        for (StoreDriver store : stores()) {
            for (Path file : store.vfs.files()) {
                byte[] sound = store.vfs.content(file);
                for (int eighths = 0; eighths < 8; eighths += 2) {
                    SimulatedVfs vfs = store.vfs.copy();
                    vfs.setContent(file, Arrays.copyOf(sound, sound.length / 8 * eighths));
                    String at = file + " cut to " + eighths + " eighths";
                    assertRight(store, vfs, salvage(vfs), at);
                }
                if (file.startsWith(StoreDriver.DIRECTORY.resolve("wal"))) {
                    continue; // nobody can tell that there was a later one
                }
                SimulatedVfs vfs = store.vfs.copy();
                vfs.delete(file);
                assertRight(store, vfs, salvage(vfs), "without " + file);
            }
        }
    }

    /** A flipped bit in the footer of a segment, which has the checksums of all its frames, costs one frame at most. */
    @Test
    void aDamagedFooterCostsNoMoreThanAFrame() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        fill(store, 0, 2500);
        store.db.close();
        Path data = StoreDriver.DIRECTORY.resolve("space/data");
        byte[] sound = store.vfs.content(data);
        int told = 0;
        for (int segment = 0; 4096 + (segment + 1) * 32768 <= sound.length; segment++) {
            SimulatedVfs vfs = store.vfs.copy();
            byte[] bytes = sound.clone();
            bytes[4096 + segment * 32768 + 63 * 512 + 40] ^= 8;
            vfs.setContent(data, bytes);
            FlexDBSalvageReport report = salvage(vfs);
            assertRight(store, vfs, report, "segment " + segment);
            assertTrue(report.lostBytes() <= 4096, report::toString);
            told += report.isComplete() ? 0 : 1;
        }
        assertTrue(told > 3, told + " segments in use");
    }

    @Test
    void aLossNamesItsNeighbours() throws IOException {
        Path path = temporary.resolve("store");
        Path fresh = temporary.resolve("fresh");
        try (FlexDB db = FlexDB.open(new RealVfs(), path, StoreDriver.SMALL, true)) { // the same bytes each time
            for (int i = 0; i < 2000; i++) {
                db.put(FlexDBCheckpointTest.key(i), FlexDBCheckpointTest.value(i, 200));
            }
        }
        Path data = path.resolve("space/data");
        byte[] bytes = Files.readAllBytes(data);
        int damaged = lastIndexOf(bytes, FlexDBCheckpointTest.value(1000, 200)); // of its copies the one in use
        bytes[damaged] ^= 1;
        Files.write(data, bytes);
        FlexDBSalvageReport report = FlexDBSalvage.salvage(path, fresh, StoreDriver.SMALL, Progress.NONE);
        assertEquals(1, report.findingCount(), report::toString);
        FlexDBCheckReport.Finding finding = report.findings().get(0);
        assertEquals(damaged / 512 * 512, finding.position());
        int lost = 0;
        try (FlexDB db = FlexDB.open(fresh, StoreDriver.SMALL)) {
            for (int i = 0; i < 2000; i++) {
                byte[] value = db.get(FlexDBCheckpointTest.key(i));
                if (value == null) {
                    lost++;
                    assertTrue(isTold(report, FlexDBCheckpointTest.key(i)));
                } else {
                    assertArrayEquals(FlexDBCheckpointTest.value(i, 200), value);
                }
            }
            assertArrayEquals(
                    finding.keys().after(), keyBefore(db, finding.keys().before()));
        }
        assertEquals(2000 - report.pairs(), lost);
        assertTrue(lost > 0 && lost < 30, lost + " lost");
    }

    private static int lastIndexOf(byte[] bytes, byte[] sought) {
        int at = bytes.length - sought.length;
        while (!Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length)) {
            at--;
        }
        return at;
    }

    private static byte[] keyBefore(FlexDB db, byte[] key) {
        try (FlexCursor cursor = db.cursor()) {
            cursor.seek(key);
            cursor.prev();
            return cursor.key();
        }
    }

    @Test
    void pairsThatExpireGoOnToDoSoAndLongValuesComeOver() {
        Path path = temporary.resolve("store");
        byte[] longValue = FlexDBCheckpointTest.value(1, 3_000_000);
        try (FlexDB db = FlexDB.open(path)) {
            db.put(FlexDBCheckpointTest.key(1), longValue);
            db.put(
                    FlexDBCheckpointTest.key(2),
                    FlexDBCheckpointTest.key(2),
                    WriteOptions.timeToLive(Duration.ofDays(1)));
            db.put(
                    FlexDBCheckpointTest.key(3),
                    FlexDBCheckpointTest.key(3),
                    WriteOptions.timeToLive(Duration.ofMillis(1)));
            db.createKeyspace("other").put(FlexDBCheckpointTest.key(4), FlexDBCheckpointTest.key(5));
        }
        FlexDBSalvageReport report = FlexDBSalvage.salvage(path, temporary.resolve("fresh"));
        assertTrue(report.isComplete(), report::toString);
        try (FlexDB db = FlexDB.open(temporary.resolve("fresh"))) {
            assertArrayEquals(longValue, db.get(FlexDBCheckpointTest.key(1)));
            assertArrayEquals(FlexDBCheckpointTest.key(2), db.get(FlexDBCheckpointTest.key(2)));
            assertEquals(null, db.get(FlexDBCheckpointTest.key(3)));
            assertArrayEquals(FlexDBCheckpointTest.key(5), db.keyspace("other").get(FlexDBCheckpointTest.key(4)));
        }
    }

    @Test
    void badInputIsRefusedAndChangesNothing() throws IOException {
        Path path = temporary.resolve("store");
        Path empty = Files.createDirectories(temporary.resolve("empty"));
        assertThrows(NotAStoreException.class, () -> FlexDBSalvage.salvage(empty, temporary.resolve("fresh")));
        assertThrows(NotAStoreException.class, () -> FlexDBSalvage.salvage(path, temporary.resolve("fresh")));
        assertThrows(NullPointerException.class, () -> FlexDBSalvage.salvage(null, empty));
        try (FlexDB db = FlexDB.open(path, StoreDriver.SMALL)) {
            db.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.key(2));
            assertThrows(StoreLockedException.class, () -> FlexDBSalvage.salvage(path, empty));
            assertArrayEquals(FlexDBCheckpointTest.key(2), db.get(FlexDBCheckpointTest.key(1)));
        }
        assertThrows(IllegalArgumentException.class, () -> FlexDBSalvage.salvage(path, path.resolve("below")));
        Path full = Files.createDirectories(temporary.resolve("full"));
        Files.writeString(full.resolve("note"), "mine");
        StorageException e = assertThrows(TargetNotEmptyException.class, () -> FlexDBSalvage.salvage(path, full));
        assertTrue(e.getMessage().contains("note"), e::getMessage);
        assertTrue(FlexDBSalvage.salvage(path, empty).isComplete());
    }
}
