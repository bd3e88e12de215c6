package io.flexdb.jmh.flextree;

import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.RunOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What {@link Table1} is asked for. */
@Command(
        name = "java -cp benchmarks.jar io.flexdb.jmh.flextree.Table1",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Measures FlexTree and its rivals as in Table 1 of the paper, and prints a table like it.",
        footer = {"", "LIST is a list of numbers with commas, and may be empty. k, m or g may follow a number."})
final class Table1Settings implements Callable<Integer> {
    private static final Map<String, String> DEFAULTS = Map.of("--rounds", "3", "--json", "table1.json");
    private static final Map<String, String> QUICK_DEFAULTS = Map.of(
            "--rounds", "1",
            "--insert", "1000",
            "--insert-at", "1000",
            "--read", "10000",
            "--json", "table1-quick.json");

    @Spec
    private CommandSpec spec;

    @Mixin
    RunOptions run = new RunOptions();

    @Option(
            names = "--insert",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "100000,1000000",
            converter = BenchmarkOptions.NumberItem.class,
            description = "Extents for insertions into an empty index; the rivals up to 1000000."
                    + " Default: ${DEFAULT-VALUE}.")
    List<Long> insertSizes;

    @Option(
            names = "--insert-at",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "100000,1000000,10000000",
            converter = BenchmarkOptions.NumberItem.class,
            description = "Extents for insertions into an index that has as many already. Default: ${DEFAULT-VALUE}.")
    List<Long> insertAtSizes;

    @Option(
            names = "--read",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "10000000,100000000",
            converter = BenchmarkOptions.NumberItem.class,
            description = "Extents for appends, lookups and range queries. Default: ${DEFAULT-VALUE}.")
    List<Long> readSizes;

    @Option(
            names = "--experiments",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "insert,insert_at,insert_between,append,lookup,range",
            description = "Of ${COMPLETION-CANDIDATES}. Default: all.")
    List<Experiment> experiments;

    @Option(
            names = "--indexes",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "flextree,bplustree,array",
            description = "What is compared. Default: ${DEFAULT-VALUE}.")
    List<String> indexes;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            converter = BenchmarkOptions.Count.class,
            description = "Measure in N iterations of a second, after half as many to warm up. Default: as each"
                    + " benchmark says.")
    int seconds;

    @Option(names = "--no-memory", description = "Leave out the table of memory.")
    boolean noMemory;

    @Option(
            names = "--jvm-args",
            paramLabel = "ARGS",
            description = "Arguments of the measured JVMs. Default: -Xmx6g -XX:MaxDirectMemorySize=6g.")
    String jvmArgs = "";

    private Table1Settings() {}

    /** What measures, once it has read these arguments. */
    static CommandLine commandLine(String... arguments) {
        return BenchmarkOptions.commandLine(new Table1Settings(), DEFAULTS, QUICK_DEFAULTS, arguments);
    }

    /** Reads arguments, for whoever measures himself. */
    static Table1Settings parse(String... arguments) {
        CommandLine line = commandLine(arguments);
        line.parseArgs(arguments);
        BenchmarkOptions.dropEmptyItems(line);
        return line.getCommand();
    }

    @Override
    public Integer call() throws Exception {
        BenchmarkOptions.dropEmptyItems(spec.commandLine());
        System.out.println(new Table1(this, System.err).run());
        return CommandLine.ExitCode.OK;
    }
}
