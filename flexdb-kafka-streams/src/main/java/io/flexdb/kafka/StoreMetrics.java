package io.flexdb.kafka;

import io.flexdb.FlexDBStats;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.Sensor.RecordingLevel;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;

/**
 * Figures of a store, under the names that dashboards know from the built-in engine where those fit. Memory and disk are
 * those of the FlexDB that the stores of a task share. Kafka Streams removes them when it closes the store.
 */
final class StoreMetrics {
    private final StreamsMetricsImpl metrics;
    private final String task;
    private final String scope;
    private final String store;

    private StoreMetrics(StreamsMetricsImpl metrics, String task, String scope, String store) {
        this.metrics = metrics;
        this.task = task;
        this.scope = scope;
        this.store = store;
    }

    /**
     * @param scope the supplier's
     * @param entries about how many pairs the store has
     * @param stats of the FlexDB, or null if the store is closed
     */
    static void register(
            StateStoreContext context, String scope, String store, LongSupplier entries, Supplier<FlexDBStats> stats) {
        if (context.metrics() instanceof StreamsMetricsImpl metrics) {
            StoreMetrics added = new StoreMetrics(metrics, context.taskId().toString(), scope, store);
            added.add("estimate-num-keys", "About how many pairs the store has", entries);
            added.add(
                    "cur-size-all-mem-tables",
                    "Bytes of memory that the task's memtables take",
                    of(stats, figures -> figures.memory().memtableBytes()));
            added.add(
                    "block-cache-usage",
                    "Bytes of memory that the task's cache takes",
                    of(stats, figures -> figures.memory().cacheBytes()));
            added.add(
                    "total-sst-files-size",
                    "Bytes that the task's data file takes on disk",
                    of(stats, figures -> figures.space().diskBytes()));
        }
    }

    private static LongSupplier of(Supplier<FlexDBStats> stats, ToLongFunction<FlexDBStats> figure) {
        return () -> {
            FlexDBStats figures = stats.get();
            return figures == null ? 0 : figure.applyAsLong(figures);
        };
    }

    private void add(String name, String description, LongSupplier value) {
        Gauge<Long> gauge = (config, now) -> value.getAsLong();
        metrics.addStoreLevelMutableMetric(task, scope, store, name, description, RecordingLevel.INFO, gauge);
    }
}
