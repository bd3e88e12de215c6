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
 * How many extents can be appended in a second to an index that is empty at first? The paper's Table 1, Append.
 *
 * <p>An invocation is a whole build, with the memory that it takes from the system; the rate of appends is that of the
 * counter {@code operations}. 1,000,000,000 extents take 12.4 GB of direct memory in FlexTree, 16.5 GB in the B+-tree,
 * and 16 to 40 GB of heap in the array.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.AppendBenchmark
 * java -jar jmh/target/benchmarks.jar flextree.AppendBenchmark -p index=flextree -p extents=1000000000 \
 *   -jvmArgsAppend "-Xmx1g -XX:MaxDirectMemorySize=14g"
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
public class AppendBenchmark {
    /** What is measured. */
    @Param({"flextree", "bplustree", "array"})
    public String index;

    /** Extents at the end. */
    @Param({"10000000", "100000000"})
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
        for (long i = 0; i < extents; i++) {
            workload.append();
        }
        counter.operations += extents;
        return workload.index.size();
    }
}
