package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.ForwardingVfs;
import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.Vfs;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import io.flexdb.flexspace.simulation.ForwardingVfsFile;
import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.KeyHeads;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.storage.StorageException;
import io.flexdb.storage.StoreIoException;
import io.flexdb.testing.Effort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

/**
 * Salvage of stores that are damaged at random, on a machine that fails at random: the damaged store stays as it is,
 * only pairs come over that were written, in their own keyspaces, and the report tells what is missing.
 */
class FlexDBSalvageFaultTest {
    private static final int ROUNDS = Effort.times(60);
    private static final Path FRESH = Path.of("/fresh");
    private static final int SECTOR = 512;

    /** The process is gone: none of its later actions happen. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Keyspaces by number: 0 is the default one. Their values say where they were written. */
    private static final Map<Integer, String> NAMES = Map.of(1, "users", 2, "temp", 3, "visits", 4, "temp");

    /** A store that nobody has open, and all that it has ever had. */
    private static final class Sound {
        final SimulatedVfs vfs;
        final Map<Integer, Map<ByteBuffer, Set<ByteBuffer>>> ever;
        final Map<Integer, TreeMap<byte[], byte[]>> now;

        Sound(SimulatedVfs vfs, Map<Integer, Map<ByteBuffer, Set<ByteBuffer>>> ever) {
            this.vfs = vfs;
            this.ever = ever;
            try (FlexDB db = FlexDB.open(vfs.copy(), StoreDriver.DIRECTORY, StoreDriver.SMALL, true)) {
                this.now = contentOf(db);
            }
        }
    }

    /** Reads of some places of some files fail, few files can be open, and the process ends at an operation. */
    private static final class FailingVfs extends ForwardingVfs {
        private final Map<Path, List<Long>> unreadable = new HashMap<>(); // positions of sectors
        private int mostOpen = Integer.MAX_VALUE;
        private int open;
        private long killAt = Long.MAX_VALUE;
        private long operations;

        FailingVfs(Vfs vfs) {
            super(vfs);
        }

        private void step() {
            if (++operations >= killAt) {
                throw new Killed();
            }
        }

        @Override
        public VfsFile open(Path file, OpenMode mode) {
            step();
            if (open >= mostOpen) {
                throw new StoreIoException("open", file, new IOException("Too many open files"));
            }
            VfsFile opened = super.open(file, mode);
            open++;
            List<Long> bad = unreadable.getOrDefault(file, List.of());
            return new ForwardingVfsFile(opened) {
                private boolean closed;

                @Override
                public int read(ByteBuffer dst, long position) {
                    for (long sector : bad) {
                        if (position < sector + SECTOR && sector < position + dst.remaining()) {
                            throw new StoreIoException("read", file, new IOException("Input/output error"));
                        }
                    }
                    return super.read(dst, position);
                }

                @Override
                public void write(ByteBuffer src, long position) {
                    step();
                    super.write(src, position);
                }

                @Override
                public void force() {
                    step();
                    super.force();
                }

                @Override
                public void close() {
                    open -= closed ? 0 : 1;
                    closed = true;
                    super.close();
                }
            };
        }

        @Override
        public void rename(Path from, Path to) {
            step();
            super.rename(from, to);
        }

        @Override
        public void delete(Path path) {
            step();
            super.delete(path);
        }

        @Override
        public boolean deleteIfExists(Path path) {
            step();
            return super.deleteIfExists(path);
        }

        @Override
        public void syncDirectory(Path directory) {
            step();
            super.syncDirectory(directory);
        }
    }

    // ---- stores

    private final List<Sound> stores = new ArrayList<>();

    private static byte[] key(int i) {
        return FlexDBCheckpointTest.key(i);
    }

    private final class Filling {
        final Random random;
        final SimulatedVfs vfs = new SimulatedVfs();
        final Map<Integer, Map<ByteBuffer, Set<ByteBuffer>>> ever = new HashMap<>();
        int written;

        Filling(long seed) {
            random = new Random(seed);
        }

