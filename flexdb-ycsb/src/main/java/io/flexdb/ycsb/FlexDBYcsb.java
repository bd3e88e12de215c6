package io.flexdb.ycsb;

import io.flexdb.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Loads a store, runs YCSB workloads on it and prints one table; {@code flexdb-ycsb/run.sh} starts it.
 *
 * <p>Exit code 0: every operation ended well and every record was found; 1: not so, or the run broke off; 2: wrong
 * arguments.
 */
@Command(
        name = "run.sh",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Loads a FlexDB store, runs YCSB workloads on it in the order given and prints one table.",
        footer = {
            "",
            "BYTES is a number that k, m or g may follow. Workloads that insert make the store grow for those after them.",
            "Exit code 0: every operation ended well and every record was found; 1: not so; 2: wrong arguments."
        })
public final class FlexDBYcsb implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--workloads",
            paramLabel = "LIST",
            defaultValue = "abcdef",
            description = "Workloads to run: letters a to f, or names with commas, such as a,b,e-50."
                    + " e-50 scans 50 records each time. Default: ${DEFAULT-VALUE}.")
    private String workloads;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Records to load. Default: ${DEFAULT-VALUE}.")
    private int records;

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Operations of each workload. Default: ${DEFAULT-VALUE}.")
    private int operations;

    @Option(names = "--threads", paramLabel = "N", description = "Client threads. Default: one for each processor.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Directory for the store, empty or absent; it is kept."
                    + " Default: a temporary one, removed at the end.")
    private Path directory;

    @Option(
            names = "--fields",
            paramLabel = "N",
            defaultValue = "10",
            description = "Fields of a record. Default: ${DEFAULT-VALUE}.")
    private int fields;

    @Option(
            names = "--field-length",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of a field. Default: ${DEFAULT-VALUE}.")
    private int fieldLength;

    @Option(
            names = "--durability",
            paramLabel = "sync|os|none",
            defaultValue = "os",
            description = "How durable a write is when it returns. Default: ${DEFAULT-VALUE}.")
    private Durability durability;

    @Option(
            names = "--cache-bytes",
            paramLabel = "BYTES",
            converter = ByteSizeConverter.class,
            description = "Budget of the interval cache. Default: FlexDB's own.")
    private Long cacheBytes;

    @Option(
            names = "--memtable-bytes",
            paramLabel = "BYTES",
            converter = ByteSizeConverter.class,
            description = "Size of a memtable. Default: FlexDB's own.")
    private Long memtableBytes;

    @Option(names = "--verify", description = "Make values from keys, and check every value read. Costs speed.")
    private boolean verify;

    @Option(
            names = "-p",
            paramLabel = "NAME=VALUE",
            description = "Set a property of YCSB or of the binding, such as requestdistribution=uniform.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(names = "--csv", paramLabel = "FILE", description = "Write the figures to this file too.")
    private Path csv;

    @Option(names = "--terminal", hidden = true, description = "Show progress on one line.")
    private boolean terminal;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this and exit.")
    private boolean help;

    /** For picocli, which fills in the arguments. */
    private FlexDBYcsb() {}

    /**
     * Runs the command and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Runs the command and returns its exit code. */
    static int run(String... arguments) {
        return new CommandLine(new FlexDBYcsb())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments);
    }

    @Override
    public Integer call() throws Exception {
        checkPositive("--records", records);
        checkPositive("--operations", operations);
        checkPositive("--threads", threads);
        checkPositive("--fields", fields);
        checkPositive("--field-length", fieldLength);
        List<Workloads.Named> chosen = chosenWorkloads();
        checkUnused(directory);

        Path storeDirectory = directory;
        TemporaryDirectory temporary = null;
        if (directory == null) {
            temporary = TemporaryDirectory.create("flexdb-ycsb-");
            storeDirectory = temporary.path();
        }
        try {
            Run run = new Run(settings(storeDirectory), chosen, new Progress(System.err, terminal));
            boolean good = run.execute();
            print(run, good);
            return good ? 0 : 1;
        } finally {
            if (temporary != null) {
                temporary.close();
            }
        }
    }

    private Run.Settings settings(Path storeDirectory) {
        Map<String, String> given = new LinkedHashMap<>();
        given.put(FlexDBClient.DURABILITY_PROPERTY, durability.name().toLowerCase(Locale.ROOT));
        if (cacheBytes != null) {
            given.put(FlexDBClient.CACHE_BYTES_PROPERTY, cacheBytes.toString());
        }
        if (memtableBytes != null) {
            given.put(FlexDBClient.MEMTABLE_BYTES_PROPERTY, memtableBytes.toString());
        }
        given.put("fieldcount", Integer.toString(fields));
        given.put("fieldlength", Integer.toString(fieldLength));
        given.put("dataintegrity", Boolean.toString(verify));
        given.putAll(properties);
        given.put(FlexDBClient.DIRECTORY_PROPERTY, storeDirectory.toString());
        return new Run.Settings(storeDirectory, records, operations, threads, given);
    }

    private void print(Run run, boolean good) throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%,d records of %d x %d bytes, %,d operations a workload, %d threads, durability %s, Java %s%n%n",
                records,
                fields,
                fieldLength,
                operations,
                threads,
                durability.name().toLowerCase(Locale.ROOT),
                Runtime.version());
        System.out.println(run.report().table());
        System.out.println(run.summary());
        if (directory != null) {
            System.out.println("The store is kept in " + directory);
        }
        if (csv != null) {
            Files.writeString(csv, run.report().commaSeparated());
        }
        if (!good) {
            System.err.println("FAILED: an operation did not end well, or a record is missing; see above.");
        }
    }

    private List<Workloads.Named> chosenWorkloads() {
        try {
            return Workloads.parse(workloads);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--workloads: " + e.getMessage(), e);
        }
    }

    private void checkPositive(String option, int value) {
        if (value <= 0) {
            throw new ParameterException(spec.commandLine(), option + ": must be positive, was " + value);
        }
    }

    private void checkUnused(Path storeDirectory) throws IOException {
        if (storeDirectory == null) {
            return;
        }
        try (Stream<Path> entries = Files.list(storeDirectory)) {
            if (entries.findAny().isPresent()) {
                throw new ParameterException(spec.commandLine(), "--dir: not empty: " + storeDirectory);
            }
        } catch (NoSuchFileException e) {
            return; // it will be made
        } catch (NotDirectoryException e) {
            throw new ParameterException(spec.commandLine(), "--dir: not a directory: " + storeDirectory);
        }
    }

    /** For options that are a number of bytes. */
    private static final class ByteSizeConverter implements CommandLine.ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                return ByteSize.parse(text);
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }
}
