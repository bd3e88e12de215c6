package io.flexdb.jmh.suite;

import io.flexdb.jmh.suite.Grid.Entry;
import io.flexdb.jmh.suite.Medians.Verdict;
import io.flexdb.jmh.suite.Report.Comparison;
import io.flexdb.jmh.suite.Report.Section;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report as one page that needs nothing else, for any width, light or dark. */
final class HtmlReport {
    private static final String STYLE = """
            :root { color-scheme: light dark; --back: #fff; --text: #1c2024; --faint: #5f6b76; --line: #d9dee3;
              --card: #f5f7f9; --good: #0b6b3a; --good-back: #ddf3e4; --bad: #a3201d; --bad-back: #fbe0de; }
            @media (prefers-color-scheme: dark) { :root { --back: #14181c; --text: #e6eaee; --faint: #9aa7b3;
              --line: #333c45; --card: #1d2329; --good: #7fd8a2; --good-back: #153624; --bad: #ff9d95;
              --bad-back: #4a1c1a; } }
            * { box-sizing: border-box; }
            body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--back); color: var(--text);
              font: 1rem/1.5 system-ui, sans-serif; }
            h1 { font-size: 1.6rem; } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
            h3 { font-size: 1rem; margin-bottom: .3rem; }
            a { color: inherit; } details { margin: .8rem 0; } summary { cursor: pointer; }
              .line { display: block; margin-left: 1rem; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
            th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
              vertical-align: top; white-space: nowrap; }
            th:first-child { text-align: left; position: sticky; left: 0; background: var(--back);
              white-space: normal; min-width: 8rem; }
            thead th { color: var(--faint); font-weight: 600; white-space: normal; }
            .ours { font-weight: 700; } .faint, .spread, .paper { color: var(--faint); font-weight: 400; }
            .spread, .paper { font-size: .8em; } .paper { display: block; }
            .ahead, .behind { font-weight: 700; border-radius: .3rem; padding: .05rem .4rem; white-space: nowrap; }
            .ahead { color: var(--good); background: var(--good-back); }
            .behind { color: var(--bad); background: var(--bad-back); }
            .tiles { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0; }
            .tile { background: var(--card); border-radius: .5rem; padding: .8rem 1.2rem; }
            .tile b { display: block; font-size: 1.6rem; }
            .note { background: var(--card); border-left: 3px solid var(--faint); padding: .5rem 1rem; }
            .failed { border-left-color: var(--bad); overflow-wrap: anywhere; }
            .chart svg { width: 100%; max-width: 40rem; height: auto; display: block; font-size: 14px; }
            .chart text { fill: currentColor; } .axis { stroke: var(--line); fill: none; }
            .s0 { fill: #0072b2; } .s1 { fill: #e69f00; } .s2 { fill: #009e73; } .s3 { fill: #cc79a7; }
            .s4 { fill: #56b4e9; } .s5 { fill: #d55e00; } .s6 { fill: #999; } .curve { stroke-width: 2; fill: none; }
            .p0 { stroke: #0072b2; } .p1 { stroke: #e69f00; } .p2 { stroke: #009e73; } .p3 { stroke: #cc79a7; }
            .p4 { stroke: #56b4e9; } .p5 { stroke: #d55e00; } .p6 { stroke: #999; }
            .paper-bar { fill: none; stroke-width: 1.5; stroke-dasharray: 4 2; }
            dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem; font-size: .9rem; }
            dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
            """;

    private final Report report;
    private final StringBuilder html = new StringBuilder();

    HtmlReport(Report report) {
        this.report = report;
    }

