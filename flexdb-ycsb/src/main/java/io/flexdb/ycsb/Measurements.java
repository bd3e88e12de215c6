package io.flexdb.ycsb;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
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
    private static final int CACHE_LINES = 16; // longs in two of them, as processors fetch them by twos

    private final Map<Operation, Histogram> latencies = new EnumMap<>(Operation.class);
    private final Map<String, Long> failures = new TreeMap<>();
    private final AtomicLongArray operations = new AtomicLongArray(3 * CACHE_LINES); // the middle one

    Measurements() {}

    /** Counts an operation of a workload as done. A read-modify-write is one. */
    void countOperation() {
        operations.lazySet(CACHE_LINES, operations.get(CACHE_LINES) + 1);
    }

    /** Operations of the workload that are done. */
    public long operations() {
        return operations.get(CACHE_LINES);
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
        operations.addAndGet(CACHE_LINES, other.operations());
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
        return latencies.computeIfAbsent(operation, key -> new PaddedHistogram());
    }

    /** Of a client thread: what it writes lies in other cache lines than what another one writes. */
    private static final class PaddedHistogram extends Histogram {
        private static final long serialVersionUID = 1;

        @SuppressWarnings("unused")
        private long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16;

        PaddedHistogram() {
            super(LONGEST_NANOS, SIGNIFICANT_DIGITS);
        }
    }
}
