package io.flexdb.jmh.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.jmh.Pictures;
import io.flexdb.jmh.suite.Medians.Value;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Panels as SVG. */
final class Charts {
    /** Told apart by those who do not see all colours, too; ours is the first. */
    private static final Color[] COLORS = {
        new Color(0x0072b2),
        new Color(0xe69f00),
        new Color(0x009e73),
        new Color(0xcc79a7),
        new Color(0x56b4e9),
        new Color(0xd55e00),
        new Color(0x999999)
    };

    private static final int FONT_SIZE = 15;
    private static final int UPRIGHT_LABELS = 7; // beside each other; more are turned

    /** Tenths of a pixel are enough, and make a file a quarter as long: letters are drawn as curves. */
    private static final Pattern DECIMALS = Pattern.compile("(\\.\\d)\\d+");

    private Charts() {}

    /** The chart of a panel, if it has one. */
    static Optional<String> svg(Panel panel, Medians medians) throws IOException {
        List<Panel.Line> lines = Grid.measured(panel, medians);
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        // Figures of another unit than the first would have another axis.
        String unit = medians.unit(lines.get(0).experiment());
        List<Panel.Line> alike = lines.stream()
                .filter(line -> medians.unit(line.experiment()).equals(unit))
                .toList();
        return switch (panel.shape()) {
            case BARS -> Optional.of(svg(bars(panel, alike, unit, medians)));
            case LINES -> Optional.of(svg(lines(panel, alike, unit, medians)));
            case TABLE, TABLE_BY_SUBJECT -> Optional.empty();
        };
    }

    private static Chart<?, ?> bars(Panel panel, List<Panel.Line> lines, String unit, Medians medians) {
        CategoryChart chart = Pictures.bars("", unit);
        chart.getStyler()
                .setXAxisLabelRotation(lines.size() > UPRIGHT_LABELS ? 90 : 0)
                .setSeriesColors(COLORS);
        for (String subject : Grid.subjects(panel, medians)) {
            List<Double> values = new ArrayList<>();
            for (Panel.Line line : lines) {
                Value value = medians.of(line.experiment()).get(subject);
                values.add(value == null ? null : value.median());
            }
            if (values.stream().anyMatch(value -> value != null)) {
                chart.addSeries(subject, lines.stream().map(Panel.Line::label).toList(), values);
            }
        }
        return chart;
    }

    private static Chart<?, ?> lines(Panel panel, List<Panel.Line> lines, String unit, Medians medians) {
        XYChart chart = Pictures.lines("", panel.title(), unit);
        chart.getStyler().setYAxisMin(0.0).setSeriesColors(COLORS);
        for (String subject : Grid.subjects(panel, medians)) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (Panel.Line line : lines) {
                Map<String, Value> values = medians.of(line.experiment());
                if (values.containsKey(subject)) {
                    x.add(line.x());
                    y.add(values.get(subject).median());
                }
            }
            if (!x.isEmpty()) {
                chart.addSeries(subject, x, y);
            }
        }
        return chart;
    }

    private static String svg(Chart<?, ?> chart) throws IOException {
        Font font = new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE);
        chart.getStyler()
                .setLegendPosition(LegendPosition.OutsideS)
                .setLegendLayout(LegendLayout.Horizontal)
                .setLegendFont(font)
                .setLegendBorderColor(Color.WHITE)
                .setChartTitleVisible(false);
        if (chart instanceof CategoryChart bars) {
            bars.getStyler().setAxisTickLabelsFont(font).setAxisTitleFont(font);
        } else if (chart instanceof XYChart xy) {
            xy.getStyler().setAxisTickLabelsFont(font).setAxisTitleFont(font);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        VectorGraphicsEncoder.saveVectorGraphic(chart, bytes, VectorGraphicsFormat.SVG);
        return DECIMALS.matcher(bytes.toString(UTF_8)).replaceAll("$1");
    }
}
