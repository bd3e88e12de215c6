package io.flexdb.jmh.suite;

import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.suite.Medians.Ratio;
import io.flexdb.jmh.suite.Medians.Value;
import io.flexdb.jmh.suite.Medians.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A panel with its figures filled in, to be shown in any format. */
record Grid(List<String> header, List<Row> rows) {
    private static final Entry EMPTY = new Entry("-", "", "", null);

    /** A row; it has an entry for each column but the first. */
    record Row(String label, List<Entry> entries) {}

    /**
     * A place in the table.
     *
     * @param spread over the rounds; may be empty
     * @param paper the paper's figure; may be empty
     * @param verdict only where ours is compared; else null
     */
    record Entry(String value, String spread, String paper, Verdict verdict) {
        static Entry text(String text) {
            return new Entry(text, "", "", null);
        }

        boolean isEmpty() {
            return value.equals("-");
        }
    }

    /** The subjects of a panel: ours first, the others as they were measured, then those that the paper alone has. */
    static List<String> subjects(Panel panel, Medians medians) {
        Set<String> subjects = new LinkedHashSet<>();
        for (Panel.Line line : panel.lines()) {
            subjects.addAll(medians.of(line.experiment()).keySet());
        }
        for (Panel.Line line : measured(panel, medians)) {
            line.paper().keySet().stream().sorted().forEach(subjects::add);
        }
        List<String> sorted = new ArrayList<>(subjects);
        sorted.sort((a, b) -> Boolean.compare(Medians.isOurs(b), Medians.isOurs(a)));
        return sorted;
    }

    /** The lines of a panel that have a figure. */
    static List<Panel.Line> measured(Panel panel, Medians medians) {
        return panel.lines().stream()
                .filter(line -> !medians.of(line.experiment()).isEmpty())
                .toList();
    }

    static Grid of(Panel panel, Medians medians) {
        return panel.shape() == Panel.Shape.TABLE_BY_SUBJECT ? bySubject(panel, medians) : byExperiment(panel, medians);
    }

    /** The comparison stands beside ours, in sight on a narrow page; a unit that is everywhere the same, in the header. */
    private static Grid byExperiment(Panel panel, Medians medians) {
        List<String> subjects = subjects(panel, medians);
        List<Panel.Line> lines = measured(panel, medians);
        List<String> units = lines.stream()
                .map(line -> medians.unit(line.experiment()))
                .distinct()
                .toList();
        boolean compared = isCompared(panel, medians);
        List<String> header = new ArrayList<>(List.of(units.size() == 1 ? units.get(0) : ""));
        if (units.size() > 1) {
            header.add("unit");
        }
        header.addAll(subjects);
        if (compared) {
            header.add(header.indexOf(subjects.get(0)) + 1, "to the best rival");
        }
        List<Row> rows = new ArrayList<>();
        for (Panel.Line line : lines) {
            List<Entry> entries = new ArrayList<>();
            if (units.size() > 1) {
                entries.add(Entry.text(medians.unit(line.experiment())));
            }
            for (String subject : subjects) {
                entries.add(entry(line, subject, medians));
                if (compared && subject.equals(subjects.get(0))) {
                    entries.add(ratio(line, medians));
                }
            }
            rows.add(new Row(line.label(), entries));
        }
        return new Grid(header, rows);
    }

    private static Grid bySubject(Panel panel, Medians medians) {
        List<Panel.Line> lines = measured(panel, medians);
        List<String> header = new ArrayList<>(List.of(""));
        lines.forEach(line -> header.add(line.label()));
        List<Row> rows = new ArrayList<>();
        for (String subject : subjects(panel, medians)) {
            rows.add(new Row(
                    subject,
                    lines.stream().map(line -> entry(line, subject, medians)).toList()));
        }
        if (isCompared(panel, medians)) {
            rows.add(new Row(
                    "to the best rival",
                    lines.stream().map(line -> ratio(line, medians)).toList()));
        }
        return new Grid(header, rows);
    }

    private static boolean isCompared(Panel panel, Medians medians) {
        return panel.lines().stream()
                .anyMatch(line -> medians.ratio(line.experiment()).isPresent());
    }

    private static Entry entry(Panel.Line line, String subject, Medians medians) {
        Value value = medians.of(line.experiment()).get(subject);
        String paper = line.paper().getOrDefault(subject, "");
        if (value == null) {
            return new Entry("-", "", paper, null);
        }
        return new Entry(Markdown.number(value.median()), value.spread(), paper, null);
    }

    private static Entry ratio(Panel.Line line, Medians medians) {
        Optional<Ratio> ratio = medians.ratio(line.experiment());
        return ratio.map(each -> new Entry(each.text(), "", "", each.verdict())).orElse(EMPTY);
    }
}
