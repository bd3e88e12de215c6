package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.jmh.flexdb.KeyValue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
 * How long does it take to read a block at random from the page cache, every byte verified, beside a file that is read
 * or mapped and verifies nothing? What the FlexTree and the checksums cost. And how long with a cache, which holds all
 * of it?
 *
 * <p>256 MiB, written in blocks of that length one behind the other.
 *
 * <pre>
 * java -jar jmh/target/benchmarks.jar flexspace.ReadBenchmark -prof gc
 * java -jar jmh/target/benchmarks.jar flexspace.ReadBenchmark -t 2
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ReadBenchmark {
    private static final int ALL_BYTES = 256 << 20;

    /** Bytes of a block. */
    @Param({"4096", "65536"})
    public int blockBytes;

    /** Bytes of FlexSpace's cache. */
    @Param({"0", "536870912"})
    public long cacheBytes;

    private Path directory;
    private FlexSpace space;
    private FileChannel channel;
    private MappedByteBuffer mapped;

    /** A thread's own buffer. */
    @State(Scope.Thread)
    public static class Buffer {
        private ByteBuffer block;

        /** Makes the buffer. */
        @Setup
        public void make(ReadBenchmark benchmark) {
            block = ByteBuffer.allocateDirect(benchmark.blockBytes);
        }
    }

    /** Writes the same into both. */
    @Setup(Level.Trial)
    public void write() throws IOException {
        directory = Files.createTempDirectory("flexspace-jmh-");
        FlexSpaceOptions options = FlexSpaceOptions.defaults().withCacheBytes(cacheBytes);
        space = FlexSpace.open(directory.resolve("space"), options);
        channel = FileChannel.open(
                directory.resolve("file"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        ByteBuffer block = BlockWorkload.newBlock(blockBytes);
        for (int offset = 0; offset < ALL_BYTES; offset += blockBytes) {
            space.write(offset, block.clear());
            block.clear();
            while (block.hasRemaining()) {
                channel.write(block);
            }
        }
        space.sync();
        mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, ALL_BYTES);
    }

    /** Removes both. */
    @TearDown(Level.Trial)
    public void remove() throws IOException {
        space.close();
        channel.close();
        KeyValue.remove(directory);
    }

    /** FlexSpace. */
    @Benchmark
    public ByteBuffer flexSpace(Buffer buffer) {
        space.read(randomOffset(), buffer.block.clear());
        return buffer.block;
    }

    /** A read from a file. */
    @Benchmark
    public int fileChannel(Buffer buffer) throws IOException {
        return channel.read(buffer.block.clear(), randomOffset());
    }

    /** A copy from a mapped file. */
    @Benchmark
    public ByteBuffer mapped(Buffer buffer) {
        return buffer.block.put(0, mapped, randomOffset(), blockBytes);
    }

    private int randomOffset() {
        return ThreadLocalRandom.current().nextInt(ALL_BYTES / blockBytes) * blockBytes;
    }
}
