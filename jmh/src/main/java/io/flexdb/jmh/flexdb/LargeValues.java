package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import io.flexdb.jmh.BenchmarkOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Puts and gets large values, in FlexDB beside its rivals, and tells what was written for each byte of them.
 *
 * <pre>
 * jmh/run.sh program values --mebibytes=512
 * </pre>
 *
 * Each line has a new store, to which so many values are put in random order that they have so many bytes, a third of
 * them overwritten; it is closed, since then all has to be where it belongs, opened again, and each value is read.
 */
@Command(name = "values", sortOptions = false, description = "Measures large values, and prints a table.")
public final class LargeValues implements Callable<Integer> {
    @Option(names = "--mebibytes", defaultValue = "512", description = "Of a line of the table. Default: 512.")
    private long mebibytes;

    @Option(
            names = "--values",
            split = ",",
            defaultValue = "64k,1m,16m",
            converter = BenchmarkOptions.Count.class,
            description = "Bytes of a value. Default: ${DEFAULT-VALUE}.")
    private List<Integer> valueSizes;

    @Option(
            names = "--stores",
            split = ",",
            description = "Of ${COMPLETION-CANDIDATES}. Default: FlexDB, and those set for large values.")
    private List<Subject> candidates = Subject.allFor(Use.LARGE_VALUES);

    @Option(
            names = "--durabilities",
            split = ",",
            defaultValue = "os,sync",
            description = "Of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private List<Durability> durabilities;

    @Option(names = "--rounds", defaultValue = "1", description = "How often all is measured. Default: 1.")
    private int rounds;

    @Option(names = "--dir", defaultValue = "jmh/target/values", description = "Where to write.")
    private Path directory;

    @Option(names = "--json", defaultValue = "jmh/target/values.json", description = "Where all figures go.")
    private Path json;

    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    private boolean help;

    private final List<String> figures = new ArrayList<>();

    private LargeValues() {}

    /** @param arguments see {@code --help} */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new LargeValues()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public Integer call() throws IOException {
        System.out.println("| store | durability | value | put, MB/s | get, MB/s | written for each byte |");
        System.out.println("|---|---|---:|---:|---:|---:|");
        for (int round = 1; round <= rounds; round++) {
            for (Durability durability : durabilities) {
                for (int valueBytes : valueSizes) {
                    for (Subject candidate : candidates) {
                        measure(candidate, durability, valueBytes);
                        Files.writeString(json, "[\n" + String.join(",\n", figures) + "\n]\n");
                    }
                }
            }
        }
        System.out.println("All figures: " + json);
        return 0;
    }

    private void add(Subject candidate, String experiment, double value, String unit) {
        figures.add(String.format(
                Locale.ROOT,
                "{\"store\": \"%s\", \"experiment\": \"%s\", \"value\": %s, \"unit\": \"%s\"}",
                candidate.label(Use.LARGE_VALUES),
                experiment,
                value,
                unit));
    }

    private void measure(Subject candidate, Durability durability, int valueBytes) throws IOException {
        Path place = directory.resolve("values");
        KeyValue.remove(place); // of a run that was killed
        Files.createDirectories(place);
        StoreSettings settings =
                StoreSettings.of(place, 64L << 20, Use.LARGE_VALUES).with(durability);
        int count = (int) Math.max(1, (mebibytes << 20) / valueBytes);
        int keys = Math.max(1, count * 2 / 3);
        byte[] value = new byte[valueBytes];
        new Random(1).nextBytes(value);
        long writtenBefore = ProcessFigures.now().writtenBytes();
        long start = System.nanoTime();
        try (KeyValueStore store = candidate.open(settings)) {
            for (int i = 0; i < count; i++) {
                value[i % valueBytes]++;
                store.put(key((int) (i * 2654435761L % keys)), value);
            }
        }
        double putSeconds = (System.nanoTime() - start) / 1e9;
        double written = (double) (ProcessFigures.now().writtenBytes() - writtenBefore) / ((long) count * valueBytes);
        long read = 0;
        start = System.nanoTime();
        try (KeyValueStore store = candidate.open(settings)) {
            for (int i = 0; i < keys; i++) {
                byte[] found = store.get(key((int) (i * 40503L % keys)));
                read += found == null ? 0 : found.length;
            }
        }
        double getSeconds = (System.nanoTime() - start) / 1e9;
        double putRate = (long) count * valueBytes / putSeconds / 1e6;
        double getRate = read / getSeconds / 1e6;
        String name = String.format(Locale.ROOT, ", %,d KiB, %s", valueBytes >> 10, durability);
        add(candidate, "put" + name, putRate, "MB/s");
        add(candidate, "get" + name, getRate, "MB/s");
        add(candidate, "written for each byte" + name, written, "B");
        System.out.printf(
                Locale.ROOT,
                "| %s | `%s` | %,d KiB | %,.0f | %,.0f | %.2f |%n",
                candidate.label(Use.LARGE_VALUES),
                durability,
                valueBytes >> 10,
                putRate,
                getRate,
                written);
        KeyValue.remove(place);
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "value%09d", number).getBytes(StandardCharsets.US_ASCII);
    }
}
