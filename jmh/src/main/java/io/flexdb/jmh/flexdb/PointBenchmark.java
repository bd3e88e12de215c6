package io.flexdb.jmh.flexdb;

import io.flexdb.Durability;
import io.flexdb.FlexDB;
import io.flexdb.FlexDBOptions;
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
 * How long does one get or put take, keys chosen uniformly, and does it make garbage?
 *
 * <p>Sizes are those of the UDB data set (27 bytes of key, 127 of value), as in the paper's section 6.3. With the
 * default of 1,000,000 records all data fits the interval cache.
 *
 * <pre>
 * mvn -B -q -pl jmh -am package -DskipTests
 * java -jar jmh/target/benchmarks.jar PointBenchmark -prof gc
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class PointBenchmark {
    private static final int KEY_BYTES = 27;
    private static final int VALUE_BYTES = 127;
    private static final int KEY_NUMBER_POSITION = KEY_BYTES - Long.BYTES;

    /** Records in the store. */
    @Param("1000000")
    public int records;

    private Path directory;
    private FlexDB store;

    /** A thread's own keys and values. */
    @State(Scope.Thread)
    public static class Buffers {
        private final ByteBuffer key = ByteBuffer.allocateDirect(KEY_BYTES);
        private final ByteBuffer value = ByteBuffer.allocateDirect(VALUE_BYTES);

        private ByteBuffer keyOf(long number) {
            // Odd multiplier: neighbours by number are far apart by key.
            key.clear().putLong(KEY_NUMBER_POSITION, number).putLong(0, number * 0x9e3779b97f4a7c15L);
            return key;
        }
    }

    /** Loads the store. */
    @Setup(Level.Trial)
    public void load() throws IOException {
        directory = Files.createTempDirectory("flexdb-jmh-");
        store = FlexDB.open(
                directory,
                FlexDBOptions.defaults().withDurability(Durability.OS).withCacheBytes(512L << 20));
        Buffers buffers = new Buffers();
        for (int i = 0; i < records; i++) {
            store.put(buffers.keyOf(i), buffers.value.clear());
        }
    }

    /** Removes the store. */
    @TearDown(Level.Trial)
    public void remove() throws IOException {
        store.close();
        KeyValue.remove(directory);
    }

    /** A value into a buffer of the caller. */
    @Benchmark
    public int get(Buffers buffers) {
        return store.get(buffers.keyOf(randomRecord()), buffers.value.clear());
    }

    /** A key that doesn't exist. */
    @Benchmark
    public int getAbsent(Buffers buffers) {
        return store.get(buffers.keyOf(-1L - randomRecord()), buffers.value.clear());
    }

    /** A new value for a record that exists. */
    @Benchmark
    public long put(Buffers buffers) {
        return store.put(buffers.keyOf(randomRecord()), buffers.value.clear());
    }

    private int randomRecord() {
        return ThreadLocalRandom.current().nextInt(records);
    }
}
