package io.flexdb.jmh.flexdb;

import java.io.PrintStream;
import java.util.Locale;

/** How the process of a store tells the one that started it what it has measured: one line for each figure. */
final class Results {
    private static final String MARK = "measured";

    private final PrintStream out;

    Results(PrintStream out) {
        this.out = out;
    }

    /** One figure. */
    record Figure(String experiment, double value, String unit) {}

    void add(String experiment, double value, String unit) {
        out.printf(Locale.ROOT, "%s\t%s\t%s\t%s%n", MARK, experiment, value, unit);
        out.flush();
    }

    /** Reads a line; null if it is none of these. */
    static Figure parse(String line) {
        String[] fields = line.split("\t");
        return fields.length == 4 && fields[0].equals(MARK)
                ? new Figure(fields[1], Double.parseDouble(fields[2]), fields[3])
                : null;
    }
}
