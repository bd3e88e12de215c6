package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.RandomNumbers;
import io.flexdb.jmh.flexspace.FileAddressSpace.Insertion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Figure 2: the rate of insertions into an address space that has been filled before. */
final class InsertAtSize {
    /*
     * Random insertions leave nearly every block in an extent of its own. To fill a file like that takes hours where an
     * insertion takes milliseconds. Blocks with holes of the same length between them are as many extents, and are
     * written at once; so a file of a given size here is one with so many bytes in blocks, and twice as long. A file
     * that is rewritten does without holes: its cost is that of the bytes, not of the extents.
     */
    private static final int MOST_OPERATIONS = 10_000;
    private static final int MOST_SECONDS = 10;

    private final Table2Settings settings;
    private final Measurements measurements;
    private final int blockBytes;

    InsertAtSize(Table2Settings settings, Measurements measurements) {
        this.settings = settings;
        this.measurements = measurements;
        this.blockBytes = settings.blockSizes.get(0);
    }

    /** The name of an experiment. */
    static String experiment(long bytes) {
        return "insertions at " + bytes;
    }

    /** The name of a subject for one way to insert. */
    static String name(Subject subject, Insertion insertion) {
        return subject.isFlexSpace() ? subject.name() : subject.name() + ", " + insertion.label;
    }

    /** The names of all subjects, in every way to insert. */
    static List<String> names(Table2Settings settings) {
        List<String> names = new ArrayList<>(List.of(settings.ours().name()));
        for (Subject rival : settings.rivals) {
            for (Insertion insertion : Insertion.values()) {
                names.add(name(rival, insertion));
            }
        }
        return names;
    }

    /** Every size, every subject, in turn. */
    void run() throws IOException {
        for (long bytes : settings.insertSizes) {
            for (Subject subject : settings.subjects()) {
                for (Insertion insertion : Insertion.values()) {
                    if (!subject.isFlexSpace() || insertion == Insertion.INSERT_RANGE) {
                        measure(subject, insertion, (int) (bytes / blockBytes), experiment(bytes));
                    }
                }
            }
        }
    }

    private void measure(Subject subject, Insertion insertion, int blocks, String experiment) throws IOException {
        try (AddressSpace space = subject.create(insertion, settings.barrierIsCheckpoint())) {
            RandomNumbers random = new RandomNumbers();
            ByteBuffer block = BlockWorkload.newBlock(blockBytes);
            for (int i = 0; i < blocks; i++) {
                if (subject.isFlexSpace()) {
                    space.insert(random.below(i + 1) * blockBytes, block.clear());
                } else {
                    long place = insertion == Insertion.INSERT_RANGE ? 2L * i : i;
                    space.write(place * blockBytes, block.clear());
                }
            }
            space.barrier();
            double rate = insertSome(space, random, block, Math.min(MOST_OPERATIONS, Math.max(1, blocks / 2)));
            measurements.add(experiment, name(subject, insertion), rate, "operations/s");
        } catch (UnsupportedOperationException e) {
            measurements.note(subject.name() + ": " + e.getMessage());
        } finally {
            subject.remove();
        }
    }

    private double insertSome(AddressSpace space, RandomNumbers random, ByteBuffer block, int most) throws IOException {
        long limit = TimeUnit.SECONDS.toNanos(Math.min(MOST_SECONDS, settings.insertSeconds));
        long start = System.nanoTime();
        long nanos = 0;
        int done = 0;
        while (done < most && nanos < limit) {
            space.insert(random.below(space.size() / blockBytes) * blockBytes, block.clear());
            done++;
            nanos = System.nanoTime() - start;
        }
        return done * 1e9 / nanos;
    }
}
