package io.flexdb.jmh.suite;

import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.suite.Grid.Entry;
import io.flexdb.jmh.suite.Medians.Verdict;
import io.flexdb.jmh.suite.Report.Comparison;
import io.flexdb.jmh.suite.Report.Section;
import java.util.ArrayList;
import java.util.List;

/** The report in Markdown. */
final class MarkdownReport {
    static final List<String> PAPER_RATIOS = List.of("times as good", "in the paper's text", "here");

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    MarkdownReport(Report report) {
        this.report = report;
    }

    String text() {
        line("# FlexDB measured");
        line("");
        report.machine().facts().forEach((name, value) -> line("- " + name + ": " + value));
        report.settings().forEach((name, value) -> line("- " + name + ": " + value));
        line("");
        report.method().forEach(this::line);
        line("");
        line("Ahead in " + report.comparisons(Verdict.AHEAD).size() + " lines, even in "
                + report.comparisons(Verdict.EVEN).size() + ", behind in "
                + report.comparisons(Verdict.BEHIND).size() + ".");
        behind();
        report.sections().forEach(this::section);
        return text.toString();
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private void behind() {
        List<Comparison> behind = report.comparisons(Verdict.BEHIND);
        if (!behind.isEmpty()) {
            line("");
            line("## Behind");
            line("");
        }
        for (Comparison each : behind) {
            line("- " + each.suite().name() + ", " + each.panel().title() + ", "
                    + each.line().label() + ": " + Markdown.number(each.ratio().ratio()) + " of "
                    + each.ratio().rival());
        }
    }

    private void section(Section section) {
        line("");
        String paper = section.suite().paper();
        line("## " + section.suite().name() + ": " + section.suite().title()
                + (paper.isEmpty() ? "" : " (" + paper + ")"));
        line("");
        line("Rounds: " + section.suite().rounds(report.plan()) + ".");
        if (!section.suite().paperSays().isEmpty()) {
            line("");
            line(section.suite().paperSays());
        }
        List<List<String>> ratios = section.paperRatios(report.plan());
        if (!ratios.isEmpty()) {
            line("");
            text.append(Markdown.table(PAPER_RATIOS, ratios).replace(System.lineSeparator(), "\n"));
        }
        for (Panel panel : section.panels()) {
            line("");
            line("### " + panel.title());
            line("");
            table(Grid.of(panel, section.medians()));
        }
        if (!section.remarks().isEmpty()) {
            line("");
            section.remarks().forEach(remark -> line("- " + remark));
        }
    }

    private void table(Grid grid) {
        List<List<String>> rows = new ArrayList<>();
        for (Grid.Row row : grid.rows()) {
            List<String> cells = new ArrayList<>(List.of(row.label()));
            row.entries().forEach(entry -> cells.add(text(entry)));
            rows.add(cells);
        }
        text.append(Markdown.table(grid.header(), rows).replace(System.lineSeparator(), "\n"));
    }

    private static String text(Entry entry) {
        String spread = entry.spread().isEmpty() ? "" : " " + entry.spread();
        String paper = entry.paper().isEmpty() ? "" : " (paper " + entry.paper() + ")";
        return entry.value() + spread + paper;
    }
}
