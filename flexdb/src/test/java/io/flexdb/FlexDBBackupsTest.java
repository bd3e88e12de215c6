package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.flexdb.flexspace.simulation.Fault;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.CorruptionException;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreClosedException;
import io.flexdb.storage.StoreFullException;
import io.flexdb.storage.StoreLockedException;
import io.flexdb.storage.TargetNotEmptyException;
import io.flexdb.storage.UnsupportedFormatException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups: what is restored from them, what they share, and what is left when something goes wrong. */
class FlexDBBackupsTest {
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
                if (points[0] % Effort.step(3) == 0) {
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

    /** A process that was killed may have left a backup that all see, but that no power cut would spare. */
    @Test
    void whateverAKilledProcessHasLeftASoundBackupIsDurableBeforeAnotherIsDeleted() {
        SimulatedVfs vfs = new SimulatedVfs();
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, vfs);
        store.open();
        FlexDBCheckpointTest.fill(store, 0, 100);
        List<SimulatedVfs> killed = new ArrayList<>();
        boolean[] second = {false};
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            if (second[0] && kind != HookedVfs.Kind.READ && path.startsWith(BACKUPS)) {
                killed.add(vfs.copy());
            }
        });
        try (FlexDBBackups backups = FlexDBBackups.open(hooked, BACKUPS)) {
            backUp(backups, store);
            FlexDBCheckpointTest.fill(store, 100, 150);
            second[0] = true;
            backUp(backups, store);
            second[0] = false;
        }
        int deleted = 0;
        for (int point = 0; point < killed.size(); point++) {
            for (boolean retains : new boolean[] {false, true}) {
                SimulatedVfs found = killed.get(point).copy();
                try (FlexDBBackups backups = FlexDBBackups.open(found, BACKUPS)) {
                    if (backups.list().size() == 2) {
                        if (retains) {
                            backups.keepLast(1);
                        } else {
                            backups.delete(1);
                        }
                        deleted++;
                    }
                }
                SimulatedVfs cut = found.crash(0);
                try (FlexDBBackups backups = FlexDBBackups.open(cut, BACKUPS)) {
                    assertFalse(backups.list().isEmpty(), "point " + point);
                    assertAllRestored(cut, backups, "point " + point);
                }
            }
        }
        assertTrue(deleted > 0, "the second backup was never seen before it was made");
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
        for (int n = 1; n < 500; n += Effort.step(4)) {
            StoreDriver store = new StoreDriver(StoreDriver.SMALL);
            FlexDBCheckpointTest.fill(store, 0, 300);
            try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
                backUp(backups, store);
                FlexDBCheckpointTest.fill(store, 300, 500);
                store.vfs.failAt(store.vfs.operationCount() + n, fault);
                String at = fault + " at operation " + n;
                List<Long> returned = new ArrayList<>(List.of(1L));
                try {
                    returned.add(backups.create(store.db).id());
                    if (store.vfs.faultsFired() == 0) {
                        break;
                    }
                } catch (StorageException e) {
                    failed++;
                }
                store.vfs.clearFaults();
                assertEquals(
                        returned,
                        backups.list().stream().map(FlexDBBackups.Backup::id).toList(),
                        at + ": what was not returned is not there");
                assertRestored(store.vfs, backups, 1, contents.get(1L), at);
                if (store.db.health().isUsable()) {
                    store.assertSame(at);
                    long next = backUp(backups, store).id();
                    assertRestored(store.vfs, backups, next, contents.get(next), at);
                }
            }
        }
        assertTrue(failed > Effort.times(8), failed + " failed");
    }

    @Test
    void aFullDiskFailsTheBackupAndNothingElse() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 2500);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            backUp(backups, store);
            FlexDBCheckpointTest.fill(store, 2500, 5000);
            store.db.compact(); // else the backup's own commit may give back what it needs
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
            for (int i = 0; i < Effort.times(6); i++) {
                int position = random.nextInt(segment ? Math.min(sound.length, 63 * 512) : sound.length);
                byte[] bytes = sound.clone();
                bytes[position] ^= (byte) (1 << random.nextInt(8));
                store.vfs.setContent(file, bytes);
                String at = "byte " + position + " of " + file;
                try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
                    List<FlexDBCheckReport.Finding> found = backups.verify(1);
                    assertEquals(1, found.size(), at);
                    assertEquals(file, found.get(0).file(), at);
                    if (file.endsWith("flexdb.backup")) {
                        continue; // nothing else depends on it
                    }
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
            assertEquals(
                    List.of(true, false),
                    backups.list().stream().map(FlexDBBackups.Backup::isDamaged).toList());
            assertEquals(manifest, backups.list().get(0).damage().file());
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

    // ---- things of others, damaged ones, and doubtful ones

    private static FlexDB openAt(Path path) {
        return FlexDB.open(path, StoreDriver.SMALL);
    }

    private static void put(FlexDB db, int from, int to) {
        for (int i = from; i < to; i++) {
            db.put(FlexDBCheckpointTest.key(i), FlexDBCheckpointTest.value(i, 100));
        }
    }

    private static List<Long> idsOf(FlexDBBackups backups) {
        return backups.list().stream().map(FlexDBBackups.Backup::id).toList();
    }

    /** By the name and bytes of each file; links are not followed. */
    private static Map<String, String> filesBelow(Path directory) throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.toList()) {
                boolean file = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
                String content = file ? Arrays.toString(Files.readAllBytes(path)) : "";
                found.put(directory.relativize(path).toString(), content);
            }
        }
        return found;
    }

    @Test
    void whatOthersHavePutThereIsNeverTouched() throws IOException {
        Path path = temporary.resolve("backups");
        Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere"));
        Files.createDirectories(elsewhere.resolve("space"));
        Files.writeString(elsewhere.resolve("space/tree"), "theirs");
        Files.writeString(elsewhere.resolve("notes"), "theirs");
        try (FlexDB db = openAt(temporary.resolve("store"))) {
            put(db, 0, 300);
            try (FlexDBBackups backups = FlexDBBackups.open(path)) {
                assertEquals(1, backups.create(db).id());
            }
            Files.createDirectories(path.resolve("20240101/space"));
            Files.writeString(path.resolve("20240101/space/tree"), "theirs");
            Files.createDirectory(path.resolve("2"));
            Files.writeString(path.resolve("3"), "theirs");
            Files.createDirectory(path.resolve("5"));
            Files.writeString(path.resolve("5/manifest"), "Manifest-Version: 1.0\n");
            Files.createSymbolicLink(path.resolve("6"), elsewhere);
            Files.writeString(path.resolve("segments/mine"), "theirs");
            Files.createSymbolicLink(
                    path.resolve("segments/0-1-63s-00112233445566778899aabbccddeeff"), elsewhere.resolve("notes"));
            Files.writeString(path.resolve("1/mine"), "theirs");
            Files.writeString(path.resolve("1/space/mine"), "theirs");
            Files.createSymbolicLink(path.resolve("1/wal/00000000000000009999"), elsewhere.resolve("notes"));
            try (FlexDB other = openAt(path.resolve("7"));
                    FlexDBBackups backups = FlexDBBackups.open(path)) {
                put(other, 0, 500);
                Map<String, String> theirs = filesBelow(elsewhere);
                put(db, 300, 400);
                assertEquals(4, backups.create(db).id());
                assertEquals(8, backups.create(db).id()); // beside what has the numbers between
                assertEquals(List.of(1L, 4L, 8L), idsOf(backups));
                assertEquals(2, backups.keepLast(1));
                assertEquals(9, backups.create(db).id());
                for (long id : List.of(2L, 3L, 5L, 6L, 7L, 20240101L)) {
                    assertThrows(IllegalArgumentException.class, () -> backups.delete(id));
                }
                assertEquals(theirs, filesBelow(elsewhere));
                put(other, 500, 1500);
                other.sync();
                assertTrue(other.check().isSound());
                for (int i = 0; i < 1500; i++) {
                    assertArrayEquals(
                            FlexDBCheckpointTest.value(i, 100), other.get(FlexDBCheckpointTest.key(i)), "key " + i);
                }
            }
        }
        assertEquals("theirs", Files.readString(path.resolve("20240101/space/tree")));
        assertTrue(Files.isDirectory(path.resolve("2")));
        assertEquals("theirs", Files.readString(path.resolve("3")));
        assertEquals("Manifest-Version: 1.0\n", Files.readString(path.resolve("5/manifest")));
        assertTrue(Files.isSymbolicLink(path.resolve("6")));
        assertEquals("theirs", Files.readString(path.resolve("segments/mine")));
        assertEquals("theirs", Files.readString(path.resolve("segments/0-1-63s-00112233445566778899aabbccddeeff")));
        assertEquals("theirs", Files.readString(path.resolve("1/mine")));
        assertEquals("theirs", Files.readString(path.resolve("1/space/mine")));
        assertTrue(Files.isSymbolicLink(path.resolve("1/wal/00000000000000009999")));
        assertFalse(Files.exists(path.resolve("1/manifest")));
        assertFalse(Files.exists(path.resolve("1/space/tree")));
        assertTrue(Files.isDirectory(path.resolve("7/space")));
    }

    /** The directory may be on another disk, and be read there, but nothing behind a link is ours to delete. */
    @Test
    void aBackupBehindASymbolicLinkIsRestoredAndNotDeleted() throws IOException {
        Path path = temporary.resolve("backups");
        try (FlexDB db = openAt(temporary.resolve("store"));
                FlexDBBackups backups = FlexDBBackups.open(path)) {
            put(db, 0, 300);
            backups.create(db);
            Path moved = Files.move(path.resolve("1"), temporary.resolve("moved"));
            Files.createSymbolicLink(path.resolve("1"), moved);
            put(db, 300, 600);
            backups.create(db);
            Map<String, String> before = filesBelow(moved);
            assertThrows(IllegalArgumentException.class, () -> backups.delete(1));
            assertEquals(0, backups.keepLast(1));
            assertEquals(before, filesBelow(moved));
            assertEquals(List.of(), backups.verify(1), "its segments are there");
            backups.restore(1, temporary.resolve("restored"));
            try (FlexDB restored = openAt(temporary.resolve("restored"))) {
                assertEquals(300, StoreDriver.all(restored).size());
            }
        }
    }

    @Test
    void manyBackupsTakeNoMoreDescriptorsThanOne() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors));
        Path path = temporary.resolve("backups");
        try (FlexDB db = openAt(temporary.resolve("store"));
                FlexDBBackups backups = FlexDBBackups.open(path)) {
            put(db, 0, 100);
            for (int i = 0; i < 8; i++) {
                backups.create(db);
            }
            backups.verify(3);
            backups.restore(4, temporary.resolve("restored"));
            backups.delete(5);
            backups.keepLast(6);
            assertEquals(6, backups.list().size());
            List<Path> open = new ArrayList<>();
            try (Stream<Path> links = Files.list(descriptors)) {
                for (Path link : links.toList()) {
                    if (Files.isSymbolicLink(link)) {
                        Path target = Files.readSymbolicLink(link);
                        if (target.toString()
                                .matches(Pattern.quote(path.toRealPath().toString()) + "/[0-9].*")) {
                            open.add(target);
                        }
                    }
                }
            }
            assertEquals(List.of(), open, "directories of backups");
        }
    }

    @Test
    void aNumberIsGivenOnce() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            for (long id = 1; id < 5; id++) {
                assertEquals(id, backups.create(store.db).id());
                backups.delete(id);
            }
        }
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            assertEquals(List.of(), backups.list());
            assertEquals(5, backups.create(store.db).id());
        }
    }

    @Test
    void damagedBackupsDoNotTakeThePlaceOfSoundOnes() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            for (int round = 0; round < 7; round++) {
                FlexDBCheckpointTest.fill(store, round * 400, round * 400 + 400);
                store.reopen("round " + round);
                backUp(backups, store);
            }
            flip(store.vfs, BACKUPS.resolve("7/space/tree"), 5000);
            flip(store.vfs, BACKUPS.resolve("6/manifest"), 70);
            flip(store.vfs, ownSegment(store.vfs, 4), 700);
            flip(store.vfs, BACKUPS.resolve("1/manifest"), 90);
            FlexDBBackups.Retention done = backups.retain(2, Progress.NONE);
            assertEquals(List.of(1L, 2L), done.deleted());
            assertEquals(List.of(3L, 4L, 5L, 6L, 7L), done.kept());
            assertEquals(Set.of(4L, 6L, 7L), done.damaged().keySet());
            assertRestored(store.vfs, backups, 3, contents.get(3L), "kept");
            assertRestored(store.vfs, backups, 5, contents.get(5L), "kept");
            assertEquals(0, backups.keepLast(3), "there are two");
            assertEquals(5, backups.list().size());
            flip(store.vfs, BACKUPS.resolve("3/space/tree"), 5000);
            flip(store.vfs, BACKUPS.resolve("5/manifest"), 90);
            assertEquals(0, backups.keepLast(1), "there is none");
            backups.delete(6);
            backups.delete(7);
            long next = backUp(backups, store).id();
            assertEquals(3, backups.keepLast(1));
            assertEquals(List.of(next), idsOf(backups));
            assertAllRestored(store.vfs, backups, "the last one");
        }
    }

    private static void flip(SimulatedVfs vfs, Path file, int position) {
        byte[] bytes = vfs.content(file);
        bytes[position % bytes.length] ^= 4;
        vfs.setContent(file, bytes);
    }

    /** A segment that one backup alone has. */
    private static Path ownSegment(SimulatedVfs vfs, long id) {
        for (String name : vfs.list(BACKUPS.resolve("segments"))) {
            List<String> having = vfs.list(BACKUPS).stream()
                    .filter(number -> number.matches("[0-9]+"))
                    .filter(number -> new String(
                                    vfs.content(BACKUPS.resolve(number).resolve("manifest")), StandardCharsets.US_ASCII)
                            .contains(name))
                    .toList();
            if (having.equals(List.of(Long.toString(id)))) {
                return BACKUPS.resolve("segments").resolve(name);
            }
        }
        throw new AssertionError("backup " + id + " shares all");
    }

    @ParameterizedTest
    @EnumSource
    void aSharedSegmentThatIsGoneOrDamagedIsCopiedOnceMore(FlexDBBackups.SegmentCheck check) {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        FlexDBCheckpointTest.fill(store, 0, 3000);
        store.reopen("all in the space");
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS, check)) {
            backUp(backups, store);
            long shared = backUp(backups, store).newBytes();
            Path segments = BACKUPS.resolve("segments");
            for (String name : store.vfs.list(segments)) {
                Path segment = segments.resolve(name);
                byte[] sound = store.vfs.content(segment);
                for (int damage = 0; damage < 3; damage++) {
                    if (damage == 0) {
                        store.vfs.delete(segment);
                        assertTrue(backups.list().get(0).isDamaged(), name);
                    } else if (damage == 1) {
                        store.vfs.setContent(segment, Arrays.copyOf(sound, sound.length - 512));
                    } else {
                        flip(store.vfs, segment, check == FlexDBBackups.SegmentCheck.CONTENT ? 777 : sound.length - 1);
                    }
                    FlexDBBackups.Backup made = backUp(backups, store);
                    assertEquals(List.of(), backups.verify(made.id()), name);
                    assertEquals(shared + sound.length, made.newBytes(), name);
                    assertArrayEquals(sound, store.vfs.content(segment), "mended for all that share it");
                    assertEquals(List.of(), backups.verify(1), name);
                    backups.delete(made.id());
                }
            }
        }
    }

    /** In the place of it and before it: at each question of files that needs a descriptor, all later ones fail. */
    @Test
    void soundBackupsOutliveAWantOfDescriptors() {
        SimulatedVfs files = new SimulatedVfs();
        TroubledVfs vfs = new TroubledVfs(files);
        StoreDriver store = StoreDriver.closed(StoreDriver.SMALL, files);
        store.open();
        FlexDBCheckpointTest.fill(store, 0, 300);
        try (FlexDBBackups backups = FlexDBBackups.open(vfs, BACKUPS)) {
            backUp(backups, store);
            FlexDBCheckpointTest.fill(store, 300, 500);
            backUp(backups, store);
            boolean failed = true;
            for (int n = 1; failed; n += Effort.step(3)) {
                vfs.arm(TroubledVfs.Trouble.NO_DESCRIPTORS, n, 1, n);
                try {
                    backups.create(store.db);
                    failed = false;
                } catch (StorageException e) {
                    vfs.clear();
                }
                vfs.clear();
                String at = "from " + n + " on";
                assertEquals(List.of(), backups.verify(1), at);
                assertEquals(List.of(), backups.verify(2), at);
                assertTrue(idsOf(backups).containsAll(List.of(1L, 2L)), at);
            }
            assertRestored(files, backups, 1, contents.get(1L), "at the end");
            assertRestored(files, backups, 2, contents.get(2L), "at the end");
        }
    }

    /** Their manifests prove as well that they are ours. */
    @Test
    void backupsThatHaveLostTheirProofsAreUsedOn() {
        StoreDriver store = new StoreDriver(StoreDriver.SMALL);
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            for (int round = 0; round < 4; round++) {
                FlexDBCheckpointTest.fill(store, round * 300, round * 300 + 300);
                backUp(backups, store);
            }
        }
        for (int id = 1; id <= 4; id++) {
            store.vfs.delete(BACKUPS.resolve(id + "/flexdb.backup"));
        }
        try (FlexDBBackups backups = FlexDBBackups.open(store.vfs, BACKUPS)) {
            assertEquals(List.of(1L, 2L, 3L, 4L), idsOf(backups));
            assertAllRestored(store.vfs, backups, "before a change");
            backups.delete(1);
            flip(store.vfs, BACKUPS.resolve("2/manifest"), 200);
            assertTrue(backups.list().get(0).isDamaged());
            backups.delete(2); // its manifest still says whose it is
            byte[] other = "nothing of ours".getBytes(StandardCharsets.US_ASCII);
            store.vfs.setContent(BACKUPS.resolve("3/manifest"), other);
            assertEquals(List.of(3L, 4L), idsOf(backups), "it looks like one");
            assertThrows(IllegalArgumentException.class, () -> backups.delete(3));
            assertEquals(5, backUp(backups, store).id());
            assertRestored(store.vfs, backups, 4, contents.get(4L), "used on");
            assertRestored(store.vfs, backups, 5, contents.get(5L), "made now");
            assertFalse(store.vfs.exists(BACKUPS.resolve("1")));
            assertFalse(store.vfs.exists(BACKUPS.resolve("2")));
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
        assertThrows(NullPointerException.class, () -> FlexDBBackups.open(null));
        assertEquals("mine", Files.readString(full.resolve("note")));
        Path path = temporary.resolve("backups");
        FlexDBBackups backups = FlexDBBackups.open(path);
        assertThrows(StoreLockedException.class, () -> FlexDBBackups.open(path));
        try (FlexDB db = FlexDB.open(temporary.resolve("one"), StoreDriver.SMALL);
                FlexDB other = FlexDB.open(temporary.resolve("two"), StoreDriver.SMALL)) {
            db.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.key(2));
            assertEquals(1, backups.create(db).id());
            assertThrows(IllegalArgumentException.class, () -> backups.create(other));
            assertThrows(NullPointerException.class, () -> backups.create(null));
            assertThrows(NullPointerException.class, () -> backups.create(db, null));
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
            assertEquals(3, backups.create(db).id()); // a number that was given counts, whatever has become of it
        }
        backups.close();
        backups.close();
        assertThrows(StoreClosedException.class, backups::list);
        Path text = path.resolve("flexdb.backups");
        Files.writeString(
                text,
                Files.readString(text, StandardCharsets.US_ASCII).replace("format = 6", "format = 7"),
                StandardCharsets.US_ASCII);
        assertThrows(UnsupportedFormatException.class, () -> FlexDBBackups.open(path));
    }
}
