package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/kafka-streams.md}. */
class KafkaExampleTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```java\n(.*?)```");

    @TempDir
    Path directory;

    @Test
    void pageHasOnlyCodeOfThisClass() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "kafka-streams.md"));
        String source = withoutSpace(
                Files.readString(Path.of("src", "test", "java", "io", "flexdb", "kafka", "KafkaExampleTest.java")));
        List<String> blocks = BLOCK.matcher(page)
                .results()
                .map((MatchResult block) -> withoutSpace(block.group(1)))
                .toList();
        assertEquals(2, blocks.size());
        for (String block : blocks) {
            assertTrue(source.contains(block), block);
        }
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void theExampleRuns() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "example");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);

        properties.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, FlexDBDslStoreSuppliers.class);
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, true);
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(properties)));

        KStream<String, String> clicks = builder.stream("clicks");
        example(builder, clicks);
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(properties), properties)) {
            var input = driver.createInputTopic("clicks", new StringSerializer(), new StringSerializer());
            input.pipeInput("ann", "here");
            input.pipeInput("ann", "there");
            assertEquals(
                    2L,
                    driver.getTimestampedKeyValueStore("clicks-by-user")
                            .get("ann")
                            .value());
        }
    }

    private static void example(StreamsBuilder builder, KStream<String, String> clicks) {
        builder.table("accounts", Materialized.as(new FlexDBDslStoreSuppliers()));
        clicks.groupByKey().count(Materialized.as(FlexDBStores.timestampedKeyValueStore("clicks-by-user")));
        builder.addStateStore(Stores.windowStoreBuilder(
                FlexDBStores.windowStore("recent", Duration.ofDays(1), Duration.ofMinutes(5), false),
                Serdes.String(),
                Serdes.Long()));
    }
}
