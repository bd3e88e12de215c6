package io.flexdb.jmh.flexdb;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.jmh.BenchmarkOptions;
import io.flexdb.jmh.Markdown;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Does a bulk load run at the disk's pace, and who waits for it? Pairs in key order into an empty store, all of them
 * durable at the end, beside plain writes of as many bytes, and what rivals have for it: RocksDB's SstFileWriter with
 * ingestion, LMDB's MDB_APPEND in one transaction.
 *
 * <pre>
 * jmh/run.sh program bulk --bytes=1g --values=100,1000
 * </pre>
 */
@Command(name = "bulk", sortOptions = false, description = "Measures bulk loads, and prints a table.")
public final class BulkLoads implements Callable<Integer> {
    /** Bytes of a key. */
    public static final int KEY_BYTES = 16;

    private static final int WRITE_BYTES = 4 << 20;
    private static final long CACHE_BYTES = 8L << 20; // nothing is read

    @Option(
            names = "--bytes",
            defaultValue = "1g",
            converter = BenchmarkOptions.LargeCount.class,
            description = "Of keys and values, about. Default: 1g.")
    private long bytes;

    @Option(names = "--values", split = ",", defaultValue = "100,1000", description = "Bytes of a value.")
    private List<Integer> values;

    @Option(names = "--rounds", defaultValue = "3", description = "The median counts. Default: 3.")
    private int rounds;

