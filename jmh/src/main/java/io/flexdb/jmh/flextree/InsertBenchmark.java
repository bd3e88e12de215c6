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
 * How many extents can be inserted in a second at random offsets of an index that is empty at first? The paper's
 * Table 1, Insert.
 *
 * <p>An invocation is a whole build, and an iteration is one build at least. The rate of insertions is that of the
 * counter {@code operations}. The rivals take minutes for 1,000,000 extents and hours for 10,000,000: see
 * {@link InsertAtSizeBenchmark}.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.InsertBenchmark -p extents=100000
 * java -jar jmh/target/benchmarks.jar flextree.InsertBenchmark -p index=flextree -p extents=10000000
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 1, time = 4)
@Measurement(iterations = 3, time = 4)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx6g", "-XX:MaxDirectMemorySize=6g"})
public class InsertBenchmark {
    /** What is measured. */
    @Param({"flextree", "bplustree", "array"})
    public String index;

    /** Extents at the end. */
    @Param({"100000", "1000000"})
    public long extents;

    private Workload workload;

    /** Empties the index. Direct memory is freed by the garbage collector: do it now, not while time is taken. */
    @Setup(Level.Invocation)
    public void clear() {
        workload = null;
        System.gc();
        workload = Workload.empty(index);
    }

    /** The whole build. */
    @Benchmark
    public long build(OperationCounter counter) {
        counter.operations += workload.insertUntil(extents);
        return workload.index.size();
    }
}
