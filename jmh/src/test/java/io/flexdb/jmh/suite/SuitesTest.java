package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SuitesTest {
    /** Equal ids share results, so they must ask for the same. */
    @ParameterizedTest
    @EnumSource
    void cellsAreUniqueAndSuitesHavePanels(Scale scale) {
        Plan plan = Plans.of(scale, Path.of("/x"), 3);
        Map<String, Cell> cells = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (Suite suite : Suites.ALL) {
            assertTrue(names.add(suite.name()), suite.name());
            assertFalse(suite.title().isEmpty());
            assertTrue(suite.diskBytes(plan) >= 0, suite.name());
            assertTrue(suite.memoryBytes(plan) >= 0, suite.name());
            assertTrue(suite.cellSeconds(plan) > 0, suite.name());
            assertEquals("", suite.obstacle(plan));
            Set<String> ids = new HashSet<>();
            for (Cell cell : suite.cells(plan)) {
                assertTrue(ids.add(cell.id()), cell.id());
                Cell same = cells.putIfAbsent(cell.id(), cell);
                assertEquals(same == null ? cell : same, cell);
            }
            Set<String> titles = new HashSet<>();
            for (Panel panel : suite.panels(plan)) {
                assertTrue(titles.add(panel.title()), panel.title());
                assertFalse(panel.lines().isEmpty(), panel.title());
            }
        }
        assertTrue(names.containsAll(
                List.of("table1", "table2", "table3", "table4", "fig2", "fig11", "fig12f", "fig13b")));
    }

    /** Sections 6.1 to 6.3 of the paper. */
    @Test
    void thePapersScaleHasThePapersSizes() {
        assertArguments(new Figure12a(), "zippydb", "--records=720000000", "--cache=16g", "--memtable=1g");
        assertArguments(new Figure12a(), "udb", "--records=420000000", "--threads=4");
        assertArguments(new Figure12a(), "sys", "--records=150000000");
        assertArguments(new Figure12c(), "udb", "--read-seconds=60");
        assertArguments(new Figure12e(), "udb", "--client-threads=1,2,3,4,5,6,7,8");
        assertArguments(new Figure12f(), "udb", "--records=420000000", "--utilizations=0.50,0.85");
        assertArguments(new Figure13a(), "udb", "--records=420000000", "--duration=60");
        assertArguments(new Figure13b(), "udb", "--records=3200000000", "--memory=64000000000", "--cache=16000000000");
        assertArguments(new RecoverySuite(), "udb", "--sizes=4200000,420000000");
        assertArguments(new Table2Suite(), "65536", "--blocks=262144");
        assertArguments(new Table2Suite(), "4096", "--blocks=262144");
        assertArguments(new Figure11(), "figure11", "--threads=1,2,4,8");
        assertArguments(new Table1Suite(), "lookup", "--read=1000000000");
        assertArguments(new Table1Suite(), "append", "--read=100000000");
        assertArguments(new Table1Suite(), "insert", "--insert=1000000");
        long pairs = KeyValueCells.DATA_SETS.stream()
                .mapToLong(set -> (long) set.pairBytes() * set.records(PAPER))
                .min()
                .orElseThrow();
        assertTrue(pairs > 63_000_000_000L, "64 GB");
        assertTrue(new Figure13b().diskBytes(PAPER) < 960_000_000_000L, "the paper's disk");
        assertTrue(new Table1Suite().memoryBytes(PAPER) < 64_000_000_000L, "the paper's memory");
    }

    private static final Plan PAPER =
            new Plan(Scale.PAPER, "/x", List.of("rocksdb"), List.of("ext4:/x"), 4, 60, 64_000_000_000L, 3, true);

    /** Some cell whose name contains a word has all these arguments. */
    private static void assertArguments(Suite suite, String word, String... arguments) {
        assertTrue(
                suite.cells(PAPER).stream()
                        .filter(cell -> cell.id().contains(word))
                        .anyMatch(cell -> cell.arguments().containsAll(List.of(arguments))),
                () -> suite.name() + ": " + suite.cells(PAPER));
    }

    @Test
    void rivalsHaveCellsOfWhatTheyCanDo() {
        Plan plan = new Plan(
                Scale.SMOKE, "/x", List.of("rocksdb", "lmdb", "mvstore"), List.of("ext4:/x"), 2, 3, 1 << 28, 1, false);
        assertIds(plan, new BulkSuite(), "bulk flexdb, bulk rocksdb, bulk lmdb, bulk beside, bulk puts, bulk raw");
        assertIds(plan, new FilesSuite(), "files flexdb, files rocksdb, files lmdb, files files, files disk");
        assertIds(
                plan,
                new ValuesBySize(),
                "values OS flexdb, values OS rocksdb, values OS lmdb,"
                        + " values SYNC flexdb, values SYNC rocksdb, values SYNC lmdb");
        assertIds(
                plan,
                new Table4Suite(),
                "latency udb flexdb, latency udb rocksdb, latency udb lmdb, latency udb mvstore");
    }

    private static void assertIds(Plan plan, Suite suite, String ids) {
        assertEquals(ids, suite.cells(plan).stream().map(Cell::id).collect(Collectors.joining(", ")));
    }

    /** As {@code list} tells, with the loads of rivals, rounds and all. */
    @Test
    void theLaptopsScaleTakesLittleMoreThanAnHour() {
        Plan plan = new Plan(
                Scale.LAPTOP, "/x", List.of("rocksdb", "lmdb"), List.of("ext4:/x"), 2, 10, 512L << 20, 3, true);
        Map<String, Integer> seconds = new HashMap<>();
        for (Suite suite : Suites.ALL) {
            suite.cells(plan)
                    .forEach(cell -> seconds.putIfAbsent(cell.id(), suite.rounds(plan) * suite.cellSeconds(plan)));
            assertTrue(suite.memoryBytes(plan) <= 8L << 30, suite.name());
            assertTrue(suite.diskBytes(plan) <= 16L << 30, suite.name());
        }
        int minutes = seconds.values().stream().mapToInt(each -> each).sum() / 60;
        assertTrue(minutes >= 55 && minutes <= 90, minutes + " minutes");
    }
}
