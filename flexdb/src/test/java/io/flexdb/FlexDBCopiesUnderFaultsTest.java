package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.RealVfs;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.SimulatedCrash;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.storage.StorageException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups are made, deleted, kept, verified and restored, and checkpoints made, while descriptors run short, disks fail
 * or are full, the process is killed or the power cut, files of backups are damaged, and others put things of their own
 * between them. Sound backups stay sound, copies whose calls have returned are whole, and files of others are not
 * touched.
 */
class FlexDBCopiesUnderFaultsTest {
    /** Calls of files that have failed count as one fault for each action, as does each damage and each foreign thing. */
    private static final int FAULTS = Effort.times(100);

    private static final FlexDBOptions OPTIONS = StoreDriver.SMALL.withDurability(Durability.SYNC);
    private static final TroubledVfs.Trouble[] TROUBLES = TroubledVfs.Trouble.values();

    @TempDir
    Path temporary;

    /** Makes, deletes or reads copies; anything may fail meanwhile. */
    private interface Action {
        /** Does it, and returns how to see, when nothing fails any more, that what has returned is whole. */
        Runnable run(Round round);
    }

    /** To have something else tried under the same faults, such as a salvage, add it here. */
    private static final List<Action> ACTIONS = List.of(
            Round::create,
            Round::create,
            Round::create,
            Round::delete,
            Round::retain,
            Round::restore,
            Round::checkpoint,
            Round::verify,
            Round::openAgain);

    @Test
    void whatWasSoundStaysSoundAndWhatHasReturnedIsWhole() throws IOException {
        int faults = 0;
        int done = 0;
        for (long seed = 1; faults < FAULTS; seed++) {
            boolean real = seed % 4 == 0; // where there are symbolic links
            Path root = real ? Files.createDirectory(temporary.resolve("round" + seed)) : Path.of("/round");
            Round round = new Round(seed, root, real);
            round.run();
            faults += round.faults;
            done += round.done;
        }
        assertTrue(done > FAULTS / 10, done + " actions have returned although something failed, or before it could");
    }

    private static final class Round {
        private final Random random;
        private final String name;
        private final Path root;
        private final Path directory; // of backups
        private final boolean real;
        private final TreeMap<byte[], byte[]> content = StoreOracle.newMap();
        private final TreeMap<Long, TreeMap<byte[], byte[]>> sound = new TreeMap<>();
        private final TreeMap<Long, TreeMap<byte[], byte[]>> doubtful = new TreeMap<>(); // perhaps damaged
        private final Map<Path, byte[]> foreign = new HashMap<>();
        private final Map<Path, Path> links = new HashMap<>();
        private final TreeSet<Long> used = new TreeSet<>();
        private SimulatedVfs simulated; // null on real files
        private TroubledVfs vfs;
        private FlexDB db;
        private FlexDBBackups backups;
        private int targets;
        private int written;
        private TreeSet<Long> mayGo = new TreeSet<>(); // while an action is done
        private int mustStay;
        int faults;
        int done;

        Round(long seed, Path root, boolean real) {
            this.random = new Random(seed);
            this.name = "seed " + seed;
            this.root = root;
            this.directory = root.resolve("backups");
            this.real = real;
            this.simulated = real ? null : new SimulatedVfs();
        }

        void run() throws IOException {
            open();
            write();
            backups.create(db);
            adopt();
            for (int step = 0; step < 8; step++) {
                write();
                int kind = random.nextInt(8);
                if (kind == 0) {
                    damage();
                } else if (kind <= 2) {
                    addForeign();
                }
                actUnderTrouble(name + ", step " + step);
            }
            String at = name + ", at the end";
            for (long id : sound.keySet()) {
                assertRestorable(id, sound.get(id), at);
            }
            doubtful.keySet().retainAll(ids()); // one that has lost its manifest is none
            for (long id : doubtful.keySet()) {
                if (isWhole(id)) {
                    assertRestorable(id, doubtful.get(id), at);
                }
            }
            long last = backups.create(db).id();
            assertRestorable(last, content, at);
            backups.close();
            db.close();
        }

        private void open() {
            vfs = new TroubledVfs(real ? new RealVfs() : simulated);
            db = FlexDB.open(vfs, root.resolve("store"), OPTIONS, true);
            backups = FlexDBBackups.open(vfs, directory);
        }

