package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import io.flexdb.jmh.flexspace.Table2Settings.Part;
import io.flexdb.jmh.flexspace.Table2Settings.RecoveryCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;

/** Makes the tables of {@link Table2}, in Markdown. Ratios are to the best of the rivals, whatever best means. */
final class Table2Report {
    private static final List<String> LESS_IS_BETTER = List.of(WriteAndRead.DEVICE, WriteAndRead.COUNTED);

    private final Table2Settings settings;
    private final Measurements measurements;
    private final List<String> names;
    private final StringBuilder text = new StringBuilder();

    Table2Report(Table2Settings settings, Measurements measurements) {
        this.settings = settings;
        this.measurements = measurements;
        this.names = settings.subjects().stream().map(Subject::name).toList();
    }

    /** The tables of the parts that were asked for. */
    String text() {
        if (settings.cacheBytes > 0) {
            text.append("FlexSpace reads with a cache of ")
                    .append(size(settings.cacheBytes))
                    .append('.')
                    .append(System.lineSeparator());
        }
        if (settings.logBytes > 0) {
            text.append("FlexSpace begins a checkpoint after ")
                    .append(size(settings.logBytes))
                    .append(" of log.")
                    .append(System.lineSeparator());
        }
        for (Part part : settings.parts) {
            switch (part) {
                case RAW -> raw();
                case TABLE2 -> settings.blockSizes.forEach(this::table2);
                case FIGURE2 -> figure2();
                case FIGURE11 -> figure11();
                case SMALL -> small();
                case GC -> garbageCollection();
                case RECOVERY -> recovery();
            }
        }
        return text.toString();
    }

    private void table(List<String> header, List<List<String>> rows) {
        text.append(text.length() == 0 ? "" : System.lineSeparator()).append(Markdown.table(header, rows));
    }

    private void raw() {
        List<List<String>> rows = new ArrayList<>();
        for (String name : names) {
            rows.add(List.of("directory of " + name, measurements.cell(RawWrites.EXPERIMENT, name)));
        }
        table(List.of("GB/s", "raw writes of 4 MiB"), rows);
    }

    private void table2(int blockBytes) {
        List<String> header =
                new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d blocks of %,d", settings.blocks, blockBytes)));
        for (Pattern pattern : Pattern.values()) {
            header.add(pattern.label);
            header.add("paper");
        }
        List<List<String>> rows = new ArrayList<>();
        addRows(rows, "write GB/s", WriteAndRead.WRITE, blockBytes);
        addRows(rows, "insert GB/s, first tenth", WriteAndRead.FIRST_TENTH, blockBytes);
        addRows(rows, "insert GB/s, last tenth", WriteAndRead.LAST_TENTH, blockBytes);
        addRows(rows, "write amplification, counted", WriteAndRead.COUNTED, blockBytes);
        addRows(rows, "write amplification, disk", WriteAndRead.DEVICE, blockBytes);
        for (boolean cold : new boolean[] {true, false}) {
            for (boolean sequential : new boolean[] {true, false}) {
                String label = (sequential ? "sequential" : "random") + " read GB/s, " + (cold ? "cold" : "warm");
                addRows(rows, label, WriteAndRead.reading(sequential, cold, 1), blockBytes);
            }
        }
        table(header, rows);
    }

    /** A row for each subject that has a figure, and the ratio if there are rivals. */
    private void addRows(List<List<String>> rows, String label, String metric, int blockBytes) {
        List<List<String>> added = new ArrayList<>();
        for (String name : names) {
            List<String> row = new ArrayList<>(List.of(label + ", " + name));
            for (Pattern pattern : Pattern.values()) {
                row.add(cell(metric, pattern, blockBytes, name));
                row.add(PaperFigures.cell(metric, pattern, blockBytes, settings.blocks, name));
            }
            if (row.stream().skip(1).anyMatch(cell -> !cell.isEmpty())) {
                added.add(row);
            }
        }
        if (added.size() > 1) {
            List<String> row = new ArrayList<>(List.of(label + ", ratio to the best rival"));
            for (Pattern pattern : Pattern.values()) {
                String experiment = WriteAndRead.experiment(metric, pattern, blockBytes);
                boolean less = LESS_IS_BETTER.contains(metric);
                row.add(ratio(less, names, name -> measurements.median(experiment, name)));
                row.add(ratio(
                        less, names, name -> PaperFigures.value(metric, pattern, blockBytes, settings.blocks, name)));
            }
            added.add(row);
        }
        rows.addAll(added);
    }

    /** The rate of insertions that were ended before time with the MiB they came to. */
    private String cell(String metric, Pattern pattern, int blockBytes, String name) {
        String cell = measurements.cell(WriteAndRead.experiment(metric, pattern, blockBytes), name);
        String inserted = measurements.cell(WriteAndRead.experiment(WriteAndRead.INSERTED, pattern, blockBytes), name);
        boolean ended = metric.equals(WriteAndRead.WRITE) && !inserted.isEmpty();
        return ended ? cell + " (first " + inserted + " MiB)" : cell;
    }

