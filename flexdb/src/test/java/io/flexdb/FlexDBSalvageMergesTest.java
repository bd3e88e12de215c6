package io.flexdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.simulation.SimulatedVfs;
import io.flexdb.internal.base.NoThreads;
import io.flexdb.storage.MergeException;
import io.flexdb.testing.Effort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Salvage of stores that merge, with keyspaces that come and go: of a sound store, wherever its process was killed, what
 * comes over is what opening it would show, each operand counted once.
 */
class FlexDBSalvageMergesTest {
    private static final Path FRESH = Path.of("/fresh");
    private static final int KEYS = 500; // of a keyspace: more than a memtable holds, in all
    private static final String KEPT = "kept";
    private static final String DROPPED = "dropped now and then";

    private final TestClock clock = new TestClock();
    private final FlexDBOptions options = StoreDriver.SMALL.withClock(clock).withMergeFunction(StoreOracle.TAIL);
    private final SimulatedVfs vfs = new SimulatedVfs();
    private Random random = new Random(1);
    private int salvages;
    private boolean within; // what a salvage does is no point

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "key%04d", i).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] bytes(int most) {
        byte[] bytes = new byte[1 + random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static TreeMap<byte[], byte[]> contentOf(SimulatedVfs files, Path directory, FlexDBOptions options) {
        try (FlexDB db = FlexDB.open(files, directory, options, true)) {
            return KeyspaceDriver.all(db);
        }
    }

    private FlexDBSalvageReport salvage(SimulatedVfs files, FlexDBOptions optionsOfFresh) {
        return FlexDBSalvage.salvage(
                files, StoreDriver.DIRECTORY, FRESH, optionsOfFresh, Progress.NONE, new NoThreads());
    }

    /** Salvages a copy of the store as it is now, as if its process was killed, and opens another copy. */
    private void requireSalvaged(String at) {
        salvages++;
        SimulatedVfs salvaged = vfs.copy();
        FlexDBSalvageReport report = salvage(salvaged, options);
        assertTrue(report.isComplete(), () -> at + ": " + report);
        assertFalse(report.mayHoldRemovedPairs(), at);
        TreeMap<byte[], byte[]> expected = contentOf(vfs.copy(), StoreDriver.DIRECTORY, options);
        StoreOracle.assertSame(expected, contentOf(salvaged, FRESH, options), at);
    }

    private void step(FlexDB db, int step) {
        clock.advance(1);
        if (step % 400 == 0) {
            db.createKeyspaceIfAbsent(KEPT);
            db.createKeyspaceIfAbsent(DROPPED);
        } else if (step % 400 == 390) {
            db.dropKeyspace(DROPPED);
        }
        List<String> names = db.keyspaces();
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < 1 + random.nextInt(6); i++) {
            int which = random.nextInt(names.size() + 1);
            WriteBatch in = which == names.size() ? batch : batch.in(db.keyspace(names.get(which)));
            int key = random.nextInt(KEYS);
            int kind = random.nextInt(20);
            if (kind == 0) {
                in.deleteRange(key(key), key(key + 1 + random.nextInt(20)));
            } else if (kind == 1) {
                in.delete(key(key));
            } else if (kind < 5) {
                in.put(key(key), bytes(200));
            } else if (kind < 9) {
                in.put(key(key), bytes(120), Duration.ofMillis(1 + random.nextInt(1500)));
            } else {
                in.merge(key(key), bytes(40));
            }
        }
        db.write(batch);
    }

    @Test
    void whatTheNewStoreIsTooSmallForIsLostWithTheOperandsBehindIt() {
        FlexDBOptions larger = options.withLargeValueBytes(1 << 20).withMemtableBytes(1 << 20);
        FlexDBOptions smaller = options.withLargeValueBytes(1 << 20);
        try (FlexDB db = FlexDB.open(vfs, StoreDriver.DIRECTORY, larger, true)) {
            db.put(key(1), new byte[] {1});
            db.put(key(2), new byte[] {2});
            db.put(key(1), new byte[200 << 10]);
            db.merge(key(1), new byte[] {3});
            db.merge(key(2), new byte[] {4});
            db.sync();
            SimulatedVfs killed = vfs.copy();
            FlexDBSalvageReport report = salvage(killed, smaller);
            assertFalse(report.isComplete(), report::toString);
            assertTrue(report.mayHoldRemovedPairs(), report::toString);
            try (FlexDB salvaged = FlexDB.open(killed, FRESH, smaller, true)) {
                assertArrayEquals(new byte[] {1}, salvaged.get(key(1)));
                assertArrayEquals(new byte[] {2, 4}, salvaged.get(key(2)));
                List<FlexDBSalvage.LostRange> lost = FlexDBSalvage.lostRanges(salvaged);
                assertEquals(1, lost.size());
                assertArrayEquals(key(1), lost.get(0).from());
            }
        }
    }

    private static List<Long> seeds() {
        return Effort.some(List.of(1L, 2L, 3L));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whereverTheProcessIsKilledEachOperandComesOverOnce(long seed) {
        random = new Random(seed);
        Random points = new Random(seed);
        int[] step = {0};
        boolean[] open = {false};
        HookedVfs hooked = new HookedVfs(vfs, (kind, path) -> {
            boolean isOfSpace = path.startsWith(StoreDriver.DIRECTORY.resolve("space"));
            if (!within && open[0] && kind != HookedVfs.Kind.READ && points.nextInt(isOfSpace ? 12 : 150) == 0) {
                within = true;
                requireSalvaged("seed " + seed + ", step " + step[0] + ", before " + kind + " of " + path);
                within = false;
            }
        });
        try (FlexDB db = StoreDriver.open(hooked, options)) {
            open[0] = true;
            for (; step[0] < 2400; step[0]++) {
                step(db, step[0]);
            }
            requireSalvaged("seed " + seed + ", in the end");
            within = true;
        }
        requireSalvaged("seed " + seed + ", closed");
        assertTrue(salvages > 50, salvages + " salvages only");
    }

    /** One write of a store without keyspaces; what it leads to is noted as a value that there has been. */
    private void stepOfOne(FlexDB db, Map<ByteBuffer, Set<ByteBuffer>> ever) {
        byte[] key = key(random.nextInt(KEYS));
        int kind = random.nextInt(20);
        if (kind == 0) {
            db.delete(key);
        } else if (kind < 5) {
            db.put(key, bytes(200));
        } else {
            db.merge(key, bytes(40));
        }
        byte[] value = db.get(key);
        if (value != null) {
            ever.computeIfAbsent(ByteBuffer.wrap(key), any -> new HashSet<>()).add(ByteBuffer.wrap(value));
        }
    }

    private static boolean isTold(FlexDBSalvageReport report, byte[] key) {
        return report.findings().stream()
                .map(FlexDBCheckReport.Finding::keys)
                .anyMatch(keys -> keys != null
                        && (keys.after() == null || Arrays.compareUnsigned(keys.after(), key) <= 0)
                        && (keys.before() == null || Arrays.compareUnsigned(key, keys.before()) <= 0));
    }

    @Test
    void anOperandThatWentIntoAValueThatIsLostMakesNoOtherOne() {
        Map<ByteBuffer, Set<ByteBuffer>> ever = new HashMap<>();
        TreeMap<byte[], byte[]> now;
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            for (int i = 0; i < 4000; i++) {
                stepOfOne(db, ever);
            }
            db.sync(); // or a damaged frame could pass for one that a crash has torn
            now = StoreDriver.all(db);
            SimulatedVfs killed = vfs.copy();
            int lost = 0;
            for (Path file : killed.files()) {
                int length = killed.content(file).length;
                for (int i = 0; length > 0 && i < Effort.times(file.endsWith("data") ? 100 : 12); i++) {
                    int position = random.nextInt(length);
                    lost += salvageDamaged(killed.copy(), file, position, now, ever);
                }
            }
            assertTrue(lost > Effort.times(20), lost + " lost only");
        }
    }

    /** Returns how many keys are lost. */
    private int salvageDamaged(
            SimulatedVfs files,
            Path file,
            int position,
            TreeMap<byte[], byte[]> now,
            Map<ByteBuffer, Set<ByteBuffer>> ever) {
        byte[] bytes = files.content(file);
        bytes[position] ^= (byte) (1 << random.nextInt(8));
        files.setContent(file, bytes);
        FlexDBSalvageReport report = salvage(files, options);
        if (report.mayHoldRemovedPairs()) {
            return 0; // values may lack operands
        }
        String at = "byte " + position + " of " + file + ": " + report;
        TreeMap<byte[], byte[]> found;
        try (FlexDB db = FlexDB.open(files, FRESH, options, true)) {
            found = StoreDriver.all(db);
        }
        found.forEach((key, value) -> {
            assertTrue(ever.get(ByteBuffer.wrap(key)).contains(ByteBuffer.wrap(value)), () -> at + ", a new value");
            assertTrue(Arrays.equals(now.get(key), value) || isTold(report, key), () -> at + ", an old value");
        });
        int lost = 0;
        for (byte[] key : now.keySet()) {
            assertTrue(found.containsKey(key) || isTold(report, key), at + ", a loss not told");
            lost += found.containsKey(key) ? 0 : 1;
        }
        return lost;
    }

    @Test
    void whatALogHasAllOfComesOverThoughTheSpaceHasLostTheKey() {
        byte[] inSpace = new byte[120];
        random.nextBytes(inSpace);
        SimulatedVfs killed;
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            for (int i = 0; i < 100; i++) {
                db.put(key(i), i == 50 ? inSpace : key(i));
            }
        }
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            db.put(key(50), key(1));
            db.merge(key(50), key(2));
            db.merge(key(51), key(3));
            db.sync();
            killed = vfs.copy();
        }
        Path data = StoreDriver.DIRECTORY.resolve("space/data");
        byte[] bytes = killed.content(data);
        int position = 0;
        while (!Arrays.equals(bytes, position, position + inSpace.length, inSpace, 0, inSpace.length)) {
            position++;
        }
        bytes[position] ^= 1;
        killed.setContent(data, bytes);
        FlexDBSalvageReport report = salvage(killed, options);
        assertFalse(report.mayHoldRemovedPairs());
        assertTrue(isTold(report, key(51)), report::toString);
        try (FlexDB db = FlexDB.open(killed, FRESH, options, true)) {
            assertArrayEquals(StoreOracle.TAIL.merge(key(50), key(1), List.of(key(2))), db.get(key(50)));
            assertNull(db.get(key(51)));
        }
    }

    @Test
    void operandsInLogsNeedTheFunction() {
        try (FlexDB db = StoreDriver.open(vfs, options)) {
            Keyspace kept = db.createKeyspace(KEPT);
            kept.put(key(1), bytes(10));
            SimulatedVfs killed = vfs.copy();
            assertTrue(salvage(killed, StoreDriver.SMALL).isComplete());
            kept.merge(key(1), bytes(10));
            SimulatedVfs merged = vfs.copy();
            MergeException e = assertThrows(MergeException.class, () -> salvage(merged, StoreDriver.SMALL));
            assertArrayEquals(key(1), e.key());
        }
        assertTrue(salvage(vfs.copy(), StoreDriver.SMALL).isComplete()); // closed, and so without operands
    }
}
