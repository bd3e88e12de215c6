package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.RunOptions;
import io.flexdb.ycsb.Workloads;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** What to measure, and how; see {@code --help}. */
@Command(
        name = "KeyValue",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Measures FlexDB and its rivals, each in a process of its own, and prints a table.",
        footer = {"", "BYTES is a number that k, m or g may follow."})
final class KeyValueSettings implements Callable<Integer> {
    private static final Map<String, String> DEFAULTS =
            Map.of("--dir", "jmh/target/stores", "--json", "jmh/target/keyvalue.json");
    private static final Map<String, String> QUICK_DEFAULTS = Map.ofEntries(
            Map.entry("--records", "10000"),
            Map.entry("--operations", "10000"),
            Map.entry("--sizes", "2000,10000"),
            Map.entry("--client-threads", "1,2"),
            Map.entry("--cache", "8m"),
            Map.entry("--memtable", "1m"),
            Map.entry("--heap", "256m"),
            Map.entry("--limit", "10"),
            Map.entry("--warm-up", "0"));
    private static final int DEFAULT_RECORDS = 1_000_000;
    private static final long DEFAULT_CACHE_BYTES = 256 << 20;
    private static final int MORE_THAN_MEMORY = 4;
    private static final int HEAP_SHARE = 4;
    private static final int CACHE_SHARE = 8;

    @Mixin
    RunOptions.InDirectory run = new RunOptions.InDirectory();

    @Option(
            names = "--stores",
            split = ",",
            paramLabel = "STORE",
            description = "Of ${COMPLETION-CANDIDATES}, in this order. Default: all.")
    List<Subject> stores = List.of(Subject.values());

    @Option(
            names = "--parts",
            split = ",",
            paramLabel = "PART",
            description = "Of ${COMPLETION-CANDIDATES}; docs/benchmarks.md says what they are. Default: all.")
    private Set<Part> parts = EnumSet.allOf(Part.class);

    @Option(
            names = "--space",
            split = ",",
            paramLabel = "SPACE",
            defaultValue = "udb",
            description = "Sizes of keys and values, one after the other: ${COMPLETION-CANDIDATES}. "
                    + "Default: ${DEFAULT-VALUE}.")
    List<KeySpace> spaces;

    @Option(
            names = "--records",
            paramLabel = "N",
            description = "Records in a store. Default: 1000000, or with --memory four times as much as fits. More than"
                    + " 2147483647 in part ycsb only.")
    private Long records;

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Operations of an experiment; scans are fewer. Default: ${DEFAULT-VALUE}.")
    int operations;

