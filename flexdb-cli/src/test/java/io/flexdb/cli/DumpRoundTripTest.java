package io.flexdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.flexdb.FlexCursor;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBReader;
import io.flexdb.Keyspace;
import io.flexdb.ReadView;
import io.flexdb.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/** A store that was dumped and loaded has the same keyspaces, pairs and times. */
class DumpRoundTripTest {
    private static final HexFormat HEX = HexFormat.of();

    private Path directory;

    /** A pair to write; the value is made from a seed. */
    record Pair(String keyspace, byte[] key, int valueBytes, long seed, int ttlHours) {
        byte[] value() {
            byte[] value = new byte[valueBytes];
            new Random(seed).nextBytes(value);
            return value;
        }
    }

    @BeforeTry
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory("flexdb-dump-");
    }

    @AfterTry
    void removeDirectory() throws IOException {
        List<Path> files = new ArrayList<>();
        try (var found = Files.walk(directory)) {
            found.forEach(files::add);
        }
        for (int i = files.size() - 1; i >= 0; i--) {
            Files.delete(files.get(i));
        }
    }

    @Provide
    Arbitrary<List<Pair>> pairs() {
        Arbitrary<String> keyspace = Arbitraries.strings().ofMaxLength(3).map(DumpRoundTripTest::name);
        Arbitrary<byte[]> key =
                Arbitraries.bytes().array(byte[].class).ofMinSize(1).ofMaxSize(300);
        Arbitrary<Integer> valueBytes = Arbitraries.frequencyOf(
                Tuple.of(20, Arbitraries.integers().between(0, 200)),
                Tuple.of(4, Arbitraries.integers().between(30_000, 140_000)),
                Tuple.of(1, Arbitraries.integers().between(1 << 20, 2 << 20)));
        Arbitrary<Integer> ttl = Arbitraries.integers().between(-100, 100);
        return Combinators.combine(keyspace, key, valueBytes, Arbitraries.longs(), ttl)
                .as(Pair::new)
                .list()
                .ofMaxSize(40);
    }

    /** Half of a surrogate pair can't be in a name. */
    private static String name(String text) {
        return text.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF) ? "surrogate" : text;
    }

    @Property(tries = 30)
    void loadBringsBackWhatWasDumped(@ForAll("pairs") List<Pair> pairs) {
        Path store = directory.resolve("store");
        try (FlexDB db = FlexDB.open(store)) {
            pairs.forEach(pair -> put(db, pair));
        }
        Path dump = directory.resolve("dump");
        Path loaded = directory.resolve("loaded");
        Tool.done("dump", store, dump);
        Tool.done("load", loaded, dump, "--create");
        assertEquals(content(store), content(loaded));
        assertEquals(ExitCode.DONE, Tool.run("verify", loaded).code());
    }

    private static void put(FlexDB db, Pair pair) {
        Keyspace keyspace = pair.keyspace().isEmpty() ? db : db.createKeyspaceIfAbsent(pair.keyspace());
        WriteOptions options = pair.ttlHours() > 0
                ? WriteOptions.timeToLive(Duration.ofHours(pair.ttlHours()))
                : WriteOptions.defaults();
        keyspace.put(pair.key(), pair.value(), options);
    }

    private static Map<String, List<String>> content(Path store) {
        Map<String, List<String>> content = new TreeMap<>();
        try (FlexDBReader reader = FlexDB.openReadOnly(store)) {
            content.put("", pairs(reader));
            reader.keyspaces().forEach(name -> content.put(name, pairs(reader.keyspace(name))));
        }
        return content;
    }

    private static List<String> pairs(ReadView view) {
        List<String> pairs = new ArrayList<>();
        try (FlexCursor cursor = view.cursor()) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                byte[] value = cursor.value();
                pairs.add(HEX.formatHex(cursor.key()) + " " + value.length + " " + Arrays.hashCode(value) + " "
                        + cursor.expiresAt());
            }
        }
        return pairs;
    }
}
