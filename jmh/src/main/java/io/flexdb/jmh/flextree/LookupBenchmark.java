package io.flexdb.jmh.flextree;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many random offsets can be looked up in a second? The paper's Table 1, Lookup.
 *
 * <p>Each lookup searches the whole index. It was filled by appends, as must have been those of the paper, or by
 * insertions at random offsets, which leave FlexTree with nodes that are two thirds full and scattered; what the rivals
 * have then is in {@link Workload#inserted}.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.LookupBenchmark
 * java -jar jmh/target/benchmarks.jar flextree.LookupBenchmark -p filled=inserted -p extents=1000000 -prof gc
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
public class LookupBenchmark {
    /** What is measured. */
    @Param({"flextree", "bplustree", "array"})
    public String index;

    /** Extents looked up. */
    @Param({"1000000", "10000000", "100000000"})
    public long extents;

    /** How they came into the index. */
    @Param({"appended", "inserted"})
    public String filled;

    private Workload workload;

    /** Fills the index. */
    @Setup(Level.Trial)
    public void fill() {
        workload = Workload.filled(index, extents, filled);
    }

    /** One lookup. */
    @Benchmark
    public long lookup() {
        return workload.lookup();
    }
}
