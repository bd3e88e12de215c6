package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.Pictures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;

/** Draws what {@link KeyValue} has measured, as SVG: bars for experiments, lines over threads and sizes. */
final class KeyValuePictures {
    private static final String SPACE = "(|.*: )"; // before experiments if there are several

    private final List<Subject> stores;
    private final Comparison comparison;
    private final Path directory;

    KeyValuePictures(List<Subject> stores, Comparison comparison, Path directory) {
        this.stores = stores;
        this.comparison = comparison;
        this.directory = directory;
    }

    /** Writes a file for each figure that has anything to show. */
    void write() throws IOException {
        bars("table3", "Memory of what leads to pairs", "index memory");
        bars("figure12a", "Loads", "load [^,]*");
        bars("figure12b", "Bytes written for each byte put", "load [^,]*, written for each byte");
        bars("figure12c", "Reads", "GET [^,]*");
        bars("figure12d", "Scans", "SCAN [^,]*(, keys only)?");
        bars("figure12f", "Updates", "updates [^,]*(, least utilization [^,]*)?");
        bars("figure13", "YCSB", "YCSB [^,]*");
        for (String operation : List.of("PUT", "GET", "SCAN 50")) {
            lines("figure12e-" + fileName(operation), operation, "threads", operation + " Zipfian, ([\\d,]+) threads");
        }
        for (String each : List.of("load random", "PUT uniform", "GET uniform", "SCAN 50 uniform")) {
            lines("growth-" + fileName(each), each, "pairs", each + ", ([\\d,]+) pairs");
        }
        for (String each : List.of("open after a kill", "open after a close")) {
            lines("recovery-" + fileName(each), each, "pairs", each + ", ([\\d,]+) pairs");
        }
    }

    private static String fileName(String title) {
        return title.replace(' ', '-');
    }

    /** A group of bars for each experiment of such a name, a bar in it for each store. */
    private void bars(String file, String title, String name) throws IOException {
        Pattern pattern = Pattern.compile(SPACE + name);
        List<String> experiments = comparison.experiments().stream()
                .filter(each -> pattern.matcher(each).matches())
                .toList();
        if (experiments.isEmpty()) {
            return;
        }
        CategoryChart chart = Pictures.bars(title, comparison.unit(experiments.get(0)));
        for (Subject store : stores) {
            List<Double> values = new ArrayList<>();
            for (String experiment : experiments) {
                OptionalDouble median = comparison.median(experiment, store);
                values.add(median.isPresent() ? median.getAsDouble() : null);
            }
            if (values.stream().anyMatch(value -> value != null)) {
                chart.addSeries(store.label(), experiments, values);
            }
        }
        Pictures.write(chart, directory, file);
    }

    /** A line for each store over the number in the names of experiments; one for each space, if there are several. */
    private void lines(String file, String title, String x, String name) throws IOException {
        Pattern pattern = Pattern.compile(SPACE + name);
        TreeMap<String, TreeMap<Double, Double>> series = new TreeMap<>();
        String unit = "";
        for (String experiment : comparison.experiments()) {
            Matcher matcher = pattern.matcher(experiment);
            if (matcher.matches()) {
                unit = comparison.unit(experiment);
                for (Subject store : stores) {
                    double number = Double.parseDouble(matcher.group(2).replace(",", ""));
                    comparison
                            .median(experiment, store)
                            .ifPresent(value -> series.computeIfAbsent(
                                            matcher.group(1) + store.label(), absent -> new TreeMap<>())
                                    .put(number, value));
                }
            }
        }
        XYChart chart = Pictures.lines(title, x, unit);
        series.forEach(
                (label, points) -> chart.addSeries(label, List.copyOf(points.keySet()), List.copyOf(points.values())));
        Pictures.write(chart, directory, file);
    }
}
