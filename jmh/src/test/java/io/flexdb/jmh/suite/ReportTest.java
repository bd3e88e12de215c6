package io.flexdb.jmh.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir
    Path directory;

    private final FakeSuite suite = new FakeSuite();

    /** Puts: ours ahead, by more than the rounds differ. Gets: behind LMDB, and RocksDB has failed. */
    @BeforeEach
    void writeResults() throws IOException {
        Plan plan = Plans.of(Scale.LAPTOP, Path.of("/data"), 3);
        ResultStore store = ResultStore.create(directory, Plans.header(plan));
        double[][] values = {{900, 1000, 1100}, {300, 310, 320}, {400, 400, 400}, {500, 500, 500}, {}, {1000, 990, 1010}
        };
        List<Cell> cells = suite.cells(plan);
        for (int i = 0; i < cells.size(); i++) {
            for (int round = 1; round <= values[i].length; round++) {
                store.add(FakeSuite.result(cells.get(i), round, values[i][round - 1]));
            }
        }
        store.add(new CellResult(
                "get RocksDB", "RocksDB", 1, "2026-01-02T03:04:05Z", 1, List.of(), List.of(), "exit code 1: <broken>"));
        // A cell of another suite that gives a figure of the same name.
        store.add(FakeSuite.result(new Cell("other", "FlexDB", Program.TABLE1, "put", List.of()), 1, 5));
        new Report(store, List.of(suite)).write(directory);
    }

    private String read(String name) throws IOException {
        return Files.readString(directory.resolve(name));
    }

    @Test
    void theSummaryHasMediansSpreadThePapersFiguresAndTheComparison() throws IOException {
        String expected = """
                # FlexDB measured

                - processor: a <fast> one
                - kernel: Linux 6
                - client threads: 2
                - cold reads: not measured
                - directory: /data
                - memory limit, where a suite has one: 256 MiB
                - rounds: 3
                - scale: laptop
                - seconds of a YCSB workload: 3
                - started: 2026-01-02T03:04:05Z
                """;
        String summary = read("summary.md");
        assertTrue(summary.startsWith(expected), summary);
        String rest = """
                Ahead in 3 lines, even in 0, behind in 3.

                ## Behind

                - fake, Bars, gets: 0.500 of LMDB
                - fake, Lines, gets: 0.500 of LMDB
                - fake, Columns, gets: 0.500 of LMDB

                ## fake: A title & more (Table 9)

                Rounds: 3.

                | times as good | in the paper's text | here |
                | --- | ---: | ---: |
                | both, FlexDB to LMDB | 2 to 3 | 0.500 to 2.50 |

                ### Bars

                | thousand/s | FlexDB | to the best rival | RocksDB | LMDB |
                | --- | ---: | ---: | ---: | ---: |
                | puts | 1000 ± 10 % (paper 950) | ▲ 2.50 | 310 ± 3 % (paper 300) | 400 |
                | gets | 500 | ▼ 0.500 | - | 1000 ± 1 % |

                ### Lines

                | thousand/s | FlexDB | to the best rival | RocksDB | LMDB |
                | --- | ---: | ---: | ---: | ---: |
                | puts | 1000 ± 10 % (paper 950) | ▲ 2.50 | 310 ± 3 % (paper 300) | 400 |
                | gets | 500 | ▼ 0.500 | - | 1000 ± 1 % |

                ### Columns

                | - | puts | gets |
                | --- | ---: | ---: |
                | FlexDB | 1000 ± 10 % (paper 950) | 500 |
                | RocksDB | 310 ± 3 % (paper 300) | - |
                | LMDB | 400 | 1000 ± 1 % |
                | to the best rival | ▲ 2.50 | ▼ 0.500 |

                - FAILED: get RocksDB, round 1: exit code 1: <broken>
                """;
        assertEquals(rest, summary.substring(summary.indexOf("Ahead in")));
    }

    @Test
    void thePageNeedsNothingElseAndMarksBothWays() throws IOException {
        String html = read("report.html");
        assertFalse(Pattern.compile("(src|href)=\"(?!data:|#)").matcher(html).find(), "the page loads something");
        assertFalse(html.contains("<script"), "the page runs something");
        assertFalse(html.contains("<broken>"), "text is not escaped");
        assertTrue(html.contains("exit code 1: &lt;broken&gt;"));
        assertTrue(html.contains("A title &amp; more"));
        assertTrue(html.contains("prefers-color-scheme: dark"));
        assertTrue(html.contains("name=\"viewport\""));
        String row = """
                <tr><th>puts</th>\
                <td class="ours">1000 <span class="spread">± 10 %</span><span class="paper">paper 950</span></td>\
                <td><span class="ahead">▲ 2.50</span></td>\
                <td>310 <span class="spread">± 3 %</span><span class="paper">paper 300</span></td>\
                <td>400</td></tr>
                """;
        assertTrue(html.contains(row), html.substring(html.indexOf("<section")));
        assertEquals(6, count(html, "<span class=\"behind\">▼ 0\\.500")); // 3 shown, 3 listed
        assertEquals(6, count(html, "<span class=\"ahead\">▲ 2\\.50")); // likewise
        assertEquals(2, count(html, "<svg "));
        assertTrue(html.length() < 100_000, html.length() + " characters");
        for (String tag : List.of("svg", "text", "table", "section", "details", "div", "p", "span", "tr", "td", "th")) {
            assertEquals(count(html, "<" + tag + "[ >]"), count(html, "</" + tag + ">"), tag);
        }
    }

    private static long count(String text, String pattern) {
        return Pattern.compile(pattern).matcher(text).results().count();
    }

    @Test
    void chartsHaveTextAndThePapersFigures() throws IOException {
        String html = read("report.html");
        String bars = html.substring(html.indexOf("<svg"), html.indexOf("</svg>"));
        assertTrue(bars.contains("<rect class=\"s0\""), bars); // ours
        assertTrue(bars.contains(">1000</text>"), bars);
        assertTrue(bars.contains("<rect class=\"paper-bar p0\""), bars);
        assertTrue(bars.contains(">950 (paper)</text>"), bars);
        String lines = html.substring(html.lastIndexOf("<svg"), html.lastIndexOf("</svg>"));
        assertEquals(5, count(lines, "<circle class=\"s")); // RocksDB's get has failed
        assertEquals(3, count(lines, "<path class=\"curve p"));
    }

    @Test
    void thePapersRatiosStandBesideOurs() throws IOException {
        assertTrue(read("summary.md").contains("""
                | times as good | in the paper's text | here |
                | --- | ---: | ---: |
                | both, FlexDB to LMDB | 2 to 3 | 0.500 to 2.50 |
                """));
        assertTrue(read("report.html")
                .contains("<tr><th>both, FlexDB to LMDB</th><td>2 to 3</td><td>0.500 to 2.50</td></tr>"));
    }

    @Test
    void theJsonHasEverything() throws IOException {
        JsonObject json = JsonParser.parseString(read("results.json")).getAsJsonObject();
        assertEquals("LAPTOP", json.getAsJsonObject("plan").get("scale").getAsString());
        assertEquals(17, json.getAsJsonArray("results").size());
    }

    @Test
    void equalWithinTheSpreadIsEven() {
        Medians medians = new Medians(
                List.of(result("FlexDB", 100, 110), result("RocksDB", 105, 130), result("skip list", 900, 900)));
        assertEquals("= 0.894", medians.ratio("e").orElseThrow().text());
        Medians clear = new Medians(List.of(result("FlexDB", 100, 104), result("RocksDB", 105, 130)));
        assertEquals("▼ 0.868", clear.ratio("e").orElseThrow().text());
    }

    private static CellResult result(String subject, double first, double second) {
        List<Figure> figures =
                List.of(new Figure("e", subject, first, "thousand/s"), new Figure("e", subject, second, "thousand/s"));
        return new CellResult("e " + subject, subject, 1, "2026-01-02T03:04:05Z", 1, figures, List.of(), "");
    }
}
