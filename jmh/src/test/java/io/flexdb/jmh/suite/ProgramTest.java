package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real programs in JVMs of their own. */
class ProgramTest {
    @TempDir
    Path directory;

    private CellResult measure(Program program, Duration limit, String... arguments) throws Exception {
        ChildJvm child = new ChildJvm(directory, directory, limit);
        return program.measure(new Cell("a cell", "X", program, "x: ", List.of(arguments)), 1, child);
    }

    @Test
    void aStoreIsMeasured() throws Exception {
        CellResult result = measure(
                Program.KEY_VALUE,
                Duration.ofMinutes(2),
                "--quick",
                "--stores=skiplist",
                "--parts=scan",
                "--scan-lengths=10",
                "--records=500",
                "--operations=500");
        assertEquals("", result.failure());
        assertTrue(
                result.figures().stream()
                        .anyMatch(each -> each.experiment().equals("x: SCAN 10 Zipfian")
                                && each.subject().equals("skip list")
                                && each.unit().equals("thousand/s")
                                && each.value() > 0),
                result.toString());
    }

    @Test
    void plainFilesAreMeasuredWithoutFlexSpace() throws Exception {
        CellResult result = measure(
                Program.TABLE2,
                Duration.ofMinutes(2),
                "--quick",
                "--rivals=ext4:" + directory,
                "--only=ext4",
                "--parts=raw",
                "--blocks=64");
        assertEquals("", result.failure());
        assertEquals(
                List.of("x: raw writes"),
                result.figures().stream().map(Figure::experiment).toList());
        assertEquals("ext4", result.figures().get(0).subject());
    }

    @Test
    void largeValuesAreMeasured() throws Exception {
        CellResult result = measure(
                Program.VALUES,
                Duration.ofMinutes(2),
                "--stores=flexdb",
                "--durabilities=os",
                "--mebibytes=1",
                "--values=64k");
        assertEquals("", result.failure());
        assertEquals(
                List.of("x: put, 64 KiB, OS", "x: get, 64 KiB, OS", "x: written for each byte, 64 KiB, OS"),
                result.figures().stream().map(Figure::experiment).toList());
    }

    @Test
    void bulkLoadsAreMeasured() throws Exception {
        CellResult result = measure(
                Program.BULK, Duration.ofMinutes(2), "--subjects=flexdb,RocksDB,lmdb", "--bytes=1m", "--values=100");
        assertEquals("", result.failure());
        assertEquals(
                3, // for each subject
                result.figures().stream()
                        .filter(each -> each.experiment().equals("load, values of 100 bytes"))
                        .count(),
                result.toString());
    }

    @Test
    void filesInAStoreAreMeasured() throws Exception {
        CellResult result = measure(
                Program.FILES, Duration.ofMinutes(2), "--quick", "--files=200", "--overwrites=100", "--subjects=lmdb");
        assertEquals("", result.failure());
        assertEquals(
                Set.of("LMDB"), result.figures().stream().map(Figure::subject).collect(Collectors.toSet()));
    }

    @Test
    void aProgramThatFailsTellsWhy() throws Exception {
        CellResult result = measure(Program.KEY_VALUE, Duration.ofMinutes(2), "--stores=nothing");
        assertTrue(result.failure().startsWith("exit code 2: "), result.failure());
        assertTrue(result.failure().contains("nothing"), result.failure());
    }

    @Test
    void aProgramThatTakesTooLongIsEnded() throws Exception {
        CellResult result = measure(
                Program.KEY_VALUE,
                Duration.ofSeconds(1),
                "--quick",
                "--stores=skiplist",
                "--parts=put",
                "--records=50000000");
        assertTrue(result.failure().startsWith("it was ended after "), result.failure());
    }

    @Test
    void nothingIsRunOnceAllIsEnded() {
        ChildJvm child = new ChildJvm(directory, directory, Duration.ofMinutes(1));
        child.end();
        assertThrows(InterruptedException.class, () -> child.run("x", 1, List.of(), "none", "none", List.of()));
    }
}