        private void write() {
            int count = 40 + random.nextInt(120);
            for (int i = 0; i < count; i++, written++) {
                byte[] key = FlexDBCheckpointTest.key(written * 37 % 500);
                byte[] value = FlexDBCheckpointTest.value(written, 30 + written % 7 * 40);
                db.put(key, value, WriteOptions.durability(i == count - 1 ? Durability.SYNC : Durability.OS));
                content.put(key, value);
            }
            if (random.nextInt(4) == 0) {
                byte[] from = FlexDBCheckpointTest.key(random.nextInt(500));
                byte[] to = FlexDBCheckpointTest.key(500);
                db.deleteRange(from, to);
                content.subMap(from, true, to, false).clear();
            }
            if (random.nextInt(3) == 0) {
                db.close(); // all goes to the space
                db = FlexDB.open(vfs, root.resolve("store"), OPTIONS, true);
            }
            db.sync();
        }

        // ---- trouble

        private void actUnderTrouble(String at) {
            Action action = ACTIONS.get(random.nextInt(ACTIONS.size()));
            TroubledVfs.Trouble trouble = TROUBLES[random.nextInt(TROUBLES.length)];
            long after = 1 + random.nextInt(1 + random.nextInt(400));
            double share = random.nextInt(3) * 0.5;
            mayGo = new TreeSet<>();
            mustStay = 0;
            vfs.arm(trouble, after, share, random.nextLong());
            Runnable assertion = () -> {};
            boolean cut = false;
            try {
                assertion = action.run(this);
                done++;
            } catch (StorageException e) {
                // nothing is promised of what was to be made
            } catch (TroubledVfs.Cut | SimulatedCrash e) {
                cut = true;
            }
            faults += vfs.fired() > 0 ? 1 : 0;
            String where = at + ", " + trouble + " after " + after + ", share " + share;
            if (cut) {
                die();
            } else {
                vfs.clear();
                if (!db.health().isUsable()) {
                    closeQuietly(db);
                    db = FlexDB.open(vfs, root.resolve("store"), OPTIONS, true);
                }
            }
            StoreOracle.assertSame(content, StoreDriver.all(db), where);
            assertSoundStay(where);
            try {
                assertion.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(where, e);
            }
            adopt();
            assertForeignUntouched(where);
        }

        /** Ends the process, and on simulated files perhaps the power. */
        private void die() {
            closeQuietly(backups); // gives locks and memory back; nothing else succeeds any more
            closeQuietly(db);
            vfs.clear();
            if (!real) {
                simulated = random.nextBoolean() ? simulated.kill() : simulated.crash(random.nextInt(50));
            }
            open();
        }

        private static void closeQuietly(AutoCloseable closed) {
            try {
                closed.close();
            } catch (Exception | TroubledVfs.Cut | SimulatedCrash e) {
                // it was killed
            }
        }

        private void damage() {
            List<Path> files = new ArrayList<>();
            collect(directory, files);
            files.removeIf(file -> foreign.containsKey(file)
                    || links.containsKey(file)
                    || file.endsWith("LOCK")
                    || file.endsWith("flexdb.backups"));
            if (files.isEmpty()) {
                return;
            }
            Path file = files.get(random.nextInt(files.size()));
            TreeSet<Long> concerned = new TreeSet<>();
            for (long id : ids()) {
                boolean own = file.startsWith(directory.resolve(Long.toString(id)));
                Path manifest = directory.resolve(id + "/manifest");
                if (own
                        || new String(bytesOf(manifest), StandardCharsets.US_ASCII)
                                .contains(file.getFileName().toString())) {
                    concerned.add(id);
                }
            }
            byte[] bytes = bytesOf(file);
            int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> vfs.delete(file);
                case 1 -> put(file, Arrays.copyOf(bytes, at));
                case 2 -> put(file, zeroed(bytes, at));
                default -> put(file, flipped(bytes, at));
            }
            faults++;
            for (long id : concerned) {
                TreeMap<byte[], byte[]> was = sound.remove(id);
                if (was != null) {
                    doubtful.put(id, was);
                }
            }
        }

