package io.flexdb.jmh.suite;

import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.suite.Medians.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Panels as SVG, to stand within a page: its text has the page's colour and can be read by whoever reads the page aloud.
 * Subjects have the classes {@code s0}, {@code s1} and so on, in the order of the table; the paper's figures are drawn
 * as outlines.
 */
final class Charts {
    static final int COLOURS = 7;

    private static final int WIDTH = 420; // about a phone's, where nothing has to shrink
    private static final int VALUE_WIDTH = 110; // beside the longest bar
    private static final int BAR = 14;
    private static final int ROW = 20;
    private static final int LEFT = 60;
    private static final int PLOT_HEIGHT = 240;
    private static final int TICKS = 4;
    private static final double LOGARITHMIC_FROM = 50; // the most for each of the least
    private static final int LETTER = 8; // its width

    private final StringBuilder svg = new StringBuilder();
    private final List<String> subjects;
    private final List<Panel.Line> lines;
    private final Medians medians;
    private double y;

    private Charts(List<String> subjects, List<Panel.Line> lines, Medians medians) {
        this.subjects = subjects;
        this.lines = lines;
        this.medians = medians;
    }

    /** The chart of a panel, if it has one. */
    static Optional<String> svg(Panel panel, Medians medians) {
        List<Panel.Line> measured = Grid.measured(panel, medians);
        if (measured.isEmpty() || (panel.shape() != Panel.Shape.BARS && panel.shape() != Panel.Shape.LINES)) {
            return Optional.empty();
        }
        // Figures of another unit than the first would have another axis.
        String unit = medians.unit(measured.get(0).experiment());
        List<Panel.Line> alike = measured.stream()
                .filter(line -> medians.unit(line.experiment()).equals(unit))
                .toList();
        Charts chart = new Charts(Grid.subjects(panel, medians), alike, medians);
        chart.legend(unit);
        if (panel.shape() == Panel.Shape.BARS) {
            chart.bars();
        } else {
            chart.curves();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"Chart of the table below: %s\">%s</svg>",
                WIDTH,
                chart.y,
                HtmlReport.escaped(panel.title()),
                chart.svg));
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private void text(double x, double baseline, String anchor, String text) {
        add("<text x=\"%.0f\" y=\"%.1f\"%s>%s</text>", x, baseline, anchor, HtmlReport.escaped(text));
    }

    private static int colour(int subject) {
        return subject % COLOURS;
    }

    private void legend(String unit) {
        double x = 0;
        y = ROW;
        for (int i = 0; i < subjects.size(); i++) {
            String subject = subjects.get(i);
            double width = 32 + (LETTER + 1) * subject.length();
            if (x + width > WIDTH && x > 0) {
                x = 0;
                y += ROW;
            }
            add("<rect class=\"s%d\" x=\"%.0f\" y=\"%.1f\" width=\"14\" height=\"14\"/>", colour(i), x, y - 12);
            text(x + 20, y, "", subject);
            x += width;
        }
        y += ROW;
        text(0, y, "", unit);
        y += ROW / 2.0;
    }

    // ---- bars

    private void bars() {
        double most = 0;
        for (Panel.Line line : lines) {
            for (Value value : medians.of(line.experiment()).values()) {
                most = Math.max(most, value.median());
            }
            for (String paper : line.paper().values()) {
                most = Math.max(most, number(paper));
            }
        }
        double scale = (WIDTH - VALUE_WIDTH) / Math.max(most, Double.MIN_NORMAL);
        for (Panel.Line line : lines) {
            y += ROW;
            text(0, y, "", line.label());
            y += 5;
            Map<String, Value> values = medians.of(line.experiment());
            for (int i = 0; i < subjects.size(); i++) {
                String subject = subjects.get(i);
                if (values.containsKey(subject)) {
                    double value = values.get(subject).median();
                    bar("s" + colour(i), value * scale, Markdown.number(value));
                }
                String paper = line.paper().getOrDefault(subject, "");
                if (number(paper) > 0) {
                    bar("paper-bar p" + colour(i), number(paper) * scale, paper + " (paper)");
                }
            }
        }
        y += 4;
    }

    private void bar(String style, double width, String label) {
        add(
                "<rect class=\"%s\" x=\"1\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
                style, y, Math.max(1, width), BAR - 2);
        text(width + 6, y + BAR - 3, "", label);
        y += BAR + 2;
    }

    /** The paper's figure as a number; 0 if it is none. */
    private static double number(String paper) {
        return paper.matches("[0-9]+(\\.[0-9]+)?") ? Double.parseDouble(paper) : 0;
    }

    // ---- lines

    /** A scale from values to places; logarithmic if they differ much. */
    private record Axis(double least, double most, boolean logarithmic, double from, double to) {
        static Axis of(List<Double> values, boolean fromZero, double from, double to) {
            double least =
                    values.stream().mapToDouble(Double::doubleValue).min().orElse(0);
            double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
            boolean logarithmic = least > 0 && most > least * LOGARITHMIC_FROM;
            return new Axis(fromZero && !logarithmic ? 0 : least, most, logarithmic, from, to);
        }

        double place(double value) {
            if (most <= least) {
                return from;
            }
            double share =
                    logarithmic ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
            return from + share * (to - from);
        }

        double tick(int number) {
            double share = (double) number / TICKS;
            return logarithmic ? least * Math.pow(most / least, share) : least + share * (most - least);
        }
    }

    private void curves() {
        double top = y + 8;
        double bottom = top + PLOT_HEIGHT;
        Axis across = Axis.of(lines.stream().map(Panel.Line::x).toList(), false, LEFT, WIDTH - 30);
        List<Double> all = new ArrayList<>();
        lines.forEach(line -> medians.of(line.experiment()).values().forEach(value -> all.add(value.median())));
        Axis up = Axis.of(all, true, bottom, top);
        for (int i = 0; i <= TICKS; i++) {
            double place = up.place(up.tick(i));
            add("<path class=\"axis\" d=\"M%d %.1fH%d\"/>", LEFT, place, WIDTH);
            text(LEFT - 6, place + 4, " text-anchor=\"end\"", up.tick(i) == 0 ? "0" : Markdown.number(up.tick(i)));
        }
        double next = 0;
        for (Panel.Line line : lines) {
            double place = across.place(line.x());
            double half = LETTER * line.label().length() / 2.0;
            if (place - half >= next) { // else it would cover the one before
                text(place, bottom + ROW, " text-anchor=\"middle\"", line.label());
                next = place + half;
            }
        }
        for (int i = 0; i < subjects.size(); i++) {
            curve(i, across, up);
        }
        y = bottom + ROW + 8;
    }

    private void curve(int subject, Axis across, Axis up) {
        Map<Double, Double> points = new TreeMap<>();
        for (Panel.Line line : lines) {
            Value value = medians.of(line.experiment()).get(subjects.get(subject));
            if (value != null) {
                points.put(line.x(), value.median());
            }
        }
        StringBuilder path = new StringBuilder();
        points.forEach((x, value) -> {
            double placeX = across.place(x);
            double placeY = up.place(value);
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : "L", placeX, placeY));
            add("<circle class=\"s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", colour(subject), placeX, placeY);
        });
        if (!points.isEmpty()) {
            add("<path class=\"curve p%d\" d=\"%s\"/>", colour(subject), path);
        }
    }
}
