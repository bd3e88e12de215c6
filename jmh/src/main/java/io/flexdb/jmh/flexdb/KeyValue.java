package io.flexdb.jmh.flexdb;

import io.flexdb.ycsb.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Is FlexDB faster than its rivals, does it write less, and does it stop less? Figures 12 and 13 and Table 4 of the
 * paper, with the stores that users of the JVM have today.
 *
 * <p>Stores take turns, each in a process of its own. Every value that is read is checked. Progress goes to standard
 * error, tables to standard output, all figures to a file.
 *
 * <pre>
 * jmh/kv.sh --quick
 * jmh/kv.sh --records=5000000 --operations=5000000 --rounds=3
 * jmh/kv.sh --stores=flexdb,lmdb --parts=ycsb --workloads=a
 * </pre>
 */
public final class KeyValue {
    private final KeyValueSettings settings;
    private final Comparison comparison = new Comparison();

    KeyValue(KeyValueSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(KeyValueSettings.commandLine(arguments).execute(arguments));
    }

    /** Measures one store in this process. */
    static int measureHere(KeyValueSettings settings) throws Exception {
        Results results = new Results(System.out);
        new StoreRun(settings.measured, settings, settings.measuredDirectory, results, new Progress(System.err, false))
                .run();
        return 0;
    }

    /** Measures all stores, each in a process of its own. */
    int run() throws IOException, InterruptedException {
        Files.createDirectories(settings.directory);
        int left = settings.rounds * settings.stores.size();
        boolean good = true;
        long start = System.nanoTime();
        int done = 0;
        for (int round = 1; round <= settings.rounds; round++) {
            for (Subject subject : settings.stores) {
                System.err.printf(
                        Locale.ROOT,
                        "%s, round %d of %d%s%n",
                        subject.label(),
                        round,
                        settings.rounds,
                        timeLeft(start, done, left));
                good &= measure(subject, round);
                done++;
                left--;
                Files.writeString(settings.json, comparison.json());
            }
        }
        System.out.println(comparison.table(settings.stores));
        System.out.println("All figures: " + settings.json);
        return good ? 0 : 1;
    }

    private static String timeLeft(long start, int done, int left) {
        if (done == 0) {
            return "";
        }
        Duration time = Duration.ofNanos((System.nanoTime() - start) / done * left);
        return ", about " + time.toMinutes() + " min " + time.toSecondsPart() + " s left";
    }

    private boolean measure(Subject subject, int round) throws IOException, InterruptedException {
        Path own = settings.directory.resolve(subject.name().toLowerCase(Locale.ROOT));
        remove(own);
        Files.createDirectories(own);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + settings.heap);
        command.addAll(subject.jvmArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), KeyValue.class.getName()));
        command.addAll(settings.arguments());
        command.addAll(List.of("--measure=" + subject.name(), "--measure-in=" + own));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Results.Figure figure = Results.parse(line);
                if (figure != null) {
                    comparison.add(round, subject, figure);
                }
            }
        } finally {
            process.destroy();
        }
        boolean ended = process.waitFor() == 0;
        if (!ended) {
            System.err.println("FAILED: " + subject.label() + " ended with " + process.exitValue() + "; see above");
        }
        remove(own);
        return ended;
    }

    /** Removes a directory with all that is in it, if it is there. */
    static void remove(Path directory) throws IOException {
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
