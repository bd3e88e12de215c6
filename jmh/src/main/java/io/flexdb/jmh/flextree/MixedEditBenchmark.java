package io.flexdb.jmh.flextree;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many operations can be done in a second when a quarter are insertions, a quarter are removals of as many bytes,
 * and half are lookups, all at random offsets?
 *
 * <p>Operations come in batches of 1000. Between batches, and not measured, the index is filled anew once its number of
 * extents is off by a tenth. Not in the paper's Table 1.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.MixedEditBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx6g", "-XX:MaxDirectMemorySize=6g"})
public class MixedEditBenchmark {
    private static final int BATCH = 1000;

    /** What is measured. */
    @Param({"flextree", "bplustree", "array"})
    public String index;

    /** Extents at first. */
    @Param({"100000", "1000000"})
    public long extents;

    private Workload workload;

    /** Fills the index at first, and when it has drifted. */
    @Setup(Level.Invocation)
    public void fill() {
        if (workload == null || workload.hasDrifted()) {
            workload = null;
            workload = Workload.inserted(index, extents);
        }
    }

    /** Insertion, lookup, removal, lookup, again and again. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long edit() {
        long sum = 0;
        for (int i = 0; i < BATCH; i += 4) {
            workload.insert();
            sum += workload.lookup();
            workload.collapse();
            sum += workload.lookup();
        }
        return sum;
    }
}
