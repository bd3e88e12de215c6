package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.jmh.flexdb.KeyValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long does an insertion, an overwrite or an append take, and does it make garbage?
 *
 * <p>Without sync, but with the segments that fill up meanwhile and are written to the page cache or, when that has
 * enough, to the disk. Each iteration begins with a new space of 10,000 extents and is short, for a second can write a
 * GiB.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flexspace.ChangeBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ChangeBenchmark {
    private static final int EXTENTS = 10_000;

    /** Bytes of a change. */
    @Param({"100", "4096"})
    public int changeBytes;

    private Path directory;
    private FlexSpace space;
    private ByteBuffer content;
    private long size; // asking the space would publish every change

    /** A new space. */
    @Setup(Level.Iteration)
    public void fill() throws IOException {
        directory = Files.createTempDirectory("flexspace-jmh-");
        space = FlexSpace.open(directory.resolve("space"));
        content = BlockWorkload.newBlock(changeBytes);
        size = 0;
        for (int i = 0; i < EXTENTS; i++) {
            insert();
        }
        space.checkpoint();
    }

    /** Removes it. */
    @TearDown(Level.Iteration)
    public void remove() throws IOException {
        space.close();
        KeyValue.remove(directory);
    }

    /** At any offset: nearly every one cuts an extent in two. */
    @Benchmark
    public void insert() {
        space.insertRange(ThreadLocalRandom.current().nextLong(size + 1), content.clear());
        size += changeBytes;
    }

    /** Of any bytes. */
    @Benchmark
    public void overwrite() {
        space.write(ThreadLocalRandom.current().nextLong(size - changeBytes + 1), content.clear());
    }

    /** At the end. */
    @Benchmark
    public void append() {
        space.write(size, content.clear());
        size += changeBytes;
    }
}
