package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.flexspace.BlockWorkload.Pattern;
import io.flexdb.jmh.flexspace.BlockWorkload.Written;
import io.flexdb.jmh.flexspace.FileAddressSpace.Insertion;
import io.flexdb.jmh.flexspace.Table2Settings.Part;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Table 2 and Figure 11: a write phase into an empty address space, then read phases. */
final class WriteAndRead {
    static final String WRITE = "write";
    static final String INSERTED = "MiB inserted";
    static final String FIRST_TENTH = "first tenth";
    static final String LAST_TENTH = "last tenth";
    static final String COUNTED = "written for each byte, counted";
    static final String DEVICE = "written for each byte, by the disk";

    private static final int MIB = 1 << 20;

    private final Table2Settings settings;
    private final Measurements measurements;
    private final boolean cold;

    /**
     * Measures as the settings say.
     *
     * @param cold whether the page cache can be dropped
     */
    WriteAndRead(Table2Settings settings, Measurements measurements, boolean cold) {
        this.settings = settings;
        this.measurements = measurements;
        this.cold = cold;
    }

    /** The name of an experiment. */
    static String experiment(String metric, Pattern pattern, int blockBytes) {
        return metric + ", " + pattern.label + ", " + blockBytes;
    }

    /** The name of a read phase, for {@link #experiment}. */
    static String reading(boolean sequential, boolean cold, int threads) {
        return (sequential ? "sequential" : "random") + " read, " + (cold ? "cold" : "warm") + ", threads " + threads;
    }

    /** Every pattern, every subject, in turn. */
    void run() throws IOException, InterruptedException {
        for (int blockBytes : settings.blockSizes) {
            BlockWorkload workload = new BlockWorkload(blockBytes, settings.blocks);
            for (Pattern pattern : Pattern.values()) {
                List<Integer> threads = threads(pattern, blockBytes);
                for (Subject subject : threads.isEmpty() ? List.<Subject>of() : settings.subjects()) {
                    measure(subject, workload, pattern, blockBytes, threads);
                }
            }
        }
    }

    /** Numbers of reading threads; none if this pattern is in no part that was asked for. */
    private List<Integer> threads(Pattern pattern, int blockBytes) {
        List<Integer> threads = new ArrayList<>();
        if (settings.parts.contains(Part.TABLE2)) {
            threads.add(1);
        }
        boolean figure = pattern == Pattern.RANDOM_WRITE && blockBytes == settings.blockSizes.get(0);
        if (figure && settings.parts.contains(Part.FIGURE11)) {
            threads.addAll(settings.threads);
        }
        return threads.stream().distinct().toList();
    }

    private void measure(
            Subject subject, BlockWorkload workload, Pattern pattern, int blockBytes, List<Integer> threads)
            throws IOException, InterruptedException {
        Device device = new Device(subject.directory());
        try (AddressSpace space = subject.create(Insertion.INSERT_RANGE, settings.barrierIsCheckpoint())) {
            long limit = subject.isFlexSpace() || pattern != Pattern.RANDOM_INSERT
                    ? Long.MAX_VALUE
                    : TimeUnit.SECONDS.toNanos(settings.insertSeconds);
            OptionalLong before = device.bytesWritten();
            Written written = workload.write(space, pattern, limit);
            OptionalLong after = device.bytesWritten();
            add(subject, pattern, blockBytes, written);
            double bytes = (double) written.blocks() * blockBytes;
            space.bytesWritten()
                    .ifPresent(all -> measurements.add(
                            experiment(COUNTED, pattern, blockBytes), subject.name(), all / bytes, "bytes"));
            if (before.isPresent() && after.isPresent()) {
                double ratio = (after.getAsLong() - before.getAsLong()) / bytes;
                measurements.add(experiment(DEVICE, pattern, blockBytes), subject.name(), ratio, "bytes");
            }
            if (written.blocks() == settings.blocks) {
                for (int count : threads) {
                    read(subject, space, workload, pattern, blockBytes, count);
                }
            }
        } catch (UnsupportedOperationException e) {
            measurements.note(subject.name() + ": " + e.getMessage());
        } finally {
            subject.remove();
        }
    }

    private void add(Subject subject, Pattern pattern, int blockBytes, Written written) {
        double bytes = (double) written.blocks() * blockBytes;
        String name = subject.name();
        measurements.add(experiment(WRITE, pattern, blockBytes), name, bytes / written.nanos(), "GB/s");
        if (pattern != Pattern.RANDOM_INSERT) {
            return;
        }
        if (written.blocks() < settings.blocks) {
            measurements.add(experiment(INSERTED, pattern, blockBytes), name, bytes / MIB, "MiB");
        }
        double tenth = (double) BlockWorkload.tenthOf(written.blocks()) * blockBytes;
        if (tenth > 0) {
            double first = tenth / written.firstTenthNanos();
            double last = tenth / written.lastTenthNanos();
            measurements.add(experiment(FIRST_TENTH, pattern, blockBytes), name, first, "GB/s");
            measurements.add(experiment(LAST_TENTH, pattern, blockBytes), name, last, "GB/s");
        }
    }

    private void read(
            Subject subject, AddressSpace space, BlockWorkload workload, Pattern pattern, int blockBytes, int threads)
            throws IOException, InterruptedException {
        double bytes = (double) settings.blocks * blockBytes;
        for (boolean sequential : new boolean[] {true, false}) {
            if (cold) {
                space.becomeCold();
                PageCache.drop();
            }
            long first = workload.read(space, sequential, threads);
            long second = workload.read(space, sequential, threads);
            if (cold) {
                String name = experiment(reading(sequential, true, threads), pattern, blockBytes);
                measurements.add(name, subject.name(), bytes / first, "GB/s");
            }
            String name = experiment(reading(sequential, false, threads), pattern, blockBytes);
            measurements.add(name, subject.name(), bytes / second, "GB/s");
        }
    }
}
