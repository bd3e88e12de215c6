package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.RunOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** What {@link Table2} is asked for. */
@Command(
        name = "java -cp benchmarks.jar io.flexdb.jmh.flexspace.Table2",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Measures FlexSpace and plain files as in Table 2 and Figures 2 and 11 of the paper, and more,"
                + " and prints tables.",
        footer = {"", "LIST is a list with commas, and may be empty. k, m or g may follow a number."})
final class Table2Settings implements Callable<Integer> {
    private static final Map<String, String> DEFAULTS =
            Map.of("--rounds", "3", "--dir", System.getProperty("java.io.tmpdir"), "--json", "table2.json");
    private static final Map<String, String> QUICK_DEFAULTS = Map.of(
            "--rounds", "1",
            "--block", "4096,16384",
            "--blocks", "1024",
            "--threads", "1,2",
            "--cold", "no", // whoever tries it out should not slow down everybody
            "--insert-seconds", "1",
            "--insert-at", "256k,1m",
            "--records", "20000",
            "--recovery", "4m:1024",
            "--json", "table2-quick.json");

    /** What can be measured. */
    enum Part {
        RAW,
        TABLE2,
        FIGURE2,
        FIGURE11,
        SMALL,
        GC,
        RECOVERY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private enum Cold {
        YES,
        NO
    }

    private enum Barrier {
        SYNC,
        CHECKPOINT
    }

    /** A space to open. */
    record RecoveryCase(long bytes, int extents) {
        int blockBytes() {
            return (int) (bytes / extents);
        }
    }

    @Spec
    private CommandSpec spec;

    @Mixin
    RunOptions.InDirectory run = new RunOptions.InDirectory();

    @Option(
            names = "--rivals",
            paramLabel = "NAME:DIR,...",
            hideParamSyntax = true,
            split = ",",
            converter = RivalItem.class,
            description = "Plain files to compare with; xfs, ext4, f2fs and btrfs have figures in the paper."
                    + " Default: none.")
    List<Subject> rivals = new ArrayList<>();

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = "Measure only FlexSpace, or only this one of the rivals. Default: all.")
    private String only;

    @Option(
            names = "--parts",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "raw,table2,figure2,figure11,small,gc,recovery",
            description = "What to measure, of ${COMPLETION-CANDIDATES}. Default: all.")
    List<Part> parts;

    @Option(
            names = "--block",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "4096,65536",
            converter = BlockBytes.class,
            description = "Bytes of a block, at least 8; not empty; Figures 2 and 11 and gc use the first."
                    + " Default: ${DEFAULT-VALUE}.")
    List<Integer> blockSizes;

    @Option(
            names = "--blocks",
            paramLabel = "N",
            defaultValue = "262144",
            converter = BenchmarkOptions.Count.class,
            description = "Blocks of an address space. Default: ${DEFAULT-VALUE}.")
    int blocks;

    @Option(
            names = "--threads",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "1,2,4,8",
            converter = BenchmarkOptions.CountItem.class,
            description = "Threads of Figure 11. Default: ${DEFAULT-VALUE}.")
    List<Integer> threads;

    @Option(
            names = "--cold",
            paramLabel = "yes|no",
            defaultValue = "yes",
            description = "Drop the page cache of the whole system before cold reads; only root can."
                    + " Default: ${DEFAULT-VALUE}.")
    private Cold cold;

    @Option(
            names = "--cache",
            paramLabel = "BYTES",
            converter = BenchmarkOptions.LargeCount.class,
            description = "Memory in which FlexSpace keeps what it has read; nothing is read cold then. Default: none.")
    long cacheBytes;

    @Option(
            names = "--log",
            paramLabel = "BYTES",
            converter = BenchmarkOptions.LargeCount.class,
            description = "How long FlexSpace's logical log grows before a checkpoint. Default: FlexSpace's.")
    long logBytes;

    @Option(
            names = "--barrier",
            paramLabel = "sync|checkpoint",
            defaultValue = "sync",
            description = "What ends a write phase of FlexSpace. Default: ${DEFAULT-VALUE}.")
    private Barrier barrier;

    @Option(
            names = "--insert-seconds",
            paramLabel = "N",
            defaultValue = "60",
            converter = BenchmarkOptions.Count.class,
            description = "A rival's random insertions end after this time. Default: ${DEFAULT-VALUE}.")
    int insertSeconds;

