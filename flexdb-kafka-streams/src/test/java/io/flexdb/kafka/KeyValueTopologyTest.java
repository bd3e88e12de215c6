package io.flexdb.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Key-value stores within a topology, with the wrappers that Kafka Streams puts around them. */
class KeyValueTopologyTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"at_least_once", "exactly_once_v2", "transactional"})
    void aProcessorWritesAllKindsOfStores(String guarantee) {
        try (TopologyTestDriver driver = new TopologyTestDriver(topology(), properties(guarantee))) {
            var input = driver.createInputTopic("input", new StringSerializer(), new StringSerializer());
            input.pipeInput("a", "1", Instant.ofEpochMilli(100));
            input.pipeInput("b", "2", Instant.ofEpochMilli(200));
            RecordHeaders headers = new RecordHeaders();
            headers.add("from", new byte[] {7});
            input.pipeInput(new TestRecord<>("a", "3", headers, Instant.ofEpochMilli(300)));
            input.pipeInput(new TestRecord<>("b", null, headers, Instant.ofEpochMilli(400)));

            KeyValueStore<String, String> plain = driver.getKeyValueStore("plain");
            assertEquals("3", plain.get("a"));
            assertNull(plain.get("b"));
            try (KeyValueIterator<String, String> all = plain.all()) {
                assertEquals("a", all.next().key);
                assertEquals(false, all.hasNext());
            }
            KeyValueStore<String, ValueAndTimestamp<String>> timestamped = driver.getTimestampedKeyValueStore("timed");
            assertEquals(ValueAndTimestamp.make("3", 300), timestamped.get("a"));
            @SuppressWarnings("unchecked")
            var withHeaders = (TimestampedKeyValueStoreWithHeaders<String, String>)
                    driver.getAllStateStores().get("headed");
            ValueTimestampHeaders<String> value = withHeaders.get("a");
            assertEquals("3", value.value());
            assertEquals(300, value.timestamp());
            assertEquals(7, value.headers().lastHeader("from").value()[0]);
            assertNull(withHeaders.get("b"));
        }
    }

    @Test
    void metricsHaveTheUsualNames() {
        Properties properties = properties("at_least_once");
        properties.put(StreamsConfig.METRICS_RECORDING_LEVEL_CONFIG, "DEBUG");
        try (TopologyTestDriver driver = new TopologyTestDriver(topology(), properties)) {
            var input = driver.createInputTopic("input", new StringSerializer(), new StringSerializer());
            input.pipeInput("a", "1", Instant.ofEpochMilli(100));
            assertEquals(1.0, metric(driver, "plain", "estimate-num-keys"));
            assertTrue(metric(driver, "plain", "cur-size-all-mem-tables") > 0);
            assertTrue(metric(driver, "timed", "total-sst-files-size") >= 0);
            assertTrue(metric(driver, "timed", "block-cache-usage") >= 0);
            assertTrue(metric(driver, "plain", "put-rate") > 0); // of Kafka Streams itself
        }
    }

    @Test
    void aGlobalTableIsKeptToo() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.globalTable(
                "table",
                Consumed.with(Serdes.String(), Serdes.String()),
                Materialized.<String, String>as(FlexDBStores.timestampedKeyValueStore("global"))
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.String()));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties("exactly_once_v2"))) {
            var input = driver.createInputTopic("table", new StringSerializer(), new StringSerializer());
            input.pipeInput("a", "1", Instant.ofEpochMilli(100));
            KeyValueStore<String, ValueAndTimestamp<String>> global = driver.getTimestampedKeyValueStore("global");
            assertEquals(ValueAndTimestamp.make("1", 100), global.get("a"));
        }
    }

    private static double metric(TopologyTestDriver driver, String store, String name) {
        return driver.metrics().entrySet().stream()
                .filter(entry -> entry.getKey().name().equals(name)
                        && store.equals(entry.getKey().tags().get("flexdb-state-id")))
                .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
                .findFirst()
                .orElseThrow(() -> new AssertionError(name));
    }

    private static Topology topology() {
        return new Topology()
                .addSource("source", new StringDeserializer(), new StringDeserializer(), "input")
                .addProcessor("processor", Writer::new, "source")
                .addStateStore(
                        Stores.keyValueStoreBuilder(
                                FlexDBStores.keyValueStore("plain"), Serdes.String(), Serdes.String()),
                        "processor")
                .addStateStore(timed(), "processor")
                .addStateStore(
                        Stores.timestampedKeyValueStoreWithHeadersBuilder(
                                FlexDBStores.timestampedKeyValueStoreWithHeaders("headed"),
                                Serdes.String(),
                                Serdes.String()),
                        "processor");
    }

    private static StoreBuilder<TimestampedKeyValueStore<String, String>> timed() {
        return Stores.timestampedKeyValueStoreBuilder(
                        FlexDBStores.timestampedKeyValueStore("timed"), Serdes.String(), Serdes.String())
                .withCachingEnabled();
    }

    private Properties properties(String guarantee) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
        properties.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
        if (guarantee.equals("transactional")) {
            properties.put("enable.transactional.statestores", true);
            properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, "exactly_once_v2");
        } else {
            properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        }
        return properties;
    }

    private static final class Writer implements Processor<String, String, Void, Void> {
        private KeyValueStore<String, String> plain;
        private TimestampedKeyValueStore<String, String> timed;
        private TimestampedKeyValueStoreWithHeaders<String, String> headed;

        @Override
        public void init(ProcessorContext<Void, Void> context) {
            plain = context.getStateStore("plain");
            timed = context.getStateStore("timed");
            headed = context.getStateStore("headed");
        }

        @Override
        public void process(Record<String, String> each) {
            String value = each.value();
            plain.put(each.key(), value);
            timed.put(each.key(), value == null ? null : ValueAndTimestamp.make(value, each.timestamp()));
            headed.put(
                    each.key(),
                    value == null ? null : ValueTimestampHeaders.make(value, each.timestamp(), each.headers()));
        }
    }
}
