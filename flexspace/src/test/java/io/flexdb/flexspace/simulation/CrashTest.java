package io.flexdb.flexspace.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.flexspace.internal.vfs.OpenMode;
import io.flexdb.flexspace.internal.vfs.VfsFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a simulated power cut may leave, and what it may not. */
class CrashTest {
    private static final int SEEDS = 400;
    private static final Path ROOT = Path.of("/store");

    private final SimulatedVfs vfs = new SimulatedVfs(ROOT);

    private static Path file(String name) {
        return ROOT.resolve(name);
    }

    private static ByteBuffer filled(int bytes, int value) {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) value);
        return ByteBuffer.wrap(content);
    }

    /** A durable file full of one value. */
    private VfsFile durable(String name, int bytes, int value) {
        VfsFile file = vfs.open(file(name), OpenMode.CREATE);
        file.write(filled(bytes, value), 0);
        file.force();
        vfs.syncDirectory(file(name).getParent());
        return file;
    }

    /** What is observed over many cuts of the same state. */
    private <T> Set<T> outcomes(Function<SimulatedVfs, T> observe) {
        Set<T> outcomes = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            outcomes.add(observe.apply(vfs.copy().crash(seed)));
        }
        return outcomes;
    }

    /** The names and, where a file is full of one value, its value. */
    private static Map<String, Integer> summary(SimulatedVfs vfs) {
        Map<String, Integer> summary = new TreeMap<>();
        for (Path path : vfs.files()) {
            byte[] content = vfs.content(path);
            summary.put(ROOT.relativize(path).toString(), content.length == 0 ? -1 : (int) content[0]);
        }
        return summary;
    }

    /** The value of each sector; a sector is never torn. */
    private static String sectors(byte[] content) {
        StringBuilder values = new StringBuilder();
        for (int at = 0; at < content.length; at += 512) {
            for (int i = at; i < Math.min(content.length, at + 512); i++) {
                assertEquals(content[at], content[i]);
            }
            values.append((char) ('0' + content[at]));
        }
        return values.toString();
    }

    @Test
    void whatWasForcedAndNamedSurvivesEveryCut() {
        durable("a", 5000, 1);
        assertEquals(Set.of("1".repeat(10)), outcomes(cut -> sectors(cut.content(file("a")))));
    }

    @Test
    void eachUnforcedSectorSurvivesOrNotByItself() {
        durable("a", 1024, 1).write(filled(1024, 2), 0);
        assertEquals(Set.of("11", "12", "21", "22"), outcomes(cut -> sectors(cut.content(file("a")))));
        assertEquals("11", sectors(vfs.crash(0).content(file("a"))));
        assertEquals("22", sectors(vfs.crash(1).content(file("a"))));
    }

    @Test
    void oneFileMayBeAllNewWhileAnotherIsAllOld() {
        durable("a", 8192, 1).write(filled(8192, 2), 0);
        durable("b", 8192, 1).write(filled(8192, 2), 0);
        Set<Map.Entry<String, String>> seen =
                outcomes(cut -> Map.entry(sectors(cut.content(file("a"))), sectors(cut.content(file("b")))));
        assertTrue(seen.contains(Map.entry("1".repeat(16), "2".repeat(16))));
        assertTrue(seen.contains(Map.entry("2".repeat(16), "1".repeat(16))));
    }

    @Test
    void aFileThatGrowsMayHaveAnySizeBetween() {
        durable("a", 1000, 1).write(filled(2000, 2), 1000);
        Set<Integer> sizes = outcomes(cut -> cut.content(file("a")).length);
        assertEquals(1000, new TreeSet<>(sizes).first());
        assertEquals(3000, new TreeSet<>(sizes).last());
        assertTrue(sizes.contains(1024) && sizes.contains(2560), "the ends of sectors");
        assertTrue(sizes.size() > 20, "others");
    }

    @Test
    void aSizeMaySurviveWithoutItsData() {
        durable("a", 100, 1).write(filled(1948, 2), 100);
        Set<String> seen = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            byte[] content = vfs.crash(seed).content(file("a"));
            for (int i = 0; i < 100; i++) {
                assertTrue(content[i] == 1, "what was forced");
            }
            if (content.length == 2048) {
                byte[] last = Arrays.copyOfRange(content, 1536, 2048);
                seen.add(
                        Arrays.equals(last, new byte[512])
                                ? "zeros"
                                : Arrays.equals(last, filled(512, 2).array())
                                        ? "written"
                                        : Arrays.equals(
                                                        Arrays.copyOf(last, 100),
                                                        filled(100, 1).array())
                                                ? "stale"
                                                : "garbage");
            }
        }
        assertEquals(Set.of("zeros", "written", "stale", "garbage"), seen);
    }

    @Test
    void aCutFileMayBeWhatItWas() {
        VfsFile file = durable("a", 2048, 1);
        file.truncate(600);
        Set<String> seen = outcomes(cut -> sectors(cut.content(file("a"))));
        assertEquals(Set.of("1111", "11"), seen);
        file.write(filled(424, 0), 600);
        file.write(filled(512, 3), 1024);
        seen = outcomes(cut -> cut.content(file("a")).length + " " + cut.content(file("a"))[599]);
        assertTrue(seen.containsAll(Set.of("2048 1", "1536 1", "600 1")), seen.toString());
    }

    @Test
    void aCutThatWasForcedIsFinal() {
        VfsFile file = durable("a", 9000, 1);
        file.truncate(600);
        file.write(filled(512, 2), 8192);
        file.force();
        byte[] expected = new byte[8704];
        Arrays.fill(expected, 0, 600, (byte) 1);
        Arrays.fill(expected, 8192, 8704, (byte) 2);
        for (long seed = 0; seed < SEEDS; seed++) {
            assertArrayEquals(expected, vfs.crash(seed).content(file("a")));
        }
    }

    @Test
    void unsyncedNamesSurviveOrNotEachByItself() {
        durable("a", 1, 1);
        vfs.delete(file("a"));
        vfs.open(file("b"), OpenMode.CREATE).close();
        vfs.open(file("c"), OpenMode.CREATE).close();
        assertEquals(8, outcomes(SimulatedVfs::files).size());
        assertEquals(Set.of(file("a")), vfs.crash(0).files());
        assertEquals(Set.of(file("b"), file("c")), vfs.crash(1).files());
    }

    @Test
    void forcingAFileDoesNotKeepItsName() {
        VfsFile file = vfs.open(file("a"), OpenMode.CREATE);
        file.write(filled(1, 1), 0);
        file.force();
        assertEquals(Set.of(Map.of(), Map.of("a", 1)), outcomes(CrashTest::summary));
        assertEquals(Set.of(), vfs.crash(0).files());
    }

    @Test
    void syncingADirectoryKeepsItsNamesButNotTheirContents() {
        vfs.createDirectories(file("d"));
        VfsFile file = vfs.open(file("d/a"), OpenMode.CREATE);
        vfs.syncDirectory(file("d"));
        assertEquals(Set.of(Map.of(), Map.of("d/a", -1)), outcomes(CrashTest::summary), "d itself is not synced");
        SimulatedVfs kept = new SimulatedVfs(ROOT);
        kept.open(file("a"), OpenMode.CREATE).write(filled(512, 1), 0);
        kept.syncDirectory(ROOT);
        assertEquals(Map.of("a", -1), summary(kept.crash(0)));
        assertEquals(file("d/a"), file.path());
    }

    @Test
    void aRenameIsOldOrNewAndNeverNeither() {
        durable("a", 1, 1);
        durable("b", 1, 2);
        vfs.rename(file("a"), file("b"));
        assertEquals(Set.of(Map.of("a", 1, "b", 2), Map.of("b", 1)), outcomes(CrashTest::summary));
    }

    @Test
    void changesAfterARenameDoNotTearIt() {
        durable("a", 1, 1);
        durable("b", 1, 2);
        vfs.rename(file("a"), file("b"));
        vfs.rename(file("b"), file("c"));
        vfs.open(file("a"), OpenMode.CREATE).close();
        for (Map<String, Integer> seen : outcomes(CrashTest::summary)) {
            assertTrue(seen.containsValue(1), "the renamed file is somewhere: " + seen);
        }
        vfs.crash(1);
    }

    @Test
    void aRenameToASyncedDirectoryIsDurableInBoth() {
        vfs.createDirectories(file("d"));
        vfs.createDirectories(file("e"));
        vfs.syncDirectory(ROOT);
        durable("d/a", 1, 1);
        for (String synced : new String[] {"d", "e"}) {
            SimulatedVfs next = vfs.copy();
            next.open(file("d/tmp"), OpenMode.CREATE).close();
            next.rename(file("d/tmp"), file("e/tmp"));
            next.rename(file("d/a"), file("e/b"));
            next.syncDirectory(file(synced));
            for (long seed = 0; seed < SEEDS; seed++) {
                assertEquals(Map.of("e/b", 1, "e/tmp", -1), summary(next.crash(seed)));
            }
        }
    }

    @Test
    void aSecondNameIsThereOrNotAndHasTheSameContent() {
        vfs.allowLinks();
        try (VfsFile file = durable("a", 1024, 1)) {
            assertTrue(vfs.link(file("a"), file("b")));
            assertFalse(vfs.link(file("a"), file("b")));
            assertEquals(2, file.linkCount());
            file.write(filled(1024, 2), 0);
            assertArrayEquals(vfs.content(file("a")), vfs.content(file("b")));
            Set<Integer> names = outcomes(found -> {
                if (found.exists(file("b"))) {
                    assertArrayEquals(found.content(file("a")), found.content(file("b")));
                    try (VfsFile opened = found.open(file("b"), OpenMode.READ_WRITE)) {
                        opened.write(filled(512, 3), 0);
                    }
                    assertArrayEquals(found.content(file("a")), found.content(file("b")));
                }
                return found.files().size();
            });
            assertEquals(Set.of(1, 2), names);
            vfs.syncDirectory(ROOT);
            assertEquals(Set.of(2), outcomes(found -> found.files().size()));
            vfs.delete(file("b"));
            assertEquals(1, file.linkCount());
        }
    }

    @Test
    void aDeletedFileThatIsStillOpenLosesWhatWasNotForced() {
        VfsFile file = durable("a", 512, 1);
        vfs.delete(file("a"));
        file.write(filled(512, 2), 0);
        vfs.open(file("a"), OpenMode.CREATE).close();
        assertEquals(Set.of(Map.of(), Map.of("a", 1), Map.of("a", 2), Map.of("a", -1)), outcomes(CrashTest::summary));
    }

    @Test
    void aKilledProcessLosesItsLocksAndNothingElse() {
        vfs.lock(file("LOCK"));
        durable("a", 512, 1).write(filled(512, 2), 0);
        vfs.open(file("b"), OpenMode.CREATE).write(filled(512, 3), 0);
        SimulatedVfs next = vfs.kill();
        assertTrue(vfs.isDead());
        assertFalse(next.isDead());
        assertEquals(2, summary(next).get("a"));
        assertEquals(3, summary(next).get("b"));
        next.lock(file("LOCK")).close();
        assertEquals(1, summary(next.crash(0)).get("a"), "a kill makes nothing durable");
        assertFalse(next.crash(0).exists(file("b")));
    }

    @Test
    void theSameSeedGivesTheSameState() {
        VfsFile file = durable("a", 4000, 1);
        for (int i = 0; i < 20; i++) {
            file.write(filled(1000, i), i * 700);
            vfs.open(file("f" + i), OpenMode.CREATE).write(filled(600, i), 0);
        }
        for (long seed = 0; seed < 50; seed++) {
            SimulatedVfs one = vfs.crash(seed);
            SimulatedVfs other = vfs.crash(seed);
            assertEquals(one.files(), other.files());
            for (Path path : one.files()) {
                assertArrayEquals(one.content(path), other.content(path));
            }
        }
        assertTrue(outcomes(SimulatedVfs::files).size() > SEEDS / 4);
    }

    @Test
    void statesAndCopiesAreIndependent() {
        durable("a", 512, 1).write(filled(512, 2), 512);
        SimulatedVfs copy = vfs.copy();
        SimulatedVfs cut = vfs.crash(1);
        for (SimulatedVfs each : new SimulatedVfs[] {copy, cut}) {
            try (VfsFile file = each.open(file("a"), OpenMode.READ_WRITE)) {
                file.write(filled(512, 7), 0);
                file.force();
            }
        }
        assertEquals("72", sectors(copy.content(file("a"))));
        assertEquals("72", sectors(cut.content(file("a"))));
        assertEquals("12", sectors(vfs.content(file("a"))));
        assertEquals("12", sectors(vfs.crash(1).content(file("a"))));
    }

    @Test
    void aMachineWithoutPowerDoesNothing() {
        VfsFile file = durable("a", 512, 1);
        var lock = vfs.lock(file("LOCK"));
        SimulatedVfs next = vfs.crash(7);
        Runnable[] operations = {
            () -> file.read(ByteBuffer.allocate(1), 0),
            () -> file.write(filled(1, 1), 0),
            file::size,
            () -> file.truncate(0),
            file::force,
            () -> file.map(1),
            () -> vfs.open(file("a"), OpenMode.READ),
            () -> vfs.exists(file("a")),
            () -> vfs.isDirectory(ROOT),
            () -> vfs.list(ROOT),
            () -> vfs.createDirectories(ROOT),
            () -> vfs.rename(file("a"), file("b")),
            () -> vfs.delete(file("a")),
            () -> vfs.deleteIfExists(file("none")),
            () -> vfs.syncDirectory(ROOT),
            () -> vfs.lock(file("LOCK")),
        };
        for (Runnable operation : operations) {
            assertThrows(SimulatedCrash.class, operation::run);
        }
        file.close();
        lock.close();
        assertEquals(1, summary(next).get("a"));
    }

    @Test
    void thePowerCanBeCutBeforeEachOperation() {
        Set<Map<String, Integer>> seen = new HashSet<>();
        for (long operation = 1; ; operation++) {
            SimulatedVfs machine = new SimulatedVfs(ROOT);
            machine.crashAt(operation);
            try {
                VfsFile file = machine.open(file("a"), OpenMode.CREATE); // 1
                file.write(filled(512, 1), 0); // 2
                file.force(); // 3
                machine.syncDirectory(ROOT); // 4
                file.truncate(0); // 5
                assertEquals(6, operation);
                assertEquals(5, machine.operationCount());
                break;
            } catch (SimulatedCrash e) {
                assertTrue(machine.isDead());
                assertThrows(SimulatedCrash.class, () -> machine.exists(ROOT));
                seen.add(summary(machine.crash(1)));
            }
        }
        assertEquals(Set.of(Map.of(), Map.of("a", -1), Map.of("a", 1)), seen);
    }
}
