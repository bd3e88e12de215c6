package io.flexdb.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.TimestampedBytesStore;

/** Kind of a store and format of its values, two words in {@code meta}. */
record StoreFormat(Kind kind, ValueFormat values) {
    /** Where the pairs of a store stand, and under which keys. */
    enum Kind {
        KEY_VALUE("flexdb"),
        VERSIONED("flexdb"),
        WINDOW("flexdb-window"),
        SESSION("flexdb-session");

        private final String metricsScope;

        Kind(String metricsScope) {
            this.metricsScope = metricsScope;
        }

        /** The tag of the metrics of such stores. */
        String metricsScope() {
            return metricsScope;
        }
    }

    /** How values of an older format become values of this one; empty if they can't. */
    Optional<UnaryOperator<byte[]>> upgradeFrom(String older) {
        if (values == ValueFormat.TIMESTAMPED && is(older, ValueFormat.PLAIN)) {
            return Optional.of(TimestampedBytesStore::convertToTimestampedFormat);
        }
        if (values != ValueFormat.HEADERS) {
            return Optional.empty();
        }
        if (is(older, ValueFormat.TIMESTAMPED) || kind == Kind.SESSION && is(older, ValueFormat.PLAIN)) {
            return Optional.of(HeadersBytesStore::convertToHeaderFormat); // a session's value has no timestamp
        }
        return is(older, ValueFormat.PLAIN)
                ? Optional.of(HeadersBytesStore::convertFromPlainToHeaderFormat)
                : Optional.empty();
    }

    private boolean is(String text, ValueFormat format) {
        return text.equals(new StoreFormat(kind, format).toString());
    }

    byte[] encode() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + " " + values;
    }
}