    private static String ratio(boolean less, List<String> names, Function<String, OptionalDouble> values) {
        OptionalDouble ours = values.apply(names.get(0));
        double[] rivals = names.stream()
                .skip(1)
                .map(values)
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .sorted()
                .toArray();
        if (ours.isEmpty() || rivals.length == 0) {
            return "";
        }
        return Markdown.number(ours.getAsDouble() / rivals[less ? 0 : rivals.length - 1]);
    }

    private void figure2() {
        List<String> header = new ArrayList<>(List.of("insertions/s"));
        settings.insertSizes.forEach(bytes -> header.add(size(bytes)));
        comparison(header, InsertAtSize.names(settings), settings.insertSizes, InsertAtSize::experiment);
    }

    private void figure11() {
        int blockBytes = settings.blockSizes.get(0);
        for (boolean cold : new boolean[] {true, false}) {
            for (boolean sequential : new boolean[] {true, false}) {
                List<String> header = new ArrayList<>(
                        List.of((sequential ? "sequential" : "random") + " read GB/s, " + (cold ? "cold" : "warm")));
                settings.threads.forEach(count -> header.add(count == 1 ? "1 thread" : count + " threads"));
                comparison(
                        header,
                        names,
                        settings.threads,
                        count -> WriteAndRead.experiment(
                                WriteAndRead.reading(sequential, cold, count), Pattern.RANDOM_WRITE, blockBytes));
            }
        }
    }

    private <T> void comparison(
            List<String> header, List<String> rowNames, List<T> columns, Function<T, String> experiment) {
        List<List<String>> rows = new ArrayList<>();
        for (String name : rowNames) {
            List<String> row = new ArrayList<>(List.of(name));
            columns.forEach(column -> row.add(measurements.cell(experiment.apply(column), name)));
            rows.add(row);
        }
        if (rowNames.size() > 1) {
            List<String> row = new ArrayList<>(List.of("ratio to the best rival"));
            columns.forEach(column ->
                    row.add(ratio(false, rowNames, name -> measurements.median(experiment.apply(column), name))));
            rows.add(row);
        }
        table(header, rows);
    }

    private void small() {
        List<List<String>> rows = new ArrayList<>();
        for (long records : SmallRecords.counts(settings)) {
            rows.add(smallRow(Markdown.power(records), SmallRecords.experiment(records)));
        }
        rows.add(smallRow("seconds of a sync then", SmallRecords.SYNC));
        rows.add(smallRow("written for each byte", SmallRecords.WRITTEN));
        List<String> header =
                new ArrayList<>(List.of("insertions/s of " + SmallRecords.RECORD_BYTES + " bytes, up to"));
        header.addAll(SmallRecords.places());
        table(header, rows);
    }

    private List<String> smallRow(String label, String experiment) {
        List<String> row = new ArrayList<>(List.of(label));
        SmallRecords.places().forEach(place -> row.add(measurements.cell(experiment, place)));
        return row;
    }

    private void garbageCollection() {
        List<String> header = new ArrayList<>(List.of("utilization wanted"));
        header.addAll(Overwrites.METRICS);
        List<List<String>> rows = new ArrayList<>();
        for (double utilization : settings.utilizations) {
            List<String> row = new ArrayList<>(List.of(Double.toString(utilization)));
            Overwrites.METRICS.forEach(metric -> row.add(ours(Overwrites.experiment(utilization, metric))));
            rows.add(row);
        }
        table(header, rows);
    }

    private void recovery() {
        List<List<String>> rows = new ArrayList<>();
        for (RecoveryCase recovery : settings.recoveries) {
            rows.add(List.of(
                    size(recovery.bytes()) + ", " + Markdown.power(recovery.extents()) + " extents",
                    ours(Recovery.experiment(Recovery.CLEAN, recovery)),
                    ours(Recovery.experiment(Recovery.CRASHED, recovery)),
                    ours(Recovery.experiment(Recovery.LOG, recovery)),
                    ours(Recovery.experiment(Recovery.CHECK, recovery)),
                    ours(Recovery.experiment(Recovery.READ, recovery))));
        }
        table(
                List.of(
                        "seconds to open",
                        "after a close",
                        "after a crash",
                        "log bytes after the crash",
                        "check, GB/s",
                        "reading, GB/s"),
                rows);
    }

    private String ours(String experiment) {
        return measurements.cell(experiment, names.get(0));
    }

    private static String size(long bytes) {
        String units = " KMG";
        int unit = 0;
        long rest = bytes;
        while (rest % 1024 == 0 && unit < units.length() - 1) {
            rest /= 1024;
            unit++;
        }
        return unit == 0 ? rest + " bytes" : rest + " " + units.charAt(unit) + "iB";
    }
}
