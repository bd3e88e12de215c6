package io.flexdb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The figures of a run, as a table for people and as comma separated values. */
final class Report {
    private static final List<String> COLUMNS = List.of(
            "workload",
            "operations/s",
            "operation",
            "count",
            "average µs",
            "p95 µs",
            "p99 µs",
            "p99.9 µs",
            "longest µs",
            "not OK",
            "on disk MiB",
            "written/data");
    private static final List<Integer> TEXT_COLUMNS = List.of(0, 2);

    private final List<Row> rows = new ArrayList<>();

    /**
     * One operation of one phase. Latencies are in microseconds. {@code writtenPerData} is how many bytes all files of
     * the store got for each byte of keys and values put, both since the load began.
     */
    private record Row(
            String phase,
            boolean firstOfPhase,
            double operationsPerSecond,
            Operation operation,
            Histogram latencies,
            long failures,
            double diskMebibytes,
            double writtenPerData) {

        double microsAt(double percentile) {
            return latencies.getValueAtPercentile(percentile) / 1e3;
        }

        double meanMicros() {
            return latencies.getMean() / 1e3;
        }
    }

    /** Adds what a phase did and how large the store was after it. */
    void add(Phase.Result phase, long diskBytes, double writtenPerData) {
        double perSecond = phase.measurements().operations() * 1e9 / Math.max(phase.elapsedNanos(), 1);
        boolean first = true;
        for (Map.Entry<Operation, Histogram> entry :
                phase.measurements().latencies().entrySet()) {
            Operation operation = entry.getKey();
            long failures = failuresOf(operation, phase.measurements());
            double mebibytes = diskBytes / (1024.0 * 1024.0);
            rows.add(new Row(
                    phase.name(), first, perSecond, operation, entry.getValue(), failures, mebibytes, writtenPerData));
            first = false;
        }
    }

    /** The table, its columns aligned; it is a Markdown table too. */
    String table() {
        List<List<String>> cells = new ArrayList<>();
        for (Row row : rows) {
            boolean first = row.firstOfPhase;
            cells.add(List.of(
                    first ? row.phase : "",
                    first ? String.format(Locale.ROOT, "%,.0f", row.operationsPerSecond) : "",
                    row.operation.label(),
                    String.format(Locale.ROOT, "%,d", row.latencies.getTotalCount()),
                    micros(row.meanMicros()),
                    micros(row.microsAt(95)),
                    micros(row.microsAt(99)),
                    micros(row.microsAt(99.9)),
                    micros(row.microsAt(100)),
                    String.format(Locale.ROOT, "%,d", row.failures),
                    first ? String.format(Locale.ROOT, "%,.0f", row.diskMebibytes) : "",
                    first ? String.format(Locale.ROOT, "%.2f", row.writtenPerData) : ""));
        }
        int[] widths = new int[COLUMNS.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = COLUMNS.get(i).length();
            for (List<String> line : cells) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder table = new StringBuilder();
        appendLine(table, COLUMNS, widths);
        for (int i = 0; i < widths.length; i++) {
            table.append('|').append("-".repeat(widths[i] + 1)).append(TEXT_COLUMNS.contains(i) ? "-" : ":");
        }
        table.append("|\n");
        for (List<String> line : cells) {
            appendLine(table, line, widths);
        }
        return table.toString();
    }

    /** All rows for other programs: every cell is filled, and figures are not rounded. */
    String commaSeparated() {
        StringBuilder csv = new StringBuilder("workload,operations_per_second,operation,count,average_us,p95_us,p99_us,"
                + "p999_us,max_us,not_ok,disk_mib,written_per_data\n");
        for (Row row : rows) {
            csv.append(String.format(
                    Locale.ROOT,
                    "%s,%.1f,%s,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%d,%.1f,%.4f%n",
                    row.phase,
                    row.operationsPerSecond,
                    row.operation.label(),
                    row.latencies.getTotalCount(),
                    row.meanMicros(),
                    row.microsAt(95),
                    row.microsAt(99),
                    row.microsAt(99.9),
                    row.microsAt(100),
                    row.failures,
                    row.diskMebibytes,
                    row.writtenPerData));
        }
        return csv.toString();
    }

    private static void appendLine(StringBuilder table, List<String> line, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            String alignment = TEXT_COLUMNS.contains(i) ? "-" : "";
            table.append("| ").append(String.format(Locale.ROOT, "%" + alignment + widths[i] + "s ", line.get(i)));
        }
        table.append("|\n");
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
    }

    private static long failuresOf(Operation operation, Measurements measurements) {
        long sum = 0;
        for (Map.Entry<String, Long> failure : measurements.failures().entrySet()) {
            if (failure.getKey().startsWith(operation.label() + " ")) {
                sum += failure.getValue();
            }
        }
        return sum;
    }
}
