package io.flexdb.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlexDBYcsbTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private PrintStream systemOut;
    private PrintStream systemErr;

    @TempDir
    private Path temporary;

    @BeforeEach
    void catchOutput() {
        systemOut = System.out;
        systemErr = System.err;
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void releaseOutput() {
        System.setOut(systemOut);
        System.setErr(systemErr);
    }

    @Test
    void everyWorkloadFindsEveryRecordWithItsRightValue() throws IOException {
        Path directory = temporary.resolve("store");
        Path csv = temporary.resolve("figures.csv");
        int exitCode = run(
                "--records=2000",
                "--operations=2000",
                "--threads=3",
                "--workloads=abcdef,e-50,d",
                "--verify",
                "--memtable-bytes=4m",
                "--cache-bytes=8m",
                "--dir=" + directory,
                "--csv=" + csv);
        String table = out.toString(StandardCharsets.UTF_8);
        assertEquals(0, exitCode, table + err);
        assertTrue(table.contains(": 0 were wrong."), table);
        assertEquals(List.of("load", "A", "B", "C", "D", "E", "F", "E-50", "D"), phases(table));

        List<String> lines = Files.readAllLines(csv);
        assertEquals(1 + 17, lines.size());
        long inserted = lines.stream()
                .map(line -> line.split(","))
                .filter(cells -> cells[2].equals("insert"))
                .mapToLong(cells -> Long.parseLong(cells[3]))
                .sum();
        assertEquals(inserted, countRecords(directory));
    }

    @Test
    void theColumnsOfTheTableAreAligned() {
        assertEquals(0, run("--records=100", "--operations=100", "--workloads=f", "--fields=1", "--field-length=7"));
        List<Integer> widths = out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("|"))
                .map(String::length)
                .distinct()
                .toList();
        assertEquals(1, widths.size(), out.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--records=0",
                "--records=x",
                "--operations=-1",
                "--threads=0",
                "--fields=0",
                "--field-length=0",
                "--workloads=xyz",
                "--workloads=",
                "--durability=maybe",
                "--cache-bytes=1x",
                "--memtable-bytes=",
                "--unknown",
                "surplus",
                "--dir=pom.xml",
                "--dir=src"
            })
    void wrongArgumentsPrintTheUsageAndExitWith2(String argument) {
        assertEquals(2, run(argument));
        assertEquals("", out.toString(StandardCharsets.UTF_8));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("Usage: run.sh"));
    }

    @Test
    void helpIsNoError() {
        assertEquals(0, run("--help"));
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("--workloads=LIST"));
        assertFalse(out.toString(StandardCharsets.UTF_8).contains("--terminal"));
    }

    private static int run(String... arguments) {
        return FlexDBYcsb.run(arguments);
    }

    private static List<String> phases(String table) {
        List<String> names = new ArrayList<>();
        table.lines()
                .filter(line -> line.startsWith("| "))
                .skip(1)
                .map(line -> Arrays.asList(line.split("\\|")).get(1).strip())
                .filter(name -> !name.isEmpty())
                .forEach(names::add);
        return names;
    }

    private static long countRecords(Path directory) {
        try (FlexDB store = FlexDB.open(directory);
                FlexCursor cursor = store.cursor()) {
            long count = 0;
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                count++;
            }
            return count;
        }
    }
}
