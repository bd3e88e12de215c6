package io.flexdb.jmh.flextree;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Is FlexTree as much faster than its rivals at insertions, and as fast at all else, as in the paper's Table 1? Runs
 * the experiments of the table and prints one like it, with the paper's figures, and one of the memory taken.
 *
 * <p>In each round, what is compared is measured in turn, each in a fresh JVM. Progress goes to standard error.
 *
 * <pre>
 * java -cp jmh/target/benchmarks.jar io.flexdb.jmh.flextree.Table1 --quick
 * java -cp jmh/target/benchmarks.jar io.flexdb.jmh.flextree.Table1
 * </pre>
 */
public final class Table1 {
    private final Table1Settings settings;
    private final PrintStream progress;
    private final List<RunResult> results = new ArrayList<>();
    private final Table1Report report = new Table1Report();

    Table1(Table1Settings settings, PrintStream progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * Measures and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(Table1Settings.commandLine(arguments).execute(arguments));
    }

    /** Measures everything, writes the file of results, and returns the tables. */
    String run() throws RunnerException, IOException {
        settings.run.prepare();
        for (int round = 1; round <= settings.run.rounds; round++) {
            for (Experiment experiment : settings.experiments) {
                for (long extents : experiment.sizes(settings)) {
                    progress.printf(
                            Locale.ROOT,
                            "round %d: %s, %s %,d extents%n",
                            round,
                            experiment.benchmark.getSimpleName(),
                            experiment.label,
                            extents);
                    measure(experiment, extents);
                }
            }
        }
        try (OutputStream file = Files.newOutputStream(settings.run.json);
                PrintStream out = new PrintStream(file, false, StandardCharsets.UTF_8)) {
            ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
        }
        if (settings.noMemory) {
            return report.table(settings);
        }
        progress.println("memory");
        return report.table(settings) + System.lineSeparator() + memory();
    }

    private void measure(Experiment experiment, long extents) throws RunnerException {
        // A run for each index, not one for all, so that what is compared is measured in turn.
        for (String index : indexes(experiment, extents)) {
            Collection<RunResult> run =
                    new Runner(options(experiment, index, extents).build()).run();
            for (RunResult result : run) {
                Result<?> counted = result.getSecondaryResults().get("operations");
                double rate = (counted == null ? result.getPrimaryResult() : counted).getScore();
                report.add(experiment, index, extents, rate);
                progress.printf(Locale.ROOT, "  %-9s %,.0f operations/s%n", index, rate);
            }
            results.addAll(run);
        }
    }

    private List<String> indexes(Experiment experiment, long extents) {
        List<String> indexes = new ArrayList<>(experiment.indexes(extents));
        indexes.retainAll(settings.indexes);
        return indexes;
    }

    private ChainedOptionsBuilder options(Experiment experiment, String index, long extents) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + experiment.benchmark.getName() + "\\.")
                .param("index", index)
                .param("extents", Long.toString(extents))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        experiment.parameters().forEach(options::param);
        if (!settings.jvmArgs.isBlank()) {
            options.jvmArgsAppend(settings.jvmArgs.trim().split("\\s+"));
        }
        if (settings.seconds > 0) {
            options.warmupIterations(Math.max(1, settings.seconds / 2))
                    .warmupTime(TimeValue.seconds(1))
                    .measurementIterations(settings.seconds)
                    .measurementTime(TimeValue.seconds(1));
        }
        if (experiment.takesMinutes(index, extents)) {
            options.warmupIterations(0).measurementIterations(1); // compiled within the first hundredth of it
        }
        if (settings.run.quick) {
            options.forks(0).warmupIterations(0).measurementIterations(1).measurementTime(TimeValue.milliseconds(20));
        }
        return options;
    }

    /** Bytes an extent, in this JVM. The rivals get few insertions: theirs take long, and the share is the same. */
    private String memory() {
        long appends = settings.run.quick ? 10_000 : 10_000_000;
        long fewInsertions = settings.run.quick ? 1_000 : 300_000;
        return report.memoryTable(appends, fewInsertions, appends);
    }
}
