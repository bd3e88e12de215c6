package io.flexdb.jmh.flexspace;

import io.flexdb.flexspace.FlexSpace;
import io.flexdb.flexspace.FlexSpaceOptions;
import io.flexdb.jmh.RandomNumbers;
import io.flexdb.jmh.flexspace.Table2Settings.RecoveryCase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** How long it takes to open a space after a clean close, and after a crash; what is read is in the page cache. */
final class Recovery {
    static final String CLEAN = "opened after a close";
    static final String CRASHED = "opened after a crash";
    static final String LOG = "log after the crash";

    private static final String COPY_NAME = "flexdb-table2-copy";
    private static final String LOCK_NAME = "LOCK";
    private static final String LOG_PREFIX = "log-";
    private static final long MORE_THAN_ANY_LOG = 1L << 50;

    private final Table2Settings settings;
    private final Measurements measurements;
    private final Subject subject;

    Recovery(Table2Settings settings, Measurements measurements) {
        this.settings = settings;
        this.measurements = measurements;
        this.subject = settings.ours();
    }

    /** The name of an experiment. */
    static String experiment(String metric, RecoveryCase recovery) {
        return metric + ", " + recovery.bytes() + " bytes, " + recovery.extents() + " extents";
    }

    /** One space for each case. */
    void run() throws IOException {
        for (RecoveryCase recovery : settings.recoveries) {
            measure(recovery);
        }
    }

    private void measure(RecoveryCase recovery) throws IOException {
        Path copy = subject.directory().resolve(COPY_NAME);
        subject.remove();
        Subject.removeTree(copy);
        try {
            long size;
            // No checkpoint meanwhile: the log has every insertion, and no file changes while it is copied.
            FlexSpaceOptions options = FlexSpaceOptions.defaults().withCheckpointLogBytes(MORE_THAN_ANY_LOG);
            try (FlexSpace space = FlexSpace.open(subject.files(), options)) {
                insertAll(space, recovery);
                space.sync();
                size = space.size();
                long logBytes = copyAsAfterCrash(subject.files(), copy);
                measurements.add(experiment(LOG, recovery), subject.name(), logBytes, "bytes");
            }
            open(subject.files(), size, experiment(CLEAN, recovery));
            open(copy, size, experiment(CRASHED, recovery));
        } finally {
            subject.remove();
            Subject.removeTree(copy);
        }
    }

    private static void insertAll(FlexSpace space, RecoveryCase recovery) {
        RandomNumbers random = new RandomNumbers();
        int length = recovery.blockBytes();
        ByteBuffer block = BlockWorkload.newBlock(length);
        for (int i = 0; i < recovery.extents(); i++) {
            // Between earlier insertions, so that none is cut in two.
            space.insertRange(random.below(i + 1) * length, block.clear());
        }
    }

    /** What a killed process leaves is what the files hold after a sync. Returns the bytes of logical log among it. */
    private static long copyAsAfterCrash(Path source, Path target) throws IOException {
        List<Path> files;
        try (Stream<Path> list = Files.list(source)) {
            files = list.toList();
        }
        Files.createDirectory(target);
        long logBytes = 0;
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (!name.equals(LOCK_NAME)) {
                Path copy = target.resolve(name);
                Files.copy(file, copy);
                try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
                    channel.force(true); // or recovery would have to write it all
                }
                logBytes += name.startsWith(LOG_PREFIX) ? Files.size(file) : 0;
            }
        }
        return logBytes;
    }

    private void open(Path directory, long size, String experiment) throws IOException {
        long start = System.nanoTime();
        try (FlexSpace space = FlexSpace.open(directory)) {
            measurements.add(experiment, subject.name(), (System.nanoTime() - start) / 1e9, "s");
            if (space.size() != size) {
                throw new IOException(directory + " has " + space.size() + " bytes after it was opened, not " + size);
            }
        }
    }
}
