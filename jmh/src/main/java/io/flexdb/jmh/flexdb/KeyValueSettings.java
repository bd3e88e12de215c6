package io.flexdb.jmh.flexdb;

import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.ycsb.Workloads;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What to measure, and how; see {@code --help}. */
@Command(
        name = "KeyValue",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Measures FlexDB and its rivals, each in a process of its own, and prints a table.",
        footer = {"", "BYTES is a number that k, m or g may follow."})
final class KeyValueSettings implements Callable<Integer> {
    private static final Map<String, String> QUICK_DEFAULTS =
            Map.of("--records", "20000", "--operations", "20000", "--rounds", "1", "--cache", "8m", "--heap", "256m");

    @Option(
            names = "--stores",
            split = ",",
            paramLabel = "STORE",
            defaultValue = "flexdb,rocksdb,lmdb,mvstore,xodus,skiplist",
            description = "Of ${COMPLETION-CANDIDATES}, in this order. Default: all.")
    List<Subject> stores;

    @Option(
            names = "--parts",
            split = ",",
            paramLabel = "PART",
            defaultValue = "micro,latency,sync,ycsb",
            description = "Of ${COMPLETION-CANDIDATES}. Default: all.")
    Set<Part> parts = EnumSet.allOf(Part.class);

    @Option(
            names = "--space",
            paramLabel = "SPACE",
            defaultValue = "udb",
            description = "Sizes of keys and values: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    KeySpace space;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Records in a store. Default: ${DEFAULT-VALUE}.")
    int records;

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Operations of an experiment; scans are fewer. Default: ${DEFAULT-VALUE}.")
    int operations;

    @Option(names = "--threads", paramLabel = "N", description = "Client threads. Default: one for each processor.")
    int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--workloads",
            paramLabel = "LIST",
            defaultValue = "abcdef",
            converter = WorkloadList.class,
            description = "YCSB's, as of flexdb-ycsb/run.sh. Default: ${DEFAULT-VALUE}.")
    List<Workloads.Named> workloads;

    @Option(
            names = "--cache",
            paramLabel = "BYTES",
            defaultValue = "256m",
            converter = BenchmarkOptions.LargeCount.class,
            description = "The cache of each store that has one. Default: ${DEFAULT-VALUE}.")
    long cacheBytes;

    @Option(
            names = "--memtable",
            paramLabel = "BYTES",
            converter = BenchmarkOptions.LargeCount.class,
            description = "A memtable of each store that has such. Default: FlexDB's own, 64m for RocksDB.")
    long memtableBytes;

    @Option(
            names = "--heap",
            paramLabel = "BYTES",
            defaultValue = "2g",
            description = "Heap of each process. Default: ${DEFAULT-VALUE}.")
    String heap;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "How often each store is measured; the stores take turns. Default: ${DEFAULT-VALUE}.")
    int rounds;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = "jmh/target/stores",
            description = "Where stores are made and removed. Default: ${DEFAULT-VALUE}.")
    Path directory;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            defaultValue = "jmh/target/keyvalue.json",
            description = "Where every figure goes. Default: ${DEFAULT-VALUE}.")
    Path json;

    @Option(names = "--verify", description = "Have YCSB check its values; the other parts always do. Costs speed.")
    boolean verify;

    @Option(names = "--seed", defaultValue = "1", description = "Of what is random. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = BenchmarkOptions.QUICK, description = "Small sizes: shows that everything works.")
    boolean quick;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this and exit.")
    private boolean help;

    @Option(names = "--measure", hidden = true, description = "Measure this store in this process.")
    Subject measured;

    @Option(names = "--measure-in", hidden = true, description = "Where that store may make directories.")
    Path measuredDirectory;

    private String[] arguments = {};

    static CommandLine commandLine(String... arguments) {
        KeyValueSettings settings = new KeyValueSettings();
        settings.arguments = arguments.clone();
        return BenchmarkOptions.commandLine(settings, QUICK_DEFAULTS, arguments);
    }

    /** As they were given, for the processes of the stores. */
    List<String> arguments() {
        return List.of(arguments);
    }

    @Override
    public Integer call() throws Exception {
        return measured == null ? new KeyValue(this).run() : KeyValue.measureHere(this);
    }

    private static final class WorkloadList implements ITypeConverter<List<Workloads.Named>> {
        @Override
        public List<Workloads.Named> convert(String text) {
            try {
                return Workloads.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