    @Option(
            names = "--insert-at",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "1m,16m,64m,256m,1g",
            converter = BenchmarkOptions.NumberItem.class,
            description = "Bytes of the address spaces of Figure 2. Default: ${DEFAULT-VALUE}.")
    List<Long> insertSizes;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "10000000",
            converter = BenchmarkOptions.Count.class,
            description = "Insertions of 100 bytes. Default: ${DEFAULT-VALUE}.")
    int records;

    @Option(
            names = "--utilizations",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "0.5,0.93",
            converter = ShareItem.class,
            description = "Live bytes for each byte of the data file, between 0 and 1, under random overwrites."
                    + " Default: ${DEFAULT-VALUE}.")
    List<Double> utilizations;

    @Option(
            names = "--recovery",
            paramLabel = "LIST",
            hideParamSyntax = true,
            split = ",",
            defaultValue = "1g:262144,4g:1048576",
            converter = RecoveryItem.class,
            description = "BYTES:EXTENTS of spaces to open. Default: ${DEFAULT-VALUE}.")
    List<RecoveryCase> recoveries;

    @Option(
            names = "--pictures",
            paramLabel = "DIR",
            description = "Draw figure2, figure11 and small into this directory, as SVG. Default: no pictures.")
    Path pictures;

    private Table2Settings() {}

    /** What measures, once it has read these arguments. */
    static CommandLine commandLine(String... arguments) {
        return BenchmarkOptions.commandLine(new Table2Settings(), DEFAULTS, QUICK_DEFAULTS, arguments);
    }

    /** Reads arguments, for whoever measures himself. */
    static Table2Settings parse(String... arguments) {
        CommandLine line = commandLine(arguments);
        line.parseArgs(arguments);
        BenchmarkOptions.dropEmptyItems(line);
        return line.getCommand();
    }

    /** These settings with other values for some. */
    Table2Settings with(String... changed) {
        Map<String, String> arguments = given();
        arguments.putAll(parse(changed).given());
        return parse(arguments.values().toArray(String[]::new));
    }

    /** The arguments by the names of their options. */
    private Map<String, String> given() {
        Map<String, String> arguments = new LinkedHashMap<>();
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            String name = option.longestName();
            arguments.put(
                    name, option.arity().max() == 0 ? name : name + "=" + String.join(",", option.stringValues()));
        }
        return arguments;
    }

    @Override
    public Integer call() throws Exception {
        BenchmarkOptions.dropEmptyItems(spec.commandLine());
        if (subjects().isEmpty()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "Invalid value for option '--only': no rival is called " + only);
        }
        System.out.println(new Table2(this, System.err).run());
        return CommandLine.ExitCode.OK;
    }

    /** All that are compared, ours first. */
    List<Subject> subjects() {
        List<Subject> subjects = new ArrayList<>(List.of(ours()));
        subjects.addAll(rivals);
        return only == null
                ? subjects
                : subjects.stream().filter(each -> each.name().equals(only)).toList();
    }

    /** Whether FlexSpace is among those compared. */
    boolean measuresOurs() {
        return subjects().stream().anyMatch(Subject::isFlexSpace);
    }

    Subject ours() {
        return new Subject(Subject.FLEXSPACE, run.directory, cacheBytes, logBytes);
    }

    boolean cold() {
        return cold == Cold.YES && cacheBytes == 0; // dropping the page cache leaves FlexSpace its own
    }

    boolean barrierIsCheckpoint() {
        return barrier == Barrier.CHECKPOINT;
    }

    private static String beforeColon(String text, String form) {
        int colon = text.indexOf(':');
        check(colon > 0, "not of the form " + form + ": " + text);
        return text.substring(0, colon);
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new TypeConversionException(message);
        }
    }

    private static final class RivalItem extends BenchmarkOptions.Item<Subject> {
        @Override
        protected Subject item(String text) {
            String name = beforeColon(text, "NAME:DIR");
            check(!name.equals(Subject.FLEXSPACE), "a rival must not be called " + name);
            return new Subject(name, Path.of(text.substring(name.length() + 1)));
        }
    }

    private static final class BlockBytes implements CommandLine.ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            int bytes = BenchmarkOptions.count(text);
            check(bytes >= 8, "must be at least 8: " + text);
            return bytes;
        }
    }

    private static final class ShareItem extends BenchmarkOptions.Item<Double> {
        @Override
        protected Double item(String text) {
            double share = Double.parseDouble(text);
            check(share > 0 && share < 1, "must be between 0 and 1: " + text);
            return share;
        }
    }

    private static final class RecoveryItem extends BenchmarkOptions.Item<RecoveryCase> {
        @Override
        protected RecoveryCase item(String text) {
            String bytes = beforeColon(text, "BYTES:EXTENTS");
            RecoveryCase recovery = new RecoveryCase(
                    BenchmarkOptions.number(bytes), BenchmarkOptions.count(text.substring(bytes.length() + 1)));
            long extentBytes = recovery.bytes / recovery.extents;
            check(
                    extentBytes >= 8 && extentBytes <= 128 << 10,
                    "extents must be from 8 bytes to 128 KiB long: " + text);
            return recovery;
        }
    }
}
