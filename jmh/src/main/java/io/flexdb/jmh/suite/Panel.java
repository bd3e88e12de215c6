package io.flexdb.jmh.suite;

import java.util.List;
import java.util.Map;

/**
 * A table of the report: an experiment a line, a subject a column, or the other way round.
 *
 * @param lines in the order shown; those without a figure are left out
 */
record Panel(String title, Shape shape, List<Line> lines) {
    /** How it is drawn. */
    enum Shape {
        /** A table with a row for each experiment. */
        TABLE,
        /** A table with a row for each subject. */
        TABLE_BY_SUBJECT,
        /** A table with a row for each experiment, and a chart of bars, a group for each experiment. */
        BARS,
        /** A table with a row for each experiment, and a chart of lines over {@link Line#x}. */
        LINES
    }

    /**
     * An experiment.
     *
     * @param label in the table
     * @param x its place on the axis of {@link Shape#LINES}; else unused
     * @param experiment of the {@link Figure}s
     * @param paper the paper's figures as printed, by subject, in the unit of the figures
     */
    record Line(String label, double x, String experiment, Map<String, String> paper) {
        Line(String label, String experiment, Map<String, String> paper) {
            this(label, Double.NaN, experiment, paper);
        }

        Line(String label, String experiment) {
            this(label, experiment, Map.of());
        }

        Line(String label, double x, String experiment) {
            this(label, x, experiment, Map.of());
        }
    }
}
