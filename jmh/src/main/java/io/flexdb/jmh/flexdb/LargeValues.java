package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Puts and gets large values, in FlexDB beside its rivals, and tells what was written for each byte of them.
 *
 * <pre>
 * jmh/kv.sh values [MiB for each line, default 512] [directory, default jmh/target/values]
 * </pre>
 *
 * Each line has a new store, to which so many values are put in random order that they have so many bytes, a third of
 * them overwritten; it is closed, since then all has to be where it belongs, opened again, and each value is read.
 */
public final class LargeValues {
    private static final int[] VALUE_BYTES = {64 << 10, 1 << 20, 16 << 20};

    private static final int LEAST_MEBIBYTES = 16; // one of the largest

    private record Candidate(String name, Function<StoreSettings, KeyValueStore> opener) {}

    private static final List<Candidate> CANDIDATES = List.of(
            new Candidate("FlexDB", FlexDBStore::new),
            new Candidate("RocksDB, BlobDB", settings -> new RocksDBStore(settings, RocksDBStore::withBlobs)),
            new Candidate("LMDB", LmdbStore::new));

    private final Path directory;
    private final long bytes;

    private LargeValues(Path directory, long bytes) {
        this.directory = directory;
        this.bytes = bytes;
    }

    /** See the class. */
    public static void main(String[] arguments) throws IOException {
        long mebibytes = arguments.length > 0 ? Long.parseLong(arguments[0]) : 512;
        Path directory = Path.of(arguments.length > 1 ? arguments[1] : "jmh/target/values");
        if (mebibytes < LEAST_MEBIBYTES || arguments.length > 2) {
            System.err.println(
                    "usage: jmh/kv.sh values [MiB for each line, at least " + LEAST_MEBIBYTES + "] [directory]");
            System.exit(2);
        }
        LargeValues run = new LargeValues(directory, mebibytes << 20);
        System.out.println("| store | durability | value | put, MB/s | get, MB/s | written for each byte |");
        System.out.println("|---|---|---:|---:|---:|---:|");
        for (Durability durability : List.of(Durability.OS, Durability.SYNC)) {
            for (int valueBytes : VALUE_BYTES) {
                for (Candidate candidate : CANDIDATES) {
                    run.measure(candidate, durability, valueBytes);
                }
            }
        }
    }

    private void measure(Candidate candidate, Durability durability, int valueBytes) throws IOException {
        Path place = Files.createDirectories(directory.resolve("values"));
        StoreSettings settings = new StoreSettings(place, 64L << 20, 0, durability, UnaryOperator.identity());
        int count = (int) (bytes / valueBytes);
        int keys = Math.max(1, count * 2 / 3);
        byte[] value = new byte[valueBytes];
        new Random(1).nextBytes(value);
        long writtenBefore = ProcessFigures.now().writtenBytes();
        long start = System.nanoTime();
        try (KeyValueStore store = candidate.opener().apply(settings)) {
            for (int i = 0; i < count; i++) {
                value[i % valueBytes]++;
                store.put(key((int) (i * 2654435761L % keys)), value);
            }
        }
        double putSeconds = (System.nanoTime() - start) / 1e9;
        double written = (double) (ProcessFigures.now().writtenBytes() - writtenBefore) / ((long) count * valueBytes);
        long read = 0;
        start = System.nanoTime();
        try (KeyValueStore store = candidate.opener().apply(settings)) {
            for (int i = 0; i < keys; i++) {
                byte[] found = store.get(key((int) (i * 40503L % keys)));
                read += found == null ? 0 : found.length;
            }
        }
        double getSeconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "| %s | `%s` | %,d KiB | %,.0f | %,.0f | %.2f |%n",
                candidate.name(),
                durability,
                valueBytes >> 10,
                (long) count * valueBytes / putSeconds / 1e6,
                read / getSeconds / 1e6,
                written);
        delete(place);
    }

    private static byte[] key(int number) {
        return String.format(Locale.ROOT, "value%09d", number).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static void delete(Path place) throws IOException {
        try (Stream<Path> files = Files.walk(place)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
