package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A topology of the DSL with all kinds of stores gives the same with FlexDB as with the stores of Kafka Streams in memory. */
class DslTopologyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "at_least_once, false, DEFAULT",
        "exactly_once_v2, false, DEFAULT",
        "exactly_once_v2, true, DEFAULT",
        "at_least_once, false, HEADERS"
    })
    void givesWhatTheStoresInMemoryGive(String guarantee, boolean transactional, String format) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        properties.put("enable.transactional.statestores", transactional);
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        if (!format.equals("DEFAULT")) {
            properties.put(StreamsConfig.DSL_STORE_FORMAT_CONFIG, format);
        }
        List<String> expected = run(properties, BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers.class, "memory");
        List<String> found = run(properties, FlexDBDslStoreSuppliers.class, "ours");
        assertTrue(expected.size() > 1000, () -> "too little to compare: " + expected.size());
        assertEquals(expected, found);
    }

    private List<String> run(Properties properties, Class<? extends DslStoreSuppliers> suppliers, String name) {
        Properties own = new Properties();
        own.putAll(properties);
        own.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, suppliers);
        own.put("flexdb.durability", "NONE"); // the driver commits after each record
        own.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(name).toString());
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(own)));
        operations(builder);
        List<String> results = new ArrayList<>();
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(own), own, Instant.EPOCH)) {
            var left = driver.createInputTopic("left", new StringSerializer(), new StringSerializer());
            var right = driver.createInputTopic("right", new StringSerializer(), new StringSerializer());
            var output = driver.createOutputTopic("output", new StringDeserializer(), new StringDeserializer());
            Random random = new Random(11);
            for (int i = 0; i < 400; i++) {
                long time = Math.max(0, i * 2_000L - random.nextInt(20_000));
                String key = "k" + random.nextInt(6);
                (random.nextInt(3) == 0 ? right : left).pipeInput(key, "v" + i, Instant.ofEpochMilli(time));
                output.readRecordsToList()
                        .forEach(each -> results.add(each.key() + "=" + each.value() + "@" + each.timestamp()));
            }
            if (name.equals("ours")) {
                assertEquals(1, directories(directory.resolve(name)));
            }
        }
        return results;
    }

    private static void operations(StreamsBuilder builder) {
        KStream<String, String> left = builder.stream("left", Consumed.with(Serdes.String(), Serdes.String()));
        KStream<String, String> right = builder.stream("right", Consumed.with(Serdes.String(), Serdes.String()));
        List<KStream<String, String>> all = new ArrayList<>();
        all.add(left.groupByKey().count(Materialized.as("counts")).toStream().mapValues(n -> "count " + n));
        all.add(left.groupByKey()
                .windowedBy(TimeWindows.ofSizeAndGrace(MINUTE, MINUTE).advanceBy(Duration.ofSeconds(20)))
                .count()
                .toStream()
                .map((window, n) -> pair(window.toString(), "hopping " + n)));
        all.add(left.groupByKey()
                .windowedBy(TimeWindows.ofSizeAndGrace(MINUTE, MINUTE))
                .emitStrategy(EmitStrategy.onWindowClose())
                .count()
                .toStream()
                .map((window, n) -> pair(window.key(), "closed " + n)));
        all.add(left.groupByKey()
                .windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(MINUTE, MINUTE))
                .count()
                .toStream()
                .map((window, n) -> pair(window.toString(), "sliding " + n)));
        all.add(left.groupByKey()
                .windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(15), MINUTE))
                .reduce((a, b) -> a + b)
                .toStream()
                .map((window, v) -> pair(window.toString(), "session " + v)));
        all.add(left.outerJoin(
                right,
                (a, b) -> "join " + a + " " + b,
                JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(8), Duration.ofSeconds(8)),
                StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String())));
        all.add(left.leftJoin(right.toTable(Materialized.as("latest")), (a, b) -> "table " + a + " " + b));
        all.forEach(stream -> stream.to("output", Produced.with(Serdes.String(), Serdes.String())));
    }

    private static org.apache.kafka.streams.KeyValue<String, String> pair(String key, String value) {
        return org.apache.kafka.streams.KeyValue.pair(key, value);
    }

    /** How many FlexDBs there are, which hold at least one store. */
    private static long directories(Path state) {
        try (Stream<Path> files = Files.walk(state)) {
            return files.filter(path -> path.endsWith(TaskDatabase.DIRECTORY)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
