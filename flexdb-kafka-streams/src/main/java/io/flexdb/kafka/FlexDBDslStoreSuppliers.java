package io.flexdb.kafka;

import org.apache.kafka.streams.state.DslKeyValueParams;
import org.apache.kafka.streams.state.DslSessionParams;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.DslWindowParams;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/**
 * Has the DSL of Kafka Streams keep all its stores in FlexDB, where nothing else is said.
 *
 * <pre>{@code
 * properties.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, FlexDBDslStoreSuppliers.class);
 * }</pre>
 *
 * <p>The topology must be made with the properties too: {@code new StreamsBuilder(new TopologyConfig(new
 * StreamsConfig(properties)))}. Or one operation has it by {@code Materialized.as(new FlexDBDslStoreSuppliers())}.
 *
 * <p>Any thread may use it; it keeps nothing.
 */
public final class FlexDBDslStoreSuppliers implements DslStoreSuppliers {
    /** Called by Kafka Streams. */
    public FlexDBDslStoreSuppliers() {}

    @Override
    public KeyValueBytesStoreSupplier keyValueStore(DslKeyValueParams params) {
        return FlexDBStores.keyValueStore(params.name(), ValueFormat.of(params.dslStoreFormat()));
    }

    @Override
    public WindowBytesStoreSupplier windowStore(DslWindowParams params) {
        return FlexDBStores.windowStore(
                params.name(),
                ValueFormat.of(params.dslStoreFormat()),
                params.retentionPeriod(),
                params.windowSize(),
                params.retainDuplicates());
    }

    @Override
    public SessionBytesStoreSupplier sessionStore(DslSessionParams params) {
        return ValueFormat.of(params.storeFormat()) == ValueFormat.HEADERS
                ? FlexDBStores.sessionStoreWithHeaders(params.name(), params.retentionPeriod())
                : FlexDBStores.sessionStore(params.name(), params.retentionPeriod());
    }
}