        void fill(FlexDB db, int writes) {
            for (int i = 0; i < writes; i++) {
                int number = random.nextInt(5);
                String name = number == 0 ? null : NAMES.get(number);
                if (name != null && !db.keyspaces().contains(name) || number == (written < 1200 ? 4 : 2)) {
                    continue;
                }
                byte[] key = key(random.nextInt(150));
                String text = number + "/" + new String(key, StandardCharsets.US_ASCII) + "#" + written++ + "/";
                byte[] value = Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), 30 + random.nextInt(200));
                int kind = random.nextInt(12);
                Keyspace in = name == null ? null : db.keyspace(name);
                if (kind == 0) {
                    delete(db, in, key);
                    continue;
                }
                ever.computeIfAbsent(number, any -> new HashMap<>())
                        .computeIfAbsent(ByteBuffer.wrap(key), any -> new HashSet<>())
                        .add(ByteBuffer.wrap(value));
                if (in == null) {
                    db.put(key, value);
                } else {
                    in.put(key, value);
                }
            }
        }

        private void delete(FlexDB db, Keyspace in, byte[] key) {
            if (in == null) {
                db.delete(key);
            } else {
                in.delete(key);
            }
        }

        FlexDB open() {
            return StoreDriver.open(vfs, StoreDriver.SMALL);
        }
    }

    private Filling filling(long seed) {
        Filling filling = new Filling(seed);
        try (FlexDB db = filling.open()) {
            db.createKeyspace("users");
            db.createKeyspace("temp");
            db.createKeyspace("visits");
            while (filling.written < 1200) {
                filling.fill(db, 50);
            }
            db.dropKeyspace("temp");
            db.createKeyspace("temp");
            filling.fill(db, 500);
        }
        return filling;
    }

    private void makeStores() {
        Filling closed = filling(1);
        stores.add(new Sound(closed.vfs, closed.ever));
        Filling synced = filling(2);
        FlexDB db = synced.open();
        synced.fill(db, 700);
        db.sync();
        stores.add(new Sound(synced.vfs.kill(), synced.ever));
        Filling killed = filling(3);
        db = killed.open();
        killed.fill(db, 900);
        db.sync();
        killed.fill(db, 200);
        stores.add(new Sound(killed.vfs.kill(), killed.ever));
        for (long seed = 2; seed < 5; seed++) {
            stores.add(new Sound(killed.vfs.crash(seed), killed.ever));
        }
    }

    private static Map<Integer, TreeMap<byte[], byte[]>> contentOf(FlexDB db) {
        Map<Integer, TreeMap<byte[], byte[]>> content = new HashMap<>();
        content.put(0, StoreDriver.all(db));
        for (String name : db.keyspaces()) {
            if (name.equals(FlexDBSalvage.LOST_KEYSPACE)) {
                continue;
            }
            TreeMap<byte[], byte[]> pairs = new TreeMap<>(Arrays::compareUnsigned);
            try (FlexCursor cursor = db.keyspace(name).cursor()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    pairs.put(cursor.key(), cursor.value());
                }
            }
            int number = name.startsWith("recovered-") ? Integer.parseInt(name.substring(10)) : numberOf(name, pairs);
            content.put(number, pairs);
        }
        return content;
    }

    /** That of its pairs; a dropped keyspace that is back has its old one. */
    private static int numberOf(String name, TreeMap<byte[], byte[]> pairs) {
        int newest = name.equals("users") ? 1 : name.equals("visits") ? 3 : 4;
        return newest == 4 && !pairs.isEmpty() ? pairs.firstEntry().getValue()[0] - '0' : newest;
    }

    // ---- rounds

    private Random random = new Random();

    private String damage(SimulatedVfs vfs, FailingVfs failing) {
        List<Path> files = new ArrayList<>(FlexDBSalvageTest.contents(vfs).keySet());
        files.sort(null);
        Path file = files.get(random.nextInt(files.size()));
        byte[] bytes = vfs.content(file);
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        int kind = random.nextInt(12);
        if (kind < 5 && bytes.length > 0) {
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            vfs.setContent(file, bytes);
            return "a bit at " + at + " of " + file;
        }
        if (kind < 8) {
            int from = at & -SECTOR;
            Arrays.fill(bytes, from, Math.min(bytes.length, from + SECTOR), (byte) 0);
            vfs.setContent(file, bytes);
            return "no sector at " + from + " of " + file;
        }
        if (kind < 10) {
            failing.unreadable.computeIfAbsent(file, any -> new ArrayList<>()).add((long) at & -SECTOR);
            return "EIO at " + (at & -SECTOR) + " of " + file;
        }
        if (kind == 10) {
            vfs.setContent(file, Arrays.copyOf(bytes, at));
            return file + " cut to " + at;
        }
        vfs.delete(file);
        return "no " + file;
    }

    private static FlexDBSalvageReport salvage(Vfs vfs) {
        return FlexDBSalvage.salvage(
                vfs, StoreDriver.DIRECTORY, FRESH, StoreDriver.SMALL, Progress.NONE, new NoThreads());
    }

    @Test
    void whateverIsDamagedAndFailsSoundPairsComeOverAndTheRestIsTold() {
        makeStores();
        Map<String, Integer> outcomes = new TreeMap<>();
        Integer one = Integer.getInteger("flexdb.test.seed");
        for (int seed = one == null ? 0 : one; seed < (one == null ? ROUNDS : one + 1); seed++) {
            outcomes.merge(round(seed), 1, Integer::sum);
        }
        if (one == null) {
            assertEquals(Set.of("all", "some", "no store", "killed"), outcomes.keySet(), outcomes::toString);
        }
    }

    private String round(int seed) {
        random = new Random(seed);
        Sound store = stores.get(random.nextInt(stores.size()));
        SimulatedVfs vfs = store.vfs.copy();
        FailingVfs failing = new FailingVfs(vfs);
        List<String> done = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            done.add(damage(vfs, failing));
        }
        Map<Path, byte[]> before = FlexDBSalvageTest.contents(vfs);
        boolean isLost =
                before.keySet().stream().noneMatch(file -> file.startsWith(StoreDriver.DIRECTORY.resolve("space")));
        int trouble = random.nextInt(8);
        SimulatedVfs undisturbed = vfs.copy();
        if (trouble == 0) {
            failing.killAt = 1 + random.nextInt(400);
        } else if (trouble == 1) {
            failing.mostOpen = random.nextInt(14);
        } else if (trouble == 2) {
            long used = vfs.files().stream()
                    .mapToLong(file -> vfs.content(file).length)
                    .sum();
            vfs.setCapacity(used + random.nextInt(1 << 20));
        }
        String at = "seed " + seed + " (-Dflexdb.test.seed=" + seed + "), store " + stores.indexOf(store) + ", " + done
                + ", trouble " + trouble;
        FlexDBSalvageReport report = null;
        String outcome;
        try {
            report = salvage(failing);
            outcome = report.isComplete() ? "all" : "some";
        } catch (StorageException e) {
            outcome = "no store";
        } catch (Killed e) {
            outcome = "killed";
        }
        SimulatedVfs after = outcome.equals("killed") ? vfs.kill() : vfs;
        after.setCapacity(Long.MAX_VALUE);
        assertUntouched(before, after, at);
        if (report != null && !(report.isComplete() && isLastLogMissing(store, before))) {
            assertRight(store, after, report, at);
        } else if (!isLost) {
            assertNothingOrAll(after, undisturbed, failing.unreadable, at);
        }
        return outcome;
    }

    /** Of the log with the last number nobody can tell that it was there. */
    private static boolean isLastLogMissing(Sound store, Map<Path, byte[]> left) {
        Path logs = StoreDriver.DIRECTORY.resolve("wal");
        List<String> names = store.vfs.isDirectory(logs) ? store.vfs.list(logs) : List.of();
        return names.stream()
                .filter(name -> !name.contains("."))
                .max(String::compareTo)
                .filter(name -> !left.containsKey(logs.resolve(name)))
                .isPresent();
    }

    private static void assertUntouched(Map<Path, byte[]> before, SimulatedVfs vfs, String at) {
        Map<Path, byte[]> now = FlexDBSalvageTest.contents(vfs);
        assertEquals(before.keySet(), now.keySet(), at);
        before.forEach((file, bytes) -> assertArrayEquals(bytes, now.get(file), at + ": " + file));
    }

    /** A salvage that did not end leaves no store, but at its very end. */
    private void assertNothingOrAll(
            SimulatedVfs vfs, SimulatedVfs undisturbed, Map<Path, List<Long>> unreadable, String at) {
        Map<Integer, TreeMap<byte[], byte[]>> left;
        try (FlexDB db = FlexDB.open(vfs, FRESH, StoreDriver.SMALL, true)) {
            left = contentOf(db);
        } catch (StorageException e) {
            return;
        }
        if (left.values().stream().allMatch(TreeMap::isEmpty)) {
            return;
        }
        FailingVfs again = new FailingVfs(undisturbed);
        again.unreadable.putAll(unreadable);
        salvage(again);
        try (FlexDB db = FlexDB.open(undisturbed, FRESH, StoreDriver.SMALL, true)) {
            Map<Integer, TreeMap<byte[], byte[]>> all = contentOf(db);
            assertEquals(all.keySet(), left.keySet(), at);
            all.forEach((number, pairs) -> StoreOracle.assertSame(pairs, left.get(number), at));
        }
    }

    /** Pairs of a keyspace by number; of a dropped one there are none. */
    private static TreeMap<byte[], byte[]> pairsOf(Map<Integer, TreeMap<byte[], byte[]>> content, int number) {
        return content.getOrDefault(number, new TreeMap<>(Arrays::compareUnsigned));
    }

    private void assertRight(Sound store, SimulatedVfs vfs, FlexDBSalvageReport report, String at) {
        Map<Integer, TreeMap<byte[], byte[]>> found;
        List<FlexDBSalvage.LostRange> lost;
        try (FlexDB db = FlexDB.open(vfs, FRESH, StoreDriver.SMALL, true)) {
            FlexDBCheckReport check = db.check();
            assertTrue(check.isSound(), () -> at + ": " + check);
            found = contentOf(db);
            lost = FlexDBSalvage.lostRanges(db);
            try (FlexCursor cursor = db.createKeyspace("new").cursor()) {
                cursor.seekToFirst();
                assertTrue(!cursor.isValid(), () -> at + ": a new keyspace has pairs, " + report);
            }
        }
        found.forEach((number, pairs) -> pairs.forEach((key, value) -> {
            Set<ByteBuffer> values =
                    store.ever.getOrDefault(number, Map.of()).getOrDefault(ByteBuffer.wrap(key), Set.of());
            assertTrue(
                    values.contains(ByteBuffer.wrap(value)),
                    () -> at + ": never written to " + number + ": " + new String(value, StandardCharsets.US_ASCII)
                            + ", " + report);
        }));
        for (int number = 0; number < 5; number++) {
            TreeMap<byte[], byte[]> now = pairsOf(store.now, number);
            TreeMap<byte[], byte[]> there = pairsOf(found, number);
            if (report.isComplete()) {
                assertTrue(lost.isEmpty(), at);
                StoreOracle.assertSame(now, there, at + ": keyspace " + number + ", " + report);
            } else if (!report.mayHoldRemovedPairs()) {
                there.forEach((key, value) -> assertArrayEquals(now.get(key), value, () -> at + ": " + report));
                byte[] head =
                        number == 0 ? KeyHeads.NO_HEAD : KeyHeads.named(number).begin();
                now.keySet().stream().filter(key -> !there.containsKey(key)).forEach(key -> {
                    byte[] stored = Arrays.copyOf(head, head.length + key.length);
                    System.arraycopy(key, 0, stored, head.length, key.length);
                    assertTrue(isTold(report, stored), () -> at + ": a loss not told, " + report);
                });
            }
        }
    }

    private static boolean isTold(FlexDBSalvageReport report, byte[] key) {
        return report.findings().stream()
                .map(FlexDBCheckReport.Finding::keys)
                .anyMatch(keys -> keys != null
                        && (keys.after() == null || Arrays.compareUnsigned(keys.after(), key) < 0)
                        && (keys.before() == null || Arrays.compareUnsigned(key, keys.before()) < 0));
    }
}
