package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flexdb.BulkLoad;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
import io.flexdb.jmh.Markdown;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.SstFileWriter;
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
    private static final long MAP_BYTES = 64L << 30;

    @Option(names = "--bytes", defaultValue = "1g", description = "Of keys and values, about. Default: 1g.")
    private long bytes;

    @Option(names = "--values", split = ",", defaultValue = "100,1000", description = "Bytes of a value.")
    private List<Integer> values;

    @Option(names = "--rounds", defaultValue = "3", description = "The median counts. Default: 3.")
    private int rounds;

    @Option(
            names = "--subjects",
            split = ",",
            defaultValue = "raw,flexdb,beside,puts,rocksdb,lmdb",
            description = "Of ${COMPLETION-CANDIDATES}. Default: all.")
    private List<Subject> subjects;

    @Option(names = "--dir", defaultValue = "jmh/target/bulk", description = "Where to write.")
    private Path directory;

    @Option(names = "--json", defaultValue = "jmh/target/bulk.json", description = "Where all figures go.")
    private Path json;

    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    private boolean help;

    private final byte[] material = new byte[2 << 20]; // of values
    private final StringBuilder figures = new StringBuilder();

    private enum Subject {
        RAW("plain writes of 4 MiB, one fdatasync"),
        FLEXDB("FlexDB, bulk load"),
        BESIDE("FlexDB, bulk load, beside two writers"),
        PUTS("FlexDB, puts"),
        ROCKSDB("RocksDB, SstFileWriter and ingestion"),
        LMDB("LMDB, MDB_APPEND");

        private final String label;

        Subject(String label) {
            this.label = label;
        }
    }

    /** What a run took: seconds in all, of these in the commit, and how long a writer waited at most. */
    private record Run(
            double seconds, double commit, double elsewhere, double among, double processor, double written) {}

    /** Pairs in key order. */
    private interface PairSink {
        void accept(byte[] key, byte[] value) throws Exception;
    }

    private BulkLoads() {}

    /** @param arguments see {@code --help} */
    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new BulkLoads()).setCaseInsensitiveEnumValuesAllowed(true);
        line.registerConverter(long.class, BulkLoads::bytesOf);
        System.exit(line.execute(arguments));
    }

    private static long bytesOf(String text) {
        int shift = 10 * (" kmg".indexOf(Character.toLowerCase(text.charAt(text.length() - 1))));
        return shift <= 0 ? Long.parseLong(text) : Long.parseLong(text.substring(0, text.length() - 1)) << shift;
    }

    @Override
    public Integer call() throws Exception {
        new Random(1).nextBytes(material);
        List<List<String>> rows = new ArrayList<>();
        for (int valueBytes : values) {
            Map<Subject, List<Run>> runs = new EnumMap<>(Subject.class);
            for (int round = 1; round <= rounds; round++) {
                for (Subject subject : subjects) {
                    runs.computeIfAbsent(subject, any -> new ArrayList<>()).add(measure(subject, valueBytes, round));
                }
            }
            runs.forEach((subject, measured) -> rows.add(row(subject, valueBytes, measured)));
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

    private List<String> row(Subject subject, int valueBytes, List<Run> runs) {
        boolean commits = subject == Subject.FLEXDB || subject == Subject.BESIDE || subject == Subject.ROCKSDB;
        double payload = pairs(valueBytes) * (double) (KEY_BYTES + valueBytes);
        return List.of(
                subject.label,
                Integer.toString(valueBytes),
                median(runs.stream().map(run -> payload / run.seconds / 1e6)),
                median(runs.stream().map(run -> run.written / payload)),
                subject == Subject.RAW ? "" : median(runs.stream().map(run -> run.processor * 1e6 / pairs(valueBytes))),
                commits ? median(runs.stream().map(Run::commit)) : "",
                subject == Subject.BESIDE ? median(runs.stream().map(run -> run.elsewhere * 1e3)) : "",
                subject == Subject.BESIDE ? median(runs.stream().map(run -> run.among * 1e3)) : "");
    }

    private static String median(Stream<Double> numbers) {
        return Markdown.number(Markdown.median(numbers.toList()));
    }

    private long pairs(int valueBytes) {
        return bytes / (KEY_BYTES + valueBytes);
    }

    private Run measure(Subject subject, int valueBytes, int round) throws Exception {
        Path own = directory.resolve(subject.name().toLowerCase(Locale.ROOT));
        KeyValue.remove(own);
        Files.createDirectories(own);
        ProcessFigures before = ProcessFigures.now();
        long start = System.nanoTime();
        double[] waits = {0, 0, 0}; // commit, elsewhere, among
        switch (subject) {
            case RAW -> writeRaw(own.resolve("file"), pairs(valueBytes) * (KEY_BYTES + valueBytes));
            case FLEXDB, BESIDE -> load(own, valueBytes, subject == Subject.BESIDE, waits);
            case PUTS -> put(own, valueBytes);
            case ROCKSDB -> ingest(own, valueBytes, waits);
            case LMDB -> append(own, valueBytes);
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
        System.err.printf(Locale.ROOT, "%s, %d bytes, round %d: %s%n", subject.label, valueBytes, round, run);
        figures.append(String.format(
                Locale.ROOT,
                "%s%n  {\"subject\": \"%s\", \"valueBytes\": %d, \"pairs\": %d, \"round\": %d, \"seconds\": %.3f, \"commit\": %.4f,"
                        + " \"elsewhere\": %.5f, \"among\": %.5f, \"processor\": %.3f, \"written\": %.0f}",
                figures.length() == 0 ? "" : ",",
                subject.label,
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

    private void eachPair(int valueBytes, PairSink sink) throws Exception {
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

    private void load(Path own, int valueBytes, boolean beside, double[] waits) throws Exception {
        try (FlexDB db = FlexDB.open(own, FlexDBOptions.defaults())) {
            db.put(new byte[KEY_BYTES], new byte[KEY_BYTES]); // the first write makes the first log
            AtomicBoolean over = new AtomicBoolean();
            Thread elsewhere = new Thread(() -> waits[1] = longestPut(db, Long.MAX_VALUE, over));
            Thread among = new Thread(() -> waits[2] = longestPut(db, pairs(valueBytes) | 1, over));
            try (BulkLoad load = db.bulkLoad()) {
                eachPair(valueBytes, load::add);
                if (beside) {
                    elsewhere.start();
                    among.start();
                }
                long begun = System.nanoTime();
                load.commit();
                waits[0] = (System.nanoTime() - begun) / 1e9;
            } finally {
                over.set(true);
                elsewhere.join();
                among.join();
            }
        }
    }

    /** Puts the same key until the load is over, and returns how long the longest took. */
    private static double longestPut(FlexDB db, long number, AtomicBoolean over) {
        byte[] key = ByteBuffer.allocate(KEY_BYTES).putLong(number).array();
        long longest = 0;
        while (!over.get()) {
            long begun = System.nanoTime();
            db.put(key, key);
            longest = Math.max(longest, System.nanoTime() - begun);
            LockSupport.parkNanos(100_000);
        }
        return longest / 1e9;
    }

    private void put(Path own, int valueBytes) throws Exception {
        try (FlexDB db = FlexDB.open(own, FlexDBOptions.defaults())) {
            eachPair(valueBytes, db::put);
            db.sync();
        }
    }

    private void ingest(Path own, int valueBytes, double[] waits) throws Exception {
        RocksDB.loadLibrary();
        Path table = own.resolve("pairs.sst");
        try (Options options =
                        new Options().setCreateIfMissing(true).setCompressionType(CompressionType.NO_COMPRESSION);
                EnvOptions environment = new EnvOptions();
                IngestExternalFileOptions ingestion = new IngestExternalFileOptions().setMoveFiles(true);
                RocksDB db = RocksDB.open(options, own.resolve("store").toString());
                SstFileWriter writer = new SstFileWriter(environment, options)) {
            writer.open(table.toString());
            eachPair(valueBytes, writer::put);
            writer.finish();
            long begun = System.nanoTime();
            db.ingestExternalFile(List.of(table.toString()), ingestion);
            waits[0] = (System.nanoTime() - begun) / 1e9;
        }
    }

    private void append(Path own, int valueBytes) throws Exception {
        ByteBuffer keyBuffer = ByteBuffer.allocateDirect(KEY_BYTES);
        ByteBuffer valueBuffer = ByteBuffer.allocateDirect(valueBytes);
        try (Env<ByteBuffer> environment = Env.create(ByteBufferProxy.PROXY_OPTIMAL)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(1)
                .open(own.toFile(), EnvFlags.MDB_WRITEMAP)) {
            Dbi<ByteBuffer> database = environment.openDbi("pairs".getBytes(US_ASCII), DbiFlags.MDB_CREATE);
            try (Txn<ByteBuffer> writing = environment.txnWrite()) {
                eachPair(
                        valueBytes,
                        (key, value) -> database.put(
                                writing,
                                keyBuffer.clear().put(key).flip(),
                                valueBuffer.clear().put(value).flip(),
                                PutFlags.MDB_APPEND));
                writing.commit();
            }
            environment.sync(true);
        }
    }
}
