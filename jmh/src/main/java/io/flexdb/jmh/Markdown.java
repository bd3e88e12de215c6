package io.flexdb.jmh;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;

/** Tables in Markdown, and the numbers in them. */
public final class Markdown {
    private static final int FIGURES = 3; // significant ones, as most in the paper

    private Markdown() {}

    /** A table; the first column is for names, "-" stands where a cell is empty. */
    public static String table(List<String> header, List<List<String>> rows) {
        StringBuilder table = new StringBuilder();
        append(table, header);
        table.append("| ---");
        table.append(" | ---:".repeat(header.size() - 1));
        table.append(" |").append(System.lineSeparator());
        rows.forEach(row -> append(table, row));
        return table.toString();
    }

    private static void append(StringBuilder table, List<String> cells) {
        table.append('|');
        for (String cell : cells) {
            table.append(' ').append(cell.isEmpty() ? "-" : cell).append(" |");
        }
        table.append(System.lineSeparator());
    }

    /** Three significant figures: 4.50, not 4.5. */
    public static String number(double value) {
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(FIGURES));
        int beforePoint = rounded.precision() - rounded.scale();
        return rounded.setScale(Math.max(0, FIGURES - beforePoint)).toPlainString();
    }

    /** 10^7 for ten million; other numbers as they are. */
    public static String power(long number) {
        int exponent = (int) Math.round(Math.log10(number));
        return Math.pow(10, exponent) == number ? "10^" + exponent : String.format(Locale.ROOT, "%,d", number);
    }

    /** The middle one, or the mean of the two in the middle. */
    public static double median(List<Double> measured) {
        double[] sorted =
                measured.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