    String text() {
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>FlexDB measured</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>FlexDB measured</h1>\n");
        if (report.plan().scale() == Scale.SMOKE) {
            element("p", "note failed", "Scale smoke: this shows that everything works. Its figures mean nothing.");
        }
        tiles();
        overview();
        lines(Verdict.BEHIND, "Where ours is behind the best rival");
        lines(Verdict.AHEAD, "Where ours is ahead of the best rival");
        details("Machine and settings", report.machine().facts(), report.settings());
        html.append("<details open><summary>Method</summary>\n<ul>\n");
        report.method().forEach(sentence -> element("li", "", sentence));
        html.append("</ul></details>\n");
        for (Section section : report.sections()) {
            section(section);
        }
        return html.append("</body>\n</html>\n").toString();
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private void element(String tag, String style, String text) {
        html.append('<').append(tag);
        if (!style.isEmpty()) {
            html.append(" class=\"").append(style).append('"');
        }
        html.append('>').append(escaped(text)).append("</").append(tag).append(">\n");
    }

    private void tiles() {
        html.append("<div class=\"tiles\">\n");
        for (Verdict verdict : Verdict.values()) {
            String name = name(verdict);
            html.append("<div class=\"tile\"><b>")
                    .append(report.comparisons(verdict).size())
                    .append("</b><span class=\"")
                    .append(name)
                    .append("\">")
                    .append(verdict.mark)
                    .append(' ')
                    .append(name)
                    .append("</span></div>\n");
        }
        html.append("</div>\n");
    }

    private static String name(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }

    /** Of each suite: how often ours is ahead, even and behind, and cells that have failed. */
    private void overview() {
        html.append("<div class=\"scroll\"><table>\n<thead><tr><th>suite</th>");
        for (Verdict verdict : Verdict.values()) {
            html.append("<th>")
                    .append(verdict.mark)
                    .append(' ')
                    .append(name(verdict))
                    .append("</th>");
        }
        html.append("<th>failed</th></tr></thead>\n<tbody>\n");
        for (Section section : report.sections()) {
            html.append("<tr><th>").append(link(section.suite())).append(' ');
            element("span", "faint", section.suite().title());
            html.append("</th>");
            for (Verdict verdict : Verdict.values()) {
                count(of(section.suite(), verdict).size(), name(verdict));
            }
            count(section.failures(), "behind");
            html.append("</tr>\n");
        }
        html.append("</tbody></table></div>\n");
    }

    private List<Comparison> of(Suite suite, Verdict verdict) {
        return report.comparisons(verdict).stream()
                .filter(each -> each.suite() == suite)
                .toList();
    }

    private void count(long count, String style) {
        html.append("<td>");
        if (count > 0) {
            html.append("<span class=\"")
                    .append(style)
                    .append("\">")
                    .append(count)
                    .append("</span>");
        }
        html.append("</td>");
    }

    private static String link(Suite suite) {
        String name = escaped(suite.name());
        return "<a href=\"#" + name + "\">" + name + "</a>";
    }

    /** The lines with such a verdict, a paragraph for each suite. */
    private void lines(Verdict verdict, String title) {
        if (report.comparisons(verdict).isEmpty()) {
            return;
        }
        html.append("<details><summary>").append(escaped(title)).append("</summary>\n");
        for (Section section : report.sections()) {
            List<Comparison> lines = of(section.suite(), verdict);
            if (!lines.isEmpty()) {
                html.append("<p>").append(link(section.suite())).append(":\n");
                for (Comparison each : lines) {
                    String what = section.panels().size() == 1
                            ? each.line().label()
                            : each.panel().title() + ", " + each.line().label();
                    html.append("<span class=\"line\">").append(escaped(what)).append(" <span class=\"");
                    html.append(name(verdict))
                            .append("\">")
                            .append(escaped(each.ratio().text()));
                    html.append("</span> of ")
                            .append(escaped(each.ratio().rival()))
                            .append("</span>\n");
                }
                html.append("</p>\n");
            }
        }
        html.append("</details>\n");
    }

    @SafeVarargs
    private void details(String title, Map<String, String>... all) {
        html.append("<details><summary>").append(escaped(title)).append("</summary>\n<dl>\n");
        for (Map<String, String> facts : all) {
            facts.forEach((name, value) -> {
                element("dt", "", name);
                element("dd", "", value);
            });
        }
        html.append("</dl></details>\n");
    }

    private void section(Section section) {
        Suite suite = section.suite();
        html.append("<section id=\"").append(escaped(suite.name())).append("\">\n");
        element("h2", "", suite.name() + ": " + suite.title());
        String paper = suite.paper().isEmpty() ? "Not in the paper." : "The paper's " + suite.paper() + ".";
        element("p", "faint", paper + " Rounds: " + suite.rounds(report.plan()) + ".");
        if (!suite.paperSays().isEmpty()) {
            element("p", "note", suite.paperSays());
        }
        paperRatios(section.paperRatios(report.plan()));
        for (Panel panel : section.panels()) {
            element("h3", "", panel.title());
            chart(panel, section.medians());
            table(Grid.of(panel, section.medians()));
        }
        for (String remark : section.remarks()) {
            element("p", remark.startsWith("FAILED") ? "note failed" : "note", remark);
        }
        html.append("</section>\n");
    }

    private void paperRatios(List<List<String>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        html.append("<div class=\"scroll\"><table>\n<thead><tr>");
        MarkdownReport.PAPER_RATIOS.forEach(
                each -> html.append("<th>").append(escaped(each)).append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
        for (List<String> row : rows) {
            html.append("<tr><th>").append(escaped(row.get(0))).append("</th>");
            row.subList(1, row.size())
                    .forEach(each -> html.append("<td>").append(escaped(each)).append("</td>"));
            html.append("</tr>\n");
        }
        html.append("</tbody></table></div>\n");
    }

    private void chart(Panel panel, Medians medians) {
        Charts.svg(panel, medians)
                .ifPresent(
                        svg -> html.append("<div class=\"chart\">").append(svg).append("</div>\n"));
    }

    private void table(Grid grid) {
        html.append("<div class=\"scroll\"><table>\n<thead><tr>");
        grid.header().forEach(each -> html.append("<th>").append(escaped(each)).append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
        for (Grid.Row row : grid.rows()) {
            html.append("<tr><th>").append(escaped(row.label())).append("</th>");
            for (int i = 0; i < row.entries().size(); i++) {
                entry(
                        row.entries().get(i),
                        Medians.isOurs(row.label())
                                || Medians.isOurs(grid.header().get(i + 1)));
            }
            html.append("</tr>\n");
        }
        html.append("</tbody></table></div>\n");
    }

    private void entry(Entry entry, boolean ours) {
        html.append(ours ? "<td class=\"ours\">" : "<td>");
        if (entry.verdict() == null) {
            html.append(escaped(entry.value()));
        } else {
            html.append("<span class=\"")
                    .append(name(entry.verdict()))
                    .append("\">")
                    .append(escaped(entry.value()))
                    .append("</span>");
        }
        if (!entry.spread().isEmpty()) {
            html.append(" <span class=\"spread\">")
                    .append(escaped(entry.spread()))
                    .append("</span>");
        }
        if (!entry.paper().isEmpty()) {
            html.append("<span class=\"paper\">paper ")
                    .append(escaped(entry.paper()))
                    .append("</span>");
        }
        html.append("</td>");
    }
}
