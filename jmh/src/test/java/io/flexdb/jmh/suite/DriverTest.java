package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final FakeSuite suite = new FakeSuite();

    private Plan plan() {
        return Plans.of(Scale.SMOKE, directory, 2);
    }

    private Driver driver(ResultStore store, Map<String, String> unable, Suite... suites) {
        PrintStream progress = new PrintStream(said, true, StandardCharsets.UTF_8);
        return new Driver(plan(), List.of(suites), unable, store, null, progress);
    }

    private ResultStore newStore() throws IOException {
        return ResultStore.create(directory, Plans.header(plan()));
    }

    private String said() {
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void rivalsTakeTurnsInEachRoundAndTheTimeLeftIsSaid() throws Exception {
        assertEquals(0, driver(newStore(), Map.of(), suite).run());
        assertEquals(
                List.of("put FlexDB, 1", "put RocksDB, 1", "put LMDB, 1", "get FlexDB, 1"),
                suite.measured.subList(0, 4));
        assertEquals(12, suite.measured.size());
        assertTrue(said().contains("[12/12] fake: get LMDB, round 2 of 2, about 1 min 0 s left"), said());
    }

    @Test
    void cellsThatSuitesShareAreMeasuredOnce() throws Exception {
        driver(newStore(), Map.of(), suite, new FakeSuite()).run();
        assertEquals(12, suite.measured.size());
        assertTrue(said().contains("[12/12]"), said());
    }

    @Test
    void aRunThatWasCutShortGoesOnWhereItWas() throws Exception {
        suite.cutAfter = 5;
        ResultStore store = newStore();
        assertThrows(FakeSuite.Cut.class, () -> driver(store, Map.of(), suite).run());
        // The sixth line was being written.
        Path file = directory.resolve(ResultStore.FILE_NAME);
        Files.writeString(file, "{\"cell\":\"get LM", StandardOpenOption.APPEND);

        suite.cutAfter = Integer.MAX_VALUE;
        assertEquals(0, driver(ResultStore.open(directory), Map.of(), suite).run());
        assertTrue(said().contains("5 of 12 cells have been measured before"), said());
        assertEquals(12, suite.measured.size());
        assertEquals(12, suite.measured.stream().distinct().count());
        List<String> lines = Files.readAllLines(file);
        assertEquals(13, lines.size());
        assertTrue(lines.stream().allMatch(line -> line.endsWith("}")), lines.toString());
    }

    @Test
    void aFailingRivalCostsItsOwnCellsOnlyAndIsMeasuredAgain() throws Exception {
        suite.failing = "LMDB";
        ResultStore store = newStore();
        assertEquals(4, driver(store, Map.of(), suite).run());
        assertEquals(
                8, store.results().stream().filter(each -> !each.hasFailed()).count());
        assertTrue(said().contains("FAILED: java.lang.IllegalStateException: no LMDB today"), said());

        suite.failing = "";
        suite.measured.clear();
        assertEquals(0, driver(ResultStore.open(directory), Map.of(), suite).run());
        assertEquals(List.of("put LMDB, 1", "get LMDB, 1", "put LMDB, 2", "get LMDB, 2"), suite.measured);
        assertTrue(ResultStore.open(directory).results().stream().noneMatch(CellResult::hasFailed));
    }

    @Test
    void aRivalThatCanNotBeLoadedIsNotTried() throws Exception {
        ResultStore store = newStore();
        assertEquals(4, driver(store, Map.of("RocksDB", "no library"), suite).run());
        assertFalse(suite.measured.toString().contains("RocksDB"), suite.measured.toString());
        assertTrue(said().contains("FAILED: left out: no library"), said());
    }

    @Test
    void aDamagedLineIsNamed() throws Exception {
        driver(newStore(), Map.of(), suite).run();
        Path file = directory.resolve(ResultStore.FILE_NAME);
        Files.writeString(file, Files.readString(file).replaceFirst("\\{\"cell\":\"put RocksDB\"", "{cell:["));
        IOException e = assertThrows(IOException.class, () -> ResultStore.open(directory));
        assertTrue(e.getMessage().contains("results.jsonl, line 3 "), e.getMessage());
    }
}
