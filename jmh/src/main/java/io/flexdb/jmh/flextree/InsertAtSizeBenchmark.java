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
 * How many extents can be inserted in a second at random offsets of an index that has so many of them already?
 *
 * <p>The measure for sizes at which the rivals can't be built by insertions; for like to be compared with like,
 * FlexTree has it too. For a rival, whose cost grows with the size, it is half the rate of a whole build to that size.
 * Insertions come in batches of 1000. Between batches, and not measured, the index is filled anew once it has grown by
 * a tenth. How it is filled: {@link Workload#inserted}, {@link Workload#insertedBetween}.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.InsertAtSizeBenchmark
 * java -jar jmh/target/benchmarks.jar flextree.InsertAtSizeBenchmark -p index=flextree -prof gc
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
public class InsertAtSizeBenchmark {
    private static final int BATCH = 1000;

    /** What is measured. */
    @Param({"flextree", "bplustree", "array"})
    public String index;

    /** Extents at first. */
    @Param({"100000", "1000000", "10000000"})
    public long extents;

    /** Where: at any byte, which cuts an extent in two, or between two extents. */
    @Param({"any", "between"})
    public String offsets;

    private Workload workload;

    /** Fills the index at first, and when it has grown. */
    @Setup(Level.Invocation)
    public void fill() {
        if (workload == null || workload.hasDrifted()) {
            workload = null;
            workload = switch (offsets) {
                case "any" -> Workload.inserted(index, extents);
                case "between" -> Workload.insertedBetween(index, extents);
                default -> throw new IllegalArgumentException("offsets must be any or between: " + offsets);
            };
        }
    }

    /** Insertions at random offsets. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long insert() {
        for (int i = 0; i < BATCH; i++) {
            workload.insert();
        }
        return workload.index.size();
    }
}
