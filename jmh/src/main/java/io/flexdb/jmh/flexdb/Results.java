package io.flexdb.jmh.flexdb;

import java.io.PrintStream;
import java.util.Locale;

/** How the process of a store tells the one that started it what it has measured: one line for each figure or note. */
final class Results {
    private static final String MARK = "measured";
    private static final String NOTE_MARK = "noted";

    private final PrintStream out;
    private Part part = Part.PUT;

    Results(PrintStream out) {
        this.out = out;
    }

    /** One figure. */
    record Figure(Part part, String experiment, double value, String unit) {
        Figure withPrefix(String prefix) {
            return new Figure(part, prefix + experiment, value, unit);
        }
    }

    /** Says what the next figures are of. */
    void begin(Part newPart) {
        part = newPart;
    }

    void add(String experiment, double value, String unit) {
        out.printf(Locale.ROOT, "%s\t%s\t%s\t%s\t%s%n", MARK, part, experiment, value, unit);
        out.flush();
    }

    /** Something that the reader of the table must know. */
    void note(String text) {
        out.printf(Locale.ROOT, "%s\t%s: %s%n", NOTE_MARK, part.argument(), text);
        out.flush();
    }

    /** Reads a line; null if it is no figure. */
    static Figure parse(String line) {
        String[] fields = line.split("\t");
        return fields.length == 5 && fields[0].equals(MARK)
                ? new Figure(Part.valueOf(fields[1]), fields[2], Double.parseDouble(fields[3]), fields[4])
                : null;
    }

    /** Reads a line; null if it is no note. */
    static String parseNote(String line) {
        return line.startsWith(NOTE_MARK + "\t") ? line.substring(NOTE_MARK.length() + 1) : null;
    }
}
