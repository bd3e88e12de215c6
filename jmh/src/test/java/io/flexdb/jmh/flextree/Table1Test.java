package io.flexdb.jmh.flextree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.ParameterException;

class Table1Test {
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    @Test
    void aQuickRunFillsTheTable(@TempDir Path directory) throws Exception {
        // Nothing is measured here, so it does no harm if somebody else measures meanwhile.
        System.setProperty("jmh.ignoreLock", "true");
        Path json = directory.resolve("results.json");
        List<String> lines = new Table1(Table1Settings.parse("--quick", "--json=" + json), NOWHERE)
                .run()
                .lines()
                .toList();
        assertEquals(
                "| million operations/s | insert 10^3 | insert at 10^3 | insert between, at 10^3 | append 10^4 | lookup 10^4"
                        + " | range 10^4 |",
                lines.get(0));
        for (int i = 2; i <= 6; i += 2) {
            assertFalse(lines.get(i).contains(" - "), lines.get(i));
            assertTrue(lines.get(i + 1).endsWith("paper | - | - | - | - | - | - |"), lines.get(i + 1));
        }
        String results = Files.readString(json);
        for (Experiment experiment : Experiment.values()) {
            long sameBenchmark = Stream.of(Experiment.values())
                    .filter(other -> other.benchmark == experiment.benchmark)
                    .count();
            assertEquals(
                    Experiment.INDEXES.size() * sameBenchmark,
                    results.split("\"benchmark\" : \"" + experiment.benchmark.getName(), -1).length - 1);
        }
        assertEquals(Experiment.INDEXES.size(), results.split("\"offsets\" : \"between\"", -1).length - 1);
    }

    @Test
    void theTableHasMediansAndThePapersFigures() {
        Table1Report report = new Table1Report();
        report.add(Experiment.INSERT, "bplustree", 1_000_000, 1_234.5);
        report.add(Experiment.INSERT, "bplustree", 1_000_000, 99_999);
        report.add(Experiment.INSERT, "bplustree", 1_000_000, 1);
        report.add(Experiment.RANGE, "array", 100_000_000, 4e6);
        report.add(Experiment.RANGE, "array", 100_000_000, 5e6);
        String table = report.table(Table1Settings.parse("--insert=1000000", "--insert-at=", "--read=100000000"));
        assertEquals(
                List.of(
                        "| million operations/s | insert 10^6 | append 10^8 | lookup 10^8 | range 10^8 |",
                        "| --- | ---: | ---: | ---: | ---: |",
                        "| FlexTree | - | - | - | - |",
                        "| FlexTree, paper | 5.26 | 14.56 | 11.7 | 7.40 |",
                        "| B+-tree | 0.00123 | - | - | - |",
                        "| B+-tree, paper | 0.0014 | 14.84 | 11.8 | 7.47 |",
                        "| sorted array | - | - | - | 4.50 |",
                        "| sorted array, paper | 0.0017 | 21.74 | 12.7 | 8.15 |"),
                table.lines().toList());
    }

    @Test
    void wrongArgumentsAreRefused() {
        for (String argument : List.of("--slow", "rounds=1", "--rounds=0", "--read=1,x", "--read=1,,2", "--rounds")) {
            ParameterException refusal =
                    assertThrows(ParameterException.class, () -> Table1Settings.parse(argument), argument);
            assertTrue(refusal.getMessage().contains(argument.split("=")[0]), refusal.getMessage());
        }
        assertEquals(List.of(5L, 7L), Table1Settings.parse("--read=5,7", "--rounds=2").readSizes);
    }

    @Test
    void theHelpShowsTheDefaults() {
        StringWriter out = new StringWriter();
        assertEquals(
                0,
                Table1Settings.commandLine("--help")
                        .setOut(new PrintWriter(out))
                        .execute("--help"));
        assertTrue(out.toString().contains("100000,1000000,10000000"), out::toString);
        StringWriter err = new StringWriter();
        assertEquals(
                2,
                Table1Settings.commandLine("--read=1,,2")
                        .setErr(new PrintWriter(err))
                        .execute("--read=1,,2"));
        assertTrue(err.toString().contains("--read"), err::toString);
    }
}
