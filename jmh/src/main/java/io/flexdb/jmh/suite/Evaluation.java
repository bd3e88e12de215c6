package io.flexdb.jmh.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.flexdb.MemoryLimit;
import io.flexdb.jmh.flexdb.Subject;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Measures suites of benchmarks and reports them; {@code jmh/run.sh help} tells the arguments.
 *
 * <pre>
 * jmh/run.sh list
 * jmh/run.sh all --scale smoke
 * jmh/run.sh fig13a table1 --dir /mnt/nvme/flexdb --out results
 * jmh/run.sh report --out results
 * </pre>
 */
@Command(
        name = "jmh/run.sh",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Measures FlexDB, FlexSpace and FlexTree beside their rivals, and makes a report: report.html,"
                + " summary.md and results.json. A run that was interrupted goes on where it was when it is started"
                + " again with the same arguments.",
        footer = {"", "BYTES is a number that k, m or g may follow."})
public final class Evaluation implements Callable<Integer> {
    private static final List<String> RIVALS = Stream.of(Subject.values())
            .map(Subject::argument)
            .filter(store -> !store.equals(Plan.OURS))
            .toList();
    private static final int FAILED = 1;

    private final PrintStream out;
    private final PrintStream progress;
    private final List<Suite> known;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "WHAT",
            arity = "1..*",
            description = "Names of suites; \"all\"; \"list\" to see the suites; \"report\" to make the report of the"
                    + " results there are; \"help\".")
    private List<String> what;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = "jmh/target/evaluation",
            description = "Where stores are made, and removed: on the device to measure. Default: ${DEFAULT-VALUE}.")
    private Path directory;

    @Option(
            names = "--scale",
            paramLabel = "SCALE",
            defaultValue = "laptop",
            description = "smoke: does it run? Minutes; its figures mean nothing. laptop: little more than an hour."
                    + " paper: the paper's sizes; days. Default: ${DEFAULT-VALUE}.")
    private Scale scale;

    @Option(
            names = "--rivals",
            paramLabel = "STORES",
            split = ",",
            defaultValue = "rocksdb,lmdb",
            completionCandidates = Rivals.class,
            description = "Of ${COMPLETION-CANDIDATES}; or none. Default: ${DEFAULT-VALUE}.")
    private List<String> rivals;

    @Option(
            names = "--file-systems",
            paramLabel = "NAME:DIR",
            split = ",",
            description = "Plain files to compare FlexSpace with, in directories on other file systems; see"
                    + " jmh/filesystems.sh. Default: the file system of --dir.")
    private List<String> fileSystems;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Client threads. Default: 4, as in the paper, or fewer " + "if there are fewer processors.")
    private Integer threads;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            description = "Of each YCSB workload. Default: 10, or 60 with --scale paper. smoke counts operations"
                    + " instead, but for suites by time, which take 3.")
    private Integer seconds;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            converter = BenchmarkOptions.LargeCount.class,
            description = "The memory of a process, page cache included, in suites on more data than memory; only root"
                    + " can limit it, by a control group of Linux. Default: 512m; 256m or the paper's 64 GB by scale.")
    private Long memoryBytes;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often each cell is measured; half or a third as often, rounded up,"
                    + " in suites that take long and in those that the"
                    + " paper has not. Default: 3; 1 for smoke.")
    private Integer rounds;

    @Option(
            names = "--limit",
            paramLabel = "MINUTES",
            description = "A cell that takes longer is ended, and has failed. Default: 30; 3 or 1440 by scale.")
    private Integer limitMinutes;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where results and the report go. Default: jmh/target/results-SCALE.")
    private Path output;

    @Option(
            names = "--continue",
            description = "Go on with the results of --out, which is the default; an error if there are none.")
    private boolean goOn;

    @Option(names = "--anew", description = "Delete the results of --out first.")
    private boolean anew;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this and exit.")
    private boolean help;

    private static final class Rivals implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return RIVALS.iterator();
        }
    }

    Evaluation(List<Suite> known, PrintStream out, PrintStream progress) {
        this.known = known;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Measures and ends the process.
     *
     * @param arguments see {@code help}
     */
    public static void main(String[] arguments) {
        System.exit(commandLine(Suites.ALL, System.out, System.err).execute(arguments));
    }

    static CommandLine commandLine(List<Suite> known, PrintStream out, PrintStream progress) {
        return new CommandLine(new Evaluation(known, out, progress))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((wrong, arguments) -> {
                    PrintWriter err = wrong.getCommandLine().getErr();
                    err.println(wrong.getMessage());
                    err.println("\"jmh/run.sh help\" tells the arguments.");
                    return CommandLine.ExitCode.USAGE;
                });
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (output == null) {
            output = Path.of("jmh", "target", "results-" + scale.name().toLowerCase(Locale.ROOT));
        }
        switch (what.get(0)) {
            case "help" -> {
                spec.commandLine().usage(out);
                return 0;
            }
            case "list" -> {
                list(plan(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8)));
                return 0;
            }
            case "report" -> {
                return report();
            }
            default -> {
                return measure(suites());
            }
        }
    }

    /** Suites, and how long each takes; what it has in common with one before is told there only. */
    private void list(Plan plan) {
        Set<String> seen = new HashSet<>();
        double all = 0;
        for (Suite suite : known) {
            long cells = suite.cells(plan).stream()
                    .filter(cell -> seen.add(cell.id()))
                    .count();
            double minutes = cells * suite.rounds(plan) * suite.cellSeconds(plan) / 60.0;
            all += minutes;
            out.printf(
                    Locale.ROOT,
                    "%-14s %8s  %s%s%n",
                    suite.name(),
                    cells == 0 ? "with above" : String.format(Locale.ROOT, "%,.0f min", Math.ceil(minutes)),
                    suite.title(),
                    inParentheses(suite.paper()));
        }
        out.printf(
                Locale.ROOT,
                "all with --scale %s: about %,.0f min on two processors%n",
                scale.name().toLowerCase(Locale.ROOT),
                all);
    }

    private static String inParentheses(String text) {
        return text.isEmpty() ? "" : " (" + text + ")";
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private List<Suite> suites() {
        if (what.equals(List.of("all"))) {
            return known;
        }
        List<Suite> suites = new ArrayList<>();
        for (String name : what) {
            suites.add(known.stream()
                    .filter(suite -> suite.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> wrong("No suite is called \"" + name + "\"; there are all, "
                            + String.join(", ", known.stream().map(Suite::name).toList()))));
        }
        return suites;
    }

    // ---- the plan

    /** @param said is told what is not possible here */
    private Plan plan(PrintStream said) throws IOException {
        List<String> stores = rivals.equals(List.of("none")) ? List.of() : rivals;
        stores.stream().filter(each -> !RIVALS.contains(each)).findFirst().ifPresent(each -> {
            throw wrong("Invalid value for option '--rivals': no store is called \"" + each + "\"; there are "
                    + String.join(", ", RIVALS));
        });
        requirePositive("--threads", threads);
        requirePositive("--duration", seconds);
        requirePositive("--rounds", rounds);
        requirePositive("--limit", limitMinutes);
        int processors = Runtime.getRuntime().availableProcessors();
        return new Plan(
                scale,
                directory.toAbsolutePath().normalize().toString(),
                stores,
                fileSystems(),
                threads != null ? threads : scale == Scale.PAPER ? 4 : Math.min(4, processors),
                seconds != null ? seconds : scale.of(3, 10, 60),
                memoryLimit(
                        said, memoryBytes != null ? memoryBytes : scale.of(256L << 20, 512L << 20, 64_000_000_000L)),
                rounds != null ? rounds : scale.of(1, 3, 3),
                scale != Scale.SMOKE && PageCache.canDrop(said));
    }

    private void requirePositive(String option, Integer value) {
        if (value != null && value < 1) {
            throw wrong("Invalid value for option '" + option + "': must be at least 1: " + value);
        }
    }

    private List<String> fileSystems() throws IOException {
        if (fileSystems == null) {
            Path own = directory.toAbsolutePath().normalize().resolve("files");
            try {
                Files.createDirectories(own);
            } catch (IOException e) {
                throw wrong("Invalid value for option '--dir': " + directory + " can't be made: " + e);
            }
            return List.of(Files.getFileStore(own).type() + ":" + own);
        }
        for (String each : fileSystems) {
            if (each.indexOf(':') < 1) {
                throw wrong("Invalid value for option '--file-systems': not of the form NAME:DIR: " + each);
            }
        }
        return fileSystems;
    }

    private static long memoryLimit(PrintStream said, long wanted) {
        try (MemoryLimit limit = MemoryLimit.of(wanted)) {
            said.println("memory is limited by a " + limit + ", where suites ask for it");
            return wanted;
        } catch (IOException e) {
            said.println("no suites on more data than memory: " + e.getMessage());
            return 0;
        }
    }

    // ---- measuring

    private int measure(List<Suite> suites) throws IOException, InterruptedException {
        Plan plan = plan(progress);
        try {
            Files.createDirectories(output);
        } catch (IOException e) {
            throw wrong("Invalid value for option '--out': " + output + " can't be made: " + e);
        }
        try (FileChannel lock =
                FileChannel.open(output.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (!isLocked(lock)) {
                throw wrong("Another run writes to " + output + "; choose another --out");
            }
            return measure(plan, suites);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null; // until the channel is closed
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private int measure(Plan plan, List<Suite> suites) throws IOException, InterruptedException {
        Path logs = Files.createDirectories(output.resolve("logs"));
        Duration limit = Duration.ofMinutes(limitMinutes != null ? limitMinutes : scale.of(3, 30, 1440));
        ChildJvm child = new ChildJvm(Path.of(plan.directory()), logs.toAbsolutePath(), limit);
        Runtime.getRuntime().addShutdownHook(new Thread(child::end, "end of children"));
        Preconditions found = Preconditions.check(plan, suites, child);
        found.said().forEach(progress::println);
        if (!found.fatal().isEmpty()) {
            throw wrong(String.join(System.lineSeparator(), found.fatal()));
        }
        ResultStore store = openStore(plan);
        int failed = new Driver(plan, found.suites(), found.unable(), store, child, progress).run();
        new Report(store, known).write(output);
        out.println("Report: " + output.resolve("report.html"));
        if (failed > 0) {
            out.println(
                    failed + " cells have failed; see the report. Start again with the same arguments to repeat them.");
        }
        return failed == 0 && found.suites().size() == suites.size() ? 0 : FAILED;
    }

    private ResultStore openStore(Plan plan) throws IOException {
        Machine machine = Machine.of(Path.of(plan.directory()));
        boolean exists = ResultStore.exists(output);
        if (goOn && (!exists || anew)) {
            throw wrong("There is nothing to continue in " + output);
        }
        if (!exists || anew) {
            return ResultStore.create(output, new ResultStore.Header(plan, machine));
        }
        ResultStore store = ResultStore.open(output);
        List<String> differences =
                new ArrayList<>(machine.differences(store.header().machine()));
        if (!plan.equals(store.header().plan())) {
            differences.add(0, "settings: " + plan + ", " + store.header().plan());
        }
        if (!differences.isEmpty()) {
            throw wrong("The results in " + output + " can't be continued, for they differ (now, then): "
                    + String.join("; ", differences) + ". Choose another --out, or --anew to delete them.");
        }
        return store;
    }

    private int report() throws IOException {
        if (!ResultStore.exists(output)) {
            throw wrong("There are no results in " + output + "; name their directory with --out");
        }
        new Report(ResultStore.open(output), known).write(output);
        out.println("Report: " + output.resolve("report.html"));
        return 0;
    }
}
