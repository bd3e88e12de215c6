package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.Markdown;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** What was measured, for the tables and for the file of results. */
final class Measurements {
    private record Key(String experiment, String subject) {}

    private record Measurement(int round, Key key, double value, String unit) {}

    private final PrintStream progress;
    private final List<Measurement> all = new ArrayList<>();
    private final Map<Key, List<Double>> values = new HashMap<>();
    private int round = 1;

    /** Shows each measurement when it is made. */
    Measurements(PrintStream progress) {
        this.progress = progress;
    }

    void startRound(int number) {
        round = number;
        progress.println("round " + number);
    }

    /** Takes a measurement; one that isn't finite, for lack of time to measure, is left out. */
    void add(String experiment, String subject, double value, String unit) {
        if (!Double.isFinite(value)) {
            return;
        }
        Key key = new Key(experiment, subject);
        all.add(new Measurement(round, key, value, unit));
        values.computeIfAbsent(key, absent -> new ArrayList<>()).add(value);
        progress.printf(Locale.ROOT, "  %s, %s: %s %s%n", experiment, subject, Markdown.number(value), unit);
    }

    /** Tells what could not be measured. */
    void note(String text) {
        progress.println("  " + text);
    }

    /** The median of the rounds, if there is one. */
    OptionalDouble median(String experiment, String subject) {
        List<Double> measured = values.get(new Key(experiment, subject));
        return measured == null ? OptionalDouble.empty() : OptionalDouble.of(Markdown.median(measured));
    }

    /** The median for a table, empty if there is none. */
    String cell(String experiment, String subject) {
        OptionalDouble median = median(experiment, subject);
        return median.isPresent() ? Markdown.number(median.getAsDouble()) : "";
    }

    /** All measurements, in order. */
    String json() {
        StringBuilder json = new StringBuilder("[");
        for (Measurement each : all) {
            json.append(json.length() == 1 ? "\n" : ",\n");
            json.append(String.format(
                    Locale.ROOT,
                    "{\"round\": %d, \"experiment\": \"%s\", \"subject\": \"%s\", \"value\": %s, \"unit\": \"%s\"}",
                    each.round,
                    each.key.experiment,
                    each.key.subject,
                    each.value,
                    each.unit));
        }
        return json.append("\n]\n").toString();
    }
}
