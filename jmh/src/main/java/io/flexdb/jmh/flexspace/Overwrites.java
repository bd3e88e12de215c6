package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.flexspace.FlexSpaceStats;
import io.flexdb.jmh.RandomNumbers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Garbage collection: random overwrites of blocks while the live bytes have to be a given share of the data file. */
final class Overwrites {
    static final List<String> METRICS = List.of(
            "utilization",
            "utilization, free segments apart",
            "writes/s",
            "written/byte",
            "write p50 µs",
            "write p99 µs",
            "write p99.9 µs",
            "write max µs",
            "sync p50 µs",
            "sync p99 µs",
            "sync max µs");

    private static final int WRITES_BETWEEN_SYNCS = 1024;
    private static final int TIMES_OVER = 3; // a block is overwritten so often, in the mean
    private static final double HIGHEST_MINIMUM = 0.9;
    private static final int MAX_RESERVE = 64; // segments that a space with a cap keeps for itself; at most an eighth
    private static final int LEAST_SEGMENTS = 32; // that a cap must allow

    private final Table2Settings settings;
    private final Measurements measurements;
    private final Subject subject;
    private final int blockBytes;

    Overwrites(Table2Settings settings, Measurements measurements) {
        this.settings = settings;
        this.measurements = measurements;
        this.subject = settings.ours();
        this.blockBytes = settings.blockSizes.get(0);
    }

    /** The name of an experiment. */
    static String experiment(double utilization, String metric) {
        return "overwrites at " + utilization + ", " + metric;
    }

    /** One space for each share. */
    void run() throws IOException {
        for (double utilization : settings.utilizations) {
            measure(utilization);
        }
    }

    private void measure(double utilization) throws IOException {
        subject.remove();
        FlexSpaceOptions options = subject.options().withMinimumUtilization(Math.min(HIGHEST_MINIMUM, utilization));
        // The file can't grow beyond what the share wants, whatever garbage collection thinks is worth its while.
        long wanted = 1 + (long) ((double) settings.blocks * blockBytes / utilization / options.segmentBytes());
        long segments = Math.max(LEAST_SEGMENTS, wanted + Math.min(MAX_RESERVE, wanted / 7 + 1));
        options = options.withMaxDataBytes(segments * options.segmentBytes());
        try (FlexSpace space = FlexSpace.open(subject.files(), options)) {
            ByteBuffer block = BlockWorkload.newBlock(blockBytes);
            for (int i = 0; i < settings.blocks; i++) {
                space.write((long) i * blockBytes, block.clear());
            }
            space.sync();
            FlexSpaceStats before = space.stats();
            Histogram writes = new Histogram(3);
            Histogram syncs = new Histogram(3);
            long nanos = overwrite(space, block, writes, syncs);
            FlexSpaceStats after = space.stats();
            double written = after.written().dataBytes() - before.written().dataBytes();
            double[] values = {
                (double) after.data().liveBytes()
                        / after.data().segments()
                        / after.data().segmentBytes(),
                (double) after.data().liveBytes()
                        / (after.data().segments() - after.data().freeSegments())
                        / after.data().segmentBytes(),
                writes.getTotalCount() * 1e9 / nanos,
                written / blockBytes / writes.getTotalCount(),
                writes.getValueAtPercentile(50) / 1e3,
                writes.getValueAtPercentile(99) / 1e3,
                writes.getValueAtPercentile(99.9) / 1e3,
                writes.getMaxValue() / 1e3,
                syncs.getValueAtPercentile(50) / 1e3,
                syncs.getValueAtPercentile(99) / 1e3,
                syncs.getMaxValue() / 1e3
            };
            for (int i = 0; i < values.length; i++) {
                String metric = METRICS.get(i);
                measurements.add(experiment(utilization, metric), subject.name(), values[i], metric);
            }
        } finally {
            subject.remove();
        }
    }

    /** Overwrites blocks with syncs between, and returns the nanoseconds of it all. */
    private long overwrite(FlexSpace space, ByteBuffer block, Histogram writes, Histogram syncs) {
        RandomNumbers random = new RandomNumbers();
        long count = (long) TIMES_OVER * settings.blocks;
        long start = System.nanoTime();
        for (long i = 1; i <= count; i++) {
            long place = random.below(settings.blocks) * blockBytes;
            long began = System.nanoTime();
            space.write(place, block.clear());
            long ended = System.nanoTime();
            writes.recordValue(ended - began);
            if (i % WRITES_BETWEEN_SYNCS == 0 || i == count) {
                space.sync();
                syncs.recordValue(System.nanoTime() - ended);
            }
        }
        return System.nanoTime() - start;
    }
}
