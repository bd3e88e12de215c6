package io.flexdb.ycsb;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Latencies and failures of one client thread, or of several added up.
 *
 * <p>Written by one thread. {@link #operations()} may be asked by another meanwhile, the rest only after the writer has
 * ended.
 */
public final class Measurements {
    private static final long LONGEST_NANOS = 3_600_000_000_000L;
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Map<Operation, Histogram> latencies = new EnumMap<>(Operation.class);
    private final Map<String, Long> failures = new TreeMap<>();
    private final AtomicLong operations = new AtomicLong();

    Measurements() {}

    /** Counts an operation of a workload as done. A read-modify-write is one. */
    void countOperation() {
        operations.lazySet(operations.get() + 1);
    }

    /** Operations of the workload that are done. */
    public long operations() {
        return operations.get();
    }

    void recordLatency(Operation operation, long nanos) {
        histogram(operation).recordValue(Math.min(Math.max(nanos, 0), LONGEST_NANOS));
    }

    void countFailure(Operation operation, String reason) {
        failures.merge(operation.label() + " " + reason, 1L, Long::sum);
    }

    void add(Measurements other) {
        other.latencies.forEach((operation, histogram) -> histogram(operation).add(histogram));
        other.failures.forEach((what, count) -> failures.merge(what, count, Long::sum));
        operations.addAndGet(other.operations());
    }

    /** Latencies in nanoseconds, successful and failed operations alike. */
    public Map<Operation, Histogram> latencies() {
        return latencies;
    }

    /** How often each operation failed for each reason. */
    public Map<String, Long> failures() {
        return failures;
    }

    private Histogram histogram(Operation operation) {
        return latencies.computeIfAbsent(operation, key -> new Histogram(LONGEST_NANOS, SIGNIFICANT_DIGITS));
    }
}
