package io.flexdb.jmh.flextree;

import io.flexdb.flextree.FlexTree;
import io.flexdb.flextree.FlexTreeView;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
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
 * What do versions cost FlexTree: how many changes can be made in a second when each, or every 10th or 1000th, is
 * published, and what does a reader of the published versions change?
 *
 * <p>A change after {@link FlexTree#publish()} copies the nodes of its path. Changes are insertions and removals of as
 * many bytes in turn, at random offsets. The reader takes a view, looks up 100 random offsets, and closes it; its rate
 * is in views. The paper has no figure for this.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flextree.PublishBenchmark
 * java -jar jmh/target/benchmarks.jar flextree.PublishBenchmark.alone -prof gc
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx6g", "-XX:MaxDirectMemorySize=6g"})
public class PublishBenchmark {
    private static final int LOOKUPS = 100;

    /** Extents at first. */
    @Param({"1000000"})
    public long extents;

    /** Changes in a version. */
    @Param({"1", "10", "1000"})
    public int changes;

    private Workload workload;
    private FlexTree tree;
    private long change;

    /** Fills the tree. */
    @Setup(Level.Trial)
    public void fill() {
        workload = Workload.inserted("flextree", extents);
        tree = ((FlexTreeIndex) workload.index).tree();
        tree.publish();
    }

    /** One change, nobody reading. */
    @Benchmark
    public long alone() {
        return change();
    }

    /** One change, with a reader. */
    @Benchmark
    @Group("together")
    public long write() {
        return change();
    }

    private long change() {
        if ((change++ & 1) == 0) {
            workload.insert();
        } else {
            workload.collapse();
        }
        if (change % changes == 0) {
            tree.publish();
        }
        return tree.size();
    }

    /** A view of the version published last, and lookups in it. */
    @Benchmark
    @Group("together")
    public long read() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long sum = 0;
        try (FlexTreeView view = tree.view()) {
            long size = view.size();
            for (int i = 0; i < LOOKUPS; i++) {
                sum += view.lookup(random.nextLong(size));
            }
        }
        return sum;
    }
}
