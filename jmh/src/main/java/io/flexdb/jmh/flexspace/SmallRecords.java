package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceStats;
import io.flexdb.jmh.RandomNumbers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Insertions of 100 bytes into an address space that is empty at first; a file system has nothing like it. */
final class SmallRecords {
    static final int RECORD_BYTES = 100;
    static final String SYNC = "small records, sync";
    static final String WRITTEN = "small records, written for each byte";

    /** Where, at random. */
    enum Place {
        BETWEEN("between records"),
        ANY("at any byte");

        final String label;

        Place(String label) {
            this.label = label;
        }

        /** The offset for one more, when there are so many. */
        long offset(RandomNumbers random, long records) {
            return this == BETWEEN
                    ? random.below(records + 1) * RECORD_BYTES
                    : random.below(records * RECORD_BYTES + 1);
        }
    }

    private static final int MILLION = 1_000_000;

    private final Table2Settings settings;
    private final Measurements measurements;
    private final Subject subject;

    SmallRecords(Table2Settings settings, Measurements measurements) {
        this.settings = settings;
        this.measurements = measurements;
        this.subject = settings.ours();
    }

    /** Records after which the rate is taken, each time. */
    private static int step(Table2Settings settings) {
        return Math.min(MILLION, settings.records);
    }

    /** The numbers of records at which the rate is taken. */
    static List<Long> counts(Table2Settings settings) {
        int step = step(settings);
        return LongStream.rangeClosed(1, settings.records / step)
                .mapToObj(i -> i * step)
                .toList();
    }

    /** The name of an experiment: the rate of the last so many, when there are so many. */
    static String experiment(long records) {
        return "small records, at " + records;
    }

    /** The names under which the figures are. */
    static List<String> places() {
        return Stream.of(Place.values()).map(place -> place.label).toList();
    }

    /** All of them in each way, and a sync at the end. */
    void run() throws IOException {
        for (Place place : Place.values()) {
            run(place);
        }
    }

    private void run(Place place) throws IOException {
        subject.remove();
        RandomNumbers random = new RandomNumbers();
        ByteBuffer content = BlockWorkload.newBlock(RECORD_BYTES);
        try (FlexSpace space = FlexSpace.open(subject.files(), subject.options())) {
            int step = step(settings);
            long last = System.nanoTime();
            for (int i = 1; i <= settings.records; i++) {
                space.insertRange(place.offset(random, i - 1L), content.clear());
                if (i % step == 0) {
                    long now = System.nanoTime();
                    measurements.add(experiment(i), place.label, step * 1e9 / (now - last), "operations/s");
                    last = System.nanoTime();
                }
            }
            long start = System.nanoTime();
            space.sync();
            measurements.add(SYNC, place.label, (System.nanoTime() - start) / 1e9, "s");
            FlexSpaceStats stats = space.stats();
            long written = stats.written().dataBytes()
                    + stats.written().logBytes()
                    + stats.written().treeBytes();
            measurements.add(WRITTEN, place.label, (double) written / stats.size(), "bytes");
        } finally {
            subject.remove();
        }
    }
}