    @Option(
            names = "--updates",
            paramLabel = "N",
            description = "Operations of part updates. Default: twice the records.")
    private Integer updates;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "N",
            defaultValue = "100000,300000,1000000",
            description = "Records in the stores of parts growth and recovery. Default: ${DEFAULT-VALUE}.")
    List<Integer> sizes;

    @Option(
            names = "--rest",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "How long a store is left alone once it was filled, so that it does what it does by itself,"
                    + " before it is read. Default: ${DEFAULT-VALUE}.")
    private int restSeconds;

    @Option(
            names = "--scan-lengths",
            split = ",",
            paramLabel = "N",
            defaultValue = "10,50,100",
            description = "Pairs of a scan. Default: ${DEFAULT-VALUE}.")
    List<Integer> scanLengths;

    @Option(
            names = "--client-threads",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,4,8",
            description = "Of part threads. Default: ${DEFAULT-VALUE}.")
    List<Integer> threadCounts;

    @Option(
            names = "--utilizations",
            split = ",",
            paramLabel = "SHARE",
            defaultValue = "0.50,0.85",
            description = "Of part updates: live bytes for each byte of FlexDB's data file below which it collects "
                    + "garbage, beside its default. Default: ${DEFAULT-VALUE}.")
    List<Double> utilizations;

    @Option(
            names = "--stitching",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "0,1024,4096,2147483647",
            description = "Of part stitching: stitching thresholds beside FlexDB's default, from 0, all in place, to "
                    + "2147483647, all anew. Default: ${DEFAULT-VALUE}.")
    List<Integer> stitchingThresholds;

    @Option(
            names = "--durability",
            paramLabel = "MODE",
            defaultValue = "os",
            description =
                    "What has happened to a put when it returns: ${COMPLETION-CANDIDATES}. Part sync has its own. "
                            + "Default: ${DEFAULT-VALUE}.")
    Durability durability;

    @Option(names = "--threads", paramLabel = "N", description = "Client threads. Default: one for each processor.")
    int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--workloads",
            paramLabel = "LIST",
            defaultValue = "abcdef",
            converter = WorkloadList.class,
            description = "YCSB's, as of flexdb-ycsb/run.sh. Default: ${DEFAULT-VALUE}.")
    private List<Workloads.Named> workloads;

    @Option(
            names = "--cache",
            paramLabel = "BYTES",
            converter = BenchmarkOptions.LargeCount.class,
            description = "The cache of each store that has one. Default: 256m, or an eighth of --memory.")
    private Long cacheBytes;

    @Option(
            names = "--memtable",
            paramLabel = "BYTES",
            converter = BenchmarkOptions.LargeCount.class,
            description = "A memtable of each store that has such. Default: FlexDB's own, 64m for RocksDB.")
    long memtableBytes;

    @Option(
            names = "--heap",
            paramLabel = "BYTES",
            description = "Heap of each process. Default: 2g, or a quarter of --memory.")
    private String heap;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            defaultValue = "0",
            converter = MemoryBytes.class,
            description = "What each process may use, page cache included. Only root can, on Linux. Default: no limit.")
    long memoryBytes;

    @Option(
            names = "--limit-load",
            description =
                    "With --fresh and --memory: load within the limit, too. Default: load without, for some stores "
                            + "would take hours.")
    boolean limitLoad;

    @Option(
            names = "--cold",
            description = "Drop the page cache of the whole system before stores are opened that were loaded, so that "
                    + "reads begin on the disk. Only root can, on Linux.")
    boolean cold;

    @Option(
            names = "--fresh",
            description = "Measure each of YCSB's workloads in a process of its own, which opens a copy of the loaded "
                    + "store: as a service starts, with nothing compiled yet. Tells the rate by second, too.")
    boolean fresh;

    @Option(
            names = "--compilations",
            description = "With --fresh: record what the JVM compiles in each of these processes, and list the methods "
                    + "on which its optimizing compiler works longest.")
    boolean compilations;

    @Option(
            names = "--compilations-before",
            paramLabel = "FILE",
            description = "With --compilations: say which methods are new since these tables, or twice as large.")
    Path compilationsBefore;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description =
                    "End each of YCSB's workloads after so long, however many operations are left. Default: never.")
    private int durationSeconds;

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "An experiment that takes longer is stopped, and the report says so. "
                    + "Default: ${DEFAULT-VALUE}.")
    private long limitSeconds;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "How long each experiment that reads goes on before it is measured, so that caches have what "
                    + "they will have. None with --cold. Default: ${DEFAULT-VALUE}.")
    private int warmUpSeconds;

    @Option(
            names = "--read-seconds",
            paramLabel = "SECONDS",
            defaultValue = "0",
            converter = BenchmarkOptions.CountOrNone.class,
            description = "How long each experiment that reads is measured, through its operations again and again;"
                    + " 0 to do them once. Default: ${DEFAULT-VALUE}.")
    private int readSeconds;

    @Option(names = "--pictures", paramLabel = "DIR", description = "Where to draw figures, as SVG. Default: none.")
    Path pictures;

    @Option(names = "--verify", description = "Have YCSB check its values; the other parts always do. Costs speed.")
    boolean verify;

    @Option(names = "--seed", defaultValue = "1", description = "Of what is random. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--measure", hidden = true, description = "Measure this store in this process.")
    Subject measured;

    @Option(names = "--measure-in", hidden = true, description = "Where that store may make directories.")
    Path measuredDirectory;

    @Option(names = "--measure-space", hidden = true, description = "With these sizes.")
    KeySpace space = KeySpace.UDB;

    @Option(names = "--prepare", hidden = true, description = "Only load what the parts begin with.")
    boolean prepare;

    @Option(names = "--prepared", hidden = true, description = "Another process has loaded what the parts begin with.")
    boolean prepared;

    @Option(names = "--only", hidden = true, description = "Of all parts only YCSB, and of it only this workload.")
    private String only;

    @Option(names = "--fill", hidden = true, description = "Load so many records instead, and halt.")
    private int fill;

    @Option(names = "--fill-in", hidden = true, description = "The store to load.")
    private Path filledDirectory;

    @Spec
    private CommandSpec command;

    private String[] arguments = {};

    static CommandLine commandLine(String... arguments) {
        KeyValueSettings settings = new KeyValueSettings();
        settings.arguments = arguments.clone();
        return BenchmarkOptions.commandLine(settings, DEFAULTS, QUICK_DEFAULTS, arguments);
    }

    /** As they were given, for the processes of the stores. */
    List<String> arguments() {
        return List.of(arguments);
    }

    @Override
    public Integer call() throws Exception {
        if (limitLoad && !(fresh && memoryBytes > 0)) {
            throw new ParameterException(command.commandLine(), "--limit-load goes with --fresh and --memory");
        }
        if (cold && !PageCache.canDrop(System.err)) {
            cold = false;
        }
        if (fill > 0) {
            Recovery.fillAndHalt(measured, this, filledDirectory, fill);
        }
        return measured == null ? new KeyValue(this).run() : KeyValue.measureHere(this);
    }

    /** In the order in which they are measured. */
    Set<Part> parts() {
        if (only != null) {
            return EnumSet.of(Part.YCSB);
        }
        Set<Part> here = EnumSet.copyOf(parts);
        if (fresh && measured != null) {
            here.remove(Part.YCSB); // in processes of its own
        }
        return here;
    }

    /** Whether a process measures a store in more than one workload. */
    boolean hasPartsInOneProcess() {
        return !fresh || !parts().equals(EnumSet.of(Part.YCSB));
    }

    /** Whether each workload is measured in a process of its own. */
    boolean hasFreshParts() {
        return fresh && parts().contains(Part.YCSB);
    }

    /** YCSB's workloads that this process measures. */
    List<Workloads.Named> workloads() {
        return only == null ? workloads : Workloads.parse(only);
    }

    /** Whether this process is one of a single workload, in which nothing may be compiled before. */
    boolean isFresh() {
        return only != null;
    }

    /** How long a workload of YCSB goes on at most. */
    long durationNanos() {
        return endsByTime() ? TimeUnit.SECONDS.toNanos(durationSeconds) : Long.MAX_VALUE;
    }

    boolean endsByTime() {
        return durationSeconds > 0;
    }

    /** Of the parts but YCSB's. */
    int records() {
        return (int) Math.min(Integer.MAX_VALUE, ycsbRecords());
    }

    long ycsbRecords() {
        if (records != null) {
            return records;
        }
        return memoryBytes == 0 ? DEFAULT_RECORDS : MORE_THAN_MEMORY * memoryBytes / space.pairBytes();
    }

    int updates() {
        return updates == null ? Math.multiplyExact(2, records()) : updates;
    }

    long cacheBytes() {
        if (cacheBytes != null) {
            return cacheBytes;
        }
        return memoryBytes == 0 ? DEFAULT_CACHE_BYTES : memoryBytes / CACHE_SHARE;
    }

    String heap() {
        if (heap != null) {
            return heap;
        }
        return memoryBytes == 0 ? "2g" : Long.toString(memoryBytes / HEAP_SHARE);
    }

    long limitNanos() {
        return TimeUnit.SECONDS.toNanos(limitSeconds);
    }

    /** How long reads go on before they are measured. */
    long warmUpNanos() {
        return cold ? 0 : TimeUnit.SECONDS.toNanos(warmUpSeconds);
    }

    /** How long reads are measured; 0 if they are counted. */
    long readNanos() {
        return TimeUnit.SECONDS.toNanos(readSeconds);
    }

    /** Leaves a store that was filled to itself, for as long as is wished. */
    void leaveAlone(Subject subject) throws InterruptedException {
        if (restSeconds > 0) {
            System.err.println(subject.label() + ": left alone for " + restSeconds + " s");
            TimeUnit.SECONDS.sleep(restSeconds);
        }
    }

    /** How stores are opened. */
    StoreSettings store(Path of) {
        return new StoreSettings(
                of, cacheBytes(), memtableBytes, durability, memoryBytes > 0, Use.PAIRS, UnaryOperator.identity());
    }

    private static final class MemoryBytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return text.equals("0") ? 0 : BenchmarkOptions.number(text);
        }
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
