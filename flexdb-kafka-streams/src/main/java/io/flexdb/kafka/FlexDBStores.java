package io.flexdb.kafka;

import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.HeadersBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.internals.VersionedKeyValueToBytesStoreAdapter;

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

    /**
     * A store of pairs with all their versions of some time.
     *
     * @param historyRetention how long versions can be read after they were replaced, and how late writes may come; not
     *     negative
     */
    public static VersionedBytesStoreSupplier versionedKeyValueStore(String name, Duration historyRetention) {
        return new VersionedSupplier(name, millis(historyRetention, "historyRetention"));
    }

    /**
     * A store of windows, without timestamps.
     *
     * @param retentionPeriod how long windows are kept; at least the size
     * @param windowSize not negative
     * @param retainDuplicates whether a window keeps all values of a key, as joins of streams need it
     */
    public static WindowBytesStoreSupplier windowStore(
            String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
        return windowStore(name, ValueFormat.PLAIN, retentionPeriod, windowSize, retainDuplicates);
    }

    /**
     * A store of windows with timestamps.
     *
     * @param retentionPeriod how long windows are kept; at least the size
     * @param windowSize not negative
     * @param retainDuplicates whether a window keeps all values of a key, as joins of streams need it
     */
    public static WindowBytesStoreSupplier timestampedWindowStore(
            String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
        return windowStore(name, ValueFormat.TIMESTAMPED, retentionPeriod, windowSize, retainDuplicates);
    }

    /**
     * A store of windows with timestamps and headers.
     *
     * @param retentionPeriod how long windows are kept; at least the size
     * @param windowSize not negative
     * @param retainDuplicates whether a window keeps all values of a key, as joins of streams need it
     */
    public static WindowBytesStoreSupplier timestampedWindowStoreWithHeaders(
            String name, Duration retentionPeriod, Duration windowSize, boolean retainDuplicates) {
        return windowStore(name, ValueFormat.HEADERS, retentionPeriod, windowSize, retainDuplicates);
    }

    /**
     * A store of sessions.
     *
     * @param retentionPeriod how long sessions are kept after their end; not negative
     */
    public static SessionBytesStoreSupplier sessionStore(String name, Duration retentionPeriod) {
        return new SessionSupplier(name, millis(retentionPeriod, "retentionPeriod"));
    }

    /**
     * A store of sessions with headers.
     *
     * @param retentionPeriod how long sessions are kept after their end; not negative
     */
    public static SessionBytesStoreSupplier sessionStoreWithHeaders(String name, Duration retentionPeriod) {
        return new SessionWithHeadersSupplier(name, millis(retentionPeriod, "retentionPeriod"));
    }

    static KeyValueBytesStoreSupplier keyValueStore(String name, ValueFormat format) {
        return format == ValueFormat.HEADERS
                ? new KeyValueWithHeadersSupplier(name)
                : new KeyValueSupplier(name, format);
    }

    static WindowBytesStoreSupplier windowStore(
            String name, ValueFormat format, Duration retention, Duration size, boolean retainsDuplicates) {
        WindowParameters parameters = new WindowParameters(
                name, format, millis(retention, "retentionPeriod"), millis(size, "windowSize"), retainsDuplicates);
        return format == ValueFormat.HEADERS
                ? new WindowWithHeadersSupplier(parameters)
                : new WindowSupplier(parameters);
    }

    private static long millis(Duration duration, String name) {
        long millis;
        try {
            millis = duration.toMillis();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(name + " can't be told in milliseconds: " + duration, e);
        }
        if (millis < 0) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
        return millis;
    }

    /** A supplier has a name. */
    private abstract static class Supplier {
        private final String name;
        private final StoreFormat.Kind kind;

        Supplier(String name, StoreFormat.Kind kind) {
            this.name = Objects.requireNonNull(name, "name cannot be null");
            this.kind = kind;
        }

        public String name() {
            return name;
        }

        public String metricsScope() {
            return kind.metricsScope();
        }
    }

    private static class KeyValueSupplier extends Supplier implements KeyValueBytesStoreSupplier {
        private final ValueFormat format;

        KeyValueSupplier(String name, ValueFormat format) {
            super(name, StoreFormat.Kind.KEY_VALUE);
            this.format = format;
        }

        @Override
        public KeyValueStore<Bytes, byte[]> get() {
            return FlexDBKeyValueStore.of(name(), format);
        }
    }

    private static final class KeyValueWithHeadersSupplier extends KeyValueSupplier
            implements HeadersBytesStoreSupplier {
        KeyValueWithHeadersSupplier(String name) {
            super(name, ValueFormat.HEADERS);
        }
    }

    private static final class VersionedSupplier extends Supplier implements VersionedBytesStoreSupplier {
        private final long retention;

        VersionedSupplier(String name, long retention) {
            super(name, StoreFormat.Kind.VERSIONED);
            this.retention = retention;
        }

        @Override
        public KeyValueStore<Bytes, byte[]> get() {
            return new VersionedKeyValueToBytesStoreAdapter(new FlexDBVersionedStore(name(), retention));
        }

        @Override
        public long historyRetentionMs() {
            return retention;
        }
    }

    private static class WindowSupplier extends Supplier implements WindowBytesStoreSupplier {
        private final WindowParameters parameters;

        WindowSupplier(WindowParameters parameters) {
            super(parameters.name(), StoreFormat.Kind.WINDOW);
            this.parameters = parameters;
        }

        @Override
        public WindowStore<Bytes, byte[]> get() {
            return FlexDBWindowStore.of(parameters);
        }

        @Override
        public long segmentIntervalMs() {
            return Segments.lengthFor(parameters.retention());
        }

        @Override
        public long windowSize() {
            return parameters.size();
        }

        @Override
        public boolean retainDuplicates() {
            return parameters.retainsDuplicates();
        }

        @Override
        public long retentionPeriod() {
            return parameters.retention();
        }
    }

    private static final class WindowWithHeadersSupplier extends WindowSupplier implements HeadersBytesStoreSupplier {
        WindowWithHeadersSupplier(WindowParameters parameters) {
            super(parameters);
        }
    }

    private static class SessionSupplier extends Supplier implements SessionBytesStoreSupplier {
        private final long retention;

        SessionSupplier(String name, long retention) {
            super(name, StoreFormat.Kind.SESSION);
            this.retention = retention;
        }

        @Override
        public SessionStore<Bytes, byte[]> get() {
            return new FlexDBSessionStore(name(), ValueFormat.PLAIN, retention);
        }

        @Override
        public long segmentIntervalMs() {
            return Segments.lengthFor(retention);
        }

        @Override
        public long retentionPeriod() {
            return retention;
        }
    }

    private static final class SessionWithHeadersSupplier extends SessionSupplier implements HeadersBytesStoreSupplier {
        SessionWithHeadersSupplier(String name, long retention) {
            super(name, retention);
        }

        @Override
        public SessionStore<Bytes, byte[]> get() {
            return new FlexDBSessionStore.WithHeaders(name(), retentionPeriod());
        }
    }
}