        private static byte[] zeroed(byte[] bytes, int at) {
            byte[] changed = bytes.clone();
            Arrays.fill(changed, at & -512, Math.min(bytes.length, (at & -512) + 512), (byte) 0);
            return changed;
        }

        private byte[] flipped(byte[] bytes, int at) {
            byte[] changed = bytes.clone();
            if (bytes.length > 0) {
                changed[at] ^= (byte) (1 << random.nextInt(8));
            }
            return changed;
        }

        private void addForeign() throws IOException {
            List<Long> ids = List.copyOf(ids());
            long next = used.isEmpty() ? 1 : used.last() + 1;
            Path anyBackup = directory.resolve(Long.toString(ids.isEmpty() ? 77 : ids.get(random.nextInt(ids.size()))));
            switch (random.nextInt(real ? 8 : 6)) {
                case 0 -> addFile(directory.resolve("20240101/space/tree"));
                case 1 -> addFile(directory.resolve(next + "/notes"));
                case 2 -> {
                    // In the directory of a backup that was not finished it would be ours, by its name and place.
                    if (!vfs.exists(directory.resolve(Long.toString(next)))) {
                        addFile(directory.resolve(next + "/manifest"));
                    }
                }
                case 3 -> addFile(directory.resolve("segments/notes" + faults));
                case 4 -> addFile(anyBackup.resolve("space/notes" + faults));
                case 5 -> addStore(directory.resolve(Long.toString(next + 1)));
                case 6 -> addLink(directory.resolve(Long.toString(next)));
                default -> addLink(anyBackup.resolve("wal/0000000000000000" + (1000 + faults)));
            }
            faults++;
        }

        private void addFile(Path file) {
            if (!vfs.exists(file)) {
                makeDirectory(file.getParent());
                put(file, ("theirs, " + file).getBytes(StandardCharsets.UTF_8));
                foreign.put(file, bytesOf(file));
            }
        }

        private void makeDirectory(Path path) {
            vfs.createDirectories(path);
            for (Path each = path; each.startsWith(root); each = each.getParent()) {
                vfs.syncDirectory(each);
            }
        }

        /** A closed store of somebody's; all that is in it is foreign. */
        private void addStore(Path path) {
            if (vfs.exists(path)) {
                return;
            }
            try (FlexDB other = FlexDB.open(vfs, path, OPTIONS, true)) {
                other.put(FlexDBCheckpointTest.key(1), FlexDBCheckpointTest.key(2));
            }
            List<Path> files = new ArrayList<>();
            collect(path, files);
            for (Path file : files) {
                put(file, bytesOf(file)); // durable
                foreign.put(file, bytesOf(file));
            }
            makeDirectory(path);
        }

        private void addLink(Path link) throws IOException {
            Path target = root.resolve("elsewhere");
            addFile(target.resolve("space/tree"));
            addFile(target.resolve("wal/00000000000000000001"));
            if (!vfs.exists(link) && vfs.isDirectory(link.getParent())) {
                Files.createSymbolicLink(link, target);
                links.put(link, target);
            }
        }

        // ---- actions

        Runnable create() {
            long id = backups.create(db).id();
            return () -> {
                assertTrue(used.isEmpty() || id > used.last(), "number " + id + " again; there were " + used);
                assertEquals(List.of(), backups.verify(id));
                if (random.nextInt(3) == 0) {
                    assertRestorable(id, content, "just made");
                }
            };
        }

        private long anyId() {
            List<Long> ids = List.copyOf(sound.keySet());
            return ids.isEmpty() ? 0 : ids.get(random.nextInt(ids.size()));
        }

        Runnable delete() {
            long id = anyId();
            if (id == 0 || sound.size() < 3) {
                return create();
            }
            mayGo.add(id);
            backups.delete(id);
            return () -> assertTrue(!ids().contains(id), id + " is there");
        }

        Runnable retain() {
            int count = 1 + random.nextInt(3);
            mayGo.addAll(sound.keySet());
            mayGo.addAll(doubtful.keySet());
            mustStay = Math.min(count, sound.size());
            FlexDBBackups.Retention retention = backups.retain(count, Progress.NONE);
            return () -> {
                assertTrue(retention.kept().containsAll(ids()), retention::toString);
                if (vfs.fired() == 0) { // else something may not have been looked at
                    assertEquals(List.copyOf(ids()), retention.kept());
                }
            };
        }

