package io.flexdb.kafka;

import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Suppliers of persistent stores in FlexDB, as {@link org.apache.kafka.streams.state.Stores} has them for the built-in
 * engine. For {@code Materialized.as} and the builders of {@code Stores}.
 *
 * <pre>{@code
 * builder.table("accounts", Materialized.as(FlexDBStores.keyValueStore("balances")));
 * }</pre>
 *
 * <p>All stores of a task that come from here share one FlexDB in the task's directory. Properties of the application
 * that begin with {@code flexdb.} are its options, as {@link io.flexdb.FlexDBOptions#withProperties} has them.
 *
 * <p>Suppliers may be used by any thread. They throw a {@link NullPointerException} for null.
 */
public final class FlexDBStores {
    private FlexDBStores() {}

    /** A store of pairs, without timestamps. */
    public static KeyValueBytesStoreSupplier keyValueStore(String name) {
        return new KeyValueSupplier(name, ValueFormat.PLAIN);
    }

    /** A store of pairs with timestamps, as tables have it. */
    public static KeyValueBytesStoreSupplier timestampedKeyValueStore(String name) {
        return new KeyValueSupplier(name, ValueFormat.TIMESTAMPED);
    }

    /** A store of pairs with timestamps and headers. */
    public static KeyValueBytesStoreSupplier timestampedKeyValueStoreWithHeaders(String name) {
        return new KeyValueWithHeadersSupplier(name);
    }

    static KeyValueBytesStoreSupplier keyValueStore(String name, ValueFormat format) {
        return format == ValueFormat.HEADERS
                ? new KeyValueWithHeadersSupplier(name)
                : new KeyValueSupplier(name, format);
    }

    private static class KeyValueSupplier implements KeyValueBytesStoreSupplier {
        private final String name;
        private final ValueFormat format;

        KeyValueSupplier(String name, ValueFormat format) {
            this.name = Objects.requireNonNull(name, "name cannot be null");
            this.format = format;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public KeyValueStore<Bytes, byte[]> get() {
            return FlexDBKeyValueStore.of(name, format);
        }

        @Override
        public String metricsScope() {
            return "flexdb-state";
        }
    }

    private static final class KeyValueWithHeadersSupplier extends KeyValueSupplier
            implements HeadersBytesStoreSupplier {
        KeyValueWithHeadersSupplier(String name) {
            super(name, ValueFormat.HEADERS);
        }
    }
}
