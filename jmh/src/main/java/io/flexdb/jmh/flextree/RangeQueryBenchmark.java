package io.flexdb.jmh.flextree;

import io.flexdb.flextree.ExtentConsumer;
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
 * How many ranges of 50 extents, from random offsets on, can be read in a second? The paper's Table 1, Range.
 *
 * <p>Each searches for its first extent and goes on from there; all fields of each extent are read. How the index was
 * filled: as in {@link LookupBenchmark}.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.RangeQueryBenchmark -p filled=appended
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
public class RangeQueryBenchmark {
    /** What is measured. */
    @Param({"flextree", "bplustree", "array"})
    public String index;

    /** Extents in the index. */
    @Param({"10000000", "100000000"})
    public long extents;

    /** How they came into the index. */
    @Param({"appended", "inserted"})
    public String filled;

    private Workload workload;
    private long sum;
    private final ExtentConsumer consumer =
            (logicalOffset, length, address, flags) -> sum += logicalOffset ^ length ^ address ^ flags;

    /** Fills the index. */
    @Setup(Level.Trial)
    public void fill() {
        workload = Workload.filled(index, extents, filled);
    }

    /** One range. */
    @Benchmark
    public long query() {
        sum = 0;
        workload.range(consumer);
        return sum;
    }
}
