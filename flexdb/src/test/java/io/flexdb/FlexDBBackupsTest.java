package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreLockedException;
import io.flexdb.storage.TargetNotEmptyException;
import io.flexdb.storage.UnsupportedFormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups: what is restored from them, what they share, and what is left when something goes wrong. */
class FlexDBBackupsTest {
    private static final int EFFORT = Integer.getInteger("flexdb.test.effort", 1);
    private static final Path BACKUPS = Path.of("/backups");

    @TempDir
    Path temporary;

    private final Map<Long, TreeMap<byte[], byte[]>> contents = new TreeMap<>();

    private FlexDBBackups.Backup backUp(FlexDBBackups backups, StoreDriver store) {
        FlexDBBackups.Backup made = backups.create(store.db);
        assertEquals(store.oracle.sequence(), made.sequence());
        contents.put(made.id(), new TreeMap<>(store.oracle.now()));
        return made;
    }

    private static void assertRestored(
            SimulatedVfs vfs, FlexDBBackups backups, long id, TreeMap<byte[], byte[]> content, String at) {
        Path target = Path.of("/restored/" + id);
        SimulatedVfs copy = vfs;
        backups.restore(id, target);
        try (FlexDB db = FlexDB.open(copy, target, StoreDriver.SMALL, true)) {
            StoreOracle.assertSame(content, StoreDriver.all(db), at + ", backup " + id);
            assertTrue(db.check().isSound(), at);
        }
        deleteAll(vfs, target);
    }

    private static void deleteAll(SimulatedVfs vfs, Path path) {
        if (vfs.isDirectory(path)) {
            vfs.list(path).forEach(name -> deleteAll(vfs, path.resolve(name)));
        }
        vfs.delete(path);
    }

    private void assertAllRestored(SimulatedVfs vfs, FlexDBBackups backups, String at) {
        for (FlexDBBackups.Backup backup : backups.list()) {
            assertEquals(List.of(), backups.verify(backup.id()), at);
            assertRestored(vfs, backups, backup.id(), contents.get(backup.id()), at);
        }
    }

