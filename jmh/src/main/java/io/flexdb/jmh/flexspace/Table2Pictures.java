package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import io.flexdb.jmh.flexspace.Table2Settings.Part;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;

/** Draws the figures of {@link Table2}, as SVG: what is measured over sizes, threads or records. */
final class Table2Pictures {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 500;
    private static final double MILLION = 1e6;

    private final Table2Settings settings;
    private final Measurements measurements;
    private final List<String> names;
    private final Path directory;

    Table2Pictures(Table2Settings settings, Measurements measurements, Path directory) {
        this.settings = settings;
        this.measurements = measurements;
        this.names = settings.subjects().stream().map(Subject::name).toList();
        this.directory = directory;
    }

    /** Writes a file for each figure that has anything to show. */
    void write() throws IOException {
        Files.createDirectories(directory);
        if (settings.parts.contains(Part.FIGURE2)) {
            XYChart chart = chart("Insertion of blocks at random places", "bytes of the address space", "insertions/s");
            chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
            draw("figure2", chart, InsertAtSize.names(settings), settings.insertSizes, InsertAtSize::experiment, 1);
        }
        if (settings.parts.contains(Part.FIGURE11)) {
            for (boolean cold : new boolean[] {true, false}) {
                for (boolean sequential : new boolean[] {true, false}) {
                    figure11(sequential, cold);
                }
            }
        }
        if (settings.parts.contains(Part.SMALL)) {
            XYChart chart = chart("Insertion of 100 bytes at random places", "records", "million insertions/s");
            List<Long> counts = SmallRecords.counts(settings);
            draw("small", chart, SmallRecords.places(), counts, SmallRecords::experiment, 1 / MILLION);
        }
    }

    private void figure11(boolean sequential, boolean cold) throws IOException {
        String kind = (cold ? "cold" : "warm") + "-" + (sequential ? "sequential" : "random");
        XYChart chart = chart("Reads after random writes, " + kind.replace("-", ", "), "threads", "GB/s");
        int blockBytes = settings.blockSizes.get(0);
        draw(
                "figure11-" + kind,
                chart,
                names,
                settings.threads,
                count -> WriteAndRead.experiment(
                        WriteAndRead.reading(sequential, cold, count), Pattern.RANDOM_WRITE, blockBytes),
                1);
    }

    private static XYChart chart(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    /** A line for each subject; what could not be measured is left out. */
    private <T extends Number> void draw(
            String file,
            XYChart chart,
            List<String> subjects,
            List<T> columns,
            Function<T, String> experiment,
            double unit)
            throws IOException {
        for (String subject : subjects) {
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (T column : columns) {
                OptionalDouble median = measurements.median(experiment.apply(column), subject);
                if (median.isPresent()) {
                    x.add(column.doubleValue());
                    y.add(median.getAsDouble() * unit);
                }
            }
            if (!x.isEmpty()) {
                chart.addSeries(subject, x, y);
            }
        }
        if (!chart.getSeriesMap().isEmpty()) {
            Path target = directory.resolve(file + ".svg");
            VectorGraphicsEncoder.saveVectorGraphic(chart, target.toString(), VectorGraphicsFormat.SVG);
        }
    }
}
