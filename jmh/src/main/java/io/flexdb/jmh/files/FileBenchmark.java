package io.flexdb.jmh.files;

import io.flexdb.jmh.Jvm;
import io.flexdb.jmh.Markdown;
import io.flexdb.jmh.flexdb.KeyValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Is an ordered store a good place for files? What BetrFS (section 7 of its paper), KVFS and TableFS were measured with: a
 * deep tree of small files that is made, searched, listed, read, moved and deleted, and a large file that is written in
 * order and overwritten at random. FlexDB, RocksDB and LMDB have the same schema on the same code; {@code flexdb-files}
 * and the file system of the disk are used through {@code java.nio.file}.
 *
 * <p>Nobody forces anything, and the page cache is warm. All contents are checked. Each process does the same with
 * a small tree of its own first, so that a JVM has compiled what it is going to run.
 *
 * <pre>
 * jmh/run.sh program files --quick
 * jmh/run.sh program files --files=200k
 * </pre>
 */
public final class FileBenchmark {
    private final FileBenchmarkSettings settings;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** What was measured, of each subject once a round. */
    private record Row(
            String experiment,
            String unit,
            Map<FileSubject, List<Double>> values,
            Map<FileSubject, List<Double>> processorMicros) {}

    FileBenchmark(FileBenchmarkSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(FileBenchmarkSettings.commandLine(arguments).execute(arguments));
    }

    int run() throws IOException, InterruptedException {
        settings.run.prepare();
        boolean good = true;
        for (int round = 1; round <= settings.run.rounds; round++) {
            for (FileSubject subject : settings.subjects) {
                System.err.println(subject.label() + ", round " + round + " of " + settings.run.rounds);
                good &= measure(subject);
                Files.writeString(settings.run.json, json());
            }
        }
        System.out.println(table());
        System.out.println(processorTable());
        System.out.println("All figures: " + settings.run.json);
        return good ? 0 : 1;
    }

    private boolean measure(FileSubject subject) throws IOException, InterruptedException {
        Path own = settings.run.directory.resolve(subject.argument());
        KeyValue.remove(own);
        Files.createDirectories(own);
        boolean ended = measure(subject, own);
        KeyValue.remove(own);
        return ended;
    }

    private boolean measure(FileSubject subject, Path directory) throws IOException, InterruptedException {
        List<String> command = Jvm.command();
        command.add("-Xmx" + settings.heap);
        command.addAll(subject.jvmArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FileBenchmark.class.getName()));
        command.addAll(settings.arguments());
        command.addAll(List.of("--measure=" + subject, "--measure-in=" + directory));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split("\t");
                if (fields.length == 5 && fields[0].equals(FileWorkload.MARK)) {
                    double value = Double.parseDouble(fields[2]);
                    add(subject, fields[1], value, fields[3], Double.parseDouble(fields[4]));
                }
            }
        } finally {
            process.destroy();
        }
        boolean ended = process.waitFor() == 0;
        if (!ended) {
            System.err.println("FAILED: " + subject.label() + " ended with " + process.exitValue() + "; see above");
        }
        return ended;
    }

    void add(FileSubject subject, String experiment, double value, String unit, double processorMicros) {
        Row row = rows.computeIfAbsent(
                experiment, name -> new Row(name, unit, new LinkedHashMap<>(), new LinkedHashMap<>()));
        row.values.computeIfAbsent(subject, none -> new ArrayList<>()).add(value);
        row.processorMicros.computeIfAbsent(subject, none -> new ArrayList<>()).add(processorMicros);
    }

    /** A row for each experiment, a column for each subject: the medians of all rounds. */
    String table() {
        return table("unit", Row::unit, Row::values);
    }

    /** The same of the time of processors, for each file, entry or piece of 64 KiB. */
    String processorTable() {
        return table("processor", row -> "µs for each", Row::processorMicros);
    }

    private String table(
            String title, Function<Row, String> unit, Function<Row, Map<FileSubject, List<Double>>> values) {
        List<String> header = new ArrayList<>(List.of("", title));
        settings.subjects.forEach(subject -> header.add(subject.label()));
        List<List<String>> cells = new ArrayList<>();
        for (Row row : rows.values()) {
            List<String> line = new ArrayList<>(List.of(row.experiment, unit.apply(row)));
            for (FileSubject subject : settings.subjects) {
                List<Double> measured = values.apply(row).get(subject);
                line.add(measured == null ? "" : Markdown.number(Markdown.median(measured)));
            }
            cells.add(line);
        }
        return Markdown.table(header, cells);
    }

    /** All figures. */
    String json() {
        List<String> entries = new ArrayList<>();
        for (Row row : rows.values()) {
            row.values.forEach((subject, values) -> entries.add(String.format(
                    Locale.ROOT,
                    "{\"subject\": \"%s\", \"experiment\": \"%s\", \"unit\": \"%s\", \"values\": %s,"
                            + " \"processorMicros\": %s}",
                    subject.label(),
                    row.experiment,
                    row.unit,
                    values,
                    row.processorMicros.get(subject))));
        }
        return "[\n  " + String.join(",\n  ", entries) + "\n]\n";
    }
}