        Runnable restore() {
            long id = anyId();
            if (id == 0) {
                return create();
            }
            Path target = root.resolve("restored" + targets++);
            backups.restore(id, target);
            TreeMap<byte[], byte[]> expected = sound.get(id);
            return () -> assertStore(target, expected, "restored from " + id);
        }

        Runnable checkpoint() {
            Path target = root.resolve("checkpoint" + targets++);
            long sequence = db.checkpoint(target);
            return () -> {
                assertEquals(db.stats().lastSequence(), sequence);
                assertStore(target, content, "checkpoint");
            };
        }

        Runnable verify() {
            backups.list();
            long id = anyId();
            if (id != 0) {
                backups.verify(id);
            }
            return () -> {};
        }

        Runnable openAgain() {
            backups.close();
            try {
                backups = FlexDBBackups.open(vfs, directory);
            } catch (StorageException e) {
                vfs.clear();
                backups = FlexDBBackups.open(vfs, directory);
            }
            return () -> {};
        }

        // ---- checks

        private TreeSet<Long> ids() {
            TreeSet<Long> ids = new TreeSet<>();
            backups.list().forEach(backup -> ids.add(backup.id()));
            return ids;
        }

        private void assertSoundStay(String at) {
            TreeSet<Long> ids = ids();
            sound.keySet().removeIf(id -> mayGo.contains(id) && !ids.contains(id));
            doubtful.keySet().removeIf(id -> mayGo.contains(id) && !ids.contains(id));
            int whole = 0;
            for (long id : ids) {
                whole += isWhole(id) ? 1 : 0;
                if (sound.containsKey(id)) {
                    assertEquals(List.of(), backups.verify(id), at);
                }
            }
            assertTrue(ids.containsAll(sound.keySet()), () -> at + ": of " + sound.keySet() + " there are " + ids);
            assertTrue(whole >= mustStay, at + ": " + whole + " are left");
        }

        /** Whether nothing is damaged but the file by which it may be deleted. */
        private boolean isWhole(long id) {
            return backups.verify(id).stream()
                    .allMatch(finding -> finding.file().endsWith("flexdb.backup"));
        }

        /** Takes what has been made, or finished although its making has failed. */
        private void adopt() {
            for (long id : ids()) {
                if (used.add(id) && backups.verify(id).isEmpty()) {
                    sound.put(id, new TreeMap<>(content));
                }
            }
        }

        private void assertForeignUntouched(String at) {
            foreign.forEach((file, bytes) -> {
                assertTrue(vfs.exists(file), at + ": gone is " + file);
                assertTrue(Arrays.equals(bytes, bytesOf(file)), at + ": changed is " + file);
            });
            links.forEach((link, target) -> {
                try {
                    assertEquals(target, Files.readSymbolicLink(link), at);
                } catch (IOException e) {
                    throw new UncheckedIOException(at, e);
                }
            });
        }

        private void assertRestorable(long id, TreeMap<byte[], byte[]> expected, String at) {
            Path target = root.resolve("restored" + targets++);
            backups.restore(id, target);
            assertStore(target, expected, at + ", backup " + id);
        }

        private void assertStore(Path path, TreeMap<byte[], byte[]> expected, String at) {
            try (FlexDB copy = FlexDB.open(vfs, path, OPTIONS, true)) {
                StoreOracle.assertSame(expected, StoreDriver.all(copy), at);
            }
        }

        // ---- files

        private void collect(Path path, List<Path> files) {
            if (vfs.isPlainDirectory(path)) {
                vfs.list(path).forEach(below -> collect(path.resolve(below), files));
            } else if (vfs.isPlainFile(path)) {
                files.add(path);
            }
        }

        private byte[] bytesOf(Path path) {
            if (!real) {
                return simulated.content(path);
            }
            try {
                return Files.readAllBytes(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Durably. */
        private void put(Path path, byte[] bytes) {
            if (!real) {
                simulated.setContent(path, bytes);
                return;
            }
            Vfs files = vfs;
            files.deleteIfExists(path);
            try (VfsFile file = files.open(path, OpenMode.CREATE)) {
                file.write(ByteBuffer.wrap(bytes), 0);
            }
        }
    }
}