    @Option(
            names = "--subjects",
            split = ",",
            converter = WayName.class,
            completionCandidates = WayName.class,
            description = "Of ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Way> ways = Way.ALL;

    @Option(names = "--dir", defaultValue = "jmh/target/bulk", description = "Where to write.")
    private Path directory;

    @Option(names = "--json", defaultValue = "jmh/target/bulk.json", description = "Where all figures go.")
    private Path json;

    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    private boolean help;

    private final byte[] material = new byte[2 << 20]; // of values
    private final StringBuilder figures = new StringBuilder();

    /** How pairs are written: by the bulk load of a subject, or otherwise. */
    private record Way(String name, String label, Subject subject) {
        static final Way RAW = new Way("raw", "plain writes of 4 MiB, one fdatasync", null);
        static final Way BESIDE = new Way("beside", "FlexDB, bulk load, beside two writers", Subject.FLEXDB);
        static final Way PUTS = new Way("puts", "FlexDB, puts", null);
        static final List<Way> ALL = all();

        private static List<Way> all() {
            List<Way> all = new ArrayList<>(List.of(RAW, BESIDE, PUTS));
            for (Subject each : Subject.allFor(Use.BULK)) {
                int place = each == Subject.FLEXDB ? 1 : all.size();
                all.add(place, new Way(each.argument(), each.label(Use.BULK), each));
            }
            return all;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final class WayName extends BenchmarkOptions.Name<Way> {
        WayName() {
            super(Way.ALL);
        }
    }

    /** What a run took: seconds in all, of these in the commit, and how long a writer waited at most. */
    private record Run(
            double seconds, double commit, double elsewhere, double among, double processor, double written) {}

    private BulkLoads() {}

    /** @param arguments see {@code --help} */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new BulkLoads()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        new Random(1).nextBytes(material);
        List<List<String>> rows = new ArrayList<>();
        for (int valueBytes : values) {
            Map<Way, List<Run>> runs = new LinkedHashMap<>();
            for (int round = 1; round <= rounds; round++) {
                for (Way way : ways) {
                    runs.computeIfAbsent(way, any -> new ArrayList<>()).add(measure(way, valueBytes, round));
                }
            }
            runs.forEach((way, measured) -> rows.add(row(way, valueBytes, measured)));
        }
        System.out.println(Markdown.table(
                List.of(
                        "",
                        "value bytes",
                        "MB/s",
                        "bytes written per byte",
                        "processor, µs a pair",
                        "commit, s",
                        "longest put elsewhere, ms",
                        "longest put among the keys, ms"),
                rows));
        Files.writeString(json, "[" + figures + "\n]\n");
        System.out.println("All figures: " + json);
        return 0;
    }

    private List<String> row(Way way, int valueBytes, List<Run> runs) {
        boolean commits = runs.get(0).commit > 0;
        double payload = pairs(valueBytes) * (double) (KEY_BYTES + valueBytes);
        return List.of(
                way.label,
                Integer.toString(valueBytes),
                median(runs.stream().map(run -> payload / run.seconds / 1e6)),
                median(runs.stream().map(run -> run.written / payload)),
                way == Way.RAW ? "" : median(runs.stream().map(run -> run.processor * 1e6 / pairs(valueBytes))),
                commits ? median(runs.stream().map(Run::commit)) : "",
                way == Way.BESIDE ? median(runs.stream().map(run -> run.elsewhere * 1e3)) : "",
                way == Way.BESIDE ? median(runs.stream().map(run -> run.among * 1e3)) : "");
    }

    private static String median(Stream<Double> numbers) {
        return Markdown.number(Markdown.median(numbers.toList()));
    }

    private long pairs(int valueBytes) {
        return bytes / (KEY_BYTES + valueBytes);
    }

    private Run measure(Way way, int valueBytes, int round) throws Exception {
        Path own = directory.resolve(way.name);
        Path store = own.resolve("store");
        KeyValue.remove(own);
        Files.createDirectories(store);
        ProcessFigures before = ProcessFigures.now();
        long start = System.nanoTime();
        double[] waits = {0, 0, 0}; // commit, elsewhere, among
        if (way == Way.RAW) {
            writeRaw(own.resolve("file"), pairs(valueBytes) * (KEY_BYTES + valueBytes));
        } else if (way == Way.PUTS) {
            put(store, valueBytes);
        } else {
            load(way, store, valueBytes, waits);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        ProcessFigures after = ProcessFigures.now();
        Run run = new Run(
                seconds,
                waits[0],
                waits[1],
                waits[2],
                (after.processorNanos() - before.processorNanos()) / 1e9,
                after.writtenBytes() - before.writtenBytes());
        System.err.printf(Locale.ROOT, "%s, %d bytes, round %d: %s%n", way.label, valueBytes, round, run);
        figures.append(String.format(
                Locale.ROOT,
                "%s%n  {\"subject\": \"%s\", \"valueBytes\": %d, \"pairs\": %d, \"round\": %d, \"seconds\": %.3f, \"commit\": %.4f,"
                        + " \"elsewhere\": %.5f, \"among\": %.5f, \"processor\": %.3f, \"written\": %.0f}",
                figures.length() == 0 ? "" : ",",
                way.label,
                valueBytes,
                pairs(valueBytes),
                round,
                run.seconds,
                run.commit,
                run.elsewhere,
                run.among,
                run.processor,
                run.written));
        KeyValue.remove(own);
        return run;
    }

    private void eachPair(int valueBytes, KeyValueStore.PairConsumer sink) {
        byte[] key = new byte[KEY_BYTES];
        byte[] value = new byte[valueBytes];
        ByteBuffer numbers = ByteBuffer.wrap(key);
        long count = pairs(valueBytes);
        for (long i = 0; i < count; i++) {
            numbers.putLong(0, 2 * i).putLong(8, i * 0x9E3779B97F4A7C15L);
            System.arraycopy(material, (int) (i * 4099 % (material.length - valueBytes)), value, 0, valueBytes);
            sink.accept(key, value);
        }
    }

    private void writeRaw(Path file, long length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(WRITE_BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long done = 0; done < length; done += WRITE_BYTES) {
                buffer.clear().put(material).put(material).flip();
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }
            channel.force(false);
        }
    }

    private void load(Way way, Path own, int valueBytes, double[] waits) throws InterruptedException {
        StoreSettings settings = StoreSettings.of(own, CACHE_BYTES, Use.BULK).with(options -> FlexDBOptions.defaults());
        try (KeyValueStore store = way.subject.open(settings)) {
            if (way.subject == Subject.FLEXDB) {
                store.put(new byte[KEY_BYTES], new byte[KEY_BYTES]); // the first write makes the first log
            }
            AtomicBoolean over = new AtomicBoolean();
            Thread elsewhere = new Thread(() -> waits[1] = longestPut(store, Long.MAX_VALUE, over));
            Thread among = new Thread(() -> waits[2] = longestPut(store, pairs(valueBytes) | 1, over));
            try {
                long commitNanos = store.load(sink -> {
                    eachPair(valueBytes, sink);
                    if (way == Way.BESIDE) {
                        elsewhere.start();
                        among.start();
                    }
                });
                waits[0] = commitNanos / 1e9;
            } finally {
                over.set(true);
                elsewhere.join();
                among.join();
            }
        }
    }

    /** Puts the same key until the load is over, and returns how long the longest took. */
    private static double longestPut(KeyValueStore store, long number, AtomicBoolean over) {
        byte[] key = ByteBuffer.allocate(KEY_BYTES).putLong(number).array();
        long longest = 0;
        while (!over.get()) {
            long begun = System.nanoTime();
            store.put(key, key);
            longest = Math.max(longest, System.nanoTime() - begun);
            LockSupport.parkNanos(100_000);
        }
        return longest / 1e9;
    }

    private void put(Path own, int valueBytes) {
        try (FlexDB db = FlexDB.open(own, FlexDBOptions.defaults())) {
            eachPair(valueBytes, db::put);
            db.sync();
        }
    }
}
