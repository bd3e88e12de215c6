package io.flexdb.kafka;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.streams.query.QueryConfig;

/** Which writes a query asks for. Kafka Streams has that from 4.4 on; before, a query sees all. */
final class QueryIsolation {
    private static final MethodHandle LEVEL = find();

    private QueryIsolation() {}

    private static MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(QueryConfig.class, "getIsolationLevel", MethodType.methodType(IsolationLevel.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Whether this Kafka Streams knows transactional stores. */
    static boolean isKnown() {
        return LEVEL != null;
    }

    static boolean committedOnly(QueryConfig config) {
        if (LEVEL == null) {
            return false;
        }
        try {
            return committedOnly((IsolationLevel) LEVEL.invokeExact(config));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    static boolean committedOnly(IsolationLevel level) {
        return Objects.requireNonNull(level, "isolationLevel") == IsolationLevel.READ_COMMITTED;
    }
}
