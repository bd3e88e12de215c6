package io.flexdb.kafka;

import java.util.Locale;
import org.apache.kafka.streams.DslStoreFormat;

/** The bytes that the values of a store have before the user's. */
enum ValueFormat {
    /** Nothing. */
    PLAIN,
    /** A timestamp. */
    TIMESTAMPED,
    /** Headers and a timestamp. */
    HEADERS;

    /** The one that the DSL asks for; null stands for the usual one. */
    static ValueFormat of(DslStoreFormat format) {
        return format == null ? TIMESTAMPED : valueOf(format.name());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
