package io.flexdb.jmh.flexdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.flexdb.FlexDBOptions;
import io.flexdb.jmh.Markdown;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What does a reader beside the writer cost, and how fast is it? A store of pairs in random order, whose writer rests or
 * puts at random; one reader that gets at random and refreshes ten times a second; FlexDB with and without leases, and
 * RocksDB's secondary instance.
 *
 * <pre>
 * jmh/run.sh program readers --pairs=1000000 --seconds=4
 * </pre>
 */
@Command(name = "readers", sortOptions = false, description = "Measures readers beside a writer, and prints a table.")
final class ReadersBeside implements Callable<Integer> {
    private static final int OPENINGS = 5;
    private static final int REFRESHES = 25;
    private static final int PUTS_PER_REFRESH = 1000;
    private static final long PAUSE_NANOS = 100_000_000; // between refreshes
    private static final long CACHE_BYTES = 256L << 20;
    private static final long LEASED_BYTES = 512L << 20;
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    @Option(names = "--pairs", defaultValue = "1000000", description = "In the store. Default: 1000000.")
    private int pairs;

    @Option(names = "--value", defaultValue = "100", description = "Bytes of a value. Default: 100.")
    private int valueBytes;

    @Option(names = "--seconds", defaultValue = "4", description = "Of each figure, at rest and not. Default: 4.")
    private int seconds;

    @Option(names = "--rounds", defaultValue = "3", description = "The median counts. Default: 3.")
    private int rounds;

    @Option(
            names = "--dir",
            defaultValue = "jmh/target/readers",
            description = "Where a directory is made, and removed.")
    private Path directory;

    @Option(names = "--help", usageHelp = true, description = "Shows this.")
    private boolean help;

    private volatile boolean ended;
    private volatile long puts;

    /** Of a phase: GETs, refreshes and puts. */
    private record Phase(double gets, double refreshMillis, double puts) {}

    private ReadersBeside() {}

    /** @param arguments see {@code --help} */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ReadersBeside()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (Subject subject : Subject.allFor(Use.READERS)) {
            rows.add(measure(subject.label(Use.READERS), subject, LEASED_BYTES));
            if (subject == Subject.FLEXDB) {
                rows.add(measure(subject.label(Use.READERS) + ", no leases", subject, 0));
            }
        }
        System.out.println(Markdown.table(
                List.of(
                        "store",
                        "opening, ms",
                        "refresh after 1000 puts, ms",
                        "with nothing new, ms",
                        "GETs a second, at rest",
                        "beside puts",
                        "refresh beside puts, ms",
                        "puts a second, alone",
                        "beside the reader"),
                rows));
        return 0;
    }

    private byte[] key(long number) {
        return String.format(Locale.ROOT, "user%012d", number * SCATTER >>> 24).getBytes(US_ASCII);
    }

    private byte[] value(Random random) {
        byte[] value = new byte[valueBytes];
        random.nextBytes(value);
        return value;
    }

    private List<String> measure(String name, Subject subject, long leasedBytes) throws Exception {
        Path own = directory.resolve("flexdb-readers");
        Path path = own.resolve("store");
        KeyValue.remove(own);
        Files.createDirectories(path);
        StoreSettings settings = StoreSettings.of(path, CACHE_BYTES, Use.READERS)
                .with(options -> FlexDBOptions.defaults().withMaxLeasedBytes(leasedBytes));
        Random random = new Random(1);
        List<String> row = new ArrayList<>(List.of(name));
        try (KeyValueStore store = subject.open(settings)) {
            for (int i = 0; i < pairs; i++) {
                store.put(key(i), value(random));
            }
            row.add(Markdown.number(opening(store)));
            try (KeyValueStore.Reader reader = store.reader()) {
                refreshes(store, reader, random, row);
                row.add(Markdown.number(atRest(reader, random)));
            }
            double alone = putsAlone(store);
            try (KeyValueStore.Reader reader = store.reader()) {
                Phase beside = besidePuts(store, reader, random);
                row.add(Markdown.number(beside.gets));
                row.add(Markdown.number(beside.refreshMillis));
                row.add(Markdown.number(alone));
                row.add(Markdown.number(beside.puts));
            }
        }
        KeyValue.remove(own);
        return row;
    }

    private static double opening(KeyValueStore store) throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < OPENINGS; i++) {
            long begun = System.nanoTime();
            store.reader().close();
            millis.add((System.nanoTime() - begun) / 1e6);
        }
        return Markdown.median(millis);
    }

    private void refreshes(KeyValueStore store, KeyValueStore.Reader reader, Random random, List<String> row)
            throws Exception {
        List<Double> withNews = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        for (int i = 0; i < REFRESHES; i++) {
            for (int j = 0; j < PUTS_PER_REFRESH; j++) {
                store.put(key(random.nextInt(pairs)), value(random));
            }
            withNews.add(refresh(reader));
            for (int j = 0; j < REFRESHES; j++) {
                without.add(refresh(reader));
            }
        }
        row.add(Markdown.number(Markdown.median(withNews)));
        row.add(Markdown.number(Markdown.median(without)));
    }

    private static double refresh(KeyValueStore.Reader reader) throws Exception {
        long begun = System.nanoTime();
        reader.refresh();
        return (System.nanoTime() - begun) / 1e6;
    }

    private double atRest(KeyValueStore.Reader reader, Random random) throws Exception {
        List<Double> gets = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            gets.add(phase(reader, random).gets);
        }
        return Markdown.median(gets);
    }

    private Phase phase(KeyValueStore.Reader reader, Random random) throws Exception {
        long begun = System.nanoTime();
        long putsBefore = puts;
        long refreshed = begun;
        long gets = 0;
        List<Double> millis = new ArrayList<>();
        long now = begun;
        while (now - begun < seconds * 1_000_000_000L) {
            for (int i = 0; i < 100; i++, gets++) {
                if (reader.get(key(random.nextInt(pairs))) == null) {
                    throw new IllegalStateException("a pair is missing");
                }
            }
            now = System.nanoTime();
            if (now - refreshed > PAUSE_NANOS) {
                millis.add(refresh(reader));
                refreshed = System.nanoTime();
            }
        }
        double duration = (System.nanoTime() - begun) / 1e9;
        double mean = millis.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        return new Phase(gets / duration, mean, (puts - putsBefore) / duration);
    }

    private Thread writer(KeyValueStore store) {
        ended = false;
        Thread writer = new Thread(() -> {
            Random random = new Random(5);
            while (!ended) {
                store.put(key(random.nextInt(pairs)), value(random));
                puts = puts + 1; // this thread alone
            }
        });
        writer.start();
        return writer;
    }

    private double putsAlone(KeyValueStore store) throws Exception {
        long before = puts;
        Thread writer = writer(store);
        Thread.sleep(seconds * 1000L);
        ended = true;
        writer.join();
        return (puts - before) / (double) seconds;
    }

    private Phase besidePuts(KeyValueStore store, KeyValueStore.Reader reader, Random random) throws Exception {
        Thread writer = writer(store);
        List<Double> gets = new ArrayList<>();
        List<Double> millis = new ArrayList<>();
        List<Double> written = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            Phase phase = phase(reader, random);
            gets.add(phase.gets);
            millis.add(phase.refreshMillis);
            written.add(phase.puts);
        }
        ended = true;
        writer.join();
        return new Phase(Markdown.median(gets), Markdown.median(millis), Markdown.median(written));
    }
}
