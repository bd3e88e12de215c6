package io.flexdb.jmh.files;

import io.flexdb.jmh.Markdown;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Is an ordered store a good place for files? What BetrFS (section 7 of its paper), KVFS and TableFS were measured with: a
 * deep tree of small files that is made, searched, listed, read, moved and deleted, and a large file that is written in
 * order and overwritten at random. FlexDB, RocksDB and LMDB have the same schema on the same code; {@code flexdb-files}
 * and the file system of the disk are used through {@code java.nio.file}.
 *
 * <p>Nobody forces anything, and the page cache is warm. All contents are checked.
 *
 * <pre>
 * jmh/files.sh --quick
 * jmh/files.sh --files=200k
 * </pre>
 */
public final class FileBenchmark {
    private final FileBenchmarkSettings settings;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    private record Row(String experiment, String unit, Map<FileSubject, Double> values) {}

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
        boolean good = true;
        for (FileSubject subject : settings.subjects) {
            Path own = settings.directory.resolve(subject.name().toLowerCase(Locale.ROOT));
            remove(own);
            Files.createDirectories(own);
            System.err.println(subject.label());
            good &= measure(subject, own);
            remove(own);
            Files.writeString(settings.json, json());
        }
        System.out.println(table());
        System.out.println("All figures: " + settings.json);
        return good ? 0 : 1;
    }

    private boolean measure(FileSubject subject, Path directory) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
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
                if (fields.length == 4 && fields[0].equals(FileWorkload.MARK)) {
                    add(subject, fields[1], Double.parseDouble(fields[2]), fields[3]);
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

    void add(FileSubject subject, String experiment, double value, String unit) {
        rows.computeIfAbsent(experiment, name -> new Row(name, unit, new EnumMap<>(FileSubject.class)))
                .values()
                .put(subject, value);
    }

    /** A row for each experiment, a column for each subject. */
    String table() {
        List<String> header = new ArrayList<>(List.of("", "unit"));
        settings.subjects.forEach(subject -> header.add(subject.label()));
        List<List<String>> cells = new ArrayList<>();
        for (Row row : rows.values()) {
            List<String> line = new ArrayList<>(List.of(row.experiment, row.unit));
            for (FileSubject subject : settings.subjects) {
                Double value = row.values.get(subject);
                line.add(value == null ? "" : Markdown.number(value));
            }
            cells.add(line);
        }
        return Markdown.table(header, cells);
    }

    /** All figures. */
    String json() {
        List<String> entries = new ArrayList<>();
        for (Row row : rows.values()) {
            row.values.forEach((subject, value) -> entries.add(String.format(
                    Locale.ROOT,
                    "{\"subject\": \"%s\", \"experiment\": \"%s\", \"value\": %s, \"unit\": \"%s\"}",
                    subject.label(),
                    row.experiment,
                    value,
                    row.unit)));
        }
        return "[\n  " + String.join(",\n  ", entries) + "\n]\n";
    }

    private static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        }
    }
}
