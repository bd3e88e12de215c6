package io.flexdb.jmh.flexspace;

import io.flexdb.jmh.PageCache;
import io.flexdb.jmh.flexspace.Table2Settings.Part;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;

/**
 * Are insertions into FlexSpace as much faster than those into files, and all else as fast, as in the paper's Table 2
 * and Figures 2 and 11? And how do small records, garbage collection and recovery fare, of which the paper says little?
 *
 * <p>In each round, those compared are measured in turn, in this JVM. Progress goes to standard error.
 *
 * <pre>
 * java -cp jmh/target/benchmarks.jar io.flexdb.jmh.flexspace.Table2 --quick
 * java -cp jmh/target/benchmarks.jar io.flexdb.jmh.flexspace.Table2 $(jmh/filesystems.sh up /var/tmp/images 20G)
 * </pre>
 */
public final class Table2 {
    private static final String[] WARM_UP = {
        "--parts=table2", "--rounds=1", "--block=4096", "--blocks=16384", "--insert-seconds=2"
    };
    /** A large tree is changed in another way than a small one, which has the JIT compile once more. */
    private static final String[] WARM_UP_OF_OURS = {
        "--parts=table2", "--rounds=1", "--block=4096", "--blocks=262144", "--rivals="
    };

    private static final String[] WARM_UP_OF_SMALL = {"--records=2000000"};

    private final Table2Settings settings;
    private final PrintStream progress;
    private final Measurements measurements;

    Table2(Table2Settings settings, PrintStream progress) {
        this.settings = settings;
        this.progress = progress;
        this.measurements = new Measurements(progress);
    }

    /**
     * Measures and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(Table2Settings.commandLine(arguments).execute(arguments));
    }

    /** Measures everything, writes the file of results, and returns the tables. */
    String run() throws IOException, InterruptedException {
        Files.createDirectories(settings.ours().directory());
        for (Subject subject : settings.subjects()) {
            FileStore store = Files.getFileStore(subject.directory());
            progress.println(subject.name() + ": " + subject.directory() + ", " + store.type() + " on " + store.name());
        }
        if (settings.cacheBytes > 0) {
            progress.println(Subject.FLEXSPACE + " has a cache of " + settings.cacheBytes + " bytes");
        }
        boolean cold = settings.cold() && PageCache.canDrop(progress);
        Files.writeString(settings.run.json, measurements.json()); // rather fail now than after the first round
        if (!settings.run.quick) {
            warmUp();
        }
        for (int round = 1; round <= settings.run.rounds; round++) {
            measurements.startRound(round);
            runOnce(cold);
            Files.writeString(settings.run.json, measurements.json()); // what there is, if the next round fails
        }
        if (settings.pictures != null) {
            new Table2Pictures(settings, measurements, settings.pictures).write();
        }
        return new Table2Report(settings, measurements).text();
    }

    private void runOnce(boolean cold) throws IOException, InterruptedException {
        if (settings.parts.contains(Part.RAW)) {
            new RawWrites(settings, measurements).run();
        }
        if (settings.parts.contains(Part.TABLE2) || settings.parts.contains(Part.FIGURE11)) {
            new WriteAndRead(settings, measurements, cold).run();
        }
        if (settings.parts.contains(Part.FIGURE2)) {
            new InsertAtSize(settings, measurements).run();
        }
        if (settings.parts.contains(Part.SMALL)) {
            new SmallRecords(settings, measurements).run();
        }
        if (settings.parts.contains(Part.GC)) {
            new Overwrites(settings, measurements).run();
        }
        if (settings.parts.contains(Part.RECOVERY)) {
            new Recovery(settings, measurements, cold).run();
        }
    }

    /** Lets the JIT compile both sides before any of it counts. */
    private void warmUp() throws IOException, InterruptedException {
        progress.println("warming up");
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Table2Settings few = settings.with(WARM_UP);
        new RawWrites(few, new Measurements(nowhere)).run();
        new WriteAndRead(few, new Measurements(nowhere), false).run();
        if (settings.measuresOurs()) {
            new WriteAndRead(settings.with(WARM_UP_OF_OURS), new Measurements(nowhere), false).run();
        }
        if (settings.parts.contains(Part.SMALL)) {
            new SmallRecords(settings.with(WARM_UP_OF_SMALL), new Measurements(nowhere)).run();
        }
    }
}
