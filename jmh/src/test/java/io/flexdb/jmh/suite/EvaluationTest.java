package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvaluationTest {
    @TempDir
    Path directory;

    private final FakeSuite suite = new FakeSuite();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter errors = new StringWriter();

    private int run(List<Suite> known, String... arguments) {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        return Evaluation.commandLine(known, stream, stream)
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }

    private int measure(String... more) {
        List<String> arguments = new ArrayList<>(List.of(more));
        for (String needed :
                List.of("--scale=smoke", "--dir=" + directory.resolve("dir"), "--out=" + directory.resolve("out"))) {
            String name = needed.substring(0, needed.indexOf('=') + 1);
            if (arguments.stream().noneMatch(each -> each.startsWith(name))) {
                arguments.add(needed);
            }
        }
        if (arguments.stream().allMatch(each -> each.startsWith("--"))) {
            arguments.add("fake");
        }
        return run(List.of(suite), arguments.toArray(String[]::new));
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8) + errors;
    }

    @Test
    void listAndHelpTellTheSuites() {
        assertEquals(0, run(Suites.ALL, "list"));
        assertTrue(
                said().matches("(?s).*\\nfig13b +\\d+ min  YCSB A to F.*\\nall with --scale laptop: about \\d+ min.*"),
                said());
        assertEquals(0, run(Suites.ALL, "help"));
        assertTrue(said().contains("--file-systems"), said());
    }

    @Test
    void whatSuitesHaveInCommonIsCountedOnce() {
        assertEquals(0, run(List.of(suite, suite), "list", "--rounds=4"));
        String expected = """
                fake             36 min  A title & more (Table 9)
                fake           with above  A title & more (Table 9)
                all with --scale laptop: about 36 min on two processors
                """;
        assertEquals(expected, out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aRunWritesItsReportAndTheSameCommandGoesOn() {
        assertEquals(0, measure(), this::said);
        assertEquals(6, suite.measured.size());
        for (String name : List.of("report.html", "summary.md", "results.json", "results.jsonl")) {
            assertTrue(Files.exists(directory.resolve("out").resolve(name)), name);
        }
        assertEquals(0, measure("--continue"), this::said);
        assertEquals(6, suite.measured.size());
        assertEquals(0, measure("--anew"), this::said);
        assertEquals(12, suite.measured.size());
    }

    @Test
    void theReportCanBeMadeAgain() throws IOException {
        measure();
        Path html = directory.resolve("out").resolve("report.html");
        Files.delete(html);
        assertEquals(0, run(List.of(suite), "report", "--out=" + directory.resolve("out")), this::said);
        assertTrue(Files.exists(html));
    }

    @Test
    void wrongArgumentsAreRefusedBeforeAnythingIsMeasured() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        String[][] wrong = {
            {"--rivals=mysql", "no store is called \"mysql\"; there are rocksdb, lmdb"},
            {"--rounds=0", "must be at least 1: 0"},
            {"--file-systems=ext4", "not of the form NAME:DIR: ext4"},
            {"--scale=huge", "huge"},
            {"--memory=much", "much"},
            {"--continue", "There is nothing to continue in"},
            {"--dir=" + file.resolve("x"), "can't be made"},
            {"--out=" + file, "can't be made"},
            {"--file-systems=ext4:" + file, "can't be written"},
            {"nothing", "No suite is called \"nothing\"; there are all, fake"}
        };
        for (String[] each : wrong) {
            assertEquals(2, measure(each[0]), each[0]);
            assertTrue(said().contains(each[1]), each[0] + ": " + said());
        }
        assertEquals(List.of(), suite.measured);
        assertFalse(Files.exists(directory.resolve("out").resolve("report.html")));
    }

    @Test
    void resultsOfOtherSettingsAreNotMixed() {
        assertEquals(0, measure());
        assertEquals(2, measure("--threads=1"));
        assertTrue(said().contains("can't be continued, for they differ (now, then): settings: "), said());
    }

    @Test
    void aSuiteThatCanNotBeMeasuredIsNamedFirst() {
        suite.diskBytes = Long.MAX_VALUE;
        assertEquals(2, measure());
        assertTrue(said().contains("fake is left out: it takes about"), said());
        suite.diskBytes = 0;
        suite.obstacle = "there is no moon";
        assertEquals(2, measure());
        assertTrue(said().contains("fake is left out: there is no moon"), said());
        assertEquals(List.of(), suite.measured);
    }

    @Test
    void failedCellsMakeAFailedRun() {
        suite.failing = "LMDB";
        assertEquals(1, measure());
        assertTrue(said().contains("2 cells have failed"), said());
    }
}
