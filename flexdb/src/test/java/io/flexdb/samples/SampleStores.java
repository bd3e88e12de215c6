package io.flexdb.samples;

import io.flexdb.FlexDB;
import io.flexdb.FlexDBBackups;
import io.flexdb.FlexDBOptions;
import io.flexdb.Keyspace;
import io.flexdb.MergeFunction;
import io.flexdb.WriteOptions;
import io.flexdb.flexspace.FlexSpaceOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Makes the sample stores of a step of the format, for {@link SampleStoresTest}. To be run once, when a step is new,
 * with the classes and tests of this module on the class path:
 *
 * <pre>
 * java io.flexdb.samples.SampleStores flexdb/src/test/resources/io/flexdb/samples/6.zip
 * </pre>
 *
 * <p>A sample has a store that was closed, one that was killed, and a directory of backups. Operands wait for the merge
 * function under the keys that begin with "fail".
 */
public final class SampleStores {
    /** The merge function of the stores. */
    static final MergeFunction MERGER = (key, value, operands) -> {
        if (key[0] == 'f') {
            throw new IllegalStateException("fails for these keys");
        }
        return MergeFunction.APPEND.merge(key, value, operands);
    };

    /** Small ones, so that a sample takes little space. */
    public static final FlexDBOptions OPTIONS = FlexDBOptions.defaults()
            .withMemtableBytes(FlexDBOptions.MIN_MEMTABLE_BYTES)
            .withLargeValueBytes(2000)
            .withCacheBytes(1 << 20)
            .withMergeFunction(MERGER)
            .withSpace(FlexSpaceOptions.defaults().withSegments(64 * 512, 512));

    private SampleStores() {}

    /** Makes the file that the argument names. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createTempDirectory("samples");
        try (FlexDB db = FlexDB.open(directory.resolve("closed"), OPTIONS)) {
            fill(db);
        }
        Path running = directory.resolve("running");
        FlexDB db = FlexDB.open(running, OPTIONS);
        try (FlexDBBackups backups = FlexDBBackups.open(directory.resolve("backups"))) {
            fill(db);
            backups.create(db);
            copy(running, directory.resolve("killed"));
        } finally {
            db.close();
        }
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(Path.of(arguments[0])))) {
            for (String name : List.of("closed", "killed", "backups")) {
                pack(directory, directory.resolve(name), zip);
            }
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String value(int i) {
        return ("value-" + i + "-").repeat(i % 50 == 0 ? 400 : 1 + i % 7);
    }

    private static void fill(FlexDB db) {
        Keyspace other = db.createKeyspace("other");
        for (int i = 0; i < 600; i++) {
            db.put(bytes("key" + i), bytes(value(i)));
            other.put(bytes("key" + i), bytes("other" + i));
            if (i == 400) {
                db.sync();
            }
        }
        db.deleteRange(bytes("key2"), bytes("key3"));
        for (int i = 0; i < 5; i++) {
            db.merge(bytes("merged"), bytes("," + i));
            db.merge(bytes("fail"), bytes("," + i));
        }
        db.put(bytes("gone"), bytes("x"), WriteOptions.defaults().withTimeToLive(Duration.ofMillis(1)));
        db.put(bytes("stays"), bytes("y"), WriteOptions.defaults().withTimeToLive(Duration.ofDays(36500)));
    }

    /** The pairs of the default keyspace, but for those whose merge function fails. */
    static TreeMap<String, String> pairs() {
        TreeMap<String, String> pairs = new TreeMap<>();
        for (int i = 0; i < 600; i++) {
            pairs.put("key" + i, value(i));
        }
        pairs.subMap("key2", "key3").clear();
        pairs.put("merged", ",0,1,2,3,4");
        pairs.put("stays", "y");
        return pairs;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    private static void pack(Path root, Path directory, ZipOutputStream zip) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted().toList()) {
                if (!path.getFileName().toString().equals("LOCK")) {
                    String name = root.relativize(path).toString().replace('\\', '/');
                    zip.putNextEntry(new ZipEntry(Files.isDirectory(path) ? name + "/" : name));
                    if (Files.isRegularFile(path)) {
                        Files.copy(path, zip);
                    }
                    zip.closeEntry();
                }
            }
        }
    }

    /** Unpacks the samples of a step of the format into a directory. */
    static void unpack(int format, Path directory) throws IOException {
        try (InputStream file = SampleStores.class.getResourceAsStream(format + ".zip");
                ZipInputStream zip = new ZipInputStream(file)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path path = directory.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else {
                    try (OutputStream out = Files.newOutputStream(path)) {
                        zip.transferTo(out);
                    }
                }
            }
        }
    }
}