    @Test
    void eachBackupIsRestoredAsItWas() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            assertEquals(List.of(), backups.list());
            for (int round = 0; round < 6; round++) {
                FlexDBBackups.Backup made = backUp(backups, store);
                assertEquals(round + 1, made.id());
                assertTrue(made.newBytes() <= made.bytes(), made::toString);
                FlexDBCheckpointTest.fill(store, round * 300, round * 300 + 300);
                if (round == 3) {
                    store.reopen("round 3");
                }
            }
            assertEquals(6, backups.list().size());
            assertAllRestored(store.vfs, backups, "all");
            backups.delete(3);
            assertAllRestored(store.vfs, backups, "without 3");
            assertThrows(IllegalArgumentException.class, () -> backups.restore(3, Path.of("/restored/3")));
            assertEquals(3, backups.keepLast(2));
            assertEquals(0, backups.keepLast(2));
            assertEquals(
                    List.of(5L, 6L),
                    backups.list().stream().map(FlexDBBackups.Backup::id).toList());
            assertAllRestored(store.vfs, backups, "the last two");
            assertEquals(7, backUp(backups, store).id());
        }
        try (FlexDBBackups again = FlexDBBackups.open(store.vfs, BACKUPS)) {
            assertAllRestored(store.vfs, again, "opened again");
        }
    }

    @Test
    void whatDidNotChangeIsKeptOnceAndGoesWithTheLastBackupThatHasIt() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 3000);
        store.reopen("all in the space");
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            long first = backUp(backups, store).newBytes();
            int segments = store.vfs.list(BACKUPS.resolve("segments")).size();
            FlexDBBackups.Backup second = backUp(backups, store);
            assertTrue(second.newBytes() < first / 2, second + " after " + first);
            assertEquals(segments, store.vfs.list(BACKUPS.resolve("segments")).size());
            FlexDBCheckpointTest.fill(store, 3000, 6000);
            store.reopen("changed");
            backUp(backups, store);
            backups.delete(1);
            assertAllRestored(store.vfs, backups, "without 1");
            backups.delete(2);
            assertAllRestored(store.vfs, backups, "without 1 and 2");
            backups.delete(3);
            assertEquals(List.of(), store.vfs.list(BACKUPS.resolve("segments")));
            assertEquals(List.of("LOCK", "flexdb.backups", "segments"), store.vfs.list(BACKUPS));
        }
    }

    /** Segments of both have the same numbers and generations, and other contents. */
    @Test
    void aRestoredStoreGoesItsOwnWayInTheSameBackups() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 1500);
        Path other = Path.of("/other");
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            long first = backUp(backups, store).id();
            backups.restore(first, other);
            try (FlexDB restored = FlexDB.open(store.vfs, other, StoreDriver.SMALL, true)) {
                for (int i = 0; i < 1500; i++) {
                    store.put(FlexDBCheckpointTest.key(i), FlexDBCheckpointTest.value(i, 100));
                    restored.put(FlexDBCheckpointTest.key(i), FlexDBCheckpointTest.value(-i, 100));
                }
                backUp(backups, store);
                long third = backups.create(restored).id();
                contents.put(third, StoreDriver.all(restored));
                store.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.value(7, 7));
                backUp(backups, store);
            }
            assertAllRestored(store.vfs, backups, "both");
        }
    }

    // ---- power cuts, faults, damage

    @Test
    void aPowerCutAtAnyOperationLeavesAllBackupsThatThereWere() {
        SimulatedVfs vfs = new SimulatedVfs();
        int[] points = {0};
        FlexDBBackups[] opened = {null};
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            if (kind != HookedVfs.Kind.READ && opened[0] != null && path.startsWith(BACKUPS)) {
                points[0]++;
                if (points[0] % Math.max(1, 3 / EFFORT) == 0) {
                    SimulatedVfs dead = vfs.copy();
                    for (long seed : new long[] {0, 1, points[0] + 1}) {
                        assertAfterCut(dead.crash(seed), "point " + points[0] + ", seed " + seed);
                    }
                }
            }
        });
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, vfs);
        store.open();
        FlexDBCheckpointTest.fill(store, 0, 400);
        try (FlexDBBackups backups = FlexDBBackups.open(hooked, BACKUPS)) {
            backUp(backups, store);
            FlexDBCheckpointTest.fill(store, 400, 600);
            backUp(backups, store);
            contents.put(3L, new TreeMap<>(store.oracle.now()));
            opened[0] = backups;
            backups.create(store.db);
            contents.remove(1L);
            backups.delete(1);
            opened[0] = null;
            assertTrue(points[0] > 30, points[0] + " points");
        }
    }

    private void assertAfterCut(SimulatedVfs vfs, String at) {
        try (FlexDBBackups backups = FlexDBBackups.open(vfs, BACKUPS)) {
            List<Long> ids =
                    backups.list().stream().map(FlexDBBackups.Backup::id).toList();
            assertTrue(ids.contains(2L), at);
            for (long id : ids) {
                assertEquals(List.of(), backups.verify(id), at);
                if (contents.containsKey(id)) {
                    assertRestored(vfs, backups, id, contents.get(id), at);
                }
            }
            try (FlexDB db = StoreDriver.open(vfs, StoreDriver.SMALL)) {
                long next = backups.create(db).id(); // after it has cleaned up
                assertRestored(vfs, backups, next, StoreDriver.all(db), at);
            }
            for (String name : vfs.list(BACKUPS.resolve("segments"))) {
                assertFalse(name.endsWith(".new"), at);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void afterAFaultEarlierBackupsAndTheStoreAreAsBefore(Fault fault) {
        int failed = 0;
        for (int n = 1; n < 500; n += Math.max(1, 4 / EFFORT)) {
            StoreDriver store = new StoreDriver(StoreDriver.SMALL);
            FlexDBCheckpointTest.fill(store, 0, 300);
            try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
                backUp(backups, store);
                FlexDBCheckpointTest.fill(store, 300, 500);
                store.vfs.failAt(store.vfs.operationCount() + n, fault);
                String at = fault + " at operation " + n;
                try {
                    backups.create(store.db);
                    if (store.vfs.faultsFired() == 0) {
                        break;
                    }
                } catch (StorageException e) {
                    failed++;
                }
                store.vfs.clearFaults();
                assertRestored(store.vfs, backups, 1, contents.get(1L), at);
                if (store.db.health().isUsable()) {
                    store.assertSame(at);
                    long next = backUp(backups, store).id();
                    assertRestored(store.vfs, backups, next, contents.get(next), at);
                }
            }
        }
        assertTrue(failed > 8, failed + " failed");
    }

    @Test
    void aFullDiskFailsTheBackupAndNothingElse() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 2500);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            backUp(backups, store);
            FlexDBCheckpointTest.fill(store, 2500, 5000);
            for (int room = 1024; room < 40_000; room += 9000) {
                long used = store.vfs.files().stream()
                        .mapToLong(file -> store.vfs.content(file).length)
                        .sum();
                store.vfs.setCapacity(used + room);
                assertThrows(StoreFullException.class, () -> backups.create(store.db));
                store.vfs.setCapacity(Long.MAX_VALUE);
                assertEquals(1, backups.list().size());
            }
            store.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.key(2));
            backUp(backups, store);
            assertAllRestored(store.vfs, backups, "with room");
        }
    }

    /** Any bit of any file but the lock, which is empty. */
    @Test
    void aFlippedBitIsFoundByVerifyAndNeverRestored() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 2000);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            backUp(backups, store);
        }
        Random random = new Random(3);
        for (Path file : store.vfs.files()) {
            byte[] sound = store.vfs.content(file);
            if (!file.startsWith(BACKUPS) || file.endsWith("LOCK")) {
                continue;
            }
            boolean segment = file.startsWith(BACKUPS.resolve("segments"));
            for (int i = 0; i < 6 * EFFORT; i++) {
                int position = random.nextInt(segment ? Math.min(sound.length, 63 * 512) : sound.length);
                byte[] bytes = sound.clone();
                bytes[position] ^= (byte) (1 << random.nextInt(8));
                store.vfs.setContent(file, bytes);
                String at = "byte " + position + " of " + file;
                try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
                    List<FlexDBCheckReport.Finding> found = backups.verify(1);
                    assertEquals(1, found.size(), at);
                    assertEquals(file, found.get(0).file(), at);
                    assertThrows(CorruptionException.class, () -> backups.restore(1, Path.of("/restored/1")), at);
                    assertFalse(store.vfs.exists(Path.of("/restored/1")), at);
                } catch (CorruptionException | UnsupportedFormatException e) {
                    assertEquals(BACKUPS.resolve("flexdb.backups"), file, at + ": " + e);
                }
            }
            store.vfs.setContent(file, sound);
        }
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            assertAllRestored(store.vfs, backups, "mended");
        }
    }

    @Test
    void aMissingFileIsFoundAndADamagedBackupCanBeDeleted() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 2000);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            backUp(backups, store);
            FlexDBCheckpointTest.fill(store, 2000, 3000);
            backUp(backups, store);
            Path manifest = BACKUPS.resolve("1/manifest");
            store.vfs.setContent(manifest, Arrays.copyOf(store.vfs.content(manifest), 100));
            assertEquals(1, backups.verify(1).size());
            assertThrows(CorruptionException.class, backups::list);
            int before = store.vfs.list(BACKUPS.resolve("segments")).size();
            backUp(backups, store);
            assertTrue(store.vfs.list(BACKUPS.resolve("segments")).size() >= before, "none may go");
            backups.delete(1);
            assertAllRestored(store.vfs, backups, "without the damaged one");
            String name = store.vfs.list(BACKUPS.resolve("segments")).get(0);
            store.vfs.delete(BACKUPS.resolve("segments").resolve(name));
            assertTrue(backups.verify(2).size() + backups.verify(3).size() > 0);
        }
    }

    // ---- bad input

    @Test
    void badInputIsRefusedAndChangesNothing() throws IOException {
        Path full = Files.createDirectories(temporary.resolve("full"));
        Files.writeString(full.resolve("note"), "mine");
        Path file = Files.writeString(temporary.resolve("file"), "mine");
        assertThrows(TargetNotEmptyException.class, () -> FlexDBBackups.open(full));
        assertThrows(TargetNotEmptyException.class, () -> FlexDBBackups.open(file));
        assertThrows(IllegalArgumentException.class, () -> FlexDBBackups.open(null));
        assertEquals("mine", Files.readString(full.resolve("note")));
        Path path = temporary.resolve("backups");
        FlexDBBackups backups = FlexDBBackups.open(path);
        assertThrows(StoreLockedException.class, () -> FlexDBBackups.open(path));
        try (FlexDB db = FlexDB.open(temporary.resolve("one"), StoreDriver.SMALL);
                FlexDB other = FlexDB.open(temporary.resolve("two"), StoreDriver.SMALL)) {
            db.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.key(2));
            assertEquals(1, backups.create(db).id());
            assertThrows(IllegalArgumentException.class, () -> backups.create(other));
            assertThrows(IllegalArgumentException.class, () -> backups.create(null));
            assertThrows(IllegalArgumentException.class, () -> backups.create(db, null));
            assertThrows(IllegalArgumentException.class, () -> backups.verify(2));
            assertThrows(IllegalArgumentException.class, () -> backups.delete(2));
            assertThrows(IllegalArgumentException.class, () -> backups.keepLast(0));
            assertThrows(IllegalArgumentException.class, () -> backups.restore(1, path.resolve("inside")));
            assertThrows(TargetNotEmptyException.class, () -> backups.restore(1, full));
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> backups.create(db, (bytes, ofBytes) -> {
                        throw new UnsupportedOperationException("enough");
                    }));
            assertEquals(1, backups.list().size());
            assertEquals(2, backups.create(db).id());
        }
        backups.close();
        backups.close();
        assertThrows(StoreClosedException.class, backups::list);
        Path text = path.resolve("flexdb.backups");
        Files.writeString(
                text,
                Files.readString(text, StandardCharsets.US_ASCII).replace("format = 1", "format = 2"),
                StandardCharsets.US_ASCII);
        assertThrows(UnsupportedFormatException.class, () -> FlexDBBackups.open(path));
    }
}
