package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.Pictures;
import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import io.flexdb.jmh.flexspace.Table2Settings.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.knowm.xchart.XYChart;

/** Draws the figures of {@link Table2}, as SVG: what is measured over sizes, threads or records. */
final class Table2Pictures {
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
        if (settings.parts.contains(Part.FIGURE2)) {
            XYChart chart = Pictures.lines(
                    "Insertion of blocks at random places", "bytes of the address space", "insertions/s");
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
            XYChart chart =
                    Pictures.lines("Insertion of 100 bytes at random places", "records", "million insertions/s");
            List<Long> counts = SmallRecords.counts(settings);
            draw("small", chart, SmallRecords.places(), counts, SmallRecords::experiment, 1 / MILLION);
        }
    }

    private void figure11(boolean sequential, boolean cold) throws IOException {
        String kind = (cold ? "cold" : "warm") + "-" + (sequential ? "sequential" : "random");
        XYChart chart = Pictures.lines("Reads after random writes, " + kind.replace("-", ", "), "threads", "GB/s");
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
        Pictures.write(chart, directory, file);
    }
}
